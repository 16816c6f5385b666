"""Shared foundations of every room: arithmetic, ordering, characters, JSON, argument checks and logs."""
