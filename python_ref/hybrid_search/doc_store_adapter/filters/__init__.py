"""Filters, and what they look at."""
