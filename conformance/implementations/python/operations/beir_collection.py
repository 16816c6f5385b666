"""Operations of collections in the form of BEIR (IDX-3)."""

import gzip
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

from conformance.implementations.python.registry import Trace, operation
from hybrid_search.errors import HybridSearchError
from hybrid_search.index import Index
from hybrid_search.records.beir_collection import BeirCollection


@operation("beir_collection.read", {"split": "test"})
def read(params: dict[str, Any], given: Any, _trace: Trace) -> Any:
    """The documents, queries and judgements of a folder with `files`: name → text, or the bytes as `hex`.

    Files whose names end with `.gz` are compressed first, unless they are given as bytes.
    """
    with tempfile.TemporaryDirectory() as folder:
        for name, content in given["files"].items():
            path = Path(folder, name)
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(_data(name, content))
        collection = BeirCollection(folder)
        return {
            "documents": _answer(lambda: _documents(folder)),
            "queries": _answer(lambda: list(map(list, collection.queries().items()))),
            "qrels": _answer(lambda: collection.qrels(params["split"])),
        }


def _data(name: str, content: Any) -> bytes:
    if isinstance(content, dict):
        return bytes.fromhex(content["hex"])
    data: bytes = content.encode("utf-8")
    return gzip.compress(data) if name.endswith(".gz") else data


def _documents(folder: str) -> list[Any]:
    index = Index.from_beir(folder)
    return index.get_many([hit.id for hit in index.each(match_all=True)])


def _answer(ask: Callable[[], Any]) -> Any:
    try:
        return ask()
    except HybridSearchError as error:
        return {"error": type(error).__name__, "message": str(error)}
