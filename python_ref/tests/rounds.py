"""Rounds of random tests: some in every run, the others every night."""

import os

import pytest


def seeds(every_run, every_night):
    """The numbers below `every_night`; those from `every_run` on are marked as nightly."""
    later = [pytest.param(seed, marks=pytest.mark.nightly) for seed in range(every_run, every_night)]
    return [*range(every_run), *later]


def examples(every_run, every_night):
    """The number of examples that Hypothesis draws; `bin/test --nightly` sets the variable that asks for the many."""
    return every_night if os.environ.get("HYBRID_SEARCH_EXAMPLES") == "all" else every_run
