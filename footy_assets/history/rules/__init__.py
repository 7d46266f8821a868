"""Pure rules of sourcing a season: no clock, no I/O, no Dagster."""
