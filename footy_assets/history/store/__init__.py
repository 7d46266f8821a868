"""Seasons and their documents in MongoDB."""
