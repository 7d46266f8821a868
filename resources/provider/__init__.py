"""The football provider as a Dagster resource."""
