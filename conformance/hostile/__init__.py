"""Clients of services against a hostile server, in both languages: `python -m conformance.hostile --calls 2000`."""
