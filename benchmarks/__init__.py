"""What the pipeline costs, measured. See docs/benchmarks.md."""
