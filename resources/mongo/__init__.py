"""MongoDB: connection, health and the Dagster resource."""
