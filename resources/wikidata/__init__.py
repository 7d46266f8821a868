"""Wikidata's action API: the client, its models, and their meaning in our words."""
