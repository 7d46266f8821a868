"""Running it all on one machine: servers, Dagster, the demo, the doctor."""
