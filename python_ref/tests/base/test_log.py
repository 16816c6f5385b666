"""One log line for each failure, and silence unless a program turns logging on (LOG-1)."""

import logging
import subprocess
import sys

import pytest

from hybrid_search import EmbeddingError, Index, RerankError
from hybrid_search.base import log

RECORDS = [{"id": "1", "content": "apples"}]


def raises(*_):
    raise OSError("bad\u2028model\nsecond line")


@pytest.fixture
def lines(caplog):
    caplog.set_level(logging.WARNING, "hybrid_search")
    return lambda: [(record.name, record.levelname, record.getMessage()) for record in caplog.records]


def test_failed_calls_are_logged_in_one_line_whether_the_search_continues_or_not(lines):
    index = Index(rerank_model=raises)
    index.add(RECORDS)
    index.search("apples")
    with pytest.raises(RerankError):
        index.search("apples", fail_open=False)
    with pytest.raises(EmbeddingError):
        Index(embedding=raises).add(RECORDS)
    with pytest.raises(EmbeddingError):
        Index(embedding=raises).search("apples")
    assert lines() == [
        ("hybrid_search", "WARNING", "ranked without the rerank model: the rerank model failed: OSError: bad model"),
        ("hybrid_search", "WARNING", "the rerank model failed: OSError: bad model"),
        ("hybrid_search", "WARNING", "the embedding provider failed: OSError: bad model"),
        ("hybrid_search", "WARNING", "the embedding provider failed: OSError: bad model"),
    ]


def test_line_breaks_in_log_lines_become_blanks(lines):
    log.warning("a\r\nb\x1b[31m\u2029c\x85 100%")
    assert lines() == [("hybrid_search", "WARNING", "a b [31m c  100%")]


def test_a_program_that_does_not_set_up_logging_prints_nothing():
    program = (
        "from hybrid_search import Index; from hybrid_search.base import log; log.warning('told'); Index().search('')"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert (done.stdout, done.stderr) == ("", "")
