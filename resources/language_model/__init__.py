"""OpenAI-compatible models: a chat client, the alias picker and the vision judge built on it."""
