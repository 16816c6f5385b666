"""The limits of batches (IDX-3) that are too slow or too odd for a case."""

import numpy as np
import pytest

from hybrid_search import HashingEmbedder, Index
from hybrid_search.records import batch_limits
from hybrid_search.records.batch_limits import BatchLimits

LONG = {"id": "1", "content": "x" * batch_limits.MOST_CHARACTERS}


def batches(limits, records):
    """Return the sizes of the batches of records."""
    sizes, size = [], 0
    for record in records:
        size += 1
        if limits.is_whole_with(record):
            sizes.append(size)
            size = 0
    return [*sizes, size] if size else sizes


def test_a_given_size_is_the_only_limit():
    assert batches(BatchLimits(2, has_model=True), [LONG] * 5) == [2, 2, 1]
    assert batches(BatchLimits(5000, has_model=True), [{"id": "1", "content": "x"}] * 6000) == [5000, 1000]


def test_each_batch_counts_from_the_start():
    short = {"id": "1", "content": "x"}
    assert batches(BatchLimits(None, has_model=False), [LONG, short, LONG, short]) == [1, 2, 1]
    with_vector = {**short, "vector": np.ones(3)}
    assert batches(BatchLimits(None, has_model=True), [with_vector, short] * 512) == [512, 512]


@pytest.mark.parametrize("record", [None, 7, "text", ["content"], {}, {"content": 7, "vector": 7}, {"content": None}])
def test_what_is_no_record_has_no_length(record):
    assert batches(BatchLimits(None, has_model=False), [record] * 2049) == [2048, 1]


class Counting:
    """An embedder that counts the texts of each call."""

    def __init__(self):
        self.calls = []

    def encode(self, texts):
        self.calls.append(len(texts))
        return HashingEmbedder(dimension=4).encode(texts)


@pytest.mark.parametrize("needs_model", [None, True, False])
def test_a_model_gets_at_most_256_texts_in_a_call(needs_model):
    provider = Counting()
    if needs_model is not None:
        provider.needs_model = needs_model
    Index(embedding=provider).add({"id": str(place), "content": "x"} for place in range(600))
    assert provider.calls == ([600] if needs_model is False else [256, 256, 88])
