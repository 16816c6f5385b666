"""The package that speaks to PostgreSQL, psycopg 3, loaded when it is first needed (PG-1)."""

import importlib
import logging
from typing import Any

from hybrid_search.errors import ConfigurationError

INSTALL = "pip install 'hybrid-search[postgres]'"


def load() -> Any:
    """The module.

    Raises:
        ConfigurationError: it is not installed.
    """
    try:
        library = importlib.import_module("psycopg")
    except ImportError:
        library = None
    if not hasattr(library, "RawCursor"):  # which came with 3.2
        raise ConfigurationError(f"a PostgresDocStore needs the package psycopg, 3.2 or later: {INSTALL}")
    # The error that a call raises says what psycopg logs about a lost connection. Without any handler, logging would
    # print that to standard error.
    logger = logging.getLogger("psycopg")
    if not logger.handlers:
        logger.addHandler(logging.NullHandler())
    return library
