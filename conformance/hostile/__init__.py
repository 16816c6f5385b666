"""Clients of services against a hostile server, in both languages: `bin/conformance hostile --calls 2000`."""
