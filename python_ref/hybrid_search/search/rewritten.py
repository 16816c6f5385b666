"""What a user's callable has made of a question (RWR-1)."""

import dataclasses
from collections.abc import Mapping
from typing import Any

from hybrid_search.base import awaitable, object_checks, validation
from hybrid_search.protocols import Rewrite


@dataclasses.dataclass(frozen=True)
class Rewritten:
    """What a request has become.

    Attributes:
        carried: the new question and the added filters as JSON, for cursors; none where the question stayed.
        asked: the given question and filters, a part of the fingerprint.
        explained: the new question and the added filters, for explanations.
        warnings: that the callable has failed.
    """

    carried: str | None = None
    asked: Mapping[str, Any] = dataclasses.field(default_factory=dict)
    explained: Mapping[str, Any] = dataclasses.field(default_factory=dict)
    warnings: tuple[str, ...] = ()


AS_GIVEN = Rewritten()
"""Of a request that stays as it was given."""


def accept(value: Any) -> Rewrite:
    """Return the option `rewrite`, checked.

    Raises:
        InvalidInputError: it is not a callable, or one that has to be awaited.
    """
    if not object_checks.able(value):
        raise validation.fail("rewrite", value, "a callable")
    awaitable.refuse("rewrite", value)
    return value  # type: ignore[no-any-return]
