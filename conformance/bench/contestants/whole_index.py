"""A program that reads records into an index in memory, and answers one question as `hybrid-search search` does."""

import json
import sys

from hybrid_search import HashingEmbedder, Index


def main(path: str, dimension: str, question: str) -> None:
    """Print the answer as JSON."""
    index = Index(embedding=HashingEmbedder(dimension=int(dimension)))
    with open(path, encoding="utf-8") as records:
        index.add(json.loads(line) for line in records)
    sys.stdout.buffer.write(json.dumps(index.search(question).to_dict(), ensure_ascii=False).encode("utf-8"))


if __name__ == "__main__":
    main(*sys.argv[1:])
