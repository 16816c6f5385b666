"""The fixtures as cases to ask, and what is checked about them."""
