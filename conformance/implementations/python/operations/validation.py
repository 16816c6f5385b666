"""Operations over `validation` (NUM-4, UNI-2, ERR-1, ERR-2)."""

from collections.abc import Callable, Mapping
from typing import Any

from conformance.implementations.python.registry import Trace, operation
from hybrid_search.base import validation

CHECKS: Mapping[str, Callable[[dict[str, Any], Any], Any]] = {
    "text": lambda params, value: validation.text(params["name"], value),
    "texts": lambda params, value: validation.texts(params["name"], value),
    "integer": lambda params, value: validation.integer(
        params["name"], value, params.get("minimum"), params.get("maximum")
    ),
    "number": lambda params, value: validation.number(
        params["name"], value, params.get("minimum"), params.get("maximum")
    ),
    "boolean": lambda params, value: validation.boolean(params["name"], value),
    "choice": lambda params, value: validation.choice(params["name"], value, params["choices"]),
    "mapping": lambda params, value: dict(validation.mapping(params["name"], value)),
    "vector": lambda params, value: validation.vector(params["name"], value, params.get("dimension")),
}


@operation("validation.check", defaults={"name": "value"})
def check(params: dict[str, Any], given: Any, _trace: Trace) -> Any:
    """The accepted value in its plain form, or the error."""
    return CHECKS[params["check"]](params, given["value"])


@operation("validation.describe")
def describe(_params: dict[str, Any], given: Any, _trace: Trace) -> Any:
    """How values are shown in messages."""
    return [validation.describe(value) for value in given["values"]]


@operation("validation.known", defaults={"what": "option"})
def known(params: dict[str, Any], given: Any, _trace: Trace) -> Any:
    """The names when all are known, or the error."""
    validation.known(params["what"], given["names"], params["accepted"])
    return given["names"]


@operation("validation.edit_distance")
def edit_distance(_params: dict[str, Any], given: Any, _trace: Trace) -> Any:
    """The Levenshtein distances of pairs."""
    return [validation.edit_distance(left, right) for left, right in given["pairs"]]
