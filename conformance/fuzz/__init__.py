"""Differential fuzzing: drawn inputs, two implementations, differences shrunk into fixtures (CNF-17)."""
