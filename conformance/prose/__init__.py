"""The linter of the project's English: `bin/conformance prose`."""
