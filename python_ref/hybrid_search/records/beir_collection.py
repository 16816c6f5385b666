"""A collection in the form of BEIR: a folder with documents, queries and judgements (IDX-3)."""

import gzip
import os
import re
import zlib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from hybrid_search.base import strict_json, validation
from hybrid_search.base.known_names import KnownNames
from hybrid_search.base.system_path import shown_path, system_path
from hybrid_search.errors import InvalidInputError
from hybrid_search.records.record_mapping import METADATA, RecordMapping

MARK = b"\xef\xbb\xbf"
WHITE = b" \t\r\n"
_SCORE = re.compile(r"-?[0-9]{1,9}\Z")


class BeirCollection(KnownNames):
    """A folder with `corpus.jsonl`, `queries.jsonl` and judgements in `qrels/test.tsv` or `qrels.tsv`.

    Each file may be compressed: `corpus.jsonl.gz`. Files are read when they are needed.

    ```python
    collection = BeirCollection("scifact")
    index = Index()
    index.add(collection.records())
    for identifier, question in collection.queries().items():
        print(identifier, [hit.id for hit in index.search(question)])
    ```

    Args:
        folder: the path of the folder.

    Raises:
        InvalidInputError: `folder` is not the path of a folder.
    """

    @validation.known_options(("folder",))
    def __init__(self, folder: str | os.PathLike[str]) -> None:
        given = os.fspath(folder) if isinstance(folder, (str, os.PathLike)) else folder
        if not isinstance(given, str) or not given or "\0" in given or not Path(system_path(given)).is_dir():
            raise validation.fail("folder", given, "the path of a folder")
        self._folder = Path(system_path(given))

    def records(self) -> Iterator[dict[str, Any]]:
        """Return a stream of records: `_id` is the id, `text` the content; keys that records do not have are metadata.

        Raises:
            InvalidInputError: there is no corpus, or a line is not an object with an `_id`.
        """
        mapping = RecordMapping({"id": "_id", "content": "text"}, METADATA)
        for place, line in self._objects(self._file("corpus.jsonl")):
            if line.get("_id") is None:
                raise InvalidInputError(f"{place} has no _id")
            yield mapping.record({"text": "", **{key: value for key, value in line.items() if value is not None}})

    def queries(self) -> dict[str, str]:
        """Return the queries: id → text, in the order of the file.

        Raises:
            InvalidInputError: there are no queries, or a line is not an object with the texts `_id` and `text`.
        """
        found: dict[str, str] = {}
        for place, line in self._objects(self._file("queries.jsonl")):
            identifier, text = line.get("_id"), line.get("text")
            if not isinstance(identifier, str) or not isinstance(text, str):
                raise InvalidInputError(f"{place} must have the texts _id and text")
            found[identifier] = text
        return found

    def qrels(self, split: str = "test") -> dict[str, dict[str, int]]:
        """Return the judgements: id of a query → id of a document → score.

        Args:
            split: the name of the file in `qrels`, without its ending; a collection with a single file `qrels.tsv` has
                no other split.

        Raises:
            InvalidInputError: there are no such judgements, or a line does not have an id, an id and a whole number.
        """
        name = f"qrels/{validation.text('split', split)}.tsv"
        if "/" in split or "\\" in split or "\0" in split:
            raise validation.fail("split", split, "the name of a split: test, dev, train")
        found: dict[str, dict[str, int]] = {}
        file = self._file(name, "qrels.tsv" if split == "test" else None)
        for place, number, line in self._lines(file):
            columns = line.split("\t")
            if len(columns) == 3 and _SCORE.match(columns[2]):
                found.setdefault(columns[0], {})[columns[1]] = int(columns[2])
            elif number > 1:
                raise InvalidInputError(f"{place} must have the id of a query, the id of a document and a whole number")
        return found

    def __repr__(self) -> str:
        return f"<BeirCollection {shown_path(str(self._folder))}>"

    def _file(self, name: str, other: str | None = None) -> Path:
        """Return the path of a file, which may be compressed."""
        names = [f"{each}{ending}" for each in (name, other) if each is not None for ending in ("", ".gz")]
        found = next((path for each in names if (path := self._folder / each).is_file()), None)
        if found is None:
            raise InvalidInputError(f"folder must have {' or '.join(names)}")
        return found

    def _objects(self, file: Path) -> Iterator[tuple[str, dict[str, Any]]]:
        for place, _, line in self._lines(file):
            content = strict_json.parse_object(line)
            if content is None:
                raise InvalidInputError(f"{place} is not a JSON object")
            yield place, content

    def _lines(self, file: Path) -> Iterator[tuple[str, int, str]]:
        """Yield the lines that are not blank, each with its place for messages and its number from 1."""
        shown = file.relative_to(self._folder).as_posix()
        try:
            with gzip.open(file, "rb") if file.suffix == ".gz" else file.open("rb") as stream:
                for number, data in enumerate(stream, 1):
                    line = (data.removeprefix(MARK) if number == 1 else data).removesuffix(b"\n").removesuffix(b"\r")
                    if line.strip(WHITE):
                        yield f"{shown}:{number}", number, line.decode("utf-8")
        except UnicodeDecodeError:
            raise InvalidInputError(f"{shown} is not valid UTF-8") from None
        except (OSError, EOFError, zlib.error):
            raise InvalidInputError(f"{shown} cannot be read") from None
