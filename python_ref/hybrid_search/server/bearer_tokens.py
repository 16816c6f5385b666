"""Authorizes requests by bearer tokens (CUR-6)."""

import hashlib
import hmac
from collections.abc import Sequence

from hybrid_search.server.http_message import HttpHead
from hybrid_search.server.http_problem import HttpProblem


class BearerTokens:
    """Accepts requests with one of the tokens; tokens are compared in constant time.

    Args:
        tokens: the tokens; without any, every request is accepted.
    """

    def __init__(self, tokens: Sequence[str]) -> None:
        self._digests = [_digest(token) for token in tokens]

    def check(self, head: HttpHead) -> None:
        """Refuse a request without one of the tokens.

        Raises:
            HttpProblem: the request has no token, or an unknown one.
        """
        if not self._digests:
            return
        scheme, _, given = head.header("authorization").partition(" ")
        digest = _digest(given.strip(" "))
        same = [hmac.compare_digest(digest, one) for one in self._digests]
        if scheme.lower() != "bearer" or not any(same):
            raise HttpProblem("unauthorized", headers={"www-authenticate": 'Bearer realm="hybrid-search"'})


def _digest(token: str) -> bytes:
    return hashlib.sha256(token.encode("utf-8", "surrogatepass")).digest()
