"""Operations of the chunker (CHK-1 … CHK-6)."""

import hashlib
from collections.abc import Callable
from typing import Any

from conformance.implementations.python import own_types
from conformance.implementations.python.registry import Trace, operation
from hybrid_search.chunker import plain_text, sentences, source_lines, token_counter
from hybrid_search.chunker.chunker import Chunker
from hybrid_search.chunker.markdown import MarkdownReader
from hybrid_search.chunker.text_chunk import TextChunk


class Words:
    """An object with `tokenize`: words between blanks."""

    def tokenize(self, text: str) -> list[str]:
        """The pieces between blanks."""
        return text.split(" ")


def _fail(_text: str) -> int:
    raise RuntimeError("no tokens today")


TOKENIZERS: dict[str, Any] = {
    "words": Words(),
    "letters": lambda text: list(text),
    "length": len,
    "nothing": lambda _text: 0,
    "text": lambda text: text,
    "negative": lambda _text: -1,
    "true": lambda _text: True,
    "half": lambda _text: 0.5,
    "failing": _fail,
}
"""What may be plugged in, by its name."""

CUTS: dict[str, Callable[[str], list[str]]] = {
    "sentences": sentences.sentences,
    "clauses": sentences.clauses,
    "tokens": token_counter.tokens,
}


def _chunker(params: dict[str, Any]) -> Chunker:
    tokenizer = params["tokenizer"]
    return Chunker(**({} if tokenizer is None else {"tokenizer": TOKENIZERS[tokenizer]}), **params["options"])


def _structure(text: str, form: str) -> list[Any]:
    """The sections of a text: headings, page, and kind, level and lines of each passage."""
    lines = source_lines.read(text)
    sections = MarkdownReader().sections(lines) if form == "markdown" else plain_text.sections(lines)
    return [
        [
            list(section.headings),
            section.page,
            [[passage.kind, passage.level, len(passage.lines)] for passage in section.passages],
        ]
        for section in sections
    ]


@operation("chunker.split", {"options": {}, "tokenizer": None})
def split(params: dict[str, Any], given: Any, trace: Trace) -> Any:
    """The chunks of a text."""
    chunks = _chunker(params).split(**given)
    trace.stage("read", _structure(given["text"], given.get("format", "text")))
    trace.stage("tokenise", [[chunk.start, chunk.end, chunk.overlap, chunk.tokens] for chunk in chunks])
    return [chunk.to_dict() for chunk in chunks]


@operation("chunker.repeated", {"options": {}, "tokenizer": None})
def repeated(params: dict[str, Any], given: Any, trace: Trace) -> Any:
    """Of a `unit` so many `times`: the number of chunks, their largest size, and a digest of them all."""
    text = given["unit"] * given["times"]
    chunks = _chunker(params).split(text, format=given["format"])
    trace.stage("tokenise", [_line(chunk) for chunk in chunks[:3]])
    digest = hashlib.sha256("\n".join(map(_line, chunks)).encode("utf-8")).hexdigest()
    return [len(chunks), max((chunk.tokens for chunk in chunks), default=0), digest]


def _line(chunk: TextChunk) -> str:
    return f"{chunk.start} {chunk.end} {chunk.overlap} {chunk.tokens} {chunk.title} {chunk.content}"


@operation("chunker.records", {"options": {}, "tokenizer": None})
def records(params: dict[str, Any], given: Any, trace: Trace) -> Any:
    """The records of the chunks of `record` (see `own_types`)."""
    read = own_types.read(given["record"])
    made = _chunker(params).chunk_records(read, **{key: value for key, value in given.items() if key != "record"})
    trace.stage("tokenise", [one.get("positions") for one in made])
    return made


@operation("chunker.cut", {"into": "sentences"})
def cut(params: dict[str, Any], given: Any, _trace: Trace) -> Any:
    """The sentences, clauses or tokens of a text."""
    return CUTS[params["into"]](given["text"])
