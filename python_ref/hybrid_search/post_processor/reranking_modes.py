"""The names of Dify's modes of reranking (DFY-1)."""

WEIGHTED = "weighted_score"
MODEL = "reranking_model"
MODES = (WEIGHTED, MODEL)
