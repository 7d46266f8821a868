"""Bluesky's public search: posts with videos, no login."""
