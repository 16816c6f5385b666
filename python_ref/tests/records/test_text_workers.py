"""Processes that cut texts into tokens (IDX-7)."""

import os
import signal

import pytest

from hybrid_search import ConfigurationError, DocumentBuilder, Index, InvalidInputError, Segmenter, Tokenizer
from hybrid_search.records.record_fields import RecordFields
from hybrid_search.records.worker_process import WorkerProcess

RECORDS = [{"id": str(place), "title": f"No. {place}.md", "content": f"规则 6-2-{place} cells"} for place in range(7)]


def stored(index):
    return [index.store.get(each["id"]) for each in RECORDS]


def own_tokenizer():
    segmenter = Segmenter()
    segmenter.add_word("则 6")
    segmenter.add_word("规则", 0)
    return Tokenizer(segmenter, stemming=False)


def test_added_words_and_stemming_are_passed_to_workers():
    plain, ahead = Index(tokenizer=own_tokenizer()), Index(tokenizer=own_tokenizer())
    plain.add(RECORDS)
    ahead.add(RECORDS, workers=2, batch_size=2)
    assert stored(ahead) == stored(plain)


def test_a_word_added_between_two_batches_applies_to_later_batches():
    tokenizer = own_tokenizer()
    fields = RecordFields(tokenizer)
    with DocumentBuilder(tokenizer=tokenizer).workers(2) as ahead:
        texts = [{"content": "某某甲乙 cells"}]
        before = fields.of_texts(texts[0])
        assert ahead.push([{"id": "1", **texts[0]}]) is None
        tokenizer.recipe["words"].clear()  # a copy
        tokenizer._segmenter.add_word("某甲乙", 1000)
        assert ahead.push([{"id": "2", **texts[0]}]) is None
        after = fields.of_texts(texts[0])
        assert [ready for _, ready in ahead.rest()] == [[before], [after]]
        assert before != after


@pytest.mark.parametrize("tokenizer", [str.split, type("Own", (Tokenizer,), {})()])
def test_a_tokenizer_that_another_process_cannot_create_is_refused(tokenizer):
    index = Index(tokenizer=tokenizer)
    with pytest.raises(InvalidInputError, match=r"^workers must be 1 with this tokenizer, not 2: only a Tokenizer"):
        index.add(RECORDS, workers=2)
    assert index.add(RECORDS, workers=1) == 7


def test_a_killed_process_is_an_error_and_earlier_batches_stay(tmp_path):
    def records():
        for place, record in enumerate(RECORDS):
            if place == 4:
                (process,) = [each for each in started if each.poll() is None][:1]
                os.kill(process.pid, signal.SIGKILL)
            yield record

    started = []
    made = WorkerProcess.__init__

    def noted(self):
        made(self)
        started.append(self._process)

    with pytest.MonkeyPatch.context() as patch, Index(path=tmp_path / "a.hsx") as index:
        patch.setattr(WorkerProcess, "__init__", noted)
        with pytest.raises(ConfigurationError, match=r"^a worker process ended before it had cut its texts: signal 9$"):
            index.add(records(), workers=2, batch_size=1)
        assert index.count() < 7
        assert index.check() == []
        assert [each.poll() is None for each in started] == [False] * len(started)
        missing = [each for each in RECORDS if index.get(each["id"]) is None]
        assert index.add(missing, workers=3) == len(missing)


def test_an_error_of_the_source_is_raised_after_the_earlier_batches():
    def records():
        yield from RECORDS[:3]
        raise OSError("the disk is gone")

    for workers in (1, 2, 3):
        index = Index()
        with pytest.raises(OSError, match="the disk is gone"):
            index.add(records(), workers=workers, batch_size=1)
        assert index.count() == 3


def test_as_many_batches_as_processes_are_read_in_advance():
    read = []

    def records():
        for record in RECORDS:
            read.append(record)
            yield record

    seen = []
    Index().add(records(), workers=2, batch_size=1, progress=lambda done, total: seen.append((done, len(read))))
    assert seen == [(1, 3), (2, 4), (3, 5), (4, 6), (5, 7), (6, 7), (7, 7)]


def test_a_process_that_cannot_be_started_is_an_error(monkeypatch):
    monkeypatch.setattr("multiprocessing.spawn.get_executable", lambda: b"/nowhere/python")
    with pytest.raises(ConfigurationError, match=r"^a worker process could not start: No such file or directory$"):
        Index().add(RECORDS, workers=2)


def test_texts_of_a_subclass_become_plain_texts():
    class Text(str):
        pass

    index = Index()
    index.add([{"id": "1", "content": Text("Rule 6-2-1"), "keywords": [Text("red")]}], workers=2)
    assert index.store.get("1")["important_tks"] == "red"


def test_files_are_added_with_the_same_counts(tmp_path):
    for place in range(5):
        (tmp_path / f"{place}.txt").write_text(f"Rule 6-2-{place}\n\ncells", encoding="utf-8")
    plain, ahead, seen = Index(), Index(), []
    for index, workers in ((plain, 1), (ahead, 2)):
        calls = []
        added = index.add_files(
            tmp_path, batch_size=2, workers=workers, progress=lambda *told, to=calls: to.append(told)
        )
        seen.append((added.read, added.added, calls))
    assert seen[0] == seen[1]
    assert [each.to_dict() for each in ahead.each("rule cells")] == [
        each.to_dict() for each in plain.each("rule cells")
    ]
