"""What a command line got wrong, in one line, for both programs alike (CUR-5)."""

import json
import os
from collections.abc import Sequence

from hybrid_search.errors import InvalidInputError


class UsageError(InvalidInputError):
    """A command line that is not acceptable: exit status 2."""


def shown(text: str) -> str:
    """A text as messages show it."""
    return json.dumps(text.encode("utf-8", "replace").decode("utf-8"), ensure_ascii=False)


def unknown(what: str, name: str, known: Sequence[str]) -> UsageError:
    """The error for a name that there is not, with the nearest one that there is."""
    from hybrid_search import _validation as validation  # loads numpy, which nothing but mistakes has to wait for

    near = validation.nearest(name, known)
    hint = f"; did you mean {near}?" if near else "; --help lists what there is"
    return UsageError(f"unknown {what} {shown(name)}{hint}")


def failed_to(what: str, problem: OSError) -> str:
    """What the system refused."""
    return f"cannot {what}: {os.strerror(problem.errno or 0)}"
