"""Who may ask: bearer tokens (CUR-6)."""

import hashlib
import hmac
from collections.abc import Sequence

from hybrid_search.server.http_message import HttpHead
from hybrid_search.server.http_problem import HttpProblem


class BearerTokens:
    """Lets those in who have one of some tokens; each is compared, in the same time whatever it is.

    Args:
        tokens: the tokens; none of them: everybody may ask.
    """

    def __init__(self, tokens: Sequence[str]) -> None:
        self._digests = [_digest(token) for token in tokens]

    def check(self, head: HttpHead) -> None:
        """Refuse a request without one of the tokens.

        Raises:
            HttpProblem: it has none, or another.
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
