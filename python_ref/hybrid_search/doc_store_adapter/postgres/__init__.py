"""The document store in PostgreSQL."""
