"""What every store has to do, as tests that it can be asked."""
