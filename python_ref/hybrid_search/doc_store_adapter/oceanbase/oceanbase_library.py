"""Loads pymysql, the package that connects to OceanBase, when it is first needed (OB-1)."""

import importlib
from typing import Any

from hybrid_search.errors import ConfigurationError

INSTALL = "pip install 'hybrid-search[oceanbase]'"


def load() -> Any:
    """Return the module.

    Raises:
        ConfigurationError: it is not installed.
    """
    try:
        return importlib.import_module("pymysql")
    except ImportError:
        raise ConfigurationError(f"an OceanBaseDocStore needs the package pymysql: {INSTALL}") from None
