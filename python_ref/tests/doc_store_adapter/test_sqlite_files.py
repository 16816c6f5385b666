"""A fault of a file is reported by one clear error, and stored documents are preserved."""

import gzip
import os
import random
import re
import shutil
import sqlite3
import subprocess
import sys
import tempfile
from contextlib import closing, suppress
from pathlib import Path

import pytest

from hybrid_search import Index
from hybrid_search.base.kernels import INCLUDED
from hybrid_search.doc_store_adapter.sqlite.sqlite_connection import SqliteConnection
from hybrid_search.doc_store_adapter.sqlite.sqlite_doc_store import SqliteDocStore
from hybrid_search.errors import DocStoreError, HybridSearchError, IndexCorruptError
from hybrid_search.query_builder.expressions import MatchDenseExpr, MatchTextExpr
from hybrid_search.query_builder.tree import Term

LIBRARY = Path(__file__).parents[2]
unshare = pytest.mark.skipif(shutil.which("unshare") is None, reason="nothing can be mounted without unshare")
WORDS = [f"word{place}" for place in range(60)]


@pytest.fixture
def path(tmp_path):
    return str(tmp_path / "index.hsx")


@pytest.fixture
def filled(path):
    """A file of 300 documents, all of it in the one file."""
    source = random.Random(1)
    with SqliteDocStore(path, synchronous="normal") as store:
        store.insert([document(source, place) for place in range(300)])
    return path


def document(source, place):
    words = " ".join(source.choices(WORDS, k=30))
    return {"id": f"d{place}", "content_ltks": words, "kb_id": f"k{place % 3}", "q_4_vec": [1.0, 0.5, place / 7, 0.25]}


def refusal(message, error=DocStoreError):
    return pytest.raises(error, match=message)


def test_a_missing_directory_is_reported(tmp_path):
    with refusal(r'missing/a\.hsx" cannot be opened: its directory does not exist$'):
        SqliteDocStore(tmp_path / "missing/a.hsx")
    assert list(tmp_path.iterdir()) == []


def test_a_directory_instead_of_a_file_is_reported(tmp_path):
    with refusal(r" is a directory$"):
        SqliteDocStore(tmp_path)


@pytest.mark.parametrize(
    "content", [b"no database, but long enough to be read as one" * 40, b"x", b"SQLite format 3\0" + b"\1" * 200]
)
def test_a_file_that_is_not_a_database_is_refused(path, content):
    Path(path).write_bytes(content)
    with refusal(r'index\.hsx" is no index file$'):
        SqliteDocStore(path)
    assert Path(path).read_bytes() == content


def test_a_database_of_another_program_is_refused(path):
    with sqlite3.connect(path) as database:
        database.execute("CREATE TABLE notes (text)")
    database.close()
    before = Path(path).read_bytes()
    with refusal(r" is no index file$"):
        SqliteDocStore(path)
    assert Path(path).read_bytes() == before


def test_a_file_of_a_future_version_is_refused(filled):
    with sqlite3.connect(filled) as database:
        database.execute("PRAGMA user_version = 5")
    database.close()
    before = Path(filled).read_bytes()
    with refusal(r" has the schema version 5, and this version of the library reads 4$"):
        SqliteDocStore(filled)
    assert Path(filled).read_bytes() == before


@pytest.fixture
def earlier(path):
    """A file of schema 3, as the previous version wrote it."""
    content = Path(__file__).with_name("schema_3.hsx.gz").read_bytes()
    Path(path).write_bytes(gzip.decompress(content))
    return path


def test_a_file_of_the_previous_version_is_converted(earlier):
    with SqliteDocStore(earlier) as store:
        assert store.check() == []
        assert (store.count(), store.generation, store.note("who")) == (68, 3, "tests")
        assert store.get("d010")["content_with_weight"] == "运费 carrier\0 fee " + "x" * 200
    with Index.open(earlier) as index:
        assert [hit.id for hit in index.search("carrier fee", limit=4)] == ["d027", "d019", "d063", "d055"]
    with closing(sqlite3.connect(earlier)) as database:
        assert database.execute("PRAGMA user_version").fetchone() == (4,)
        assert database.execute("SELECT DISTINCT typeof(content) FROM texts").fetchall() == [("blob",)]


def test_a_read_only_file_of_the_previous_version_is_refused_with_the_way_to_convert_it(earlier):
    before = Path(earlier).read_bytes()
    with refusal(r" has the schema version 3, .* reads 4; open it once where it can be written, and it is converted$"):
        SqliteDocStore(earlier, read_only=True)
    assert Path(earlier).read_bytes() == before


@pytest.mark.parametrize("place", range(1, 40, 4))
def test_a_conversion_interrupted_at_any_point_loses_nothing(earlier, monkeypatch, place):
    calls = []

    def late(method):
        def call(self, *given):
            calls.append(given)
            if len(calls) == place:
                raise KeyboardInterrupt
            return method(self, *given)

        return call

    for name in ("run", "run_many", "rows"):
        monkeypatch.setattr(SqliteConnection, name, late(getattr(SqliteConnection, name)))
    with suppress(KeyboardInterrupt):
        SqliteDocStore(earlier).close()
    monkeypatch.undo()
    with SqliteDocStore(earlier) as store:
        assert store.check() == []
        assert store.count() == 68


def test_a_damaged_file_of_the_previous_version_stays_unchanged(earlier):
    with closing(sqlite3.connect(earlier)) as database:
        database.execute("UPDATE terms SET places = x'00' WHERE term = (SELECT max(term) FROM terms)")
        database.commit()
    with pytest.raises(IndexCorruptError):
        SqliteDocStore(earlier)
    with closing(sqlite3.connect(earlier)) as database:
        assert database.execute("PRAGMA user_version").fetchone() == (3,)
        assert database.execute("SELECT typeof(content) FROM texts").fetchone() == ("text",)


def test_a_missing_file_is_not_created_for_reading(path):
    with refusal(r'index\.hsx" does not exist$'):
        SqliteDocStore(path, read_only=True)
    assert not os.path.exists(path)


def test_a_file_opened_for_reading_cannot_be_written(filled):
    with SqliteDocStore(filled, read_only=True) as store:
        assert store.count() == 300
        with refusal(r" can only be read$"):
            store.delete(["d1"])
        assert store.count() == 300


def test_an_empty_file_becomes_an_index(path):
    Path(path).touch()
    with refusal(r" is no index file$"):
        SqliteDocStore(path, read_only=True)
    with SqliteDocStore(path) as store:
        assert store.insert([{"id": "a"}]) == 1


READ_ONLY = """
import sys
from hybrid_search import SqliteDocStore
from hybrid_search.errors import HybridSearchError
for read_only in (False, True):
    with SqliteDocStore(sys.argv[1], read_only=read_only) as store:
        print(store.count())
        try:
            store.insert([{"id": "new"}])
        except HybridSearchError as error:
            print(type(error).__name__, str(error).rpartition('" ')[2])
"""


def in_namespace(mounts, program, path):
    """Return the output of a program in its own mount namespace."""
    if subprocess.run(["unshare", "-m", "true"], capture_output=True).returncode != 0:
        pytest.skip("nothing can be mounted here")
    shell = f'{mounts} && exec "$0" -c "$1" "$2"'
    command = ["unshare", "-m", "sh", "-c", shell, sys.executable, program, path]
    told = subprocess.run(command, capture_output=True, text=True, env={**os.environ, "PYTHONPATH": str(LIBRARY)})
    assert told.stderr == ""
    return told.stdout.splitlines()


@unshare
def test_a_file_on_a_read_only_disk_can_be_read(filled):
    folder = Path(filled).parent
    mounts = f"mount --bind {folder} {folder} && mount -o remount,bind,ro {folder}"
    assert in_namespace(mounts, READ_ONLY, filled) == ["300", "DocStoreError can only be read"] * 2


NOBODY = 65534


def as_nobody(path):
    """Return the output of READ_ONLY as a user who may not write to the directory; root may write everywhere."""
    if os.geteuid() != 0:
        pytest.skip("only root can be another user")
    child = os.fork()
    if not child:
        try:
            os.setgroups([])
            os.setgid(NOBODY)
            os.setuid(NOBODY)
            told = []
            for read_only in (False, True):
                with SqliteDocStore(path, read_only=read_only) as store:
                    told.append(store.count())
                    with refusal(r" can only be read$"):
                        store.insert([{"id": "new"}])
            os._exit(0 if told == [300, 300] else 1)
        except HybridSearchError as error:
            os._exit(3 if re.search("changes wait in the -wal file next to it", str(error)) else 4)
        except BaseException:
            os._exit(2)
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])


@pytest.fixture
def public():
    """A file of 300 documents in a directory that every user may read."""
    folder = tempfile.mkdtemp()
    os.chmod(folder, 0o755)
    path = f"{folder}/index.hsx"
    with SqliteDocStore(path) as store:
        store.insert([{"id": f"d{place}"} for place in range(300)])
    yield path
    shutil.rmtree(folder)


def test_another_user_can_read_a_file_in_a_directory_of_root(public):
    assert as_nobody(public) == 0
    for ending in ("-wal", "-shm"):
        Path(public + ending).touch()  # as a process that was killed leaves them
    assert as_nobody(public) == 0
    with SqliteDocStore(public) as store:
        assert store.insert([{"id": "later"}]) == 1


def test_another_user_gets_an_error_if_changes_are_pending(public):
    Path(f"{public}-wal").write_bytes(bytes(100))  # without a -shm file, as a copy of the files has it
    assert as_nobody(public) == 3


ON_A_FULL_DISK = """
import os, sys
from hybrid_search import SqliteDocStore
from hybrid_search.errors import HybridSearchError
path = sys.argv[1]
with SqliteDocStore(path) as store:
    store.insert([{"id": f"d{place}", "content_ltks": "x y"} for place in range(100)])
filler = os.open(os.path.dirname(path) + "/filler", os.O_CREAT | os.O_WRONLY)
try:
    while True:
        os.write(filler, bytes(4096))
except OSError:
    os.close(filler)
for read_only in (True, False):
    with SqliteDocStore(path, read_only=read_only) as store:
        print(store.count(), len(store.rank([])))
        try:
            store.insert([{"id": "new"}])
        except HybridSearchError as error:
            print(str(error).rpartition('" ')[2])
        if not read_only:
            os.unlink(os.path.dirname(path) + "/filler")
            print(store.insert([{"id": "new"}]), store.count())
"""


@unshare
def test_a_full_disk_does_not_prevent_reading(tmp_path):
    folder = tmp_path / "small"
    folder.mkdir()
    assert in_namespace(f"mount -t tmpfs -o size=1m none {folder}", ON_A_FULL_DISK, f"{folder}/index.hsx") == [
        "100 100",
        "can only be read",
        "100 100",
        "cannot be written: the disk is full; nothing of the batch is stored",
        "1 101",
    ]


def asked(store):
    """Call every reading method of a store."""
    answers = [store.count(), store.stats(), store.rank([]), [store.get(f"d{place}") for place in range(300)]]
    answers += [store.rank([MatchTextExpr((("content_ltks", 1.0),), Term(word))]) for word in WORDS]
    answers.append(store.rank([MatchDenseExpr("q_4_vec", (1.0, 0.0, 0.0, 0.0), topn=300)], {"kb_id": "k1"}))
    return answers


@pytest.mark.parametrize("kernels", INCLUDED)
def test_a_damaged_page_is_reported_or_is_harmless(filled, kernels):
    """One page after the other is overwritten: results are as before, or an error is raised; never wrong."""
    with SqliteDocStore(filled, kernels=kernels) as store:
        expected = asked(store)
    content = Path(filled).read_bytes()
    told = 0
    for start in range(8192, len(content), 8192 * (1 if kernels == "fast" else 5)):
        Path(filled).write_bytes(content[:start] + bytes(8192) + content[start + 8192 :])
        try:
            with SqliteDocStore(filled, kernels=kernels) as store:
                answer = asked(store)
        except IndexCorruptError:
            told += 1
        else:
            assert answer == expected
    assert told > (len(content) / 8192 / 2 if kernels == "fast" else 2)


@pytest.mark.parametrize(
    "column", ["documents.attributes", "texts.content", "terms.places", "vectors.content", "lengths.lengths"]
)
def test_a_flipped_bit_in_a_stored_value_is_reported(filled, column):
    table, name = column.split(".")
    with sqlite3.connect(filled) as database:
        rows = database.execute(f"SELECT rowid, {name} FROM {table}").fetchall()
        for key, value in rows:
            raw = bytearray(value.encode() if isinstance(value, str) else value)
            raw[len(raw) // 2] ^= 1
            changed = raw.decode() if isinstance(value, str) else bytes(raw)
            database.execute(f"UPDATE {table} SET {name} = ? WHERE rowid = ?", (changed, key))
    database.close()
    with SqliteDocStore(filled) as store, refusal(r" is damaged; ", IndexCorruptError):
        asked(store)


@pytest.mark.parametrize("size", [1, 100, 4096, 8192 * 3])
def test_a_truncated_file_is_reported(filled, size):
    content = Path(filled).read_bytes()[:size]
    Path(filled).write_bytes(content)
    with pytest.raises(HybridSearchError, match=r"is damaged|is no index file"), SqliteDocStore(filled) as store:
        asked(store)
    assert Path(filled).read_bytes() == content


FULL = """
import os, sys
from hybrid_search import SqliteDocStore
from hybrid_search.errors import HybridSearchError
store, stored = SqliteDocStore(sys.argv[1], synchronous="normal"), 0
try:
    for first in range(0, 100000, 50):
        batch = range(first, first + 50)
        texts = {one: " ".join(f"w{place * 31 % 997}" for place in range(one, one + 40)) for one in batch}
        stored += store.insert([{"id": f"{one}", "content_ltks": text} for one, text in texts.items()])
except HybridSearchError as error:
    print(type(error).__name__, str(error).rpartition('" ')[2])
print(store.count() == stored > 0, store.get("0") is not None, store.rank([])[-1] is not None)
store.close()
with SqliteDocStore(sys.argv[1]) as again:
    print(again.count() == stored, all(again.get(identifier) for identifier, _ in again.rank([])))
"""


@unshare
def test_a_full_disk_is_reported(tmp_path):
    folder = tmp_path / "small"
    folder.mkdir()
    expected = [
        "DocStoreError cannot be written: the disk is full; nothing of the batch is stored",
        "True True True",
        "True True",
    ]
    assert in_namespace(f"mount -t tmpfs -o size=2m none {folder}", FULL, f"{folder}/index.hsx") == expected


def test_error_messages_contain_the_whole_path_of_the_file(tmp_path):
    folder = tmp_path / ("long" * 30)
    folder.mkdir()
    (folder / "a.hsx").mkdir()
    with refusal(re.escape(f'the index file "{folder}/a.hsx" is a directory') + "$"):
        SqliteDocStore(folder / "a.hsx")
