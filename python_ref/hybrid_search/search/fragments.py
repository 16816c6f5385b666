"""Fragments of the texts of a hit, with the matches marked (DOC-10)."""

import dataclasses
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from hybrid_search.base import validation
from hybrid_search.base.characters import strip
from hybrid_search.doc_store_adapter.queries.highlight import TAGS, Highlight, raw_sentences
from hybrid_search.errors import InvalidInputError

FIELDS = ("content", "title", "document_name", "keywords", "questions")
OF_METADATA = "metadata."
NAMES = ("fields", "tags", "size", "count")
BREAKS = " \t\n，、,：:"
"""The characters after which a long sentence is cut."""
LARGEST_SIZE = 100_000
LARGEST_COUNT = 1000


@dataclasses.dataclass(frozen=True)
class FragmentOptions:
    """The options of fragments.

    Attributes:
        fields: the names of the texts in records.
        tags: the texts before and after a match.
        size: the maximum number of code points of a fragment, without tags.
        count: the maximum number of fragments of a field.
    """

    fields: tuple[str, ...] = ("title", "content")
    tags: tuple[str, str] = TAGS
    size: int = 150
    count: int = 3

    @classmethod
    def of(cls, value: Any) -> "FragmentOptions":
        """Return the options of an object.

        Raises:
            InvalidInputError: a name is unknown, or a value is not accepted.
        """
        given = validation.mapping("fragments", value)
        validation.known("part of fragments", given, NAMES)
        read: dict[str, Any] = {}
        if "fields" in given:
            read["fields"] = _fields(given["fields"])
        if "tags" in given:
            tags = validation.texts("fragments.tags", given["tags"])
            if len(tags) != 2:
                raise validation.fail("fragments.tags", given["tags"], "two texts")
            read["tags"] = tuple(tags)
        for name, largest in (("size", LARGEST_SIZE), ("count", LARGEST_COUNT)):
            if name in given:
                read[name] = validation.integer(f"fragments.{name}", given[name], 1, largest)
        return cls(**read)


class Fragments:
    """Makes the fragments of hits.

    Args:
        options: the fields, tags and sizes of the fragments.
        keywords: the words to mark.
    """

    def __init__(self, options: FragmentOptions, keywords: Sequence[str]) -> None:
        self._options = options
        self._highlight = Highlight(keywords, options.tags)

    def of(self, texts: Mapping[str, Any]) -> dict[str, tuple[str, ...]]:
        """Return field → its first fragments with a match; fields without one are omitted.

        Args:
            texts: the parts of a hit by their names.
        """
        made = {field: self._of_field(_values(texts, field)) for field in self._options.fields}
        return {field: fragments for field, fragments in made.items() if fragments}

    def _of_field(self, values: Sequence[str]) -> tuple[str, ...]:
        found: list[str] = []
        for value in values:
            for fragment in self._fragments(value):
                if len(found) == self._options.count:
                    return tuple(found)
                found.append(fragment)
        return tuple(found)

    def _fragments(self, text: str) -> Iterator[str]:
        """Yield the fragments of a text: each begins with a piece with a match and takes the next ones that fit."""
        pieces = [piece for sentence in raw_sentences(text) for piece in _cut(sentence, self._options.size)]
        place = 0
        while place < len(pieces):
            if self._highlight.mark_piece(pieces[place]) is None:
                place += 1
                continue
            first, length = place, 0
            while place < len(pieces) and (place == first or length + len(pieces[place]) <= self._options.size):
                length += len(pieces[place])
                place += 1
            marked = self._highlight.mark_piece(strip("".join(pieces[first:place])))
            if marked is not None:
                yield marked


def _cut(sentence: str, size: int) -> Iterator[str]:
    """Yield the pieces of a sentence, none longer than `size`."""
    first = 0
    while len(sentence) - first > size:
        breaks = max(sentence.rfind(one, first, first + size) for one in BREAKS)
        last = first + size if breaks < first else breaks + 1
        yield sentence[first:last]
        first = last
    yield sentence[first:]


def _fields(value: Any) -> tuple[str, ...]:
    fields = [value] if isinstance(value, str) else validation.texts("fragments.fields", value)
    if not fields:
        raise validation.fail("fragments.fields", value, "a list of one or more names")
    for place, field in enumerate(fields):
        if field not in FIELDS and not (field.startswith(OF_METADATA) and len(field) > len(OF_METADATA)):
            accepted = f"one of {', '.join(FIELDS)}, or {OF_METADATA}NAME"
            raise InvalidInputError(f"fragments.fields[{place}] must be {accepted}, not {validation.describe(field)}")
    return tuple(dict.fromkeys(fields))


def _values(texts: Mapping[str, Any], field: str) -> list[str]:
    """Return the texts of a field: one, those of a list, or an empty list."""
    value: Any = texts.get(field)
    if field.startswith(OF_METADATA):
        value = texts.get("metadata")
        for step in field.removeprefix(OF_METADATA).split("."):
            value = value.get(step) if isinstance(value, Mapping) else None
    values = value if isinstance(value, (list, tuple)) else [value]
    return [one for one in values if isinstance(one, str)]
