"""Pure rules of searching: no clock, no I/O, no Dagster."""
