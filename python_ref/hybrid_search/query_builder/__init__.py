"""Query building (spec 02): term weights, synonyms, the query tree and its renderings."""
