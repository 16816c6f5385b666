"""Real engines, PostgreSQL, OpenSearch and OceanBase, for tests and for trying things out: `bin/engines`."""
