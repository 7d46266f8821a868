"""Several providers, one truth: what each says of a match, and what we take from it. Pure."""
