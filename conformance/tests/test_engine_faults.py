"""The checks of stores under load notice losses; short runs of each fault of engines."""

import socket
import threading

import pytest

from conformance.engine_faults import command, ending, oceanbase_faults, opensearch_faults, postgres_faults
from conformance.engine_faults.batches import MOST_PAIRS, QUIET, Batch, Drawing, questions, quiet, whole_questions
from conformance.engine_faults.load import Reader, Writer
from conformance.engine_faults.proxy import Proxy
from conformance.engine_faults.scene import Plan
from conformance.engine_faults.tally import Tally
from conformance.engine_faults.worker import answer as answer_of
from conformance.engine_faults.workers import Answer
from conformance.engines.pooler import program
from conformance.engines.ports import HOST
from hybrid_search import MemoryDocStore
from hybrid_search.errors import DocStoreError, UnknownOutcomeError

SEED = 7


class Scripted:
    """A worker with a store in memory that fails on request.

    Args:
        failures: number of a change → (the error, the share of the batch that is stored despite it).
    """

    def __init__(self, failures=None):
        self.store = MemoryDocStore()
        self._failures = failures or {}
        self._changes = 0

    def ask(self, method, given=None):
        if method == "get":
            return Answer(self.store.get(given), "", "", 0.0)
        if method == "count":
            return Answer(self.store.count(), "", "", 0.0)
        self._changes += 1
        error, share = self._failures.get(self._changes, (None, 1.0))
        value = getattr(self.store, method)(given[: int(len(given) * share)])
        if error is not None:
            return Answer(None, error.__name__, "told to", 0.0)
        return Answer(value, "", "", 0.0)


def written(failures=None, steps=60, atomic=True):
    tally = Tally()
    worker = Scripted(failures)
    writer = Writer("w0", worker, tally, SEED, atomic)
    for _ in range(steps):
        writer.step()
    return tally, writer, worker


def test_a_writer_knows_the_stored_documents():
    tally, writer, worker = written()
    assert tally.wrong == []
    assert tally.acknowledged == 60
    assert {name: worker.store.get(name) for name in writer.stored} == writer.stored
    assert worker.store.count() == len(writer.stored)


@pytest.mark.parametrize(
    ("error", "share"), [(DocStoreError, 0.0), (UnknownOutcomeError, 0.0), (UnknownOutcomeError, 1.0)]
)
def test_a_permitted_failure_of_a_change_is_not_a_fault(error, share):
    tally, writer, worker = written({5: (error, share), 6: (error, share)})
    assert tally.wrong == []
    assert (tally.refused, tally.unknown) == ((2, 0) if error is DocStoreError else (0, 2))
    assert tally.unknown_stored == (2 if share else 0)
    assert {name: worker.store.get(name) for name in writer.stored} == writer.stored


@pytest.mark.parametrize(("error", "share"), [(DocStoreError, 1.0), (DocStoreError, 0.5), (UnknownOutcomeError, 0.5)])
def test_a_change_stored_in_part_or_despite_its_error_is_detected(error, share):
    tally, _, _ = written({5: (error, share)})
    assert len(tally.wrong) == 1
    assert "failed and left" in tally.wrong[0]


@pytest.mark.parametrize("error", [DocStoreError, UnknownOutcomeError])
def test_a_store_without_atomic_batches_may_store_part_of_a_failed_batch(error):
    tally, writer, worker = written({5: (error, 0.5)}, atomic=False)
    assert tally.wrong == []
    assert {name: worker.store.get(name) for name in writer.stored} == writer.stored


def test_a_store_without_atomic_batches_may_lose_unacknowledged_changes_that_it_showed():
    memory = MemoryDocStore()
    tally = Tally()
    before = {"id": "a", "content_ltks": "one", "version_int": 1}
    memory.insert([before])

    class Dirty:
        def ask(self, method, given=None):
            if method == "get":
                return Answer(shown.get(given, memory.get(given)), "", "", 0.0)
            if method == "upsert":
                return Answer(None, "UnknownOutcomeError", "told to", 0.0)
            return Answer(getattr(memory, method)(given), "", "", 0.0)

    after = {**before, "content_ltks": "two"}
    shown = {"a": after}
    writer = Writer("w0", Dirty(), tally, SEED, atomic=False)
    writer.stored = {"a": before}
    writer.carry_out(Batch("upsert", [after], {"a": after}))
    shown.clear()
    change = {"id": "a", "version_int": 2}
    writer.carry_out(Batch("update", [change], {"a": {**writer.stored["a"], **change}}))
    assert tally.wrong == []
    assert writer.doubtful == {"a": [{**before, **change}, {**after, **change}]}
    writer.carry_out(Batch("upsert", [before], {"a": before}))
    assert len(writer.doubtful["a"]) == 3
    writer.carry_out(Batch("delete", ["a"], {"a": None}))
    assert writer.doubtful == {}


def test_half_of_the_changes_of_unknown_outcome_are_retried_and_become_known():
    tally, writer, worker = written(dict.fromkeys(range(5, 300, 2), (UnknownOutcomeError, 0.5)), 300, atomic=False)
    assert tally.wrong == []
    repeated = [line for lines in writer.history.values() for line in lines if "once more" in line]
    assert {line.split(" ")[2] for line in repeated} == {"upsert", "update", "delete"}
    assert len([line for line in repeated if "acknowledged" in line]) > 20
    assert {name: worker.store.get(name) for name in writer.stored} == writer.stored


@pytest.mark.parametrize("atomic", [False, True])
def test_a_removed_document_may_be_back_only_if_its_insert_had_no_known_outcome(monkeypatch, atomic):
    tally, writer, worker = written({1: (UnknownOutcomeError, 0.0)}, steps=0, atomic=atomic)
    first, second = {"id": "a", "version_int": 1}, {"id": "a", "version_int": 2}
    writer.carry_out(Batch("insert", [first], {"a": first}))
    writer.carry_out(Batch("upsert", [second], {"a": second}))
    writer.carry_out(Batch("delete", ["a"], {"a": None}))
    worker.store.insert([first])
    told = told_in_the_end(monkeypatch, tally, writer, worker)
    assert (len(told), tally.late) == ((1, 0) if atomic else (0, 1))
    worker.store.upsert([second])
    assert "lost or changed: a: version 2, expected nothing" in told_in_the_end(monkeypatch, tally, writer, worker)[-1]


def test_an_update_of_a_missing_document_is_not_retried():
    batch = Batch("update", [{"id": "a", "version_int": 2}], {"a": {"id": "a", "version_int": 2}})
    assert batch.again({}) is None
    assert batch.again({"a": {"id": "a", "kb_id": "k"}}).after == {"a": {"id": "a", "kb_id": "k", "version_int": 2}}


def test_the_stored_half_of_a_pair_can_be_changed():
    drawing, half = Drawing("w0", SEED), {"w0-1.a": {"id": "w0-1.a", "pair_kwd": "w0-1"}}
    batches = [drawing.batch(half) for _ in range(30)]
    updates = [batch for batch in batches if batch.method == "update"]
    assert updates
    assert all(set(batch.after) == {"w0-1.a"} for batch in updates)


@pytest.mark.parametrize(
    ("spoil", "what"),
    [
        (lambda store, name: store.delete([name]), "lost or changed: {}: nothing, expected version 1; its history"),
        (
            lambda store, name: store.update([{"id": name, "version_int": 9}]),
            "lost or changed: {}: version 9, expected",
        ),
        (lambda store, name: store.insert([{"id": f"{name}x"}]), "documents, expected"),
    ],
)
def test_documents_lost_in_the_end_are_reported_with_their_history(monkeypatch, spoil, what):
    tally, writer, worker = written(steps=1)
    spoil(worker.store, "w0-1.a")
    assert told_in_the_end(monkeypatch, tally, writer, worker)[0].startswith("python: ")
    assert what.format("w0-1.a") in tally.wrong[0]


def test_documents_that_reappear_or_cannot_be_read_are_reported(monkeypatch):
    tally, writer, worker = written(steps=1)
    name, document = next(iter(writer.stored.items()))
    writer.carry_out(Batch("delete", [name], {name: None}))
    worker.store.insert([document])
    (told,) = told_in_the_end(monkeypatch, tally, writer, worker)
    assert f"lost or changed: {name}: version 1, expected nothing; its history: " in told
    assert "delete of nothing was acknowledged" in told

    class Silent(Scripted):
        def ask(self, method, given=None):
            return Answer(None, "DocStoreError", "away", 0.0)

    tally.wrong.clear()
    assert f"python: {name} cannot be read: away" in told_in_the_end(monkeypatch, tally, writer, Silent())


def told_in_the_end(monkeypatch, tally, writer, worker, kind="opensearch"):
    class Opened:
        language = "python"
        ask = staticmethod(worker.ask)

        def __init__(self, *given):
            pass

        def __enter__(self):
            return self

        def __exit__(self, *error):
            pass

        def open(self):
            return Answer(None, "", "", 0.0)

    possible = {name: writer.possible(name) for name in writer.history}

    class Loaded:
        stored, doubtful, touched = writer.stored, possible, set(writer.history)
        tally = writer._tally

        @staticmethod
        def history(name):
            return "; ".join(writer.history[name])

    monkeypatch.setattr(ending, "Worker", Opened)
    ending.compare(kind, {}, ["python"], Loaded(), SEED)
    return tally.wrong


def test_a_document_in_neither_its_old_nor_its_new_state_is_detected():
    class Spoiling(Scripted):
        def ask(self, method, given=None):
            answer = super().ask(method, given)
            if answer.error:
                self.store.upsert([{"id": name, "kb_id": "spoilt"} for name in [self._first(given)]])
            return answer

        def _first(self, given):
            return given[0] if isinstance(given[0], str) else given[0]["id"]

    tally = Tally()
    writer = Writer("w0", Spoiling({5: (UnknownOutcomeError, 0.0)}), tally, SEED, atomic=False)
    for _ in range(5):
        writer.step()
    assert len(tally.wrong) == 1
    assert "failed and left" in tally.wrong[0]


def test_an_acknowledged_change_without_effect_is_detected():
    class Lying(Scripted):
        def ask(self, method, given=None):
            return Answer(0, "", "", 0.0) if method == "insert" else super().ask(method, given)

    tally = Tally()
    writer = Writer("w0", Lying(), tally, SEED, atomic=True)
    writer.step()
    assert "insert of" in tally.wrong[0]


@pytest.mark.parametrize(("kind", "told"), [("postgres", True), ("oceanbase", True), ("opensearch", False)])
def test_a_ranking_that_differs_from_memory_is_reported_if_the_store_promises_equal_bits(monkeypatch, kind, told):
    tally, writer, worker = written(steps=5)
    monkeypatch.setattr(worker, "ask", lambda method, given=None: ranked(worker.store, method, given))
    wrong = told_in_the_end(monkeypatch, tally, writer, worker, kind)
    assert ["another ranking than memory's" in line for line in wrong] == [True] * len(questions(SEED)) * told


def ranked(store, method, given):
    """Answers of a store that ranks nothing."""
    return Answer([] if method == "rank" else answer_of(store, method, given), "", "", 0.0)


@pytest.mark.parametrize(
    ("answers", "what"),
    [
        ({"pair": [["w0-1.a", 1]]}, "half of a batch was seen"),
        ({"pair": [["w0-1.a", 1], ["w0-1.b", 2]]}, "half of a batch was seen"),
        ({"total": 199}, "a short answer"),
        ({"found": []}, "a wrong answer"),
        ({"found": ["other"]}, "with ['other']"),
        ({"rank": [["a", 0.5], ["b", 0.75]]}, "out of order"),
        ({"rank": [["b", 0.5], ["a", 0.5]]}, "out of order"),
    ],
)
def test_a_reader_detects_half_pairs_and_incomplete_results(answers, what):
    memory = MemoryDocStore()
    memory.insert(list(quiet(SEED).values()))

    class Answering:
        def ask(self, method, given=None):
            fine = {"pair": [], "total": 200, "rank": []}
            value = {**fine, **answers}[method] if method in {**fine, **answers} else answer_of(memory, method, given)
            return Answer(value, "", "", 0.0)

    tally, writer, _ = written(steps=3)
    reader = Reader("r0", Answering(), tally, [writer], SEED, atomic=True)
    for _ in range(30):
        reader.step()
    assert tally.wrong
    assert all(what in wrong for wrong in tally.wrong)


def test_drawn_batches_are_reproducible_and_bounded():
    _, first, _ = written(steps=200)
    _, second, _ = written(steps=200)
    assert first.stored == second.stored
    assert len({document["pair_kwd"] for document in first.stored.values()}) <= MOST_PAIRS + 6
    assert Drawing("w0", 1).batch({}) != Drawing("w0", 2).batch({})
    assert len(quiet(SEED)) == 200


def test_whole_questions_state_the_documents_that_they_find():
    memory = MemoryDocStore()
    memory.insert(list(quiet(SEED).values()))
    for question, expected in whole_questions(SEED):
        assert answer_of(memory, "found", {"question": question, "pair": QUIET}) == expected
        assert expected


def test_a_proxy_forwards_stops_and_recovers():
    with socket.create_server((HOST, 0)) as listening, Proxy(listening.getsockname()[1]) as proxy:

        def serve():
            for _ in range(2):
                there, _ = listening.accept()
                threading.Thread(target=echo, args=(there,), daemon=True).start()

        def echo(there):
            with there:
                while data := there.recv(100):
                    there.sendall(data)

        threading.Thread(target=serve, daemon=True).start()
        with socket.create_connection((HOST, proxy.port), timeout=30) as here:
            here.sendall(b"one")
            assert here.recv(100) == b"one"
            proxy.stall()
            here.sendall(b"two")
            here.settimeout(0.2)
            with pytest.raises(TimeoutError):
                here.recv(100)
            proxy.heal()
            here.settimeout(30)
            assert here.recv(100) == b""
        with socket.create_connection((HOST, proxy.port), timeout=30) as here:
            here.sendall(b"three")
            assert here.recv(100) == b"three"


def test_the_command_exits_with_1_if_something_is_wrong(monkeypatch, capsys):
    def broken(plan):
        outcome = command.Outcome("a fault", 1, 0, Tally(), [0.5])
        outcome.tally.fault("w0: lost")
        return outcome

    monkeypatch.setitem(command.ENGINES["postgres"], "kill", broken)
    assert command.main(["--engine", "postgres", "--fault", "kill", "--format", "table"]) == 1
    assert "w0: lost" in capsys.readouterr().out


@pytest.mark.engines
@pytest.mark.nightly
@pytest.mark.parametrize("fault", ["kill", "terminate"])
def test_postgres_loses_nothing(fault, postgres_url):
    plan = Plan(("python", "ruby"), times=2, writers=2, readers=2)
    outcome = postgres_faults.FAULTS[fault](plan)
    assert outcome.tally.wrong == []
    assert outcome.tally.acknowledged > 0
    assert outcome.times == 2


@pytest.mark.engines
@pytest.mark.nightly
@pytest.mark.parametrize("fault", ["kill", "restart"])
def test_oceanbase_loses_nothing(fault, oceanbase_url):
    plan = Plan(("python", "ruby"), times=2, writers=2, readers=2)
    outcome = oceanbase_faults.FAULTS[fault](plan)
    assert outcome.tally.wrong == []
    assert outcome.tally.acknowledged > 0
    assert outcome.times == 2


@pytest.mark.engines
@pytest.mark.nightly
def test_collections_behind_a_pooler_stay_separate(postgres_url):
    if program() is None:
        pytest.skip("PgBouncer is not installed: bin/setup installs it on Debian")
    outcome = postgres_faults.FAULTS["pooler"](Plan(("python", "ruby"), times=4))
    assert outcome.tally.wrong == []
    assert outcome.tally.acknowledged + outcome.tally.reads == 200


@pytest.mark.engines
@pytest.mark.nightly
def test_opensearch_never_returns_a_partial_result_as_complete(opensearch_url):
    plan = Plan(("python", "ruby"), seconds=3.0, writers=2, readers=2)
    outcome = opensearch_faults.FAULTS["cut-short"](plan)
    assert outcome.tally.wrong == []
    assert outcome.tally.reads > 0
