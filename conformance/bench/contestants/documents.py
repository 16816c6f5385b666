"""Makes stored documents of passages, so that no store that is measured waits for tokens."""

import itertools
import json

from hybrid_search import DocumentBuilder

BATCH = 500


class Documents:
    """Documents but their vectors, which are kept apart: as JSON they would be most of the file."""

    def write(self, passages: str, first: int, last: int, path: str) -> None:
        """Write those of the passages from `first` to before `last`, a line each."""
        builder = DocumentBuilder()
        with open(passages, encoding="utf-8") as source, open(path, "w", encoding="utf-8") as target:
            wanted = itertools.islice(source, first, last)
            while batch := [json.loads(line) for line in itertools.islice(wanted, BATCH)]:
                target.writelines(json.dumps(document) + "\n" for document in builder.build_many(batch))
