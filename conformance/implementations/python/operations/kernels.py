"""Operations of the switch between plain and fast kernels."""

import os
from typing import Any
from unittest import mock

from conformance.implementations.python.registry import Trace, operation
from hybrid_search.base import kernels


@operation("kernels.choice")
def choice(_params: dict[str, Any], given: Any, _trace: Trace) -> Any:
    """The kernels of a name that is given, or that the variable of the environment has."""
    if "variable" not in given:
        return kernels.choice(given["kernels"])
    with mock.patch.dict(os.environ, {kernels.VARIABLE: given["variable"]}):
        return kernels.choice(None)
