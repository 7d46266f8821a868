"""The sites where fans post, opened from the settings, and the Dagster resource."""
