"""Shows that each part of each compound condition of the reference decides alone in some case (CNF-19)."""
