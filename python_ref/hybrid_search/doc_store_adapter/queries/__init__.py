"""The arguments of a search, checked, and the parts of its result."""
