"""Makes the golden fixtures and the data tables of both libraries."""
