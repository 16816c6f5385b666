"""Reads the public baselines that a collection's README.md states in its table of runs."""

import re
from pathlib import Path

ROW = re.compile(r"^\| (?P<run>[^|]+?) \| (?P<ndcg>\d\.\d+) \| (?P<recall>\d\.\d+) \| (?P<mrr>\d\.\d+) \|")


def read(folder: Path) -> dict[str, float]:
    """nDCG@10 by the name of the run; empty when the folder states none."""
    path = folder / "README.md"
    if not path.is_file():
        return {}
    rows = (ROW.match(line) for line in path.read_text(encoding="utf-8").splitlines())
    return {row["run"]: float(row["ndcg"]) for row in rows if row}


def of(stated: dict[str, float], model: str | None, way: str) -> float | None:
    """The stated figure nearest to a way of searching, if there is one.

    The baselines name a model by its first word: `MiniLM dense`, `E5 RRF k=60`.
    """
    if way == "full text":
        return stated.get("BM25", next((figure for run, figure in stated.items() if run.startswith("BM25")), None))
    prefix = {"minilm": "MiniLM", "e5": "E5"}.get((model or "").split("-")[0], "")
    names = {"dense": "dense", "weighted_sum": "min-max BM25/dense 0.05/0.95", "rrf": "RRF k=60"}
    return stated.get(f"{prefix} {names[way]}") if way in names else None
