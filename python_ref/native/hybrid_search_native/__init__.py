"""The native kernels of HybridSearch; `hybrid_search` finds them by this module's name."""

from hybrid_search_native.kernels import INTERFACE, Rows, best_sums, enough_groups

__all__ = ["INTERFACE", "Rows", "best_sums", "enough_groups"]
