"""What a service says of an error."""

from collections.abc import Sequence

from hybrid_search.base import strict_json, validation
from hybrid_search.client.api_key import ApiKey

LARGEST = 65_536


class ServiceWords:
    """Finds what a service says of an error in the body of its answer."""

    @staticmethod
    def find(body: bytes | bytearray, secrets: Sequence[str]) -> str | None:
        """Its words, if it says them in JSON as services do, unless they show parts of a secret; none otherwise.

        Args:
            body: the body of the answer.
            secrets: keys that it was sent.
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
        """Whether a text shows parts of a secret."""
        return any(ApiKey.is_in(secret, text) for secret in secrets)
