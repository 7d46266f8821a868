"""An OpenAI-compatible language model that picks the names of a team to search for."""
