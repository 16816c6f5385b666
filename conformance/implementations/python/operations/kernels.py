"""Operations of the switch between plain and fast kernels."""

from typing import Any

from conformance.implementations.python.registry import Trace, operation
from hybrid_search.base import kernels


@operation("kernels.choice")
def choice(_params: dict[str, Any], given: Any, _trace: Trace) -> Any:
    """The kernels of a name that is given."""
    return kernels.choice(given["kernels"])
