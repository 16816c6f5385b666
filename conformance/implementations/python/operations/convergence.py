"""Operations of convergent retrieval (CNV-1 … CNV-7)."""

import dataclasses
import hashlib
import json
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from conformance.implementations.python.registry import Trace, operation
from conformance.implementations.python.scripted_model import ScriptedModel
from hybrid_search.base import numeric
from hybrid_search.convergence import index_files as written
from hybrid_search.convergence.block_index import BlockIndex
from hybrid_search.convergence.candidates import Round
from hybrid_search.convergence.convergent_retriever import ConvergentRetriever

MODULUS = 2**31


class Cutting(ScriptedModel):
    """A scripted model that cuts texts itself: a word is a token.

    Args:
        script: of the scores.
        cutting: true, or an object of `late`, `raise` and `answer`, as of a script.
    """

    def __init__(self, script: Any, cutting: Any) -> None:
        super().__init__(script)
        self._cutting = None if cutting is True else ScriptedModel(cutting)

    def truncate(self, text: str, tokens: int) -> Any:
        """The first words, or what the case says."""
        return " ".join(text.split(" ")[:tokens]) if self._cutting is None else self._cutting.similarity(text, [])


def _drawn(count: int, dimension: int, seed: int, unit: bool) -> list[list[float]]:
    """Vectors drawn by a linear congruential generator; their components fit single floats unless of length 1."""
    state, vectors = seed, []
    for _ in range(count):
        vector = []
        for _ in range(dimension):
            state = (state * 1103515245 + 12345) % MODULUS
            vector.append((state >> 16) / 32768.0 - 0.5)
        vectors.append(numeric.normalize(vector) if unit else vector)
    return vectors


def _close(count: int, dimension: int, seed: int) -> list[list[float]]:
    """Vectors that are nearly alike: what is drawn is added to 1.0 in steps of the last bit of a single float."""
    drawn = _drawn(count, dimension, seed, False)
    return [[1.0 + int((component + 0.5) * 32) / 2**23 for component in vector] for vector in drawn]


def _index(given: Any) -> BlockIndex:
    repo_name = given.get("repo_name", "")
    if "drawn" not in given:
        return BlockIndex(given["blocks"], given["vectors"], repo_name, given.get("notes"))
    drawn = given["drawn"]
    blocks = [{"file_path": f"f{row % drawn['files']}.py"} for row in range(drawn["blocks"])]
    unit = drawn.get("unit", False)
    shape = (drawn["blocks"], drawn["dimension"], drawn["seed"])
    return BlockIndex(blocks, _close(*shape) if drawn.get("close", False) else _drawn(*shape, unit), repo_name)


@contextmanager
def _repositories(given: Any) -> Iterator[str]:
    """A folder with the files of a case: texts, blanks behind them up to a number of bytes, or the target of a link."""
    with tempfile.TemporaryDirectory() as folder:
        texts = {path: text.encode() for path, text in given.get("files", {}).items()}
        others = {path: bytes.fromhex(digits) for path, digits in given.get("hex_files", {}).items()}
        padded = {path: text.encode().ljust(size) for path, (text, size) in given.get("padded", {}).items()}
        for path, content in {**texts, **others, **padded}.items():
            place = Path(folder, path)
            place.parent.mkdir(parents=True, exist_ok=True)
            place.write_bytes(content)
        for path, target in given.get("links", {}).items():
            Path(folder, path).symlink_to(target)
        for path in given.get("folders", []):
            Path(folder, path).mkdir(parents=True)
        yield folder


def _round(made: Round) -> dict[str, Any]:
    return {
        "query_vector": list(made.query_vector),
        "ranking": [list(pair) for pair in made.ranking],
        "mean": made.mean,
        "jaccard": made.jaccard,
        "gain": made.gain,
        "next_cosine_to_q0": made.next_cosine_to_q0,
    }


@operation("convergence.locate", {"options": {}})
def locate(params: dict[str, Any], given: Any, trace: Trace) -> Any:
    """All stages, twice, with the trace of every round; a second question must not depend on the first."""
    index, options = _index(given), params["options"]
    script = given.get("model", {})
    model = Cutting(script, given["cutting"]) if "cutting" in given else ScriptedModel(script)
    vector = _drawn(1, index.dimension, given["query_seed"], False)[0] if "query_seed" in given else given["vector"]
    with _repositories(given) as folder:
        retriever = ConvergentRetriever(index, model, str(Path(folder, given.get("root", ""))), **options)
        candidates = retriever.retrieve_candidates(vector)
        for made in candidates.rounds:
            trace.stage("dense leg rank", _round(made))
        trace.stage("fuse", [list(pair) for pair in candidates.blocks])
        if retriever.retrieve_candidates(vector) != candidates:
            raise RuntimeError("the same question has another answer the second time")
        located = retriever.locate(given.get("query", "q"), vector)
    trace.stage("rerank", [dataclasses.asdict(block) for block in located.blocks])
    return {
        **located.to_dict(),
        "blocks": [dataclasses.asdict(block) for block in located.blocks],
        "rounds": len(located.rounds),
        "stop_reason": located.stop_reason,
        "rerank_status": located.rerank_status,
        "warnings": list(located.warnings),
        "asked": model.asked,
    }


@operation("convergence.options", {"options": {}})
def options(params: dict[str, Any], given: Any, _trace: Trace) -> Any:
    """What the constructor makes of options: true, or its error."""
    index = BlockIndex([{}], [[1.0, 0.0]])
    model = given["model"] if "model" in given else ScriptedModel({})
    ConvergentRetriever(index, model, given.get("repos_root", "repositories"), **params["options"])
    return True


def _seal(path: Path, given: Any) -> None:
    manifest = json.loads((path / written.MANIFEST).read_bytes())
    del manifest["checksum"]
    for name, digits in given.get("files", {}).items():
        content = bytes.fromhex(digits)
        (path / name).write_bytes(content)
        manifest["files"][name] = hashlib.sha256(content).hexdigest()
    (path / written.MANIFEST).write_text(written._sealed({**manifest, **given.get("manifest", {})}))


@operation("convergence.index_files")
def index_files(_params: dict[str, Any], given: Any, trace: Trace) -> Any:
    """An index written and read again, after `damage`: [file, byte from its start or end, what is xor-ed to it].

    What is `sealed` is changed as if it had been written so: `files` (their bytes in hex), and parts of the `manifest`.
    """
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "index")
        _index(given).write(str(path))
        files = {file.name: file.read_bytes() for file in path.iterdir()}
        digests = {name: hashlib.sha256(content).hexdigest() for name, content in files.items()}
        trace.stage("write", digests)
        for name, place, bits in given.get("damage", []):
            content = bytearray(files[name])
            content[place] ^= bits
            (path / name).write_bytes(content)
        for name in given.get("missing", []):
            (path / name).unlink()
        if "sealed" in given:
            _seal(path, given["sealed"])
        index = BlockIndex.open(str(path))
    return {
        "files": digests,
        "blocks": [block.to_dict() for block in index.blocks],
        "paths": [index.file(row) for row in range(index.size)],
        "vectors": [index.rows.row(row) for row in range(index.size)],
        "repo_name": index.repo_name,
        "notes": index.notes,
    }
