"""Operations over `characters` (UNI-1)."""

from typing import Any

from conformance.implementations.python.registry import Trace, operation
from hybrid_search.base import characters


@operation("characters.strip")
def strip(_params: dict[str, Any], given: Any, _trace: Trace) -> Any:
    """The text without WHITE at both ends."""
    return characters.strip(given["text"])


@operation("characters.split_white")
def split_white(_params: dict[str, Any], given: Any, _trace: Trace) -> Any:
    """The pieces between runs of WHITE."""
    return characters.split_white(given["text"])


@operation("characters.member")
def member(params: dict[str, Any], given: Any, _trace: Trace) -> Any:
    """The characters of a text that are in a class."""
    character_class = characters.character_class(params["class"])
    return [character for character in given["text"] if character in character_class]


@operation("characters.ranges")
def ranges(params: dict[str, Any], _given: Any, _trace: Trace) -> Any:
    """The code points of a class, as inclusive ranges."""
    return [list(pair) for pair in characters.character_class(params["class"]).ranges]
