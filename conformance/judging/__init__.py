"""Asking the cases, and what the answers are worth."""
