"""Whole past seasons, tier by tier: rules and values, no clock of their own, no I/O."""
