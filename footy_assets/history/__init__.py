"""Whole past seasons, loaded tier by tier."""
