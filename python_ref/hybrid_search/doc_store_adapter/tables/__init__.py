"""The shared parts of stores whose documents are in the tables of a database."""
