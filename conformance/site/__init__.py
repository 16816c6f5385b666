"""The documentation as a site: `bin/conformance site`."""
