"""A file that is replaced while it is open is neither read nor written, and gets no log of another file (SQL-4)."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from hybrid_search.doc_store_adapter.sqlite.sqlite_doc_store import SqliteDocStore
from hybrid_search.errors import DocStoreError, HybridSearchError

REPOSITORY = Path(__file__).parents[3]
REPLACED = r'a\.hsx" was replaced or removed after it was opened; open it again$'
OTHER_LOG = r'a\.hsx" cannot be opened: the -wal file next to it belongs to another index file, which this one has'
OPEN_ELSEWHERE = r'a\.hsx" cannot be opened: a process still has the file open that this one has replaced; '

USER = """
import sys
from hybrid_search import SqliteDocStore
from hybrid_search.errors import HybridSearchError
store = SqliteDocStore(sys.argv[1])
for line in sys.stdin:
    try:
        print(eval(line), flush=True)
    except HybridSearchError as error:
        print(type(error).__name__, str(error).rpartition('" ')[2], flush=True)
"""


class OtherProcess:
    """A process that has a file open."""

    def __init__(self, path):
        command = [sys.executable, "-c", USER, str(path)]
        environment = {**os.environ, "PYTHONPATH": str(REPOSITORY / "python_ref")}
        pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "text": True}
        self._process = subprocess.Popen(command, env=environment, **pipes)

    def __enter__(self):
        return self

    def __exit__(self, *error):
        self._process.stdin.close()
        self._process.wait()
        self._process.stdout.close()

    def ask(self, expression):
        self._process.stdin.write(expression + "\n")
        self._process.stdin.flush()
        return self._process.stdout.readline().strip()

    def kill(self):
        self._process.kill()
        self._process.wait()


@pytest.fixture
def path(tmp_path):
    """A file of 3 documents, and next to it b.hsx of 2."""
    fill(tmp_path / "a.hsx", "a", 3)
    fill(tmp_path / "b.hsx", "b", 2)
    return tmp_path / "a.hsx"


def fill(path, prefix, count):
    with SqliteDocStore(path) as store:
        store.insert([{"id": f"{prefix}{place}", "content_ltks": "x"} for place in range(count)])


def replace(path):
    os.rename(path.with_name("b.hsx"), path)


def is_second(path):
    with SqliteDocStore(path) as store:
        return [identifier for identifier, _ in store.rank([])] == ["b0", "b1"]


def test_a_store_of_a_removed_file_does_not_authorize_the_log_of_another_file(path):
    """The system may reuse the inode number of a removed file; here a second name keeps it."""
    gone, named_twice = path.with_name("b.hsx"), path.with_name("c.hsx")
    os.link(gone, named_twice)
    with SqliteDocStore(gone) as left_open, SqliteDocStore(path) as store:
        assert left_open.count() == 2
        os.remove(gone)
        with pytest.raises(DocStoreError, match="was replaced or removed"):
            left_open.count()
        store.insert([{"id": "late"}])
        os.rename(named_twice, path)
        with pytest.raises(DocStoreError, match=REPLACED):
            store.count()
        with pytest.raises(DocStoreError, match=OTHER_LOG):
            SqliteDocStore(path)


def test_a_replaced_file_is_refused_and_the_new_one_is_intact(path):
    with SqliteDocStore(path) as store:
        store.insert([{"id": "late"}])
        replace(path)
        for call in (store.count, lambda: store.insert([{"id": "lost"}]), lambda: store.rank([]), store.stats):
            with pytest.raises(DocStoreError, match=REPLACED):
                call()
        with pytest.raises(DocStoreError, match=OTHER_LOG):
            SqliteDocStore(path)
    with pytest.raises(DocStoreError, match=OTHER_LOG):
        SqliteDocStore(path, read_only=True)
    remove_log(path)
    assert is_second(path)


def remove_log(path):
    for ending in ("-wal", "-shm"):
        Path(f"{path}{ending}").unlink(missing_ok=True)


def test_a_replaced_file_is_refused_even_if_it_was_opened_for_reading(path):
    with SqliteDocStore(path, read_only=True) as store:
        assert store.count() == 3
        replace(path)
        with pytest.raises(DocStoreError, match=REPLACED):
            store.count()
        assert is_second(path)
    assert is_second(path)


def test_a_removed_file_is_refused_and_not_created_again(path):
    with SqliteDocStore(path) as store:
        path.unlink()
        with pytest.raises(DocStoreError, match=REPLACED):
            store.insert([{"id": "lost"}])
        assert not path.exists()


def test_documents_stored_while_the_file_is_replaced_are_not_acknowledged(path):
    with SqliteDocStore(path) as store:
        with pytest.raises(DocStoreError, match=REPLACED), store._file.writing():
            replace(path)
        with pytest.raises(DocStoreError, match=REPLACED):
            store.count()


def test_a_log_left_by_a_killed_process_is_not_applied_to_another_file(path):
    with OtherProcess(path) as other:
        assert other.ask("store.insert([{'id': 'late', 'content_ltks': 'x y'}])") == "1"
        other.kill()
    assert os.path.getsize(f"{path}-wal")
    before = path.with_name("b.hsx").read_bytes()
    replace(path)
    with pytest.raises(DocStoreError, match=OTHER_LOG):
        SqliteDocStore(path)
    assert path.read_bytes() == before
    remove_log(path)
    assert is_second(path)


def test_a_log_of_a_copy_is_not_applied_either(path):
    """A copy has the same content, and then changes differently."""
    copy = path.with_name("b.hsx")
    shutil.copy(path, copy)
    with SqliteDocStore(copy) as store:
        store.delete(["a0"])
    with OtherProcess(path) as other:
        assert other.ask("store.insert([{'id': 'late', 'content_ltks': 'x y'}])") == "1"
        other.kill()
    replace(path)
    with pytest.raises(DocStoreError, match=OTHER_LOG):
        SqliteDocStore(path)


def test_a_log_left_by_a_killed_process_is_applied_to_its_own_file(path):
    for place in range(3):
        with OtherProcess(path) as other:
            assert other.ask(f"store.insert([{{'id': 'late{place}'}}])") == "1"
            assert other.ask("store.set_note('a', 'b')") == "None"
            other.kill()
    with SqliteDocStore(path, read_only=True) as store:
        assert store.count() == 6


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux tells who has a lock")
def test_a_process_that_still_has_the_old_file_open_does_not_share_its_log(path):
    with OtherProcess(path) as other:
        assert other.ask("store.count()") == "3"
        replace(path)
        with pytest.raises(DocStoreError, match=OPEN_ELSEWHERE):
            SqliteDocStore(path)
        assert other.ask("store.count()").startswith("DocStoreError was replaced or removed")
        assert is_second(path)
    assert is_second(path)


def test_two_processes_can_open_one_file(path):
    with OtherProcess(path) as other, SqliteDocStore(path) as store:
        assert other.ask("store.insert([{'id': 'late'}])") == "1"
        assert store.count() == 4
        with SqliteDocStore(path) as again:
            assert again.count() == 4


def test_opening_a_file_twice_keeps_the_locks_of_this_process(path):
    """A process that closes a file loses all its locks on it: another process then used its log, and removed it."""
    with SqliteDocStore(path) as first:
        first.insert([{"id": "c"}])
        with SqliteDocStore(path) as second:
            second.count()
        with OtherProcess(path) as other:
            assert other.ask("store.count()") == "4"
            assert other.ask("store.close()") == "None"
        assert Path(f"{path}-wal").exists()
        first.insert([{"id": "d"}])
        with OtherProcess(path) as other:
            assert other.ask("store.count()") == "5"


@pytest.mark.parametrize("read_only", [False, True])
def test_a_pipe_is_refused_at_once(tmp_path, read_only):
    os.mkfifo(tmp_path / "pipe")
    with pytest.raises(HybridSearchError, match=r'pipe" is not a regular file$'):
        SqliteDocStore(tmp_path / "pipe", read_only=read_only)
    with pytest.raises(HybridSearchError, match=r'null" is not a regular file$'):
        SqliteDocStore("/dev/null", read_only=read_only)
