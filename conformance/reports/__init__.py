"""Reports, all made from one JSON Lines log (CNF-14)."""
