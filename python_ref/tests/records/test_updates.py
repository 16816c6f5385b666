"""After any changes, the index equals one to which only the remaining records were added (IDX-5)."""

import json
import random
import threading
from collections.abc import Sequence
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from hybrid_search import HashingEmbedder, Index, InvalidInputError, MemoryDocStore, TermWeight, Tokenizer
from python_ref.tests.rounds import examples

TOKENIZER = Tokenizer()
TERM_WEIGHT = TermWeight(TOKENIZER)
TEXTS = ["red wine", "Red wine.TXT", "红酒 rule 6-2-1", "", "\0 ", "wine and <td>cheese</td>"]
QUESTIONS = ["red wine", "红酒", "rule 6-2-1", "cheese good"]

VALUES: dict[str, Any] = {
    "content": st.sampled_from(TEXTS),
    "title": st.sampled_from(TEXTS),
    "document_name": st.sampled_from([*TEXTS[:3], ""]),
    "keywords": st.lists(st.sampled_from(["good", "red wine"]), max_size=2),
    "questions": st.lists(st.sampled_from(["which wine?", "红酒"]), max_size=2),
    "tags": st.dictionaries(st.sampled_from(["x", "y.z"]), st.sampled_from([1, 1.0, 2.5]), max_size=2),
    "page_rank": st.sampled_from([0, 3, 3.0]),
    "doc_id": st.sampled_from(["d", "r1"]),
    "kb_id": st.sampled_from(["k", "l"]),
    "positions": st.sampled_from([[1], [[1, 2], [3]]]),
    "available": st.booleans(),
    "metadata": st.sampled_from([{"n": 1}, {"n": 1.0}, {"n": True}, {"in": {"a": ["x", None]}}]),
    "vector": st.sampled_from([[1.0, 0.5, 0.0, 0.25], [0.0, 0.0, 0.0, 1.0], [3.0, 4.0]]),
}
KEYS = st.sampled_from(["r1", "r2", "r3"])
REST = {key: values for key, values in VALUES.items() if key != "content"}
RECORD = st.fixed_dictionaries({"content": VALUES["content"]}, optional=REST)
CHANGE = st.fixed_dictionaries(
    {}, optional={"content": VALUES["content"], **{key: st.none() | values for key, values in REST.items()}}
)
STEPS = st.lists(
    st.one_of(
        st.tuples(st.just("add"), st.dictionaries(KEYS, RECORD, max_size=2)),
        st.tuples(st.just("update"), st.dictionaries(KEYS, CHANGE, min_size=1, max_size=3)),
        st.tuples(st.just("upsert"), st.dictionaries(KEYS, RECORD, max_size=2)),
        st.tuples(st.just("delete"), st.dictionaries(KEYS, st.just({}), max_size=2)),
    ),
    max_size=8,
)


class CountingEmbedder(HashingEmbedder):
    """Records the texts it was asked for."""

    def __init__(self) -> None:
        super().__init__(dimension=4)
        self.asked: list[str] = []

    def encode(self, texts: Sequence[str]) -> Any:
        """Embed the texts."""
        self.asked += texts
        return super().encode(texts)


def is_blank(text: str) -> bool:
    return not text.replace("\0", " ").strip()


class Model:
    """The expected records of an index after each step, computed without a store."""

    def __init__(self, embeds: bool, title_weight: float | None) -> None:
        self.records: dict[str, dict[str, Any]] = {}
        self.embeds = embeds
        self.title_weight = title_weight

    def texts(self, record: dict[str, Any]) -> list[str]:
        title, content = record.get("title", ""), record["content"]
        if is_blank(content):
            title, content = "", title
        titled = self.title_weight is not None and not is_blank(title)
        return [text for text in ([content, title] if titled else [content]) if not is_blank(text)]

    def add(self, records: dict[str, Any]) -> list[str] | None:
        if self.records.keys() & records.keys():
            return None
        return self.upsert(records)

    def upsert(self, records: dict[str, Any]) -> list[str]:
        self.records |= {key: self.settled(record) for key, record in records.items()}
        return self.asked([record for record in records.values() if "vector" not in record])

    def delete(self, records: dict[str, Any]) -> list[str]:
        for key in records:
            self.records.pop(key, None)
        return []

    def update(self, changes: dict[str, Any]) -> list[str] | None:
        if not changes.keys() <= self.records.keys():
            return None
        following, embedded = {}, []
        for key, change in changes.items():
            before = self.records[key]
            after = {name: value for name, value in {**before, **change}.items() if value is not None}
            if "vector" not in change and self.texts(before) != self.texts(after):
                if not self.embeds and "vector" in before:
                    return None
                after.pop("vector", None)
            removed = "vector" in change and change["vector"] is None
            if "vector" not in after and (removed or self.texts(before) != self.texts(after)):
                embedded.append(after)
            following[key] = self.settled(after)
        self.records |= following
        return self.asked(embedded)

    def settled(self, record: dict[str, Any]) -> dict[str, Any]:
        """A name that is its title's, or empty without one, follows the title."""
        follows = record.get("document_name") == record.get("title", "")
        return {key: value for key, value in record.items() if key != "document_name" or not follows}

    def asked(self, records: list[dict[str, Any]]) -> list[str]:
        wanted = [self.texts(record) for record in records] if self.embeds else []
        return [texts[0] for texts in wanted if texts] + [texts[1] for texts in wanted if len(texts) > 1]


def an_index(embedder: Any, title_weight: float | None, kernels: str) -> Index:
    return Index(
        embedding=embedder, title_weight=title_weight, kernels=kernels, any_vectors=True, tokenizer=TOKENIZER,
        term_weight=TERM_WEIGHT, min_score=0.0,
    )  # fmt: skip


def seen(index: Index) -> list[str]:
    """Return the content and the results as text, so that 1, 1.0 and true are different."""
    stored = [index.store.get(key) for key in ("r1", "r2", "r3")]
    answers = []
    for question in QUESTIONS:
        answer = index.search(question, filters={"available": [True, False]}, highlight=True).to_dict()
        del answer["next_cursor"]  # it has the generation
        answers.append(answer)
    browsed = index.search(match_all=True, order_by=[["page_rank", "desc"]], facets=["metadata.n", "document_name"])
    listed = [[hit.id for hit in browsed.hits], browsed.to_dict()["facets"], index.count()]
    return [json.dumps(part, sort_keys=True) for part in (stored, answers, listed)]


def write(index: Index, method: str, records: dict[str, Any]) -> int:
    if method == "delete":
        return index.delete(list(records))
    count: int = getattr(index, method)([{"id": key, **record} for key, record in records.items()])
    return count


@settings(max_examples=examples(50, 150), deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(STEPS, st.booleans(), st.sampled_from([None, 0.1]), st.sampled_from(["plain", "fast"]), st.randoms())
def test_an_index_equals_one_to_which_only_the_remaining_records_were_added(
    steps, embeds, title_weight, kernels, order
):
    embedder = CountingEmbedder() if embeds else None
    index, model = an_index(embedder, title_weight, kernels), Model(embeds, title_weight)
    for method, records in steps:
        before = {key: json.dumps(index.store.get(key), sort_keys=True) for key in records}
        asked = [] if embedder is None else embedder.asked
        asked.clear()
        generation = index.store.generation
        expected = getattr(model, method)(records)
        if expected is None:
            with pytest.raises(InvalidInputError):
                write(index, method, records)
            assert index.store.generation == generation
        else:
            changed = write(index, method, records)
            assert asked == expected
            assert changed == len(
                [key for key in records if json.dumps(index.store.get(key), sort_keys=True) != before[key]]
            )
            assert (index.store.generation != generation) == (changed > 0)
    fresh = an_index(CountingEmbedder() if embeds else None, title_weight, kernels)
    left = [{"id": key, **record} for key, record in model.records.items()]
    order.shuffle(left)
    fresh.add(left)
    assert seen(index) == seen(fresh)


def test_concurrent_updates_of_the_same_documents_lose_nothing():
    index = Index(embedding=HashingEmbedder(dimension=16), title_weight=0.5, tokenizer=TOKENIZER)
    index.add([{"id": f"{place}", "content": "nothing", "title": "none"} for place in range(4)])

    def change(key: str) -> None:
        source = random.Random(key)
        for number in range(40):
            chosen = source.sample(range(4), 2)
            index.update([{"id": f"{place}", key: f"{key} {number}"} for place in chosen])
        index.update([{"id": f"{place}", key: f"last {key} {place}"} for place in range(4)])

    threads = [threading.Thread(target=change, args=(key,)) for key in ("title", "content", "document_name")]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    fresh = Index(embedding=HashingEmbedder(dimension=16), title_weight=0.5, tokenizer=TOKENIZER)
    keys = ("title", "content", "document_name")
    fresh.add([{"id": f"{place}", **{key: f"last {key} {place}" for key in keys}} for place in range(4)])
    assert [index.get(f"{place}") for place in range(4)] == [fresh.get(f"{place}") for place in range(4)]


def test_documents_that_change_while_an_update_is_embedded_are_read_again():
    class Meddler(HashingEmbedder):
        def encode(self, texts: Sequence[str]) -> Any:
            if "new content" in texts and not meddled:
                meddled.append(texts)
                index.update([{"id": "1", "title": "new title"}])
            return super().encode(texts)

    meddled: list[Any] = []
    index = Index(embedding=Meddler(dimension=8), title_weight=0.5, tokenizer=TOKENIZER)
    index.add([{"id": "1", "content": "old content", "title": "old title"}])
    assert index.update([{"id": "1", "content": "new content"}]) == 1
    assert meddled
    fresh = Index(embedding=HashingEmbedder(dimension=8), title_weight=0.5, tokenizer=TOKENIZER)
    fresh.add([{"id": "1", "content": "new content", "title": "new title"}])
    assert index.get("1") == fresh.get("1")


def test_an_update_of_a_document_removed_meanwhile_is_refused():
    class Meddler(HashingEmbedder):
        def encode(self, texts: Sequence[str]) -> Any:
            if "new content" in texts:
                index.delete(["1"])
            return super().encode(texts)

    index = Index(embedding=Meddler(dimension=8), tokenizer=TOKENIZER)
    index.add([{"id": "0", "content": "x"}, {"id": "1", "content": "old content"}])
    with pytest.raises(InvalidInputError, match=r'^records\[1\]\.id "1" is not stored; use add or upsert$'):
        index.update([{"id": "0", "content": "y"}, {"id": "1", "content": "new content"}])
    assert index.get("0")["content"] == "x"


def test_a_refusal_by_the_store_names_the_position_of_the_record():
    class Emptied(MemoryDocStore):
        def update(self, documents):
            self.delete(["2"])
            return super().update(documents)

    index = Index(store=Emptied(), tokenizer=TOKENIZER)
    index.add([{"id": f"{place}", "content": "x"} for place in range(3)])
    with pytest.raises(InvalidInputError, match=r'^records\[2\]\.id "2" is not stored; use add or upsert$'):
        index.update([{"id": f"{place}", "content": "y"} for place in range(3)], batch_size=2)


def test_fields_outside_the_record_are_preserved():
    store = MemoryDocStore()
    index = Index(store=store, tokenizer=TOKENIZER)
    store.insert([{"id": "1", "content_with_weight": "x", "docnm_kwd": "a.pdf", "title_tks": "a", "img_id": "i"}])
    assert index.update([{"id": "1", "content": "y", "document_name": "b.pdf"}]) == 1
    document = store.get("1")
    assert (document["img_id"], document["title_tks"], document["title"]) == ("i", "a", "a.pdf")
    assert index.search("y")[0].fields == {"img_id": "i"}
    assert index.upsert([{"id": "1", "content": "y"}]) == 1
    assert "img_id" not in store.get("1")
