"""Vectors that lie as those of a sentence model do, made of the texts alone.

A token has a direction of its own, drawn by its name; a text's vector adds those of its tokens, the rarer the heavier,
and then a direction that all texts share and one drawn by the text. The components weigh less and less, so that
directions of chance are no right angles. With these weights the cosines of questions and passages of SciFact, CISI and
Cranfield have means of 0.15 to 0.18 and standard deviations of 0.11 to 0.12, and 33 to 42 % of them are above 0.2; with
MiniLM's 384 components it is 0.10 to 0.25, 0.11 to 0.14, and 19 to 63 %. Vectors by hashing are nearly all at right
angles, so that hardly a document passes the threshold, and a search with them is spared most of its work.
"""

import re
import zlib
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

DIMENSION = 384
DECAY = 0.4
SHARED = 0.45
OWN = 0.3
FEWEST_ROWS = 1024
TOKEN = re.compile(r"[a-z0-9]+|[\u4e00-\u9fff]")


class DenseVectors:
    """Makes vectors of `DIMENSION` components.

    Args:
        passages: the texts that say how rare a token is.
    """

    def __init__(self, passages: Sequence[str]) -> None:
        self._weights = np.arange(1, DIMENSION + 1) ** -DECAY
        self._count = len(passages)
        self._holding = Counter(token for passage in passages for token in set(_tokens(passage)))
        self._rows: dict[str, int] = {}
        self._directions = np.empty((FEWEST_ROWS, DIMENSION))
        self._shared = SHARED * self._unit("shared", "")

    def of(self, text: str) -> Any:
        """The vector of a text, in single precision."""
        counts = Counter(_tokens(text))
        rows = np.array([self._row(token) for token in counts], dtype=np.intp)
        vector = np.sqrt(np.array(list(counts.values()), dtype=float)) @ self._directions[rows]
        length = np.linalg.norm(vector) or 1.0
        return (vector / length + self._shared + OWN * self._unit("text", text)).astype("<f4")

    def write(self, path: Path, texts: Sequence[str]) -> str:
        """Write the vectors of texts one after the other; gives the path."""
        with path.open("wb") as target:
            for text in texts:
                target.write(self.of(text).tobytes())
        return str(path)

    def _row(self, token: str) -> int:
        """Where in the table the direction of a token is, as long as the token is rare."""
        row = self._rows.get(token)
        if row is None:
            row = self._rows[token] = len(self._rows)
            if row == len(self._directions):
                self._directions = np.concatenate([self._directions, np.empty_like(self._directions)])
            rarity = np.log((self._count + 1) / (self._holding[token] + 1))
            self._directions[row] = rarity * self._drawn("token", token)
        return row

    def _unit(self, kind: str, name: str) -> Any:
        drawn = self._drawn(kind, name)
        return drawn / np.linalg.norm(drawn)

    def _drawn(self, kind: str, name: str) -> Any:
        seed = [zlib.crc32(kind.encode()), zlib.crc32(name.encode("utf-8", "replace"))]
        return np.random.default_rng(seed).standard_normal(DIMENSION) * self._weights


def _tokens(text: str) -> list[str]:
    return TOKEN.findall(text.lower())
