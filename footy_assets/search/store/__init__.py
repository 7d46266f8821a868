"""Search attempts, site health, team aliases and shared rate limits in MongoDB."""
