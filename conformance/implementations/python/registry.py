"""Operations: named functions from params and input to a value, with a trace of stages (CNF-6).

The reference's operations are in `conformance.implementations.python.operations`, one file a module: `fusion.rrf` is in
`operations/fusion.py`. A file is imported when its first operation is asked for.
"""

import importlib
import pkgutil
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

STAGES = (
    "read",
    "normalise",
    "route",
    "tokenise",
    "look up",
    "weigh",
    "query tree",
    "query text",
    "text leg rank",
    "dense leg rank",
    "normalise scores",
    "fuse",
    "term similarity",
    "vector similarity",
    "rank feature",
    "rerank",
    "threshold",
    "page",
    "write",
)
"""The stages of CNF-6, in the order a search goes through them."""


class Trace:
    """What an operation did on its way, stage by stage; a stage may come more than once."""

    def __init__(self) -> None:
        self.stages: list[tuple[str, Any]] = []

    def stage(self, name: str, value: Any) -> None:
        """Record the value of a stage.

        Args:
            name: one of `STAGES`.
            value: plain data: numbers, texts, lists, objects, null.
        """
        if name not in STAGES:
            raise ValueError(f"unknown stage {name!r}; known: {', '.join(STAGES)}")
        self.stages.append((name, value))


Function = Callable[[dict[str, Any], Any, Trace], Any]


@dataclass(frozen=True)
class Operation:
    """A registered operation.

    Attributes:
        name: `module.operation`.
        function: from params, input and trace to a value.
        defaults: params that a case leaves out; they are spelled out in its fixture.
    """

    name: str
    function: Function
    defaults: Mapping[str, Any] = field(default_factory=dict)


class UnknownOperationError(LookupError):
    """No operation has this name."""


_operations: dict[str, Operation] = {}


def operation(name: str, defaults: Mapping[str, Any] | None = None) -> Callable[[Function], Function]:
    """Register the decorated function as the operation `name`.

    Args:
        name: `module.operation`; the module is the name of the file in `operations/`.
        defaults: params with their default values, spelled out in every fixture.
    """

    def register(function: Function) -> Function:
        if name in _operations and _operations[name].function.__module__ != function.__module__:
            raise ValueError(f"operation {name} is registered twice")
        _operations[name] = Operation(name, function, dict(defaults or {}))
        return function

    return register


def modules() -> list[str]:
    """The names of the files in `operations/`, sorted."""
    package = importlib.import_module("conformance.implementations.python.operations")
    return sorted(module.name for module in pkgutil.iter_modules(package.__path__))


def find(name: str) -> Operation:
    """The operation of this name; its file is imported on first use.

    Raises:
        UnknownOperationError: there is no such file or no such operation in it.
    """
    if name not in _operations:
        module = name.partition(".")[0]
        if module not in modules():
            raise UnknownOperationError(f"no operations/{module}.py for {name}")
        importlib.import_module(f"conformance.implementations.python.operations.{module}")
    if name not in _operations:
        raise UnknownOperationError(f"operations/{name.partition('.')[0]}.py has no operation {name}")
    return _operations[name]
