"""Describes failed requests to clients, in one form and with one table of codes (CUR-6)."""

from collections.abc import Mapping

from hybrid_search.base import validation
from hybrid_search.errors import (
    DimensionMismatchError,
    DocStoreError,
    EmbeddingError,
    HybridSearchError,
    InvalidCursorError,
    InvalidInputError,
    RerankError,
)

# problems:begin: made by `bin/conformance make http`
PROBLEMS: dict[str, tuple[int, str | None]] = {
    "invalid_request": (400, None),
    "invalid_cursor": (400, None),
    "dimension_mismatch": (400, None),
    "invalid_utf8": (400, "{} is not valid UTF-8 text"),
    "invalid_json": (
        400,
        "body must be strict JSON, at most 100 levels deep: no comments, no NaN, no lone "
        "surrogates, whole numbers of at most 4000 digits",
    ),
    "unauthorized": (401, "a valid token is needed, as in: Authorization: Bearer TOKEN"),
    "read_only": (403, "documents cannot be changed here: the service is read-only"),
    "anonymous_write": (
        403,
        "documents cannot be changed without a token: set token (hybrid-search serve: "
        "--token-file), or allow_anonymous_writes (--allow-anonymous-writes)",
    ),
    "not_found": (
        404,
        "there is nothing at this path; the paths are /v1/search, /v1/cite, /v1/tags, "
        "/v1/documents and those in /openapi.json",
    ),
    "document_not_found": (404, "no document has this id"),
    "method_not_allowed": (405, "this path takes {} only"),
    "not_acceptable": (406, "this path answers {} only"),
    "request_timeout": (408, "body did not arrive in time"),
    "length_required": (411, "body must tell its length, or be chunked"),
    "payload_too_large": (413, "body must have at most {} bytes"),
    "uri_too_long": (
        414,
        "query string must have at most {} bytes; a search with more takes its options in a body: POST /v1/search",
    ),
    "too_many_values": (413, "{} holds more values than its limit of bytes allows for"),
    "unsupported_media_type": (
        415,
        "a body must be JSON in UTF-8, not compressed, with the header Content-Type: "
        "application/json; this request has {}",
    ),
    "misdirected_request": (
        421,
        "the host of this request is not served: it must be localhost, an IP address or a "
        "name in allowed_hosts (hybrid-search serve: --allowed-host)",
    ),
    "internal": (500, "the service failed; its log has the reason"),
    "embedding_failed": (502, None),
    "rerank_failed": (502, None),
    "store_failed": (503, None),
    "shutting_down": (503, "the server is stopping; ask again"),
}
"""Code → status and message; `{}` is filled in; `None`: that of the error."""

# problems:end

CODES: tuple[tuple[type[HybridSearchError], str], ...] = (
    (InvalidCursorError, "invalid_cursor"),
    (InvalidInputError, "invalid_request"),
    (DimensionMismatchError, "dimension_mismatch"),
    (EmbeddingError, "embedding_failed"),
    (RerankError, "rerank_failed"),
    (DocStoreError, "store_failed"),
)
"""The code of each error of the library. Any other error is `internal`, and its message is not sent."""


class HttpProblem(Exception):  # noqa: N818
    """A request that failed.

    Args:
        code: one of `PROBLEMS`.
        detail: fills the placeholder in the code's message, or is the message if the code has none of its own.
        headers: further headers of the response.
    """

    def __init__(self, code: str, detail: str = "", headers: Mapping[str, str] | None = None) -> None:
        status, message = PROBLEMS[code]
        super().__init__(detail if message is None else message.replace("{}", detail))
        self.code = code
        self.status = status
        self.headers = dict(headers or {})

    @classmethod
    def of(cls, error: Exception) -> "HttpProblem":
        """Return the problem of an error: all details of bad input, a summary for failed services, else no details."""
        if isinstance(error, cls):
            return error
        for kind, code in CODES:
            if isinstance(error, kind):
                return cls(code, str(error) if PROBLEMS[code][0] == 400 else validation.plain_message(error))
        return cls("internal")
