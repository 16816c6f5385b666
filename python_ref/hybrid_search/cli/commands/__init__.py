"""What each command of `hybrid-search` does: a module a command, whose `run` gives the exit status (CUR-5)."""
