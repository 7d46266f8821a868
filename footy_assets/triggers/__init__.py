"""Triggers: conditions on what happens in a match, and the notifications they send."""
