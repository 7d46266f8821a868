"""Triggers, snapshots, evaluations and the notification outbox in MongoDB."""
