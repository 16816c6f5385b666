"""TLS for the connections of one client."""

import socket
import ssl
from collections.abc import Callable

from hybrid_search.client.exchange_error import ExchangeError

ANOTHER_NAME = "has a certificate for another host name"
PROBLEMS = {
    9: "has a certificate that is not yet valid",
    10: "has a certificate that has expired",
    62: ANOTHER_NAME,
    64: ANOTHER_NAME,
}
"""OpenSSL's code of a certificate error → the description in messages."""


class Tls:
    """TLS of version 1.2 or later; the service's certificate and host name are verified.

    Trusted authorities are the system's, or those of the file and folder that the environment variables `SSL_CERT_FILE`
    and `SSL_CERT_DIR` name.

    Args:
        host: name or address, which the certificate must contain.
    """

    def __init__(self, host: str) -> None:
        self._host = host
        self._context = ssl.create_default_context()
        self._context.minimum_version = ssl.TLSVersion.TLSv1_2

    def __repr__(self) -> str:
        return f"Tls {self._host}"

    def secure(self, sock: socket.socket, wait: Callable[[socket.socket, bool], None]) -> ssl.SSLSocket:
        """Secure a connection and return the secured socket, which then owns the connection.

        Args:
            sock: connected, not blocking.
            wait: waits until a socket can be read (false) or written (true); raises if that takes too long.

        Raises:
            ExchangeError: the service is not the expected one, or does not support TLS.
        """
        try:
            secured = self._context.wrap_socket(sock, server_hostname=self._host, do_handshake_on_connect=False)
        except (OSError, ValueError):
            raise ExchangeError("failed the TLS handshake", retryable=False) from None
        try:
            _shake_hands(secured, wait)
        except BaseException:
            secured.close()
            raise
        return secured


def _shake_hands(secured: ssl.SSLSocket, wait: Callable[[socket.socket, bool], None]) -> None:
    while True:
        try:
            return secured.do_handshake()
        except ssl.SSLWantReadError:
            to_write = False
        except ssl.SSLWantWriteError:
            to_write = True
        except ssl.SSLCertVerificationError as problem:
            words = PROBLEMS.get(problem.verify_code, "has a certificate that is not trusted")
            raise ExchangeError(words, retryable=False) from None
        except (OSError, ValueError):
            raise ExchangeError("failed the TLS handshake", retryable=False) from None
        wait(secured, to_write)
