"""Operations of fusion (FUS-1 … FUS-5)."""

from typing import Any

from conformance.implementations.python.registry import Trace, operation
from hybrid_search.base import ordering, validation
from hybrid_search.fusion import normalizer, weights
from hybrid_search.fusion.fusion import Fusion
from hybrid_search.fusion.fusion_expr import FusionExpr
from hybrid_search.fusion.fusion_methods import METHODS


@operation("fusion.weighted_sum", {"normalizer": "min_max"})
def weighted_sum(params: dict[str, Any], given: Any, trace: Trace) -> Any:
    """The weighted sum of ranked lists; each list alone, with the weight 1, shows its normalised scores."""
    rankings, normalizer = given["rankings"], params["normalizer"]
    fused = Fusion.weighted_sum(rankings, params["weights"], normalizer)
    own = normalizer if isinstance(normalizer, (list, tuple)) else [normalizer] * len(rankings)
    alone = [Fusion.weighted_sum([ranking], [1.0], name) for ranking, name in zip(rankings, own, strict=True)]
    trace.stage("normalise scores", alone)
    trace.stage("fuse", fused)
    return fused


@operation("fusion.rrf", {"k": 60})
def rrf(params: dict[str, Any], given: Any, trace: Trace) -> Any:
    """Reciprocal rank fusion of ranked lists; each list alone shows what its places give."""
    fused = Fusion.rrf(given["rankings"], params["k"])
    trace.stage("normalise scores", [Fusion.rrf([ranking], params["k"]) for ranking in given["rankings"]])
    trace.stage("fuse", fused)
    return fused


@operation("fusion.auto")
def auto(params: dict[str, Any], given: Any, trace: Trace) -> Any:
    """A text leg and a dense leg by how far their scores stand out."""
    return _of_legs("auto", given["rankings"], Fusion.auto, trace)


@operation("fusion.min_max")
def min_max(params: dict[str, Any], given: Any, trace: Trace) -> Any:
    """A text leg and a dense leg by their scores between the lowest and the highest."""
    return _of_legs("min_max", given["rankings"], Fusion.min_max, trace)


def _of_legs(method: str, rankings: Any, fuse: Any, trace: Trace) -> Any:
    """The fused list, the similarities that are shown, and what both legs add."""
    fused, legs_of = fuse(rankings), METHODS[method].legs
    assert legs_of is not None
    legs = legs_of(*map(ordering.rank, rankings))
    told = [[leg.weight, leg.floor, leg.unit, list(map(list, leg.shares.items()))] for leg in (legs.text, legs.dense)]
    trace.stage("normalise scores", told)
    trace.stage("fuse", fused)
    return {
        "fused": fused,
        "legs": told,
        "highest": legs.highest,
        "similarity": legs.similarities(score for _, score in fused),
    }


@operation("fusion.normalize")
def normalize(params: dict[str, Any], given: Any, _trace: Trace) -> Any:
    """The scores of one list under a normalizer."""
    scores = [validation.number("scores", score) for score in given["scores"]]
    return normalizer.normalize(scores, params["normalizer"])


@operation("fusion.parse_weights", {"count": 2})
def parse_weights(params: dict[str, Any], given: Any, _trace: Trace) -> Any:
    """Weights out of a text or a list."""
    return weights.parse(given["weights"], params["count"])


@operation("fusion.expression", {"topn": 10, "params": {}})
def expression(params: dict[str, Any], given: Any, trace: Trace) -> Any:
    """A fusion expression, and what it makes of ranked lists."""
    made = FusionExpr(params["method"], params["topn"], params["params"])
    trace.stage("fuse", Fusion.fuse(made, given["rankings"]))
    return {"method": made.method, "topn": made.topn, "params": dict(made.params)}


@operation("fusion.fuse", {"params": {}, "normalizer": "min_max"})
def fuse(params: dict[str, Any], given: Any, _trace: Trace) -> Any:
    """The fused list of any method."""
    made = FusionExpr(params["method"], params["topn"], params["params"])
    return Fusion.fuse(made, given["rankings"], params["normalizer"])


@operation("fusion.defaults")
def defaults(params: dict[str, Any], given: Any, trace: Trace) -> Any:
    """What comes out where nothing is said that need not be said."""
    rankings = given["rankings"]
    trace.stage("fuse", [Fusion.weighted_sum(rankings, params["weights"]), Fusion.rrf(rankings)])
    made = [FusionExpr(method, params["topn"]) for method in params["methods"]]
    return [[dict(one.params), Fusion.fuse(one, rankings)] for one in made]
