"""What a command line got wrong, in one line, for both programs alike (CUR-5)."""

import json
import os
from collections.abc import Mapping

from hybrid_search.errors import InvalidInputError

SHORTEST = 3
"""The number of letters from which on the beginning of a name is known."""


class UsageError(InvalidInputError):
    """A command line that is not acceptable: exit status 2."""


def shown(text: str) -> str:
    """A text as messages show it."""
    return json.dumps(text.encode("utf-8", "replace").decode("utf-8"), ensure_ascii=False)


def unknown(what: str, name: str, known: Mapping[str, str]) -> UsageError:
    """The error for a name that there is not, with the nearest one that there is, or the one for a word of other tools.

    Args:
        what: a "flag" or a "command".
        name: the name.
        known: the names that there are → what to write instead.
    """
    from hybrid_search.base import validation  # loads numpy, which nothing but mistakes has to wait for

    words = {_word(each): written for each, written in known.items()}
    near = validation.nearest(_word(name), list(words))
    spelled = None if near is not None else validation.nearest(name, list(known)) or _begun(name, known)
    meant = words[near] if near is not None else None if spelled is None else known[spelled]
    hint = f"; did you mean {meant}?" if meant else "; --help lists what there is"
    return UsageError(f"unknown {what} {shown(name)}{hint}")


def _begun(name: str, known: Mapping[str, str]) -> str | None:
    """Return the first name that begins like one of three letters or more."""
    begins = len(_word(name)) >= SHORTEST
    return next((each for each in known if each.startswith(name)), None) if begins else None


def _word(name: str) -> str:
    """Return a flag as the name of an option."""
    return name.lstrip("-").replace("-", "_")


def failed_to(what: str, problem: OSError) -> str:
    """What the system refused."""
    return f"cannot {what}: {os.strerror(problem.errno or 0)}"
