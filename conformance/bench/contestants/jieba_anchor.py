"""jieba itself: cutting text, and loading its dictionary from its cache."""

import gc
import logging
import os
import warnings
from typing import Any

from conformance.bench.contestants import memory
from conformance.bench.contestants.helpers import digest, keywords_digest, lines
from conformance.bench.timing import timed

with warnings.catch_warnings():
    warnings.simplefilter("ignore")
    import jieba
    import jieba.analyse


class Jieba:
    """`jieba.lcut`, with HMM."""

    def load(self, path: str) -> None:
        """Read the lines and load the dictionary."""
        jieba.setLogLevel(logging.WARNING)
        self._lines = lines(path)
        jieba.initialize()

    def run(self) -> dict[str, Any]:
        """Cut all lines."""
        cut, taken = timed(lambda: [jieba.lcut(line) for line in self._lines])
        return {"cpu": taken.cpu, "wall": taken.wall, "digest": digest("\x01".join(tokens) for tokens in cut)}


class JiebaKeywords:
    """`jieba.analyse.extract_tags`, the best 20 with weights."""

    def load(self, path: str) -> None:
        """Read the lines and load the dictionary."""
        jieba.setLogLevel(logging.WARNING)
        self._lines = lines(path)
        jieba.initialize()

    def run(self) -> dict[str, Any]:
        """Find the keywords of all lines."""
        found, taken = timed(lambda: [jieba.analyse.extract_tags(line, withWeight=True) for line in self._lines])
        answers: Any = (([word for word, _ in tags], [weight for _, weight in tags], []) for tags in found)
        return {"cpu": taken.cpu, "wall": taken.wall, "digest": keywords_digest(answers)}


class JiebaCache:
    """jieba's dictionary, read from the cache file that it writes itself."""

    def load(self, folder: str) -> None:
        """Let jieba write its cache, once for all processes."""
        self._tokenizer(folder).initialize()

    def run(self, folder: str) -> dict[str, Any]:
        """Load it from the cache; once in a process."""
        tokenizer = self._tokenizer(folder)
        gc.collect()
        before = memory.resident()
        _, taken = timed(tokenizer.initialize)
        gc.collect()
        return {"cpu": taken.cpu, "wall": taken.wall, "memory": memory.resident() - before}

    @staticmethod
    def _tokenizer(folder: str) -> Any:
        jieba.setLogLevel(logging.WARNING)
        tokenizer = jieba.Tokenizer()
        tokenizer.tmp_dir = folder
        tokenizer.cache_file = os.path.join(folder, "jieba.cache")
        return tokenizer
