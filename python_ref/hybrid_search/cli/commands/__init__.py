"""The commands of `hybrid-search`, one module each, whose `run` returns the exit status (CUR-5)."""
