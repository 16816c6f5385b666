"""Extracts a service's own error message from its response."""

from collections.abc import Sequence

from hybrid_search.base import strict_json, validation
from hybrid_search.client.api_key import ApiKey

LARGEST = 65_536


class ServiceWords:
    """Finds the error message in the body of a response."""

    @staticmethod
    def find(body: bytes | bytearray, secrets: Sequence[str]) -> str | None:
        """Return the message in the usual JSON forms, unless it contains parts of a secret; otherwise `None`.

        Args:
            body: the body of the response.
            secrets: keys that were sent to the service.
        """
        try:
            text = body[:LARGEST].decode("utf-8")
        except UnicodeDecodeError:
            return None
        said = strict_json.parse_object(text) or {}
        error = said.get("error")
        inner = error.get("message") if isinstance(error, dict) else error
        for words in (inner, said.get("message"), said.get("detail")):
            if isinstance(words, str) and words:
                return None if ServiceWords.show(words, secrets) else validation.describe(words)
        return None

    @staticmethod
    def show(text: str, secrets: Sequence[str]) -> bool:
        """Return whether a text contains parts of a secret."""
        return any(ApiKey.is_in(secret, text) for secret in secrets)
