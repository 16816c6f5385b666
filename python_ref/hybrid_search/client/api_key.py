"""API keys of services: read from the environment or a callable for every call, and never shown."""

import os
import re
from collections.abc import Callable
from typing import Any

from hybrid_search.errors import ConfigurationError, InvalidInputError

VARIABLE = re.compile(r"[A-Z_][A-Z0-9_]{0,99}")
HEADER = re.compile(r"[A-Za-z][A-Za-z0-9-]{0,99}")
KEY = re.compile(r"[!-~]{1,8192}")
PIECE = 6


class ApiKey:
    """The source of a service's API key.

    Args:
        api_key: a callable that returns the key; a text is refused, since texts end up in code and logs.
        api_key_env: the name of an environment variable that contains the key: capitals, digits, underscores.
        api_key_header: the header of the key: a bearer token in `Authorization`, the plain key in any other header.

    Raises:
        InvalidInputError: an argument is not acceptable; the message never shows it.
    """

    def __init__(self, api_key: Callable[[], str] | None, api_key_env: str | None, api_key_header: str) -> None:
        if api_key is not None and not callable(api_key):
            raise InvalidInputError("api_key must be a callable that gives the key; api_key_env names a variable")
        if api_key_env is not None and not (isinstance(api_key_env, str) and VARIABLE.fullmatch(api_key_env)):
            raise InvalidInputError("api_key_env must be the name of an environment variable, like SERVICE_API_KEY")
        if api_key is not None and api_key_env is not None:
            raise InvalidInputError("api_key and api_key_env must not both be given")
        if not (isinstance(api_key_header, str) and HEADER.fullmatch(api_key_header)):
            raise InvalidInputError("api_key_header must be the name of a header, like Authorization")
        self._callable = api_key
        self._variable = api_key_env
        self._header = api_key_header

    def __repr__(self) -> str:
        return "ApiKey"

    def read(self) -> str | None:
        """Return the key, or `None` if the service needs no key.

        Raises:
            ConfigurationError: the variable is not set, the callable failed, or the value is not a key.
        """
        key, problem = self._read()
        if problem is not None:
            raise ConfigurationError(problem)
        return key

    def headers(self, key: str | None) -> dict[str, str]:
        """Return the header that carries a key; no header without a key."""
        if key is None:
            return {}
        return {self._header: f"Bearer {key}" if self._header.lower() == "authorization" else key}

    @staticmethod
    def is_in(key: str | None, text: str) -> bool:
        """Return whether a text contains the key, or six consecutive characters of it."""
        if key is None:
            return False
        pieces = [key[start : start + PIECE] for start in range(max(1, len(key) - PIECE + 1))]
        return any(piece in text for piece in pieces)

    def _read(self) -> tuple[str | None, str | None]:
        """Return the key and the problem with it. With a problem the key is `None`, for tracebacks' sake."""
        value: Any = None
        if self._variable is not None:
            value = os.environ.get(self._variable)
            if not value:
                return None, f"the environment variable {self._variable} is not set; it must hold the key"
        elif self._callable is not None:
            try:
                value = self._callable()
            except Exception:
                return None, "the callable that gives the key failed"
        else:
            return None, None
        if not (isinstance(value, str) and KEY.fullmatch(value)):
            return None, "the key must be a text of visible ASCII characters, 1 to 8192"
        return value, None
