"""Runs one operation of the reference on encoded data, as a fixture's maker and as a child of the harness."""

from typing import Any

from conformance.implementations.python import codec, registry
from hybrid_search.errors import HybridSearchError


def execute(name: str, params: Any, given: Any) -> dict[str, Any]:
    """Run an operation.

    Args:
        name: `module.operation`.
        params: its params, encoded.
        given: its input, encoded.

    Returns:
        `{value, trace}` or `{error: {class, message}, trace}`, encoded; the trace is a list of `{stage, value}`.

    Raises:
        registry.UnknownOperationError: there is no such operation.
        Exception: whatever else the operation raised; that is a bug of the operation or of the library (ERR-2).
    """
    function = registry.find(name).function
    trace = registry.Trace()
    outcome: dict[str, Any]
    try:
        outcome = {"value": codec.encode(function(codec.decode(params), codec.decode(given), trace))}
    except HybridSearchError as problem:
        outcome = {"error": {"class": error_class(problem), "message": str(problem)}}
    outcome["trace"] = [{"stage": stage, "value": codec.encode(value)} for stage, value in trace.stages]
    return outcome


def error_class(problem: HybridSearchError) -> str:
    """The name of the error's class, the same in every language; the base class is `Error`."""
    name = type(problem).__name__
    return "Error" if name == "HybridSearchError" else name
