"""The searches of an index: pages of hits, by number and by cursor."""
