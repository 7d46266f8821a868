"""Several data providers become one truth: reconciliation, freshness, health and recovery."""
