"""Stored documents: their fields, values and JSON, and the changes of a batch."""
