"""What programs would use instead of an index: full text by others, combined with vectors by numpy, and LanceDB."""

import json
import re
import sqlite3
import tempfile
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from conformance.bench.contestants.helpers import each_timed, lines
from conformance.bench.timing import timed

TOP = 10
DEEP = 100
"""The usual length of the two lists that are fused."""
AS_DEEP = 1024
"""The length of the lists that an `Index` fuses, which are all the pages of its result."""
RANK = 60
_EMPTY = (np.zeros(0, np.intp), np.zeros(0))
WORD = re.compile(r"\w+")


class ByHand:
    """Documents, their vectors, and a full-text search that subclasses add."""

    def load(
        self, records: str, vectors: str, questions: str, question_vectors: str, dimension: int, folder: str
    ) -> None:
        """Read the questions; documents are read when they are added."""
        self._paths, self._dimension, self._folder = (records, vectors), dimension, Path(folder)
        self._questions: list[str] = lines(questions)
        self._asked = np.fromfile(question_vectors, "<f4").reshape(-1, dimension)

    def fill(self) -> dict[str, Any]:
        """Index all documents, in memory and on disk; gives the bytes on disk."""
        self._read()
        self._index(self._records, "english")
        stored = self._store()
        return {"bytes": sum(file.stat().st_size for file in _files(stored))}

    def run(self, call: str) -> dict[str, Any]:
        """Answer all questions in one way: "text" or "hybrid", or another one that the subclass has."""
        work = self._ways()[call]
        return each_timed(range(len(self._questions)), work)[1]

    def add(self, records: str, kind: str, question: str, in_file: bool) -> dict[str, Any]:
        """Index documents without vectors and answer a first question, once everything is loaded."""
        found = lines(records)
        self._index(found[:20], kind)

        def work(**place: str) -> Any:
            self._index(found, kind, **place)
            return self._best(question, TOP)

        with tempfile.TemporaryDirectory() as folder:
            _, taken = timed(partial(work, **{"path": str(Path(folder, "documents.db"))} if in_file else {}))
        return {"cpu": taken.cpu, "wall": taken.wall}

    def first(self, question: int) -> dict[str, Any]:
        """Open what is on disk and answer one question."""

        def work() -> Any:
            self._open()
            return self._hybrid(question)

        _, taken = timed(work)
        return {"cpu": taken.cpu, "wall": taken.wall}

    def _ways(self) -> dict[str, Callable[[int], Any]]:
        return {"text": self._text, "hybrid": self._hybrid}

    def _read(self) -> None:
        self._records = lines(self._paths[0])
        self._vectors = np.fromfile(self._paths[1], "<f4").reshape(-1, self._dimension)

    def _text(self, place: int) -> list[tuple[Any, float]]:
        return [(self._record(row), score) for row, score in zip(*self._best(self._questions[place], TOP), strict=True)]

    def _hybrid(self, place: int, depth: int = DEEP) -> list[tuple[Any, float]]:
        rows, scores = self._best(self._questions[place], depth)
        cosines = self._vectors @ self._asked[place]
        count = min(depth, len(cosines))
        nearest = np.argpartition(-cosines, count - 1)[:count]
        nearest = nearest[np.argsort(-cosines[nearest])]
        fused = self._fuse(rows, scores, nearest, cosines[nearest])
        best = sorted(fused.items(), key=lambda pair: (-pair[1], pair[0]))[:TOP]
        return [(self._record(row), score) for row, score in best]

    def _fuse(self, rows: Any, scores: Any, nearest: Any, cosines: Any) -> dict[int, float]:
        """Reciprocal rank fusion."""
        fused: dict[int, float] = {}
        for ranked in (rows, nearest):
            for rank, row in enumerate(ranked, 1):
                fused[int(row)] = fused.get(int(row), 0.0) + 1 / (RANK + rank)
        return fused

    def _record(self, row: int) -> Any:
        return self._records[row]

    def _best(self, question: str, count: int) -> tuple[Any, Any]:
        """The rows of the best documents by full text and their scores, best first."""
        raise NotImplementedError

    def _index(self, records: list[Any], kind: str) -> None:
        """Index documents that are "english" or "mixed" with Chinese."""
        raise NotImplementedError

    def _store(self) -> Path:
        """Write everything to disk; gives the file or the folder."""
        raise NotImplementedError

    def _open(self) -> None:
        """Read what `_store` wrote."""
        raise NotImplementedError


class Bm25sByHand(ByHand):
    """bm25s with stop words and PyStemmer's stems, jieba for Chinese; min-max of both lists, half each."""

    def __init__(self) -> None:
        import bm25s
        import Stemmer

        self._bm25s = bm25s
        self._stemmer = Stemmer.Stemmer("english")

    def _ways(self) -> dict[str, Callable[[int], Any]]:
        deep = partial(self._hybrid, depth=AS_DEEP)
        return {**super()._ways(), "retrieve": self._retrieve, "deep": deep}

    def _retrieve(self, place: int) -> list[Any]:
        tokens = self._tokens([self._questions[place]], "english")
        if not tokens[0]:
            return []
        rows = self._ranker.retrieve(tokens, k=TOP, show_progress=False, backend_selection="numpy").documents[0]
        return [self._record(int(row)) for row in rows]

    def _tokens(self, texts: list[str], kind: str) -> list[list[str]]:
        if kind == "english":
            options = {"stopwords": "en", "stemmer": self._stemmer, "show_progress": False}
            tokens: list[list[str]] = self._bm25s.tokenize(texts, return_ids=False, **options)
            return tokens
        import jieba

        cut = ([token for token in jieba.cut_for_search(text.lower()) if token.strip()] for text in texts)
        return [self._stemmer.stemWords(tokens) for tokens in cut]

    def _index(self, records: list[Any], kind: str) -> None:
        texts = [f"{record['title']} {record['content']}" for record in records]
        self._kind = kind
        self._ranker = self._bm25s.BM25(method="lucene", k1=1.2, b=0.75, backend="numpy")
        if kind == "english":
            tokens = self._bm25s.tokenize(texts, stopwords="en", stemmer=self._stemmer, show_progress=False)
        else:
            tokens = self._tokens(texts, kind)
        self._ranker.index(tokens, show_progress=False)

    def _best(self, question: str, count: int) -> tuple[Any, Any]:
        """The best of the documents that have a score: `retrieve` picks among all, which takes longer."""
        tokens = self._tokens([question], self._kind)[0]
        if not tokens:
            return _EMPTY
        scores = self._ranker.get_scores(tokens)
        rows = np.flatnonzero(scores)
        found = scores[rows]
        if len(rows) > count:
            best = np.argpartition(-found, count - 1)[:count]
            rows, found = rows[best], found[best]
        order = np.argsort(-found, kind="stable")
        return rows[order], found[order]

    def _fuse(self, rows: Any, scores: Any, nearest: Any, cosines: Any) -> dict[int, float]:
        fused: dict[int, float] = {}
        for ranked, values in ((rows, scores), (nearest, cosines)):
            if len(values):
                least, most = float(values[-1]), float(values[0])
                scaled = (values - least) / ((most - least) or 1.0)
                for row, value in zip(ranked.tolist(), scaled.tolist(), strict=True):
                    fused[row] = fused.get(row, 0.0) + 0.5 * value
        return fused

    def _store(self) -> Path:
        folder = self._folder / "bm25s"
        self._ranker.save(folder, corpus=None, show_progress=False)
        np.save(folder / "vectors.npy", self._vectors)
        (folder / "records.json").write_text(json.dumps(self._records), encoding="utf-8")
        return folder

    def _open(self) -> None:
        folder = self._folder / "bm25s"
        self._kind = "english"
        self._ranker = self._bm25s.BM25.load(folder, mmap=True)
        self._vectors = np.load(folder / "vectors.npy", mmap_mode="r")
        self._records = json.loads((folder / "records.json").read_text(encoding="utf-8"))


class TantivyByHand(ByHand):
    """tantivy with English stems, in two fields; ranks fused with those of the vectors."""

    def __init__(self) -> None:
        import tantivy

        self._tantivy = tantivy

    def _schema(self) -> Any:
        builder = self._tantivy.SchemaBuilder()
        builder.add_integer_field("row", stored=True, indexed=True)
        for name in ("title", "content"):
            builder.add_text_field(name, stored=True, tokenizer_name="en_stem")
        return builder.build()

    def _index(self, records: list[Any], kind: str, path: str | None = None) -> None:
        index = self._tantivy.Index(self._schema(), path=path)
        writer = index.writer(heap_size=256_000_000, num_threads=1)
        for row, record in enumerate(records):
            writer.add_document(self._tantivy.Document(row=row, title=record["title"], content=record["content"]))
        writer.commit()
        writer.wait_merging_threads()
        self._take(index)

    def _take(self, index: Any) -> None:
        index.reload()
        self._opened, self._searcher = index, index.searcher()

    def _best(self, question: str, count: int) -> tuple[Any, Any]:
        words = " ".join(WORD.findall(question))
        query, _ = self._opened.parse_query_lenient(words, ["title", "content"])
        hits = self._searcher.search(query, count, count=False).hits
        return [self._searcher.doc(address)["row"][0] for _, address in hits], [score for score, _ in hits]

    def _store(self) -> Path:
        folder = self._folder / "tantivy"
        folder.mkdir()
        self._index(self._records, "english", str(folder))
        np.save(folder / "vectors.npy", self._vectors)
        return folder

    def _open(self) -> None:
        folder = self._folder / "tantivy"
        self._vectors = np.load(folder / "vectors.npy", mmap_mode="r")
        self._take(self._tantivy.Index.open(str(folder)))

    def _record(self, row: int) -> Any:
        query = self._tantivy.Query.term_query(self._opened.schema, "row", row)
        return self._searcher.doc(self._searcher.search(query, 1).hits[0][1])


class Fts5ByHand(ByHand):
    """SQLite FTS5 with Porter's stems, in two columns; ranks fused with those of the vectors."""

    def _index(self, records: list[Any], kind: str, path: str = ":memory:") -> None:
        self._database = sqlite3.connect(path)
        self._database.execute("CREATE VIRTUAL TABLE documents USING fts5(title, content, tokenize='porter unicode61')")
        rows = ((row, record["title"], record["content"]) for row, record in enumerate(records))
        self._database.executemany("INSERT INTO documents(rowid, title, content) VALUES (?, ?, ?)", rows)
        self._database.execute("INSERT INTO documents(documents) VALUES ('optimize')")
        self._database.commit()

    def _best(self, question: str, count: int) -> tuple[Any, Any]:
        words = " OR ".join(f'"{word}"' for word in WORD.findall(question))
        statement = f"SELECT rowid, rank FROM documents WHERE documents MATCH ? ORDER BY rank LIMIT {count}"
        found = self._database.execute(statement, (words,)).fetchall()
        return [row for row, _ in found], [-score for _, score in found]

    def _record(self, row: int) -> Any:
        return self._database.execute("SELECT title, content FROM documents WHERE rowid = ?", (row,)).fetchone()

    def _store(self) -> Path:
        folder = self._folder / "fts5"
        folder.mkdir()
        memory = self._database
        self._index(self._records, "english", str(folder / "documents.db"))
        self._database.close()
        self._database = memory
        np.save(folder / "vectors.npy", self._vectors)
        return folder

    def _open(self) -> None:
        folder = self._folder / "fts5"
        self._database = sqlite3.connect(folder / "documents.db")
        self._vectors = np.load(folder / "vectors.npy", mmap_mode="r")


class LanceDb(ByHand):
    """LanceDB: its full-text index with English stems, its exact vector search, its reciprocal rank fusion."""

    def __init__(self) -> None:
        import lancedb
        from lancedb.rerankers import RRFReranker

        self._lancedb = lancedb
        self._reranker = RRFReranker(K=RANK)

    def _connected(self, name: str) -> Any:
        return self._lancedb.connect(str(self._folder / name))

    def _index(self, records: list[Any], kind: str, vectors: Any = None) -> None:
        """Store documents; with vectors in the folder that `first` opens."""
        rows: Any = records
        if vectors is not None:
            rows = [{**record, "vector": vector} for record, vector in zip(records, vectors, strict=True)]
        for record in rows:
            record.setdefault("text", f"{record['title']} {record['content']}")
        database = self._connected("added" if vectors is None else "lancedb")
        self._table = database.create_table("documents", rows, mode="overwrite")
        self._table.create_fts_index("text", stem=True, remove_stop_words=True, replace=True)

    def fill(self) -> dict[str, Any]:
        """Store and index all documents; gives the bytes on disk."""
        self._read()
        self._index(self._records, "english", self._vectors)
        return {"bytes": sum(file.stat().st_size for file in _files(self._folder / "lancedb"))}

    def _best(self, question: str, count: int) -> tuple[Any, Any]:
        found = self._table.search(_words(question), query_type="fts").limit(count).to_list()
        return found, [one["_score"] for one in found]

    def _record(self, row: Any) -> Any:
        return row

    def _hybrid(self, place: int, depth: int = DEEP) -> list[tuple[Any, float]]:
        asked = self._table.search(query_type="hybrid", vector_column_name="vector").vector(self._asked[place])
        return asked.text(_words(self._questions[place])).rerank(self._reranker).limit(TOP).to_list()  # type: ignore[no-any-return]

    def _open(self) -> None:
        self._table = self._connected("lancedb").open_table("documents")


def _words(question: str) -> str:
    """A question without characters that a query language could read."""
    return " ".join(WORD.findall(question))


def _files(folder: Path) -> list[Path]:
    return [file for file in folder.rglob("*") if file.is_file()]
