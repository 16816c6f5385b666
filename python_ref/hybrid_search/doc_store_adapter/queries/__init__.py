"""The checked arguments of a search, and the parts of its result."""
