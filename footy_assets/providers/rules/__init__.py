"""Pure rules of merging providers: no clock, no I/O, no Dagster."""
