"""The sources of an answer: checks that the cases cannot make."""

import asyncio
import json

import pytest

from hybrid_search import AsyncIndex, CitedAnswer, EmbeddingError, HashingEmbedder, Index, InvalidInputError

RECORDS = [
    {"id": "fee", "content": "The carrier pays the fee for the return of damaged goods."},
    {"id": "pallet", "content": "Pallets are stacked at most four high."},
]
ANSWER = "Pallets are stacked four high. The carrier pays the fee for the return."


class Counting:
    """An embedder that records the texts it received."""

    def __init__(self):
        self.texts = []
        self.model = HashingEmbedder(dimension=32)

    def encode(self, texts):
        self.texts += texts
        return self.model.encode(texts)


@pytest.fixture
def index():
    index = Index(embedding=Counting())
    index.add(RECORDS)
    return index


def test_pages_hits_ids_and_plain_hits_are_equivalent_sources(index):
    page = index.search("pallets carrier")
    cited = index.cite(ANSWER, page)
    assert len(cited.spans) == 2
    plain = json.loads(json.dumps(page.to_dict()))["hits"]
    for hits in (list(page), page.hits, [hit.id for hit in page], plain):
        assert index.cite(ANSWER, hits) == cited


def test_stored_documents_are_not_embedded_again(index):
    embedder = index._embedding._provider
    before = index.search("pallets carrier")
    texts = []
    original = index._embedding.encode
    index._embedding.encode = lambda given: texts.extend(given) or original(given)
    index.cite(ANSWER, before)
    assert texts == ["Pallets are stacked four high", "The carrier pays the fee for the return"]
    assert embedder is index._embedding._provider


def test_a_cited_answer_has_a_text_a_short_form_and_plain_data(index):
    cited = index.cite(ANSWER, ["fee", "pallet"], mark=" [ID:{index}]")
    assert str(cited) == cited.text
    assert cited.text == "Pallets are stacked four high [ID:1]. The carrier pays the fee for the return [ID:0]."
    assert repr(cited) == "<CitedAnswer: 2 spans, 2 sources>"
    for span in cited.to_dict()["spans"]:
        assert ANSWER[span["start"] : span["end"]] == span["text"]
    assert index.cite("", []) == CitedAnswer("")


def test_a_failing_embedding_is_an_error():
    index = Index(embedding=lambda texts: 1 / 0)
    with pytest.raises(EmbeddingError):
        index.cite(ANSWER, [{"id": "a", "content": "Pallets"}])


def test_a_generator_is_not_a_list_of_hits(index):
    with pytest.raises(InvalidInputError, match="hits must be a page or a list"):
        index.cite(ANSWER, (hit for hit in ["fee"]))


def test_an_async_index_cites_too(index):
    async def work():
        async with AsyncIndex(embedding=HashingEmbedder()) as own:
            await own.add(RECORDS)
            return await own.cite(ANSWER, ["fee", "pallet"])

    assert [span.sources[0].id for span in asyncio.run(work()).spans] == ["pallet", "fee"]
