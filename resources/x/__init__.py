"""X through a real browser, with a login that only its user makes."""
