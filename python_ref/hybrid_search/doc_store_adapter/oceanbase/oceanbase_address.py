"""The server, the database and the user that a URL names (OB-3)."""

import re
from collections.abc import Callable
from typing import Any
from urllib.parse import unquote

from hybrid_search.base import validation
from hybrid_search.errors import InvalidInputError

URL = re.compile(
    r"(?:mysql|oceanbase)://(?:([^:@/?#]*)(?::([^:@/?#]*))?@)?([A-Za-z0-9._-]+|\[[0-9A-Fa-f:.]+\])(?::([0-9]{1,5}))?"
    r"/([^/?#]+)(?:\?ssl_ca=([^&#]+))?"
)
PORT = 2881
LARGEST_PORT = 65_535
FORM = "url must be oceanbase://user:password@host:port/database, or mysql://…, with each special character as %XX"


class OceanBaseAddress:
    """The parts of a URL. Messages never repeat the URL, since it may contain a password.

    Args:
        url: the URL; `?ssl_ca=FILE` in it is the same as `ca_file`.
        user: the name of the user, instead of the one in the URL.
        password: returns the password, instead of the one in the URL.
        ca_file: a file with the certificates of trusted authorities; the connection then uses TLS.

    Raises:
        InvalidInputError: the URL has another form.

    Attributes:
        host: the host.
        port: the port.
        database: the database.
        user: the name of the user.
        ca_file: the file, or `None` for a connection without TLS.
    """

    def __init__(self, url: Any, user: str | None, password: Callable[[], str] | None, ca_file: str | None) -> None:
        found = URL.fullmatch(validation.text("url", url))
        if found is None or not 1 <= int(found[4] or PORT) <= LARGEST_PORT:
            raise InvalidInputError(FORM)
        self.host = found[3].strip("[]")
        self.port = int(found[4] or PORT)
        self.database = unquote(found[5])
        self.user = unquote(found[1] or "") if user is None else validation.text("user", user)
        given = None if ca_file is None else validation.text("ca_file", ca_file)
        self.ca_file = unquote(found[6]) if given is None and found[6] else given
        if password is not None and not callable(password):
            raise InvalidInputError("password must be a callable that returns the password")
        self._password = password
        self._in_url = unquote(found[2] or "")

    def password(self) -> str:
        """Return the password; a callable is asked before each connection."""
        return self._in_url if self._password is None else self._password()
