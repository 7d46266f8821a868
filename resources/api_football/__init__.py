"""API-Football v3: the client, its models, and their meaning in our words."""
