"""The result of convergent retrieval (CNV-5, CNV-6)."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from hybrid_search.convergence.candidates import Round


@dataclass(frozen=True)
class LocatedBlock:
    """A block of the result.

    Attributes:
        row: its number in the index.
        tier: 0 if the model scored it, otherwise 1.
        score: its score within its tier.
        stage1_score: the score of the first stage.
    """

    row: int
    tier: int
    score: float
    stage1_score: float


@dataclass(frozen=True)
class RankedBlocks:
    """The blocks after the second stage.

    Attributes:
        blocks: best first.
        rerank_status: "off", "applied", "skipped" or "failed".
        warnings: readable texts about steps that continued without the model.
    """

    blocks: Sequence[LocatedBlock]
    rerank_status: str = "off"
    warnings: Sequence[str] = ()


@dataclass(frozen=True)
class Located:
    """The location of the answer in the code.

    Attributes:
        found_files: paths, best first.
        found_modules: `path:name` of classes, and of functions that are not in a class.
        found_entities: `path:name` of functions and methods.
        blocks: the blocks from which these were derived, best first.
        rounds: the rounds that produced them.
        stop_reason: the reason for the end of the rounds; `None` for a single round without convergence.
        rerank_status: "off", "applied", "skipped" or "failed".
        warnings: readable texts about steps that continued without the model.
    """

    found_files: Sequence[str]
    found_modules: Sequence[str]
    found_entities: Sequence[str]
    blocks: Sequence[LocatedBlock]
    rounds: Sequence[Round]
    stop_reason: str | None
    rerank_status: str
    warnings: Sequence[str]

    def to_dict(self) -> dict[str, Any]:
        """Return the members of a line of `loc_outputs.jsonl`."""
        return {
            "found_files": list(self.found_files),
            "found_modules": list(self.found_modules),
            "found_entities": list(self.found_entities),
            "raw_output_loc": [],
        }
