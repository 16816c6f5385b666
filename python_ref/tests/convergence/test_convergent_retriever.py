"""Convergent retrieval that cases cannot test: threads, and models with their own time limit (CNV-1, CNV-5)."""

from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from hybrid_search import BlockIndex, ConvergentRetriever
from hybrid_search.convergence.located import Located

QUERY = [0.5, 0.75, -0.25]


def made_index() -> BlockIndex:
    blocks = [{"file_path": f"f{row % 3}.py", "start_line": row, "end_line": row} for row in range(6)]
    return BlockIndex(blocks, [[1.0, row / 8.0, 0.25] for row in range(6)], "repo")


def test_many_threads_get_the_same_results_as_one():
    index = made_index()
    shared = ConvergentRetriever(index, convergence_mode="prf", top_k_blocks=3)
    queries = [[1.0, place / 4.0, -0.5] for place in range(12)]

    def alone(query: Sequence[float]) -> Located:
        return ConvergentRetriever(index, convergence_mode="prf", top_k_blocks=3).locate("q", query)

    with ThreadPoolExecutor(6) as threads:
        together = list(threads.map(lambda query: shared.locate("q", query), queries))
    assert together == [alone(query) for query in queries]


class Limited:
    """A model that has its own time limit and truncates texts."""

    def __init__(self) -> None:
        self.asked: list[tuple[float, list[str]]] = []

    def truncate(self, text: str, tokens: int) -> str:
        return text[:tokens]

    def similarity(self, query: str, texts: Sequence[str]) -> list[float]:
        raise AssertionError("not within a time")

    def limited_to(self, seconds: float) -> Callable[[str, Sequence[str]], list[float]]:
        def scores(_query: str, texts: Sequence[str]) -> list[float]:
            self.asked.append((seconds, list(texts)))
            return [0.5] * len(texts)

        return scores


def test_a_model_truncates_texts_within_its_time_limit(tmp_path: Path):
    (tmp_path / "repo").mkdir()
    for number in range(3):
        (tmp_path / f"repo/f{number}.py").write_text("x = 1\n" * 6, encoding="utf-8")
    model = Limited()
    retriever = ConvergentRetriever(
        made_index(), model, str(tmp_path), enable_rerank=True, rerank_max_length=11, rerank_timeout=7
    )
    assert retriever.locate("q", QUERY).rerank_status == "applied"
    assert [seconds for seconds, _ in model.asked] == [7.0]
    assert {text for _, texts in model.asked for text in texts} == {"File: f0.py", "File: f1.py", "File: f2.py"}
