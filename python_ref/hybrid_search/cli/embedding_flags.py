"""The embedding that a command line asks for (CUR-5)."""

from collections.abc import Mapping
from typing import Any

from hybrid_search.base import validation
from hybrid_search.cli.usage import UsageError
from hybrid_search.embedding.embedding_choice import DIMENSION, HASHING, NONE, OPENAI, EmbeddingChoice

FLAGS = {"embed": "embed", "dimension": "dimension", "url": "embed-url", "model": "embed-model"}
"""Part of a choice → its flag."""


def are_given(flags: Mapping[str, Any]) -> bool:
    """Return whether a command line says anything about the embedding."""
    return any(flag in flags for flag in FLAGS.values())


def choice_of(flags: Mapping[str, Any], kept: EmbeddingChoice | None) -> EmbeddingChoice:
    """Return the choice of a command line, which must be that of the file, if that has one.

    Raises:
        UsageError: it is another one, or not whole.
    """
    if "dimension" in flags:
        validation.integer("--dimension", flags["dimension"], 1)
    given = {part: flags[flag] for part, flag in FLAGS.items() if flag in flags}
    if kept is not None:
        for part, value in given.items():
            if getattr(kept, part) != value:
                shown = validation.describe(getattr(kept, part))
                raise UsageError(f"--{FLAGS[part]} is {shown} in this index file, not {validation.describe(value)}")
        return kept
    return _new(given)


def _new(given: Mapping[str, Any]) -> EmbeddingChoice:
    choice = EmbeddingChoice(**{"embed": HASHING, **given})
    accepted = {HASHING: ("embed", "dimension"), OPENAI: tuple(FLAGS), NONE: ("embed",)}[choice.embed]
    for part in given:
        if part not in accepted:
            raise UsageError(f"--{FLAGS[part]} says nothing where --embed is {choice.embed}")
    if choice.embed == OPENAI and (choice.url is None or choice.model is None):
        raise UsageError("--embed openai needs --embed-url and --embed-model")
    if choice.embed == HASHING and choice.dimension is None:
        return EmbeddingChoice(HASHING, DIMENSION)
    return choice
