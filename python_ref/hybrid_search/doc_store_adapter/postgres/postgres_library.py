"""Loads psycopg 3, the package that connects to PostgreSQL, when it is first needed (PG-1)."""

import importlib
import logging
from typing import Any

from hybrid_search.errors import ConfigurationError

INSTALL = "pip install 'hybrid-search[postgres]'"


def load() -> Any:
    """Return the module.

    Raises:
        ConfigurationError: it is not installed.
    """
    try:
        library = importlib.import_module("psycopg")
    except ImportError:
        library = None
    if not hasattr(library, "RawCursor"):  # added in 3.2
        raise ConfigurationError(f"a PostgresDocStore needs the package psycopg, 3.2 or later: {INSTALL}")
    # psycopg logs a lost connection, which the error of the call reports already. Without a handler, the logging module
    # would print the message to standard error.
    logger = logging.getLogger("psycopg")
    if not logger.handlers:
        logger.addHandler(logging.NullHandler())
    return library
