"""football-data.org v4: the second provider of fixtures and live scores."""
