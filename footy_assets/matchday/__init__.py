"""Fixtures and goals: ingest, live polling, and when a goal is stable."""
