"""What cases are drawn from, and how often: the operations of the fixtures with the shapes of their inputs."""

from collections.abc import Sequence
from fnmatch import fnmatchcase
from pathlib import Path

from conformance import yaml_files
from conformance.cases.fixtures import Case
from conformance.fuzz.shapes import Shapes

SELDOM = (
    "index.script", "kept.documents", "search.damaged", "search.walks", "query_builder.word_net", "retriever.pages",
    "segmenter.load_user_dict",
)  # fmt: skip
"""Operations that take long; the others are drawn this much more often:"""
OFTEN = 8
WHOLE = ("tables", "command_lines")
"""Modules whose operations take seconds or have hardly any input: drawn only where they are named."""
EXCLUDED = Path(__file__).with_name("excluded.yml")


def shapes(cases: Sequence[Case], patterns: Sequence[str]) -> dict[str, Shapes]:
    """Operation → what its inputs look like.

    Args:
        cases: of the fixtures.
        patterns: of the operations; none: all but those of whole tables.
    """
    found: dict[str, list[Case]] = {}
    for case in cases:
        if (not patterns and case.module not in WHOLE) or any(
            fnmatchcase(case.operation, pattern) for pattern in patterns
        ):
            found.setdefault(case.operation, []).append(case)
    excluded = yaml_files.load(EXCLUDED)
    return {operation: Shapes(own, excluded.get(operation)) for operation, own in found.items()}


def weights(cases: Sequence[Case]) -> dict[str, int]:
    """Operation → how often it is drawn in comparison with others."""
    return {case.operation: 1 if case.operation in SELDOM else OFTEN for case in cases}
