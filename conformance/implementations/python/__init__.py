"""The reference as a child of the harness: operations by name, and the wire's form of values."""
