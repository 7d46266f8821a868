"""Clips in MongoDB."""
