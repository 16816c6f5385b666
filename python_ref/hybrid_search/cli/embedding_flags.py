"""Reads the choice of the embedding from a command line (CUR-5, EMB-4)."""

from collections.abc import Mapping
from typing import Any

from hybrid_search.base import validation
from hybrid_search.cli.usage import UsageError
from hybrid_search.embedding import model_names
from hybrid_search.embedding.embedding_choice import EmbeddingChoice
from hybrid_search.embedding.model_names import HASHING, NONE, OPENAI

FLAGS = {
    "embed": "embed",
    "dimension": "dimension",
    "url": "embed-url",
    "model": "embed-model",
    "query_prefix": "query-prefix",
    "passage_prefix": "passage-prefix",
}
"""Member of a choice → its flag."""
ACCEPTED = {HASHING: ("embed", "dimension"), OPENAI: tuple(FLAGS), NONE: ("embed",)}
OF_LOCAL = ("embed", "model", "query_prefix", "passage_prefix")
"""The members that are accepted by the other families."""


def are_given(flags: Mapping[str, Any]) -> bool:
    """Return whether a command line has flags of the embedding."""
    return any(flag in flags for flag in FLAGS.values())


def choice_of(flags: Mapping[str, Any], kept: EmbeddingChoice | None) -> EmbeddingChoice:
    """Return the choice of a command line; if the file has a choice (`kept`), both must be equal.

    Raises:
        UsageError: the choice differs, or is incomplete.
    """
    if "dimension" in flags:
        validation.integer("--dimension", flags["dimension"], 1)
    given = {part: flags[flag] for part, flag in FLAGS.items() if flag in flags}
    family, slash, model = given.get("embed", "").partition("/")
    if slash:
        if "model" in given:
            raise UsageError("--embed-model has no meaning if --embed names a model")
        given |= {"embed": family, "model": model}
    if kept is None:
        return _new(given)
    for part, value in given.items():
        if (getattr(kept, part) or "") != value:
            shown = validation.describe(getattr(kept, part))
            raise UsageError(f"--{FLAGS[part]} is {shown} in this index file, not {validation.describe(value)}")
    return kept


def _new(given: Mapping[str, Any]) -> EmbeddingChoice:
    options = dict(given)
    family = options.pop("embed", HASHING)
    validation.known("--embed", [family], (*model_names.FAMILIES, NONE))
    accepted = ACCEPTED.get(family, OF_LOCAL)
    for part in given:
        if part not in accepted:
            raise UsageError(f"--{FLAGS[part]} has no meaning if --embed is {family}")
    if family == NONE:
        return EmbeddingChoice(NONE)
    if family == OPENAI and not options.get("model"):
        raise UsageError("--embed openai needs --embed-url and --embed-model")
    model = options.pop("model", "")
    return EmbeddingChoice.named(f"{family}/{model}" if model else family, **options)
