"""The fast ways, each with the answers of the plain form that `hybrid_search._kernels` names beside it."""
