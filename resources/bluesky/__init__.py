"""Bluesky: its stream of all posts, and the search of an AppView; no login."""
