"""Notifications to subscribers outside."""
