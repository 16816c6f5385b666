"""Checks the settings of the HTTP service (CUR-6)."""

import re
from typing import Any

from hybrid_search.base import validation
from hybrid_search.errors import InvalidInputError

NAME = re.compile(r"\*|\.?[A-Za-z0-9_-]+(?:\.[A-Za-z0-9_-]+)*")
ACCEPTED = 'a list of names without ports, as "search.example.com", ".example.com" for all below it, or "*" for any'
# limits:begin: made by `bin/conformance make http`
LIMITS: dict[str, int] = {
    "max_query_bytes": 1048576,
    "max_body_bytes": 8388608,
}
"""Limits of bodies in bytes, with their defaults."""

# limits:end


class HttpSettings:
    """The settings of the service, checked; see `HttpService` for the meaning of each.

    Raises:
        InvalidInputError: a setting is not acceptable; a token is never shown.
    """

    def __init__(
        self,
        token: Any,
        read_only: Any,
        access_log: Any,
        log_queries: Any,
        max_query_bytes: Any,
        max_body_bytes: Any,
        allowed_hosts: Any,
        allow_anonymous_writes: Any,
    ) -> None:
        if access_log is not None and not callable(getattr(access_log, "write", None)):
            raise validation.fail("access_log", access_log, "an object with write")
        self.tokens = _tokens(token)
        self.read_only = validation.boolean("read_only", read_only)
        self.access_log = access_log
        self.log_queries = validation.boolean("log_queries", log_queries)
        self.limits = {
            "max_query_bytes": validation.integer("max_query_bytes", max_query_bytes, 1),
            "max_body_bytes": validation.integer("max_body_bytes", max_body_bytes, 1),
        }
        self.allowed_hosts = _hosts(allowed_hosts)
        self.allow_anonymous_writes = validation.boolean("allow_anonymous_writes", allow_anonymous_writes)


def _tokens(value: Any) -> list[str]:
    """Return the accepted tokens of a text or a list of texts."""
    if value is None:
        return []
    tokens = [value] if isinstance(value, str) else value
    if not isinstance(tokens, (list, tuple)) or not tokens or not all(_is_token(one) for one in tokens):
        raise InvalidInputError("token must be a text of printable ASCII without blanks, or a list of such texts")
    return list(tokens)


def _hosts(value: Any) -> list[str] | None:
    """Return the names of hosts of a list of texts."""
    if value is None:
        return None
    names = validation.texts("allowed_hosts", value)
    wrong = next((one for one in names if not NAME.fullmatch(one)), None)
    if wrong is not None:
        raise validation.fail("allowed_hosts", wrong, ACCEPTED)
    return names


def _is_token(value: Any) -> bool:
    return isinstance(value, str) and value != "" and all("!" <= character <= "~" for character in value)
