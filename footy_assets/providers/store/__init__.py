"""Provider records, merged snapshots and provider state in MongoDB."""
