"""One collection in PostgreSQL for both languages: each reads what the other writes, and both write at once (PG-1)."""

import random
import subprocess
import threading
import uuid
from contextlib import contextmanager
from pathlib import Path

import pytest

from conformance.engines.testing import postgres_url
from conformance.tests.test_index_files import ask
from hybrid_search.doc_store_adapter.documents import stored_json
from hybrid_search.doc_store_adapter.memory.memory_doc_store import MemoryDocStore
from hybrid_search.doc_store_adapter.postgres.postgres_doc_store import PostgresDocStore
from python_ref.tests.doc_store_adapter import random_stores
from python_ref.tests.rounds import seeds

__all__ = ["postgres_url"]

pytestmark = pytest.mark.engines

REPOSITORY = Path(__file__).parents[2]
ROUNDS = 8


@pytest.fixture
def store(postgres_url):
    """A new collection, removed at the end."""
    if subprocess.run(["ruby", "-e", "require 'pg'"], capture_output=True).returncode:
        pytest.skip("the gem pg is not installed")
    made = PostgresDocStore(postgres_url, f"both_languages_{uuid.uuid4().hex}")
    yield made
    made.drop()


@contextmanager
def ruby(url, collection):
    """Asks a Ruby process that has the collection open."""
    program = [REPOSITORY / "conformance/tests/stores_asked.rb", url, collection]
    command = ["ruby", "-I", REPOSITORY / "ruby/lib", *program]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, encoding="utf-8") as process:

        def asked(method, argument):
            process.stdin.write(stored_json.write([method, argument]) + "\n")
            process.stdin.flush()
            return stored_json.read(process.stdout.readline())

        yield asked
        process.stdin.close()


@pytest.mark.parametrize("seed", seeds(1, 2))
def test_both_languages_write_and_read_one_collection_in_turn(store, postgres_url, seed):
    source = random.Random(seed)
    memory = MemoryDocStore()
    with ruby(postgres_url, store.collection) as other:
        for step in range(20):
            stored = [identifier for identifier, _ in memory.rank([])]
            method, argument = random_stores.change(source, stored)
            expected = getattr(memory, method)(argument)
            assert (other(method, argument) if step % 2 else ask(store, method, argument)) == expected
            chosen = random_stores.filters(source)
            questions = [
                ("stats", None),
                ("text", {"words": source.choices(random_stores.WORDS, k=source.randrange(1, 3)), "filters": chosen}),
                ("dense", {"vector": [source.random(), 0.5], "filters": chosen}),
                *(("get", identifier) for identifier in stored[:3]),
            ]
            for question in questions:
                answer = random_stores.exact(ask(memory, *question))
                assert random_stores.exact(ask(store, *question)) == answer
                assert random_stores.exact(other(*question)) == answer


def changes(asked, writer):
    """Make the changes of one writer, to its own documents and to one that all writers change."""
    for turn in range(ROUNDS):
        ids = [f"{writer} {turn} {place}" for place in range(3)]
        asked("insert", [{"id": one, "content_ltks": f"solar panel {turn}", "q_2_vec": [1.0, turn / 3]} for one in ids])
        asked("update", [{"id": ids[0], "content_ltks": f"water and power {writer}"}])
        asked("upsert", [{"id": ids[1], "content_ltks": "and"}, {"id": "shared", "content_ltks": f"solar {turn}"}])
        asked("delete", [ids[2]])


def test_concurrent_writers_of_both_languages_end_in_the_state_of_one_writer(store, postgres_url):
    wrong = []

    def write(asked, writer):
        try:
            changes(asked, writer)
        except Exception as problem:
            wrong.append(problem)

    def own(method, argument):
        return ask(store, method, argument)

    with ruby(postgres_url, store.collection) as first, ruby(postgres_url, store.collection) as second:
        writers = [
            threading.Thread(target=write, args=(asked, number))
            for number, asked in enumerate((first, own, second, own))
        ]
        for thread in writers:
            thread.start()
        for thread in writers:
            thread.join()
        assert wrong == []
        memory = MemoryDocStore()
        for number in range(len(writers)):
            changes(lambda method, argument: getattr(memory, method)(argument), number)
        everything = [identifier for identifier, _ in memory.rank([])]
        questions = [
            ("text", {"words": ["solar"], "filters": {}}),
            ("text", {"words": ["and", "power"], "filters": {}}),
            ("dense", {"vector": [1.0, 1.5], "filters": {}}),
            *(("get", identifier) for identifier in everything),
        ]
        assert store.count() == len(everything)
        for question in questions:
            answer = random_stores.exact(ask(memory, *question))
            assert random_stores.exact(own(*question)) == answer
            assert random_stores.exact(first(*question)) == answer
