"""Fast forms; each has the results of the plain form that `hybrid_search.base.kernels` names next to it."""
