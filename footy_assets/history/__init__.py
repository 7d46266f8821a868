"""Whole past seasons, sourced tier by tier."""
