"""The data tables of both libraries, one a file."""
