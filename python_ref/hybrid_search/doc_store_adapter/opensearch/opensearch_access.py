"""The credentials of a store in a cluster, and the authorities that it trusts (OS-6)."""

import base64
import os
import re
import ssl
from collections.abc import Callable
from typing import Any

from hybrid_search.base import validation
from hybrid_search.errors import InvalidInputError

LINE = re.compile("[!-~]+")
API_KEY = "a text of ASCII characters without blanks, or a callable that returns one"
CERTIFICATES = "a readable file with certificates"
KEY = "a readable file with the key of client_certificate, without a passphrase"


class OpenSearchAccess:
    """A user with a password, an API key or a client certificate; none of these appears in a message or a log line.

    Args:
        user: the name of the user; `None` for no user.
        password: returns the password of the user.
        api_key: the API key, or a callable that returns it; not together with `user`.
        ca_file: a file with the certificates of trusted authorities; `None` for those of the system.
        client_certificate: a file with the client's certificate and those that certify it; `None` for no certificate.
        client_key: a file with the key of the certificate; `None` if `client_certificate` contains it.

    Raises:
        InvalidInputError: a file is not readable, the key is that of another certificate, or two options exclude each
            other.

    Attributes:
        ca_file: the given file.
        client_certificate: the given file.
        client_key: the given file.
    """

    def __init__(
        self,
        user: str | None = None,
        password: Callable[[], str] | None = None,
        api_key: str | Callable[[], str] | None = None,
        ca_file: str | None = None,
        client_certificate: str | None = None,
        client_key: str | None = None,
    ) -> None:
        if user is not None and api_key is not None:
            raise InvalidInputError("api_key must not be set together with user")
        if client_key is not None and client_certificate is None:
            raise InvalidInputError("client_key must not be set without client_certificate")
        self._user = None if user is None else validation.text("user", user)
        self._password = password
        self._api_key = api_key
        self.ca_file = _certificates("ca_file", ca_file)
        self.client_certificate = _certificates("client_certificate", client_certificate)
        self.client_key = client_key
        if client_certificate is not None:
            _check_key(client_certificate, client_key)

    @property
    def is_named(self) -> bool:
        """Whether requests have an `Authorization` header."""
        return self._user is not None or self._api_key is not None

    def header(self) -> str:
        """Return the value of the `Authorization` header; a callable for the password or the key is called."""
        if self._user is None:
            key = self._api_key() if callable(self._api_key) else self._api_key
            if not isinstance(key, str) or not LINE.fullmatch(key):
                raise InvalidInputError(f"api_key must be {API_KEY}")
            return f"ApiKey {key}"
        password = "" if self._password is None else self._password()
        if not isinstance(password, str):
            raise InvalidInputError("password must be a callable that returns a text")
        return "Basic " + base64.b64encode(f"{self._user}:{password}".encode()).decode()


def _certificates(name: str, path: Any) -> str | None:
    if path is None:
        return None
    try:
        ssl.create_default_context(cafile=_readable(name, path))
    except OSError:
        raise validation.fail(name, path, CERTIFICATES) from None
    return str(path)


def _readable(name: str, path: Any) -> str:
    if not os.path.isfile(validation.text(name, path)) or not os.access(path, os.R_OK):
        raise OSError
    return str(path)


def _check_key(certificate: str, key: str | None) -> None:
    """Raise an error unless a key is readable and that of a certificate."""
    name, path, accepted = (
        ("client_certificate", certificate, f"{CERTIFICATES} and their key")
        if key is None
        else ("client_key", key, KEY)
    )
    try:
        ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT).load_cert_chain(certificate, _readable(name, path), lambda: "")
    except OSError:
        raise validation.fail(name, path, accepted) from None
