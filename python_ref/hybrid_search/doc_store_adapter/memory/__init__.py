"""The document store in memory."""
