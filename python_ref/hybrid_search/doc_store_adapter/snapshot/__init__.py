"""One state of a store's documents in memory, and the search in it."""
