"""What is timed, a module each."""
