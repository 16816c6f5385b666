"""The fast ways, each with the answers of the plain form that `hybrid_search.base.kernels` names beside it."""
