"""A worker process in Python: `python -m conformance.bench.worker`, spoken to by `conformance.bench.process`.

A line of JSON names a subject, a method and its parameters; a line of JSON is the answer.
"""

import importlib
import json
import sys
from typing import Any

SUBJECTS = {
    "jieba": "jieba_anchor:Jieba",
    "jieba_keywords": "jieba_anchor:JiebaKeywords",
    "jieba_cache": "jieba_anchor:JiebaCache",
    "fts5": "bm25_anchors:Fts5",
    "bm25s": "bm25_anchors:Bm25s",
    "fts5_fields": "bm25f_anchors:Fts5Fields",
    "tantivy": "bm25f_anchors:Tantivy",
    "simple_bm25f": "bm25f_anchors:SimpleBm25f",
    "bm25f": "bm25f_leg:Bm25fLeg",
    "simple_bm25": "bm25_anchors:SimpleBm25",
    "ragflow": "ragflow_anchor:RagflowRerank",
    "segmentation": "reference:Segmentation",
    "dictionary": "reference:DictionaryLoad",
    "keywords": "reference:FindKeywords",
    "bm25": "reference:TextLeg",
    "rerank": "reference:HybridRerank",
    "store": "reference:Store",
    "documents": "documents:Documents",
    "store_of": "stores:StoreOf",
    "foreign_writes": "foreign_writes:ForeignWrites",
    "block_rounds": "convergence:BlockRounds",
    "numpy_round": "convergence:NumpyRound",
    "ts_rank": "ts_rank_anchor:TsRank",
    "index_file": "index_files:IndexFile",
    "overlap": "overlap:Overlap",
    "weighted": "weighted:WeightedRerank",
    "whole_calls": "whole_calls:WholeCalls",
    "bm25s_by_hand": "by_hand:Bm25sByHand",
    "tantivy_by_hand": "by_hand:TantivyByHand",
    "fts5_by_hand": "by_hand:Fts5ByHand",
    "lancedb": "by_hand:LanceDb",
}
"""Subject → module of `contestants` and class; only the one asked for is imported."""


def main() -> None:
    """Answer until there is no more to answer."""
    answers, sys.stdout = sys.stdout, sys.stderr
    subjects: dict[str, Any] = {}
    for line in sys.stdin:
        request = json.loads(line)
        name = request["subject"]
        if name not in subjects:
            module, kind = SUBJECTS[name].split(":")
            subjects[name] = getattr(importlib.import_module(f"conformance.bench.contestants.{module}"), kind)()
        value = getattr(subjects[name], request["method"])(**request["params"])
        answers.write(json.dumps({"value": value}) + "\n")
        answers.flush()


if __name__ == "__main__":
    main()
