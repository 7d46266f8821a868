"""Triggers: conditions on what happens in a match, with limits; pure rules, no I/O, no clock."""
