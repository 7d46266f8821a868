"""A page of live scores, read in a browser."""
