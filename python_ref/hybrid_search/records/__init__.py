"""Checks records, turns them into stored fields and vectors, and writes them batch by batch (IDX-1 … IDX-5)."""
