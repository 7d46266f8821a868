"""S3: connection, the clip store and the Dagster resource."""
