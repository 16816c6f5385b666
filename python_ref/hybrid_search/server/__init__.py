"""Serves an index over HTTP, with a search page (CUR-6)."""
