"""For every text, chunks lose nothing, respect their sizes, and have exact offsets."""

import random

import pytest

from hybrid_search import Chunker, Index
from hybrid_search.base import characters
from hybrid_search.chunker import sentences, token_counter
from hybrid_search.chunker.token_counter import TokenCounter

PIECES = [
    "# A", "## B b\n", "\n", "\n\n", "\r\n", "\r", "\f", " ", "\t", "    ", "- ", "1. ", "2) ", "* x", "```", "~~~",
    "```\n", "|", "|---|---|\n", "a | b\n", "---\n", "===\n", "> q", "word ", "Dr. ", "e.g. ", "3.14 ", "6-2-1", "。",
    "！？", "“", "”", "中", "文字。", "é", "\u0301", "\ufeff", "😀", "\u3000", "internationalisation", "!", ".", "?",
    "a", " \n", "ก", "한", "の", ",", "，", "***\n", "...\n", "\u0301" * 5, "\0", "x" * 70,
]  # fmt: skip
SIZES = (1, 2, 3, 5, 8, 20, 64)
COUNTER = TokenCounter()


def texts(count: int, seed: int) -> list[str]:
    drawing = random.Random(seed)
    return ["".join(drawing.choices(PIECES, k=drawing.randrange(80))) for _ in range(count)]


@pytest.mark.parametrize("form", ["text", "markdown"])
@pytest.mark.parametrize("size", SIZES)
def test_nothing_is_lost_and_sizes_are_respected(form, size):
    for place, text in enumerate(texts(150, size)):
        chunks = Chunker(size=size, overlap=[None, 0, size // 2][place % 3]).split(text, format=form)
        behind = 1 if text.startswith("\ufeff") else 0
        for number, chunk in enumerate(chunks, start=1):
            fresh = chunk.start + chunk.overlap
            assert chunk.number == number
            assert chunk.content == text[chunk.start : chunk.end]
            assert chunk.tokens == COUNTER.count(chunk.content) <= size
            assert behind <= fresh < chunk.end
            assert not characters.strip(text[behind:fresh])
            assert not chunk.overlap or chunks[number - 2].start <= chunk.start < chunks[number - 2].end
            behind = chunk.end
        assert not characters.strip(text[behind:])


def test_sentences_clauses_and_tokens_join_to_the_text():
    for text in texts(500, 5):
        assert "".join(sentences.sentences(text)) == text
        assert "".join(sentences.clauses(text)) == text
        assert "".join(token_counter.tokens(text)) == "".join(characters.split_white(text))


def test_a_heading_followed_by_text_is_never_a_chunk_of_its_own():
    for size in SIZES[4:]:
        text = "\n\n".join(
            f"# Title {number}\n\n{'word ' * number}.\n\n```\n{'code ' * number}\n```" for number in range(70)
        )
        for chunk in Chunker(size=size).split(text, format="markdown"):
            assert chunk.content.count("\n") or not chunk.content.startswith("#") or chunk.tokens > size // 2


def test_blocks_that_fit_stay_whole():
    blocks = [f"```\n{'x ' * number}\n\n{'y ' * number}\n```" for number in range(1, 12)]
    contents = [chunk.content for chunk in Chunker(size=30, overlap=0).split("\n\n".join(blocks), format="markdown")]
    assert all(any(block in content for content in contents) for block in blocks)


def test_records_are_added_and_found_with_their_positions():
    chunker = Chunker(size=12)
    record = {
        "id": "g",
        "title": "Guide",
        "content": "# Red\n\nRed wine.\f# White\n\nWhite wine.",
        "tags": {"wine": 2.0},
    }
    index = Index(embedding=None)
    assert index.add(chunker.chunk_records(record, format="markdown")) == 2
    found = index.search("white")[0]
    assert (found.id, found.doc_id, found.document_name) == ("g#2", "g", "Guide")
    assert [list(place) for place in found.positions] == [[2, 17, 37]]
    assert found.metadata == {"headings": ["White"], "page": 2}
    assert record["content"].startswith("# Red")


def test_attributes_of_records_are_not_shared_between_chunks():
    metadata = {"lang": "en"}
    first, second = Chunker(size=2).chunk_records({"id": "a", "content": "One. Two.", "metadata": metadata})
    first["metadata"]["lang"] = "zh"
    assert second["metadata"] == metadata == {"lang": "en"}


def test_a_chunk_is_plain_data_and_immutable():
    chunk = Chunker().split("# A\ntext", format="markdown", title="T")[0]
    assert chunk.to_dict() == {
        "number": 1, "content": "# A\ntext", "title": "T > A", "headings": ["A"], "page": None, "start": 0, "end": 8,
        "overlap": 0, "tokens": 3,
    }  # fmt: skip
    with pytest.raises(AttributeError):
        chunk.content = "b"
