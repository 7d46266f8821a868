"""Opens the football providers from the settings and `sources.yaml`; the Dagster resource."""
