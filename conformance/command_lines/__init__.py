"""Command lines of `hybrid-search`, and what both programs must answer."""
