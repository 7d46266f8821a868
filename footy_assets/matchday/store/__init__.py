"""Fixtures and goals in MongoDB."""
