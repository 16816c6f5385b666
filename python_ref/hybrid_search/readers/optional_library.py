"""The libraries of the extra `files`, loaded when a file needs one (FIL-5)."""

import importlib
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from hybrid_search.errors import ConfigurationError, HybridSearchError, InvalidInputError

EXTRA = "hybrid-search[files]"


def load(module: str, end: str) -> Any:
    """Return a module.

    Args:
        module: its name.
        end: the end of the names of files that need it.

    Raises:
        ConfigurationError: the module is not installed; the message names the extra.
    """
    try:
        return importlib.import_module(module)
    except ImportError:
        package = module.partition(".")[0]
        raise ConfigurationError(f"{end} files are read with {package}: pip install '{EXTRA}'") from None


@contextmanager
def reading(what: str) -> Iterator[None]:
    """Turn errors that other libraries raise in the block into errors of this library.

    Args:
        what: the expected kind of file.

    Raises:
        InvalidInputError: the file is not of this kind, or is nested too deeply.
    """
    try:
        yield
    except (HybridSearchError, GeneratorExit):
        raise
    except RecursionError:
        raise InvalidInputError("is nested too deeply") from None
    except Exception as problem:
        raise InvalidInputError(f"is not {what} that can be read: {type(problem).__name__}") from None
