"""Draws histories of a store with a seed: documents come, change and go, and questions are repeated in between.

A history varies many things at once: kinds of values, filters, orders, legs, pages and aggregations. A repeated
question shows whether something that was cached before a change is used after it.
"""

import json
import random
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from conformance.implementations.python import made_documents
from conformance.paths import ROOT

Step = dict[str, Any]

CASES = ROOT / "fixtures/cases/index_files/script.histories.yml"
HEAD = """operation: index_files.script
theme: histories
clauses: [SQL-1, SQL-2, SQL-3, SQL-5]
flags: [stability]
cases:
"""
SUMMARY = "a drawn history of a file: several stores with other options write it in turn, and it is opened again"
SUMMARY_OF_TABLES = "a drawn history of a file, of which every table is read after each change, and whose power fails"
FIRST_SEED = 401
OF_FILES = 6
"""The number of histories of files."""
OF_MANY = (451, 452)
OF_TABLES = (461, 462, 463)
"""Seeds of histories of which every table is read after each change."""
MANY = 600
CHANGES, QUESTIONS = 16, 4
MOST_STORES = 3
OPTIONS = [{}, {"memory": 0}, {"synchronous": "normal"}, {"memory": 4096, "timeout": 1}]
TABLES = ["fields", "documents", "free_numbers", "lengths", "vector_models"]
SUMS = {
    "state": "generation || ' ' || documents || ' ' || numbers || ' ' || fields",
    "documents": "count(*) || ' ' || sum(checksum) || ' ' || sum(id_checksum)",
    "texts": "count(*) || ' ' || sum(number)",
    "free_numbers": "count(*) || ' ' || sum(number)",
    **dict.fromkeys(["fields", "terms", "frequencies", "lengths", "vectors"], "count(*) || ' ' || sum(checksum)"),
    "postings": "count(*) || ' ' || sum(length(places)) || ' ' || sum(chunk & 4294967295)",
    "sketches": "count(*) || ' ' || sum(checksum) || ' ' || sum(generation)",
    "changes": "count(*) || ' ' || max(generation) || ' ' || sum(length(numbers))",
}
"""Table → what is read of it: checksums, unless they cover what is drawn, packed by a library or counted by SQLite."""

WORDS_OF_MANY = ["x", "y", "z", "m1", "n6", "r9", "x y"]
WORDS = [f"w{place}" for place in range(9)]
BASES = ["k1", "k2", "k3"]
TAGS = ["x", "y", "z", "é\u0000", '"{},\\']
LARGEST_BATCH = 5
REPEATED = 0.35
"""The share of the questions that were asked before."""
WRONG = 0.08
"""The share of the changes that are refused."""


class History:
    """A history that goes on.

    Args:
        seed: what it is drawn with.
        stored: the ids of the documents that are stored before it begins.
        words: the words of texts and questions.
    """

    def __init__(self, seed: int, stored: Sequence[str] = (), words: Sequence[str] = WORDS) -> None:
        self._drawn = random.Random(seed)
        self._stored = list(stored)
        self._words = words
        self._fresh = 0
        self._asked: list[Step] = []

    def steps(self, changes: int, questions: int) -> Iterator[Step]:
        """Give the steps: after each change some questions.

        Args:
            changes: the number of changes.
            questions: the largest number of questions after a change.
        """
        for place in range(changes):
            yield self.change() if place else self._insert(3 * LARGEST_BATCH)
            for _ in range(self._drawn.randint(1, questions)):
                yield self.question()

    def change(self) -> Step:
        """Return a change."""
        if self._drawn.random() < WRONG:
            return self._wrong()
        kinds = [self._insert, self._update, self._update, self._upsert, self._delete, self._delete]
        return self._drawn.choice(kinds)(self._drawn.randint(1, LARGEST_BATCH))

    def question(self) -> Step:
        """Return a question, perhaps one that was asked before."""
        if self._asked and self._drawn.random() < REPEATED:
            return self._drawn.choice(self._asked)
        step: Step = self._drawn.choice([self._search] * 8 + [self._get, self._vector_fields, self._count])()
        self._asked.append(step)
        return step

    def _insert(self, count: int) -> Step:
        names = [self._name() for _ in range(count)]
        self._stored += names
        return {"insert": [{"id": name, **self._fields()} for name in names]}

    def _upsert(self, count: int) -> Step:
        names = [*self._some(count), self._name()]
        self._stored += [name for name in names if name not in self._stored]
        return {"upsert": [{"id": name, **self._fields()} for name in names]}

    def _update(self, count: int) -> Step:
        return {"update": [{"id": name, **self._changes()} for name in self._some(count)]}

    def _delete(self, count: int) -> Step:
        names = self._some(count)
        self._stored = [name for name in self._stored if name not in names]
        return {"delete": [*names, "nobody"]}

    def _wrong(self) -> Step:
        """A batch whose last document is refused, so that nothing of it stays."""
        if self._stored and self._drawn.random() < 0.5:
            return {"insert": [{"id": "refused", **self._fields()}, {"id": self._drawn.choice(self._stored)}]}
        return {"update": [*({"id": name, **self._fields()} for name in self._some(1)), {"id": "nobody", "n_int": 1}]}

    def _name(self) -> str:
        self._fresh += 1
        return f"{self._drawn.choice(['d', 'D', '文'])}{self._fresh}"

    def _some(self, count: int) -> list[str]:
        return self._drawn.sample(self._stored, min(count, len(self._stored)))

    def _fields(self) -> dict[str, Any]:
        drawn = self._drawn
        every = {
            "content_ltks": self._text(12),
            "title_tks": self._text(3),
            "kb_id": drawn.choice(BASES),
            "tag_kwd": drawn.sample(TAGS, drawn.randint(0, 3)),
            "weight_flt": drawn.choice([0.5, 1.0, 2.0, -1.5]),
            "n_int": drawn.randint(-3, 6),
            "flag": drawn.random() < 0.5,
            "metadata": {"lang": drawn.choice(["zh", "en"]), "parts": [drawn.randint(0, 2), drawn.choice(BASES)]},
            "q_2_vec": [drawn.randint(-8, 8) / 4, drawn.choice([0.1, 1.0, 2.5])],
            "q_3_vec": [drawn.randint(1, 9) / 8, 1.0, drawn.choice([0.3, -0.5])],
        }
        return {name: value for name, value in every.items() if drawn.random() < 0.8}

    def _changes(self) -> dict[str, Any]:
        """Some fields with other values, and some that go."""
        fields = list(self._fields().items())
        chosen = self._drawn.sample(fields, min(len(fields), self._drawn.randint(1, 3)))
        return {name: None if self._drawn.random() < 0.25 else value for name, value in chosen}

    def _text(self, most: int) -> str:
        drawn = self._drawn
        last = len(self._words)
        return " ".join(
            self._words[min(drawn.randrange(last), drawn.randrange(last))] for _ in range(drawn.randint(1, most))
        )

    def _search(self) -> Step:
        drawn = self._drawn
        legs = drawn.choice(["none", "text", "text", "dense", "dense", "bag", "both", "both"])
        asked: dict[str, Any] = {"limit": drawn.choice([1, 2, 3, 5, 50]), "offset": drawn.choice([0, 0, 1, 3])}
        if legs != "none":
            asked["match"] = self._match(legs)
        elif drawn.random() < 0.8:
            asked["order_by"] = self._order()
        if drawn.random() < 0.6:
            asked["filters"] = self._filters()
        if drawn.random() < 0.4:
            asked["agg_fields"] = drawn.sample(["kb_id", "tag_kwd", "n_int", "metadata.lang"], drawn.randint(1, 2))
        if drawn.random() < 0.5:
            every = ["content_ltks", "kb_id", "tag_kwd", "weight_flt", "metadata", "q_2_vec", "n_int"]
            asked["select_fields"] = drawn.sample(every, drawn.randint(0, 3))
        if legs in ("text", "both") and drawn.random() < 0.3:
            asked |= {"highlight_fields": ["content_ltks"], "keywords": [drawn.choice(self._words)]}
        return {"search": asked}

    def _match(self, legs: str) -> list[Step]:
        drawn = self._drawn
        topn = drawn.choice([1, 3, 9, 60])
        fields = drawn.choice([[["content_ltks", 1.0]], [["content_ltks", 1.0], ["title_tks", 2.5]]])
        text = {"text": {"fields": fields, "tree": self._tree(), "topn": topn}}
        name, vector = drawn.choice([("q_2_vec", [1.0, 0.5]), ("q_2_vec", [-1.0, 1.0]), ("q_3_vec", [0.5, 1.0, 0.25])])
        dense: Step = {"dense": {"field": name, "vector": vector, "topn": drawn.choice([1, 2, 4, 60])}}
        if drawn.random() < 0.3:
            dense["dense"]["extra_options"] = {"similarity": drawn.choice([0.1, 0.5, 0.9])}
        if legs == "bag":
            return [{"bag": {"fields": fields, "tokens": drawn.sample(self._words, 2), "topn": topn}}]
        fusion = {"fusion": {"method": "rrf", "topn": topn, "params": {"k": drawn.choice([1, 60])}}}
        return {"text": [text], "dense": [dense], "both": [text, dense, fusion]}[legs]

    def _tree(self) -> Step:
        drawn = self._drawn
        words = drawn.sample(self._words, 3)
        last = {"term": words[2]}
        trees: list[Step] = [
            {"term": words[0]},
            {"any_of": [{"term": word} for word in words]},
            {"any_of": [{"phrase": words[:2], "slop": drawn.randint(0, 3)}, {"boost": last, "factor": 2.0}]},
        ]
        return drawn.choice(trees)

    def _order(self) -> list[Any]:
        drawn = self._drawn
        names = drawn.sample(["weight_flt", "n_int", "kb_id", "id", "metadata.lang", "flag"], drawn.randint(1, 3))
        return [{name: drawn.choice(["asc", "desc"])} for name in names]

    def _filters(self) -> dict[str, Any]:
        drawn = self._drawn
        every: Sequence[dict[str, Any]] = [
            {"kb_id": drawn.choice(BASES)},
            {"kb_id": drawn.sample(BASES, 2)},
            {"id": [*self._some(3), "nobody"]},
            {"tag_kwd": drawn.choice(TAGS)},
            {"tag_kwd": {"exists": drawn.random() < 0.5}},
            {"n_int": {drawn.choice(["gt", "gte"]): drawn.randint(-3, 3)}},
            {"n_int": {drawn.choice(["lt", "lte"]): drawn.randint(0, 6), "gte": -1}},
            {"weight_flt": [1, 2.0]},
            {"flag": drawn.random() < 0.5},
            {"content_ltks": {"contains": drawn.choice(self._words)}},
            {"kb_id": {"starts_with": "k", "ends_with": drawn.choice("123")}},
            {"metadata.lang": drawn.choice(["zh", "en"])},
            {"metadata.parts": drawn.choice([0, 1, *BASES])},
            {"must_not": {"exists": [drawn.choice(["tag_kwd", "q_2_vec", "flag"])]}},
            {"not": {"kb_id": drawn.choice(BASES)}},
            {"any": [{"flag": True}, {"n_int": {"lt": drawn.randint(-1, 4)}}]},
            {"all": [{"kb_id": BASES[:2]}, {"not": {"weight_flt": 1.0}}]},
        ]
        return {name: value for one in drawn.sample(every, drawn.randint(1, 2)) for name, value in one.items()}

    def _get(self) -> Step:
        return {"get": self._drawn.choice([*self._stored, "nobody"])}

    def _vector_fields(self) -> Step:
        return {"vector_fields": None}

    def _count(self) -> Step:
        return {self._drawn.choice(["count", "generation", "health", "stats"]): None}


def of_files() -> list[tuple[Path, bytes]]:
    """Return the file of the cases of index files; its expected values are made with all others."""
    seeds = range(FIRST_SEED, FIRST_SEED + OF_FILES)
    cases = "".join(_case(place, list(_of_file(seed))) for place, seed in enumerate(seeds, start=1))
    cases += "".join(_case(OF_FILES + place, list(_of_many(seed))) for place, seed in enumerate(OF_MANY, start=1))
    before = OF_FILES + len(OF_MANY)
    for place, seed in enumerate(OF_TABLES, start=before + 1):
        cases += _case(place, list(_of_tables(seed)), SUMMARY_OF_TABLES)
    return [(CASES, (HEAD + cases).encode("utf-8"))]


def _case(place: int, drawn: Sequence[Any], summary: str = SUMMARY) -> str:
    steps = json.dumps({"steps": drawn}, ensure_ascii=False)
    return f'  - id: index_files.script.histories.{place:03}\n    summary: "{summary}"\n    input: {steps}\n'


def _of_file(seed: int) -> Iterator[list[Any]]:
    """Steps of an index file. Up to three stores are open, and each of them may be asked or write next."""
    history, drawn = History(seed), random.Random(seed)
    stores = 1
    yield ["open", drawn.choice(OPTIONS)]
    for step in history.steps(CHANGES, QUESTIONS):
        chance = drawn.random()
        if chance < 0.1 and stores < MOST_STORES:
            yield ["open", drawn.choice(OPTIONS)]
            stores += 1
        elif chance < 0.13:
            yield ["close"]
            yield ["open", drawn.choice(OPTIONS)]
            stores = 1
        elif chance < 0.45 and stores > 1:
            yield ["use", drawn.randrange(stores - 1)]
        yield _called(step)
    yield ["check"]
    yield ["rebuild", *map(_called, [history.change(), {"count": None}, history.question()])]
    for _ in range(2 * QUESTIONS):
        yield _called(history.question())
    yield ["check"]
    for table in TABLES:
        yield ["sql", f"SELECT * FROM {table} ORDER BY 1"]


def _of_many(seed: int) -> Iterator[list[Any]]:
    """Steps of a file with chunks of places and blocks of vectors, written by two stores in turn."""
    stored = [made_documents.name(place) for place in range(MANY)]
    history, drawn = History(seed, stored, WORDS_OF_MANY), random.Random(seed)
    yield ["open"]
    yield ["fill", 0, MANY]
    yield ["open", {"memory": 0}]
    for _ in range(CHANGES):
        yield _called(drawn.choice([history.change(), {"delete": stored[drawn.randrange(MANY - 40) :][:40]}]))
        yield ["use", 0]
        for _ in range(2):
            yield _called(history.question())
    for rest in (stored[: MANY // 4], stored[MANY // 2 :], stored):  # the last chunks go, then all
        yield ["delete", rest]
        yield ["text", {"fields": [["content_ltks", 1.0]], "tree": {"term": "x"}, "topn": 3}]
        yield ["check"]
    yield ["sql", "SELECT count(*), sum(checksum) FROM terms"]
    yield ["sql", "SELECT count(*), sum(length(places)) FROM postings"]
    yield ["sql", "SELECT count(*), sum(checksum) FROM frequencies"]


def _of_tables(seed: int) -> Iterator[list[Any]]:
    """Steps of an index file: after each change all tables are read, and from time to time the power fails."""
    history, drawn = History(seed), random.Random(seed)
    tables = ["meanwhile", "SELECT " + ", ".join(f"(SELECT {read} FROM {table})" for table, read in SUMS.items())]
    for options in ({}, {"memory": 0}):
        yield ["open", options]
    yield _called(history.change())
    for step in history.steps(CHANGES, 1):
        yield _called(step)
        if "insert" in step or "update" in step or "upsert" in step or "delete" in step:
            yield tables
        chance = drawn.random()
        if chance < 0.1:
            yield ["keep", "now"]
            yield ["put", "now", "now"]
            yield ["open", {}]
            yield ["open", drawn.choice(OPTIONS)]
        elif chance < 0.6:
            yield ["use", 0]
    yield ["check"]


def _called(step: Step) -> list[Any]:
    method, argument = next(iter(step.items()))
    if method == "search":
        return [method, argument.get("match", []), {name: value for name, value in argument.items() if name != "match"}]
    return [method] if argument is None else [method, argument]
