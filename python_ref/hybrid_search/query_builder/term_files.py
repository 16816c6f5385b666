"""Reads the optional files of terms: document frequencies, named entities, synonyms (TW-3, TW-4, SYN-1).

Every fault of a file is a `ConfigurationError` that names its path.
"""

import json
import os
import re
from collections.abc import Mapping
from typing import Any

from hybrid_search.base import strict_json, validation
from hybrid_search.base.system_path import system_path
from hybrid_search.errors import ConfigurationError, InvalidInputError

COUNT = re.compile(r"[0-9]{1,15}")


def json_object(what: str, source: Any) -> tuple[str, Mapping[str, Any]]:
    """Return the object of a JSON file, or the given object.

    Args:
        what: the kind of contents, for messages: "synonyms".
        source: a path, or the object itself.

    Returns:
        The name of the source in messages, and the object.

    Raises:
        ConfigurationError: the file cannot be read, is not UTF-8, not JSON, or not an object.
    """
    if isinstance(source, Mapping):
        return what, _checked_keys(what, source)
    path = file_path(what, source)
    name = f"{what} file {shown(path)}"
    try:
        value = strict_json.parse(read_text(what, path))
    except ValueError:
        raise ConfigurationError(f"{name} is not valid JSON") from None
    if not isinstance(value, dict):
        raise ConfigurationError(f"{name} must hold an object, not {validation.describe(value)}")
    return name, _checked_keys(name, value)


def counts(what: str, source: Any) -> dict[str, int]:
    """Return counts of terms from a mapping, or from lines `term<tab>count`; of equal terms the last one counts.

    Raises:
        ConfigurationError: the file cannot be read or is not UTF-8, or a line or a count is malformed.
    """
    if isinstance(source, Mapping):
        return {term: _count(what, term, count) for term, count in _checked_keys(what, source).items()}
    path = file_path(what, source)
    table: dict[str, int] = {}
    for number, line in enumerate(read_text(what, path).split("\n"), start=1):
        fields = line.removesuffix("\r").split("\t")
        if fields == [""]:
            continue
        if len(fields) != 2 or not fields[0] or not COUNT.fullmatch(fields[1]):
            raise ConfigurationError(
                f"{what} file {shown(path)}, line {number}: "
                f"must be a term, a tab and a count, not {validation.describe(line)}"
            )
        table[fields[0]] = int(fields[1])
    return table


def file_path(what: str, source: Any) -> str:
    """Return a path, given as a text or a path object, as a text.

    Raises:
        ConfigurationError: the source is neither, or not valid text.
    """
    path = os.fspath(source) if isinstance(source, os.PathLike) else source
    if not isinstance(path, str):
        raise validation.fail(what, source, "a path or an object", ConfigurationError)
    try:
        return validation.text(what, path)
    except InvalidInputError as problem:
        raise ConfigurationError(str(problem)) from None


def shown(path: str) -> str:
    """Return the full path, for messages."""
    return json.dumps(path, ensure_ascii=False)


def read_text(what: str, path: str) -> str:
    """Return the text of a file.

    Raises:
        ConfigurationError: the file is missing, cannot be read, or is not UTF-8.
    """
    name = f"{what} file {shown(path)}"
    try:
        with open(system_path(path), "rb") as file:
            return file.read().decode("utf-8")
    except UnicodeDecodeError:
        raise ConfigurationError(f"{name} is not valid UTF-8 text") from None
    except (OSError, ValueError):
        raise ConfigurationError(f"{name} cannot be read") from None


def _checked_keys(name: str, value: Any) -> Mapping[str, Any]:
    try:
        return validation.mapping(name, value)
    except InvalidInputError as problem:
        raise ConfigurationError(str(problem)) from None


def _count(what: str, term: str, value: Any) -> int:
    try:
        return validation.integer(f"{what}[{validation.describe(term)}]", value, 0, 10**15)
    except InvalidInputError as problem:
        raise ConfigurationError(str(problem)) from None
