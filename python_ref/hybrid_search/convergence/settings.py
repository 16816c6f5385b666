"""The parameters of convergent retrieval: names, defaults and limits (CNV-2)."""

from collections.abc import Callable, Mapping
from typing import Any, Literal, NamedTuple, TypedDict

from hybrid_search.base import validation
from hybrid_search.errors import InvalidInputError

OFF, PRF, GLOBAL_LOCAL = "off", "prf", "global_local"
MODES = (OFF, PRF, GLOBAL_LOCAL)
RRF = "rrf"
MAX = "max"


class ConvergenceOptions(TypedDict, total=False):
    """The keyword options of `ConvergentRetriever`."""

    convergence_mode: Literal["off", "prf", "global_local"]
    max_steps: int
    top_k_blocks: int
    top_k_files: int
    top_k_modules: int
    top_k_entities: int
    top_k_blocks_expand: int
    feedback_top_m: int
    feedback_file_cap: int
    query_update_alpha: float
    query_anchor_beta: float
    feedback_temp: float
    round_fusion: Literal["last", "rrf"]
    rrf_k: float
    converge_jaccard_k: int
    converge_jaccard_threshold: float
    converge_min_improve: float
    patience: int
    min_cos_to_q0: float
    top_k_seed_files: int
    file_score_agg: Literal["sum", "max"]
    enable_rerank: bool
    rerank_top_k: int
    rerank_batch_size: int
    rerank_max_length: int
    rerank_context_lines: int
    rerank_snippet_max_lines: int
    rerank_fusion: Literal["replace", "linear"]
    rerank_weight: float
    rerank_fail_open: bool
    rerank_timeout: float


class _Parameter(NamedTuple):
    """A parameter: its default, its check, and the stage that must be on for the check to run; `None` means always."""

    default: Any
    check: Callable[[str, Any], Any]
    stage: str | None = None


def _count(least: int) -> Callable[[str, Any], int]:
    return lambda name, value: validation.integer(name, value, least)


def _number(least: float | None = None, most: float | None = None) -> Callable[[str, Any], float]:
    return lambda name, value: validation.number(name, value, least, most)


def _choice(*choices: str) -> Callable[[str, Any], str]:
    return lambda name, value: validation.choice(name, value, choices)


CONVERGENCE, SEEDS, RERANK = "convergence", "seeds", "rerank"

PARAMETERS: Mapping[str, _Parameter] = {
    "convergence_mode": _Parameter(OFF, _choice(*MODES)),
    "max_steps": _Parameter(3, _count(1), CONVERGENCE),
    "top_k_blocks": _Parameter(50, _count(1)),
    "top_k_files": _Parameter(20, _count(1)),
    "top_k_modules": _Parameter(20, _count(1)),
    "top_k_entities": _Parameter(50, _count(1)),
    "top_k_blocks_expand": _Parameter(100, _count(1), CONVERGENCE),
    "feedback_top_m": _Parameter(8, _count(1), CONVERGENCE),
    "feedback_file_cap": _Parameter(2, _count(0), CONVERGENCE),
    "query_update_alpha": _Parameter(0.35, _number(0), CONVERGENCE),
    "query_anchor_beta": _Parameter(0.15, _number(0), CONVERGENCE),
    "feedback_temp": _Parameter(0.05, _number(0), CONVERGENCE),
    "round_fusion": _Parameter(RRF, _choice("last", RRF), CONVERGENCE),
    "rrf_k": _Parameter(60.0, _number(0), CONVERGENCE),
    "converge_jaccard_k": _Parameter(50, _count(1), CONVERGENCE),
    "converge_jaccard_threshold": _Parameter(0.90, _number(0, 1), CONVERGENCE),
    "converge_min_improve": _Parameter(0.002, _number(), CONVERGENCE),
    "patience": _Parameter(1, _count(1), CONVERGENCE),
    "min_cos_to_q0": _Parameter(0.75, _number(-1, 1), CONVERGENCE),
    "top_k_seed_files": _Parameter(20, _count(1), SEEDS),
    "file_score_agg": _Parameter("sum", _choice("sum", MAX)),
    "enable_rerank": _Parameter(False, validation.boolean),
    "rerank_top_k": _Parameter(50, _count(1), RERANK),
    "rerank_batch_size": _Parameter(8, _count(1), RERANK),
    "rerank_max_length": _Parameter(512, _count(8), RERANK),
    "rerank_context_lines": _Parameter(0, _count(0), RERANK),
    "rerank_snippet_max_lines": _Parameter(120, _count(1), RERANK),
    "rerank_fusion": _Parameter("replace", _choice("replace", "linear"), RERANK),
    "rerank_weight": _Parameter(0.8, _number(0, 1), RERANK),
    "rerank_fail_open": _Parameter(True, validation.boolean, RERANK),
    "rerank_timeout": _Parameter(30.0, _number(), RERANK),
}
"""Every parameter, in the order of their checks."""


class Settings:
    """The parameters of one retriever, checked and with their defaults filled in.

    Args:
        given: name → value; parameters of a stage that is off keep their defaults, and their values are not checked.

    Raises:
        InvalidInputError: a name is unknown, or a value outside its limits.
    """

    def __init__(self, given: Mapping[str, Any]) -> None:
        validation.known("option", given, tuple(PARAMETERS))
        self._values = {name: parameter.default for name, parameter in PARAMETERS.items()}
        for name in ("convergence_mode", "enable_rerank"):
            self._take(name, given)
        stages = self._stages()
        for name, parameter in PARAMETERS.items():
            if parameter.stage in stages:
                self._take(name, given)
        self._check_shares()
        self._check_timeout()

    def __getitem__(self, name: str) -> Any:
        return self._values[name]

    @property
    def wanted(self) -> int:
        """W: the number of blocks that the first stage returns."""
        blocks: int = self["top_k_blocks"]
        reranked: int = self["rerank_top_k"]
        return max(blocks, reranked) if self["enable_rerank"] else blocks

    @property
    def per_round(self) -> int:
        """R: the number of blocks that a round ranks."""
        expanded: int = self["top_k_blocks_expand"]
        return max(self.wanted, expanded)

    def _stages(self) -> set[str | None]:
        mode = self["convergence_mode"]
        stages: set[str | None] = {None}
        if mode != OFF:
            stages.add(CONVERGENCE)
        if mode == GLOBAL_LOCAL:
            stages.add(SEEDS)
        if self["enable_rerank"]:
            stages.add(RERANK)
        return stages

    def _take(self, name: str, given: Mapping[str, Any]) -> None:
        if name in given:
            self._values[name] = PARAMETERS[name].check(name, given[name])

    def _check_shares(self) -> None:
        shares = self["query_update_alpha"] + self["query_anchor_beta"]
        if shares > 1.0:
            raise InvalidInputError(
                f"query_update_alpha + query_anchor_beta must be at most 1, not {validation.describe(shares)}"
            )

    def _check_timeout(self) -> None:
        timeout = self["rerank_timeout"]
        if timeout <= 0.0:
            raise InvalidInputError(f"rerank_timeout must be a number above 0, not {validation.describe(timeout)}")
