"""Several processes and threads use one file; one of them is killed, forked, or holds its lock."""

import os
import random
import signal
import subprocess
import sys
import threading
from pathlib import Path

import pytest

from hybrid_search.doc_store_adapter.sqlite.sqlite_doc_store import SqliteDocStore
from hybrid_search.errors import DocStoreError
from hybrid_search.query_builder.expressions import MatchTextExpr
from hybrid_search.query_builder.tree import Term

REPOSITORY = Path(__file__).parents[3]
MOMENTS = 6
LEAST_BATCHES = 3

WRITER = """
import sys
from hybrid_search import SqliteDocStore
store, place = SqliteDocStore(sys.argv[1]), int(sys.argv[2])
while True:
    texts = {f"{place}-{one}": f"x w{place} w{one}" for one in range(4)}
    batch = [{"id": one, "content_ltks": text, "q_2_vec": [1.0, place + 0.5]} for one, text in texts.items()]
    store.upsert(batch)
    print(place, flush=True)
    place += 1
"""


@pytest.fixture
def path(tmp_path):
    return str(tmp_path / "index.hsx")


def has(word):
    return [MatchTextExpr((("content_ltks", 1.0),), Term(word), topn=100_000)]


def test_acknowledged_documents_survive_a_killed_writer(path):
    source = random.Random(20)
    acknowledged = -1
    for _ in range(MOMENTS):
        command = [sys.executable, "-c", WRITER, path, str(acknowledged + 1)]
        with subprocess.Popen(command, stdout=subprocess.PIPE, text=True, env=environment()) as writer:
            for _ in range(LEAST_BATCHES + source.randrange(3)):
                acknowledged = int(writer.stdout.readline())
            threading.Event().wait(source.random() * 0.01)  # anywhere within a batch
            writer.send_signal(signal.SIGKILL)
            acknowledged = max([acknowledged, *map(int, writer.stdout.read().split())])
        with SqliteDocStore(path) as store:
            batches = store.count() // 4
            assert batches in (acknowledged + 1, acknowledged + 2)  # the last may be stored and not yet reported
            assert len(store.rank(has("x"))) == store.count() == 4 * batches
            assert all(store.get(f"{place}-{one}") for place in range(batches) for one in range(4))
            acknowledged = batches - 1
    assert acknowledged >= MOMENTS * LEAST_BATCHES - 1


def environment():
    return {**os.environ, "PYTHONPATH": str(REPOSITORY / "python_ref")}


def test_readers_in_threads_see_whole_batches_of_another_process(path):
    with SqliteDocStore(path) as store:
        odd, seen = [], set()
        done = threading.Event()

        def read():
            while not done.is_set():
                found = len(store.rank(has("x")))
                seen.add(found)
                odd.extend([found] if found % 4 else [])

        readers = [threading.Thread(target=read) for _ in range(3)]
        command = [sys.executable, "-c", WRITER, path, "0"]
        with subprocess.Popen(command, stdout=subprocess.PIPE, text=True, env=environment()) as writer:
            for reader in readers:
                reader.start()
            for _ in range(15):
                writer.stdout.readline()
            done.set()
            for reader in readers:
                reader.join()
            writer.kill()
        assert odd == []
        assert len(seen) > 1


def test_threads_write_one_after_the_other(path):
    with SqliteDocStore(path, synchronous="normal") as store:
        threads = [
            threading.Thread(target=lambda first=first: [store.insert([{"id": f"{first}-{one}"}]) for one in range(10)])
            for first in range(4)
        ]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert (store.count(), store.generation) == (40, 40)


def test_a_writer_that_holds_the_lock_is_reported(path):
    with SqliteDocStore(path) as store, SqliteDocStore(path, timeout=0.05) as other:
        store.insert([{"id": "a"}])
        with store._file.writing():
            with pytest.raises(
                DocStoreError, match=r" is locked: another process has not let go of it for 0\.05 seconds$"
            ):
                other.insert([{"id": "b"}])
            assert other.count() == 1  # readers do not wait
        assert other.insert([{"id": "b"}]) == 1


@pytest.mark.skipif(not hasattr(os, "fork"), reason="processes cannot be forked here")
def test_a_forked_child_reads_and_writes(path):
    """It is forked while other threads search and write; neither process disturbs the other."""
    with SqliteDocStore(path, synchronous="normal") as store:
        store.insert([{"id": "parent", "content_ltks": "x"}])
        done = threading.Event()
        failed = []

        def use(number):
            count = 0
            while not done.is_set():
                try:
                    store.rank(has("x"))
                    store.upsert([{"id": f"t{number}-{count}", "content_ltks": "y"}])
                except BaseException as error:
                    failed.append(error)
                    raise
                count += 1

        threads = [threading.Thread(target=use, args=(number,)) for number in range(2)]
        for thread in threads:
            thread.start()
        for child in range(4):
            process = os.fork()
            if not process:
                try:
                    store.insert([{"id": f"child{child}", "content_ltks": "x"}])
                    os._exit(0 if len(store.rank(has("x"))) >= 2 else 1)
                except BaseException:
                    os._exit(2)
            assert os.waitstatus_to_exitcode(os.waitpid(process, 0)[1]) == 0
        done.set()
        for thread in threads:
            thread.join()
        assert failed == []
        assert len(store.rank(has("x"))) == 5
    with SqliteDocStore(path) as store:
        assert len(store.rank(has("x"))) == 5


def test_after_close_everything_is_refused(path):
    store = SqliteDocStore(path)
    store.close()
    store.close()
    for call in (store.count, store.stats, lambda: store.insert([{"id": "a"}]), lambda: store.rank([])):
        with pytest.raises(DocStoreError, match=r'index\.hsx" is closed$'):
            call()
    assert sorted(os.listdir(os.path.dirname(path))) == ["index.hsx"]  # the log is in the file
