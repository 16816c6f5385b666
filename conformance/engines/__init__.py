"""Real engines, PostgreSQL and OpenSearch, for tests and for trying things out: `bin/engines`."""
