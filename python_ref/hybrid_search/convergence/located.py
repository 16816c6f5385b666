"""What convergent retrieval gives in the end (CNV-5, CNV-6)."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from hybrid_search.convergence.candidates import Round


@dataclass(frozen=True)
class LocatedBlock:
    """A block of the answer.

    Attributes:
        row: its number in the index.
        tier: 0 if the model scored it, else 1.
        score: what it is ranked by within its tier.
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
        warnings: what went on without the model; texts for people.
    """

    blocks: Sequence[LocatedBlock]
    rerank_status: str = "off"
    warnings: Sequence[str] = ()


@dataclass(frozen=True)
class Located:
    """Where in the code the answer lies.

    Attributes:
        found_files: paths, best first.
        found_modules: `path:name` of classes, and of functions that are not in a class.
        found_entities: `path:name` of functions and methods.
        blocks: those that this was made of, best first.
        rounds: what led to them.
        stop_reason: why there were no more rounds; none: there is but one.
        rerank_status: "off", "applied", "skipped" or "failed".
        warnings: what went on without the model; texts for people.
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
        """What a line of `loc_outputs.jsonl` says of it."""
        return {
            "found_files": list(self.found_files),
            "found_modules": list(self.found_modules),
            "found_entities": list(self.found_entities),
            "raw_output_loc": [],
        }
