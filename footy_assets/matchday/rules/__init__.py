"""Pure rules of matches and goals: no clock, no I/O, no Dagster."""
