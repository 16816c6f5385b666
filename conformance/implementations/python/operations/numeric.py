"""Operations over `numeric` (NUM-1 … NUM-5)."""

from collections.abc import Callable
from typing import Any

from conformance.implementations.python.registry import Trace, operation
from hybrid_search.base import numeric, validation

SMALLEST = 5e-324  # the smallest positive double


def _over_values(function: Callable[[list[float]], Any]) -> Callable[[dict[str, Any], Any, Trace], Any]:
    def run(_params: dict[str, Any], given: Any, _trace: Trace) -> Any:
        return function([float(value) for value in given["values"]])

    return run


def _over_pairs(function: Callable[[list[float], list[float]], Any]) -> Callable[[dict[str, Any], Any, Trace], Any]:
    def run(_params: dict[str, Any], given: Any, _trace: Trace) -> Any:
        return function([float(value) for value in given["left"]], [float(value) for value in given["right"]])

    return run


operation("numeric.sum")(_over_values(numeric.sum_left))
operation("numeric.mean")(_over_values(numeric.mean))
operation("numeric.norm")(_over_values(numeric.norm))
operation("numeric.normalize")(_over_values(numeric.normalize))
operation("numeric.dot")(_over_pairs(numeric.dot))
operation("numeric.cosine")(_over_pairs(numeric.cosine))


@operation("numeric.log10")
def log10(_params: dict[str, Any], given: Any, _trace: Trace) -> Any:
    """The common logarithms of the input's values."""
    return [numeric.log10(validation.number("values", value, SMALLEST)) for value in given["values"]]


@operation("numeric.softmax", defaults={"temperature": 1.0})
def softmax(params: dict[str, Any], given: Any, _trace: Trace) -> Any:
    """Softmax of the input's values at a temperature."""
    values = [validation.number("values", value) for value in given["values"]]
    return numeric.softmax(values, float(params["temperature"]))


@operation("numeric.text")
def text(_params: dict[str, Any], given: Any, _trace: Trace) -> Any:
    """The texts of numbers in a query string, and their bits."""
    return [
        {"shortest": numeric.shortest(value), "fixed4": numeric.fixed4(value), "bits": numeric.to_bits(value)}
        for value in map(float, given["values"])
    ]


@operation("numeric.fixed1")
def fixed1(_params: dict[str, Any], given: Any, _trace: Trace) -> Any:
    """The texts of seconds in messages."""
    return [numeric.fixed1(float(value)) for value in given["values"]]


@operation("numeric.round_half_even")
def round_half_even(_params: dict[str, Any], given: Any, _trace: Trace) -> Any:
    """The nearest integers."""
    return [numeric.round_half_even(float(value)) for value in given["values"]]


@operation("numeric.ulp_distance")
def ulp_distance(_params: dict[str, Any], given: Any, _trace: Trace) -> Any:
    """How many doubles lie between each pair."""
    return [numeric.ulp_distance(float(left), float(right)) for left, right in given["pairs"]]


@operation("numeric.vector")
def vector(params: dict[str, Any], given: Any, _trace: Trace) -> Any:
    """The check of a vector where it enters."""
    return validation.vector("vector", given["vector"], params.get("dimension"))
