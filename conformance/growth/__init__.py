"""How costs grow with the length of hostile texts: every public operation that takes text, in both languages."""
