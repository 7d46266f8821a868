"""Backups: documents as mongodump writes them, an inventory of the objects in S3, a manifest."""
