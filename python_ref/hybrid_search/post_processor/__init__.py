"""Post-processing of documents after a search, as Dify does it (DFY-1 … DFY-5, DFY-7)."""
