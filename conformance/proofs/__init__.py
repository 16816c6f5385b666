"""Oracles held against others, over whole collections and random texts."""
