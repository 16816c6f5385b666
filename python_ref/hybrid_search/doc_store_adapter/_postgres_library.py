"""The package that speaks to PostgreSQL, psycopg 3, loaded when it is first needed (PG-1)."""

import importlib
from functools import cache
from typing import Any, ClassVar

from hybrid_search.errors import ConfigurationError

INSTALL = "pip install 'hybrid-search[postgres]'"


class Array(bytes):
    """An array as the server reads it in binary.

    Attributes:
        member_type: the server's number of the type of its members.
        type: likewise of its own type.
    """

    member_type: ClassVar[int]
    type: ClassVar[int]


class Integers(Array):
    """One of integers of 64 bits."""

    member_type = 20
    type = 1016


class Texts(Array):
    """One of texts."""

    member_type = 25
    type = 1009


class Binaries(Array):
    """One of bytes."""

    member_type = 17
    type = 1001


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
    return library


@cache
def array_dumpers() -> list[tuple[type[Array], Any]]:
    """What psycopg sends each kind of array by: as it is."""
    base = importlib.import_module("psycopg.adapt").Dumper
    shared = {"format": importlib.import_module("psycopg.pq").Format.BINARY, "dump": lambda _, array: array}
    kinds = (Integers, Texts, Binaries)
    return [(kind, type(f"{kind.__name__}Dumper", (base,), {"oid": kind.type, **shared})) for kind in kinds]
