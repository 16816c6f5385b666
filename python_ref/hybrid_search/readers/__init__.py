"""Reads files into records (FIL-1 … FIL-6)."""
