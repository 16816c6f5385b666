"""Named changes to the reference and to the port that the suite must notice (CNF-19)."""
