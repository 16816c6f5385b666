"""The reference's operations, one file a module; see `conformance.implementations.python.registry`."""
