"""API-Football v3: the client, its models, and their translation into ours."""
