"""The reference's operations, one file a module; see `hybrid_search.generate.registry`."""
