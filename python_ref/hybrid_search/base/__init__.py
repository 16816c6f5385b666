"""Shared foundations of every folder: arithmetic, ordering, characters, JSON, argument checks and logs."""
