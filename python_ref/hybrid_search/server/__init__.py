"""The index over HTTP, and its search page (CUR-6)."""
