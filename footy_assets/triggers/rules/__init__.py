"""Pure rules of triggers: no clock, no I/O, no Dagster."""
