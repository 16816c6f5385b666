"""Batches are all or nothing, even if interrupted at any moment, and a forked child has a working store."""

import dis
import os
import random
import signal
import sys
import threading
from collections.abc import Callable
from pathlib import Path
from types import FrameType
from typing import Any

import pytest

import hybrid_search
from hybrid_search.base.kernels import INCLUDED
from hybrid_search.doc_store_adapter.memory.memory_doc_store import MemoryDocStore
from hybrid_search.query_builder.expressions import MatchDenseExpr, MatchTextExpr
from hybrid_search.query_builder.tree import Phrase, Term

LIBRARY = str(Path(hybrid_search.__file__).parent)
WORDS = [f"w{place}" for place in range(12)]
FIELDS = (("content_ltks", 2.0), ("important_kwd", 3.0))


def document(source: random.Random, identifier: str) -> dict[str, Any]:
    fields = {
        "content_ltks": " ".join(source.choices(WORDS, k=source.randrange(8))),
        "important_kwd": source.sample(WORDS, source.randrange(3)),
        "kb_id": source.choice(["k1", "k2"]),
        "q_2_vec": [source.random() - 0.5, source.random() - 0.5],
    }
    return {"id": identifier, **{field: value for field, value in fields.items() if source.random() < 0.9}}


def batch(source: random.Random, store: MemoryDocStore) -> tuple[str, list[Any]]:
    stored = [identifier for identifier, _ in store.rank([])]
    kind = source.choice(["insert", "update", "upsert", "delete"])
    if kind == "insert":
        fresh = {f"d{source.randrange(400)}": None for _ in range(1 + source.randrange(6))}
        return kind, [document(source, identifier) for identifier in fresh if identifier not in stored]
    chosen = source.sample(stored, min(len(stored), source.randrange(4)))
    if kind == "upsert":
        chosen = [*chosen, *({f"d{source.randrange(400)}" for _ in range(3)} - set(stored))]
    return kind, chosen if kind == "delete" else [document(source, identifier) for identifier in chosen]


def run_until(moment: int | None, call: Callable[[], Any]) -> int | None:
    """Run and raise a KeyboardInterrupt at the n-th place; return the number of places, or `None` if it was raised.

    The places are where the interpreter looks for signals: where a function begins, after calls, where loops turn.
    """
    passed = 0
    latest: dict[FrameType, str] = {}

    def trace(frame: FrameType, event: str, argument: Any) -> Any:
        nonlocal passed
        if not frame.f_code.co_filename.startswith(LIBRARY):
            return None
        frame.f_trace_opcodes = True
        if event == "opcode":
            looks = latest.get(frame, "").startswith(("RESUME", "CALL", "JUMP_BACKWARD", "JUMP_ABSOLUTE"))
            latest[frame] = dis.opname[frame.f_code.co_code[frame.f_lasti]]
            passed += looks
            if looks and passed == moment:
                raise KeyboardInterrupt
        return trace

    before = sys.gettrace()
    sys.settrace(trace)
    try:
        call()
    except KeyboardInterrupt:
        return None
    finally:
        sys.settrace(before)
    return passed


def seen(store: MemoryDocStore) -> list[Any]:
    trees = [*map(Term, WORDS), Phrase(("w1", "w2"), 2)]
    exprs: list[Any] = [MatchTextExpr(FIELDS, tree, topn=500) for tree in trees]
    exprs.append(MatchDenseExpr("q_2_vec", (0.3, -0.7), topn=500))
    documents = [store.get(identifier) for identifier, _ in store.rank([])]
    rankings = [store.rank([expr]) for expr in exprs]
    return [rankings, store.rank([], {"kb_id": "k1"}), store.count(), store.generation, documents]


@pytest.mark.parametrize("kernels", INCLUDED)
def test_a_batch_interrupted_at_any_instruction_is_stored_completely_or_not_at_all(kernels):
    source = random.Random(3)
    store, whole = MemoryDocStore(kernels=kernels), MemoryDocStore(kernels=kernels)
    interrupted = 0
    for _ in range(150):
        method, argument = batch(source, whole)
        before = store.generation
        copy = MemoryDocStore(kernels=kernels)
        copy.insert([whole.get(identifier) or {} for identifier, _ in whole.rank([])])
        instructions = run_until(None, lambda copy=copy, method=method, given=argument: getattr(copy, method)(given))
        assert instructions
        moment = 1 + source.randrange(instructions)
        ended = run_until(moment, lambda method=method, given=argument: getattr(store, method)(given))
        interrupted += ended is None
        if store.generation > before:
            getattr(whole, method)(argument)
        assert seen(store) == seen(whole)
    assert interrupted >= 100


@pytest.mark.skipif(not hasattr(os, "fork"), reason="the system has no fork")
@pytest.mark.parametrize("children", [8, pytest.param(20, marks=pytest.mark.nightly)])
def test_children_forked_during_writes_have_a_working_store(children):
    store = MemoryDocStore()
    store.insert([{"id": f"kept {place}", "content_ltks": "x", "q_2_vec": [1.0, 0.5]} for place in range(50)])
    done = threading.Event()
    expr = MatchTextExpr((("content_ltks", 1.0),), Term("x"), topn=10_000)

    def write(number: int) -> None:
        documents = [{"id": f"{number} {place}", "content_ltks": "x y"} for place in range(20)]
        while not done.is_set():
            store.insert(documents)
            store.delete([f"{number} {place}" for place in range(20)])

    def works() -> bool:
        found = len(store.text_leg(expr))
        store.insert([{"id": "child", "content_ltks": "x"}])
        complete = (found - 50) % 20 == 0 and found == store.count() - 1
        store.delete(["child"])
        return complete and len(store.text_leg(expr)) == found

    writers = [threading.Thread(target=write, args=(number,)) for number in range(2)]
    for writer in writers:
        writer.start()
    statuses = []
    for _ in range(children):
        child = os.fork()
        if child == 0:
            signal.alarm(20)
            os._exit(0 if works() else 1)
        statuses.append(os.waitpid(child, 0)[1])
    done.set()
    for writer in writers:
        writer.join()
    assert statuses == [0] * children
