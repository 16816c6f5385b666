"""Serves an index from the command line (CUR-6)."""

import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from hybrid_search.base import validation
from hybrid_search.base.system_path import system_path
from hybrid_search.errors import ConfigurationError
from hybrid_search.index import Index
from hybrid_search.server.http_server import HttpServer
from hybrid_search.server.http_service import HttpService

FLAGS = (
    "host",
    "port",
    "token-file",
    "read-only",
    "allow-anonymous-writes",
    "allowed-host",
    "log-queries",
    "no-access-log",
)


def server(index: Index, flags: Mapping[str, Any]) -> HttpServer:
    """Return the server of an index, which does not listen yet; the access log goes to standard output.

    Args:
        index: the index to serve, with its ranking cache and its cap on results.
        flags: `host`, `port`, `token-file` (a token on each line), `read-only`, `allow-anonymous-writes`,
            `allowed-host` (a list of names), `log-queries`, `no-access-log`; all are optional.

    Raises:
        InvalidInputError: a flag is unknown or not acceptable.
        ConfigurationError: a package is missing, or the tokens cannot be read.
    """
    validation.known("flag", flags, FLAGS)
    service = HttpService(
        index,
        token=None if flags.get("token-file") is None else tokens(flags["token-file"]),
        read_only=flags.get("read-only", False),
        access_log=None if flags.get("no-access-log", False) else sys.stdout,
        allowed_hosts=flags.get("allowed-host"),
        allow_anonymous_writes=flags.get("allow-anonymous-writes", False),
        log_queries=flags.get("log-queries", False),
    )
    return HttpServer(service, flags.get("host", "127.0.0.1"), flags.get("port", 8000))


def tokens(path: str) -> list[str]:
    """Return the tokens of a file, one on each line.

    Raises:
        ConfigurationError: the file cannot be read, or contains no token.
    """
    try:
        lines = Path(system_path(path)).read_bytes().decode("latin-1").split("\n")
    except OSError as error:
        raise ConfigurationError(
            f"the token file {validation.describe(path)} cannot be read: {error.strerror}"
        ) from None
    found = [line.strip(" \t\r") for line in lines]
    if not any(found):
        raise ConfigurationError(f"the token file {validation.describe(path)} holds no token")
    return [token for token in found if token]
