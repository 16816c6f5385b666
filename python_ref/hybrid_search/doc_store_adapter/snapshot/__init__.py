"""The documents of one state, in memory, and the search in them."""
