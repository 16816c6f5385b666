"""The ways of searching that the table compares, by name."""

import argparse
import re

WEIGHED = ("Dify 1/0", "Dify 0/1", "Dify 0.5/0.5", "Dify 0.3/0.7")
"""Weights of vectors and keywords in Dify's weighted score: vectors alone, keywords alone, both (DFY-2)."""
BALANCED = ("bm25f", "balanced", "balanced min_max", "balanced rrf")
"""The bag of tokens alone, and fused with the vectors (RET-10)."""
FUSED = BALANCED[1:]
"""What `--compare` compares with everything else."""
WAYS = ("full text", "dense", "weighted_sum", "rrf", "hybrid rerank", *BALANCED, *WEIGHED)
ALL_WEIGHED = "Dify"
"""Stands for all of `WEIGHED`."""

_WEIGHTS = re.compile(r"Dify ([0-9]+(?:\.[0-9]+)?)/([0-9]+(?:\.[0-9]+)?)")


def named(name: str) -> tuple[str, ...]:
    """The ways that an argument names: one of `WAYS`, `Dify` for four of them, or `Dify V/K` with any weights.

    Raises:
        argparse.ArgumentTypeError: there is no such way, or both weights are 0.
    """
    if name == ALL_WEIGHED:
        return WEIGHED
    weights = _WEIGHTS.fullmatch(name)
    if weights is not None and any(float(weight) > 0.0 for weight in weights.groups()):
        return (name,)
    if name in WAYS:
        return (name,)
    raise argparse.ArgumentTypeError(
        f"{name!r} must be one of {', '.join(WAYS)}, or Dify for the last {len(WEIGHED)}, or Dify V/K with other "
        "weights of vectors and keywords, not both 0, as Dify 0.9/0.1"
    )
