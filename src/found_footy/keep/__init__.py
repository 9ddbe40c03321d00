"""Keeping the data: backup and restore, and the schema version with its migrations."""
