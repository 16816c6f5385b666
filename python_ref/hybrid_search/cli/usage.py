"""Describes errors of a command line in one line, in the same words in both programs (CUR-5)."""

import json
import os
from collections.abc import Mapping

from hybrid_search.errors import InvalidInputError

SHORTEST = 3
"""The minimum number of letters by which the beginning of a name is recognized."""


class UsageError(InvalidInputError):
    """A command line is not acceptable: exit status 2."""


def shown(text: str) -> str:
    """Return a text as messages show it."""
    return json.dumps(text.encode("utf-8", "replace").decode("utf-8"), ensure_ascii=False)


def unknown(what: str, name: str, known: Mapping[str, str]) -> UsageError:
    """Return the error for an unknown name, with the nearest known name, or the name that another tool's word means.

    Args:
        what: a "flag" or a "command".
        name: the name.
        known: the known names → the text to suggest for each.
    """
    from hybrid_search.base import validation  # loads numpy, which only errors need

    words = {_word(each): written for each, written in known.items()}
    near = validation.nearest(_word(name), list(words))
    spelled = None if near is not None else validation.nearest(name, list(known)) or _begun(name, known)
    meant = words[near] if near is not None else None if spelled is None else known[spelled]
    hint = f"; did you mean {meant}?" if meant else "; --help lists what there is"
    return UsageError(f"unknown {what} {shown(name)}{hint}")


def _begun(name: str, known: Mapping[str, str]) -> str | None:
    """Return the first known name that begins with the given one, if that has at least three letters."""
    begins = len(_word(name)) >= SHORTEST
    return next((each for each in known if each.startswith(name)), None) if begins else None


def _word(name: str) -> str:
    """Return a flag as the name of an option."""
    return name.lstrip("-").replace("-", "_")


def failed_to(what: str, problem: OSError) -> str:
    """Return the description of a refusal by the system."""
    return f"cannot {what}: {os.strerror(problem.errno or 0)}"
