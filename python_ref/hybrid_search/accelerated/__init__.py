"""Fast implementations; each has the results of the plain one that `hybrid_search.base.kernels` names next to it."""
