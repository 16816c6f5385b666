"""Drawn batches of changes, and what each writer's documents are before and after one."""

import random
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

WORDS = tuple(f"word{number:03}" for number in range(300))
DIMENSION = 8
MOST_PAIRS = 60
"""So many pairs a writer keeps at the most; then it removes some."""

QUIET = "quiet"
QUIET_DOCUMENTS = 200

Document = dict[str, Any]
Documents = dict[str, Document]


@dataclass(frozen=True)
class Batch:
    """One call of a writer.

    Attributes:
        method: of the store.
        given: what it is given.
        after: id → what is stored afterwards, none where nothing is.
        repeats: whether it was sent before, and may have been carried out then.
    """

    method: str
    given: Any
    after: Mapping[str, Document | None]
    repeats: bool = False

    def again(self, stored: Documents) -> "Batch | None":
        """What to send where the outcome is not known, for documents that are stored now; none: nothing can be."""
        if self.method == "insert":
            return Batch("upsert", self.given, self.after, repeats=True)
        if self.method != "update":
            return Batch(self.method, self.given, self.after, repeats=True)
        if not all(change["id"] in stored for change in self.given):
            return None
        after = {change["id"]: {**stored[change["id"]], **change} for change in self.given}
        return Batch(self.method, self.given, after, repeats=True)


class Drawing:
    """Draws the batches of one writer; its documents come in pairs that change together.

    Args:
        writer: its name, with which its ids begin.
        seed: of chance.
    """

    def __init__(self, writer: str, seed: int | str) -> None:
        self._writer = writer
        self._chance = random.Random(f"{seed} {writer}")
        self._next = 0
        self._version = 0

    def batch(self, stored: Documents) -> Batch:
        """The next batch, for documents that are stored now."""
        self._version += 1
        pairs = sorted({document["pair_kwd"] for document in stored.values()})
        method = self._chance.choice(("insert", "upsert", "update")) if len(pairs) < MOST_PAIRS else "delete"
        count = self._chance.randint(1, 6)
        if method == "insert" or not pairs:
            return self._whole("insert", [self._new() for _ in range(count)])
        some = self._chance.sample(pairs, min(count, len(pairs)))
        if method == "upsert":
            return self._whole(method, [*some, self._new()])
        ids = [name for pair in some for half in "ab" if (name := f"{pair}.{half}") in stored]
        if method == "delete":
            return Batch(method, ids, dict.fromkeys(ids))
        changes = {name: {"version_int": self._version, "content_ltks": self._text()} for name in ids}
        given = [{"id": name, **change} for name, change in changes.items()]
        return Batch(method, given, {name: {**stored[name], **change} for name, change in changes.items()})

    def still(self, number: int) -> Document:
        """A document of which there is no second half."""
        return {**self._document(self._writer, "a"), "id": f"{self._writer}-{number}"}

    def _whole(self, method: str, pairs: list[str]) -> Batch:
        documents = [self._document(pair, half) for pair in pairs for half in "ab"]
        return Batch(method, documents, {document["id"]: document for document in documents})

    def _new(self) -> str:
        self._next += 1
        return f"{self._writer}-{self._next}"

    def _document(self, pair: str, half: str) -> Document:
        return {
            "id": f"{pair}.{half}",
            "pair_kwd": pair,
            "version_int": self._version,
            "content_ltks": self._text(),
            f"q_{DIMENSION}_vec": [self._chance.uniform(-1.0, 1.0) for _ in range(DIMENSION)],
        }

    def _text(self) -> str:
        return " ".join(self._chance.choices(WORDS, k=self._chance.randint(5, 40)))


def quiet(seed: int) -> Documents:
    """Documents that nobody changes: whoever counts them must always find them all."""
    drawing = Drawing(QUIET, seed)
    return {f"{QUIET}-{number}": drawing.still(number) for number in range(QUIET_DOCUMENTS)}


def whole_questions(seed: int) -> list[tuple[dict[str, Any], list[str]]]:
    """Questions whose answers hold every quiet document that matches, and the ids of these."""
    documents = quiet(seed)
    answers = []
    for question in questions(seed):
        wanted = set(question.get("terms", WORDS))
        ids = [name for name, document in documents.items() if wanted & set(document["content_ltks"].split(" "))]
        answers.append(({**question, "topn": QUIET_DOCUMENTS}, sorted(ids)))
    return answers


def questions(seed: int) -> list[dict[str, Any]]:
    """Questions for a ranking: of terms, and of vectors."""
    chance = random.Random(f"{seed} questions")
    texts = [{"terms": chance.sample(WORDS, 4), "topn": 50} for _ in range(6)]
    vectors = [{"vector": [chance.uniform(-1.0, 1.0) for _ in range(DIMENSION)], "topn": 20} for _ in range(4)]
    return [*texts, *vectors]
