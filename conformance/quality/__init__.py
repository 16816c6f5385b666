"""How good the rankings are: nDCG@10, Recall@50 and MRR@10 on any BEIR-style collection, for both languages."""
