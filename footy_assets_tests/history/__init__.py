"""Past seasons: rules, sourcing, crashes, tables, Dagster."""
