"""Parses and checks the address of a service."""

import re
from typing import Any
from urllib.parse import unquote

from hybrid_search.base import validation
from hybrid_search.errors import InvalidInputError

ADDRESS = re.compile(
    r"(https?)://([A-Za-z0-9._-]+|\[[0-9A-Fa-f:.]+\])(?::([0-9]{1,5}))?(/[!-\"$->@-~]*)?(\?[!-\"$-~]*)?"
)
DEFAULT_PORTS = {"http": 80, "https": 443}
LARGEST_PORT = 65_535
SHORTEST_SECRET = 6


class Endpoint:
    """An `http` or `https` address.

    Args:
        name: the name of the argument, for messages.
        url: the address; without user and password, since keys have an option of their own, and without a fragment.

    Attributes:
        secure: whether it is `https`.
        host: name or address of the host, without brackets.
        authority: host and port as in the header `Host`.
        port: the port.
        target: path and query.
        shown: the address for messages, without the query, which may contain keys.
        secrets: the values in the query, raw and decoded; values too short to be keys are omitted.

    Raises:
        InvalidInputError: the address is not acceptable.
    """

    def __init__(self, name: str, url: Any) -> None:
        match = ADDRESS.fullmatch(validation.text(name, url))
        port = int(match.group(3)) if match and match.group(3) else None
        if match is None or port == 0 or (port is not None and port > LARGEST_PORT):
            raise InvalidInputError(
                f"{name} must be an address like https://host:8080/path, in ASCII, without user, password and fragment"
            )
        scheme, host, _, path, query = match.groups()
        self.secure = scheme == "https"
        self.host = host.strip("[]")
        self.port = DEFAULT_PORTS[scheme] if port is None else port
        self.authority = host if self.port == DEFAULT_PORTS[scheme] else f"{host}:{self.port}"
        self.target = (path or "/") + (query or "")
        self.shown = f"{scheme}://{self.authority}{path or ''}"
        self.secrets = _secrets(query or "")

    def __repr__(self) -> str:
        return f"Endpoint {self.shown}"


def _secrets(query: str) -> list[str]:
    values = [part.split("=", 1)[-1] for part in query.removeprefix("?").split("&")]
    both = [form for value in values for form in (value, unquote(value))]
    return [value for value in dict.fromkeys(both) if len(value) >= SHORTEST_SECRET]
