"""Query building (TW-1 … TW-9, SYN-1, QRY-1 … QRY-11): term weights, synonyms, the query tree and its renderings."""
