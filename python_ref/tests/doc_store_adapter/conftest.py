"""Shared by the tests of stores."""

import json
import subprocess
from pathlib import Path

import pytest

from hybrid_search.doc_store_adapter.postgres import postgres_screen
from hybrid_search.doc_store_adapter.sqlite import sqlite_schema as schema
from hybrid_search.doc_store_adapter.sqlite.sqlite_changes import SqliteChanges
from hybrid_search.doc_store_adapter.sqlite.sqlite_doc_store import SqliteDocStore
from hybrid_search.doc_store_adapter.tables import blobs
from python_ref.tests.doc_store_adapter.opensearch_fake import Fake, serving
from python_ref.tests.doc_store_adapter.opensearch_indexes import Indexes
from python_ref.tests.doc_store_adapter.opensearch_steps import play

PLAYER = Path(__file__).with_name("opensearch_steps.rb")

SMALL = ((blobs, "LENGTHS_IN_BLOCK", 4), (blobs, "PLACES_IN_CHUNK", 3), (schema, "VECTORS_IN_BLOCK", 2))


@pytest.fixture(params=[True, False], ids=["small blocks", "blocks as they are"])
def blocks(request, monkeypatch):
    """Blocks so small that many of each kind exist."""
    if request.param:
        for module, name, size in (*SMALL, (postgres_screen, "MORE", 1)):
            monkeypatch.setattr(module, name, size)


@pytest.fixture(scope="module")
def indexes(opensearch_url):
    """Makes stores in OpenSearch, and removes them at the end."""
    made = Indexes(opensearch_url)
    yield made
    made.remove()


@pytest.fixture(scope="module")
def opensearch_in_ruby():
    """Plays steps in Ruby."""
    with subprocess.Popen(["ruby", str(PLAYER)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as player:

        def play_in_ruby(url, steps, options):
            player.stdin.write(json.dumps({"url": url, "steps": steps, "options": options}) + "\n")
            player.stdin.flush()
            return json.loads(player.stdout.readline())

        yield play_in_ruby
        player.stdin.close()


@pytest.fixture
def both(opensearch_in_ruby):
    """Plays steps in both languages, each against its own server, and returns the common outcome and the requests."""

    def play_in_both(replies, steps, **options):
        outcomes, asked = [], []
        for play_in in (play, opensearch_in_ruby):
            fake = Fake(replies)
            with serving(fake) as url:
                outcomes.append(json.loads(json.dumps(play_in(url, steps, options))))
            asked.append(fake.asked)
        assert outcomes[0] == outcomes[1]
        assert asked[0] == asked[1]
        return outcomes[0], asked[0]

    return play_in_both


@pytest.fixture
def opened(tmp_path):
    """Opens stores of the same file, and closes them."""
    stores = []

    def make(**options):
        stores.append(SqliteDocStore(tmp_path / "index.hsx", synchronous="normal", **options))
        return stores[-1]

    yield make
    for store in stores:
        store.close()


@pytest.fixture
def follows(monkeypatch):
    """For each question after a write of another store, the documents that were read again; `None`: all."""
    seen = []
    since = SqliteChanges.since

    def watched(self, generation, mark):
        found = since(self, generation, mark)
        seen.append(None if found is None else found.numbers)
        return found

    monkeypatch.setattr(SqliteChanges, "since", watched)
    return seen
