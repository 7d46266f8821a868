"""Telegram: the web previews of public channels."""
