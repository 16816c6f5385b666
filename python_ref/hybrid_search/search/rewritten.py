"""The result of a user's callable for a question (RWR-1)."""

import dataclasses
from collections.abc import Mapping
from typing import Any

from hybrid_search.base import awaitable, object_checks, validation
from hybrid_search.protocols import Rewrite


@dataclasses.dataclass(frozen=True)
class Rewritten:
    """The changes of a request.

    Attributes:
        carried: the new question and the added filters as JSON, for cursors; `None` if nothing changed.
        asked: the given question and filters, a part of the fingerprint.
        explained: the new question and the added filters, for explanations.
        warnings: a warning if the callable has failed.
    """

    carried: str | None = None
    asked: Mapping[str, Any] = dataclasses.field(default_factory=dict)
    explained: Mapping[str, Any] = dataclasses.field(default_factory=dict)
    warnings: tuple[str, ...] = ()


AS_GIVEN = Rewritten()
"""The result for a request that stays unchanged."""


def accept(value: Any) -> Rewrite:
    """Return the checked option `rewrite`.

    Raises:
        InvalidInputError: the value is not a callable, or it must be awaited.
    """
    if not object_checks.able(value):
        raise validation.fail("rewrite", value, "a callable")
    awaitable.refuse("rewrite", value)
    return value  # type: ignore[no-any-return]
