"""Proves that keywords are jieba's (TXT-8), and the port's the reference's: `bin/conformance keyword-proof`.

Every title, text and query of the collections in a data folder, and random strings, go through three extractors:
`jieba.analyse.extract_tags` on a plain tokenizer, the reference, and the port. Without identifiers and with jieba's
stop words the reference must give jieba's words in jieba's order with the same bits of weights, and the port the
reference's; with identifiers the port must give the reference's words, weights and parts. A part of the random strings
has random user words. Exit status: 0 no difference, 1 differences, 2 the port could not be run.
"""

import argparse
import itertools
import multiprocessing
import random
import sys
import time
import warnings
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any

from conformance.errors import BrokenError
from conformance.proofs.jieba_oracle import plain_jieba
from conformance.proofs.port import Port
from conformance.proofs.segmentation_proof import SEED, SHOWN, RandomStrings, texts_of
from hybrid_search.text import stop_words
from hybrid_search.text.keyword_extractor import KeywordExtractor, Keywords

with warnings.catch_warnings():
    warnings.simplefilter("ignore")
    import jieba.analyse

BATCH = 50
LONGEST_TWICE = 200
PORT = """
require "json"
$stdout.sync = true
plain = { identifiers: false, stop_words: HybridSearch::Text::StopWords.jieba_words }
show = ->(found) { [found.words, found.weights, found.parts] }
shared = [HybridSearch::KeywordExtractor.new(**plain), HybridSearch::KeywordExtractor.new]
$stdin.each_line do |line|
  given = JSON.parse(line)
  both = shared
  if given.key?("user_words")
    both = [HybridSearch::KeywordExtractor.new(**plain), HybridSearch::KeywordExtractor.new]
    both.each { |made| given["user_words"].each { |word| made.add_word(word) } }
  end
  puts JSON.generate(given["texts"].map { |text| both.map { |made| show.call(made.extract(text, limit: nil)) } })
end
"""
WAYS = ("as jieba", "with identifiers")
SIGNS: list[str] = [*"-_./&@+#:%,", "++", "--", "\u2010", "\u2013", "\u2212", "\uff0d", "\uff1a", "'", " ", " "]

Found = list[list[Any]]
"""Words, weights and parts."""
Batch = tuple[list[str] | None, list[str]]
"""Words for new extractors or none, and texts."""


def collection_texts(folder: Path) -> Iterator[str]:
    """Every title, text and query of all collections."""
    for path in sorted(folder.glob("*/*.jsonl")):
        yield from texts_of(path)


class RandomTexts:
    """Strings for the segmenter, and such with many identifiers, repeatable by a seed."""

    def __init__(self, seed: int) -> None:
        self._source = random.Random(seed)
        self._strings = RandomStrings(seed)

    def text(self) -> str:
        """A string, or a sequence of short runs and signs."""
        source = self._source
        if source.random() < 0.5:
            return self._strings.string()
        return "".join(self._piece() for _ in range(source.choice([2, 3, 5, 8, 13, 30])))

    def user_words(self) -> list[str]:
        """A few words to stay whole."""
        return [self._user_word() for _ in range(self._source.randint(1, 8))]

    def text_with(self, words: list[str]) -> str:
        """A text in which some of the words occur."""
        parts = [self.text()]
        for _ in range(self._source.randint(1, 4)):
            parts += [self._source.choice(words), self._source.choice(["", " ", self.text()])]
        return "".join(parts)

    def _user_word(self) -> str:
        source = self._source
        return "".join(self._piece() for _ in range(source.randint(1, 4))) or "x"

    def _piece(self) -> str:
        source = self._source
        choice = source.random()
        if choice < 0.4:
            return source.choice(SIGNS)
        if choice < 0.7:
            return "".join(source.choice("abcXYZ0123456789") for _ in range(source.randint(1, 4)))
        if choice < 0.8:
            return source.choice(["the", "Rule", "C", "iPhone", "don", "1,234", "3.14", "规则", "修改", "这个", "的"])
        if choice < 0.9:
            return source.choice(
                ["é", "e\u0301", "β", "Ж", "ж", "Ω", "٣", "２", "Ａ", "ǅ", "カ", "한", "ก", "👍", "\u0301"]
            )
        return self._strings.string()[:4]


class Reference:
    """The reference's extractors in both ways, and jieba's own."""

    def __init__(self) -> None:
        plain = KeywordExtractor(identifiers=False, stop_words=stop_words.jieba_words())
        self._both = (plain, KeywordExtractor())

    def add_words(self, words: list[str]) -> None:
        """Add words that stay whole."""
        for extractor in self._both:
            for word in words:
                extractor.add_word(word)

    def find(self, text: str) -> list[Found]:
        """What is found in a text, in both ways."""
        return [_shown(extractor.extract(text, limit=None)) for extractor in self._both]

    @staticmethod
    def find_as_jieba(text: str) -> Found:
        """What jieba finds."""
        tags = _jieba().extract_tags(text, topK=None, withWeight=True)
        if len(text) < LONGEST_TWICE and _jieba().extract_tags(text) != [word for word, _ in tags][:20]:
            raise AssertionError(f"jieba's own first 20 differ: {text!r}")
        return [[word for word, _ in tags], [weight for _, weight in tags], []]


@cache
def _jieba() -> Any:
    extractor = jieba.analyse.TFIDF()
    extractor.tokenizer = plain_jieba()
    return extractor


def _shown(found: Keywords) -> Found:
    return [list(found.words), list(found.weights), list(found.parts)]


@dataclass
class Compared:
    """What a comparison saw, and the differences."""

    texts: int = 0
    characters: int = 0
    words: int = 0
    parts: int = 0
    differences: list[str] = field(default_factory=list)

    def add(self, other: "Compared") -> None:
        """Take in what another comparison saw."""
        self.texts += other.texts
        self.characters += other.characters
        self.words += other.words
        self.parts += other.parts
        self.differences += other.differences

    def same(self, what: str, text: str, wanted: Found, found: Found) -> None:
        """Note a difference, if there is one."""
        if wanted != found:
            self.differences.append(f"{what}: {text!r}\n  wanted {wanted}\n  found  {found}")


class Side:
    """The reference and the port of one process; a worker has one."""

    _own: "Side"

    def __init__(self, ruby_options: list[str]) -> None:
        self._reference = Reference()
        self._port = Port(PORT, ruby_options)

    @classmethod
    def start(cls, ruby_options: list[str]) -> None:
        """Make the one of this process."""
        cls._own = cls(ruby_options)

    @classmethod
    def compare(cls, batch: Batch) -> Compared:
        """Compare what all find in some texts; without user words jieba too."""
        return cls._own._compare(*batch)

    def _compare(self, words: list[str] | None, texts: list[str]) -> Compared:
        # `user_words` are for new extractors, which answer this once.
        self._port.send({"texts": texts} | ({} if words is None else {"user_words": words}))
        reference = self._reference
        if words is not None:
            reference = Reference()
            reference.add_words(words)
        found = [reference.find(text) for text in texts]
        seen = Compared(len(texts), sum(map(len, texts)))
        for text, ours, others in zip(texts, found, self._port.receive("some texts"), strict=True):
            if words is None:
                seen.same("the reference against jieba", text, reference.find_as_jieba(text), ours[0])
            for way, one, other in zip(WAYS, ours, others, strict=True):
                seen.same(f"the port against the reference, {way}", text, one, other)
                seen.words += len(one[0])
                seen.parts += len(one[2])
        return seen


def main(arguments: list[str] | None = None) -> int:
    """Run the command."""
    parser = argparse.ArgumentParser(prog="conformance keyword-proof", description=__doc__)
    parser.add_argument("--data", type=Path, help="a folder of collections with corpus.jsonl and queries.jsonl")
    parser.add_argument("--random", type=int, default=40_000, help="how many random strings (default 40000)")
    parser.add_argument("--seed", type=int, default=SEED, help=f"of the random strings (default {SEED})")
    parser.add_argument("--jobs", type=int, default=2, help="how many processes, each with a port (default 2)")
    parser.add_argument("--ruby-option", action="append", default=[], help="an option for ruby, such as --yjit")
    options = parser.parse_args(arguments)
    drawn = RandomTexts(options.seed)
    strings = (drawn.text() for _ in range(options.random))
    sessions = options.random // (20 * BATCH)
    comparisons = {
        "collections": _plain(collection_texts(options.data)) if options.data else iter(()),
        "random strings": _plain(strings),
        "random strings with user words": _with_user_words(drawn, sessions),
    }
    differences: list[str] = []
    with multiprocessing.Pool(options.jobs, Side.start, [options.ruby_option]) as pool:
        for name, batches in comparisons.items():
            started = time.monotonic()
            seen = Compared()
            try:
                for part in pool.imap_unordered(Side.compare, batches):
                    seen.add(part)
            except BrokenError as problem:
                print(f"the port could not be run: {problem}", file=sys.stderr)
                return 2
            differences += seen.differences
            print(
                f"{name}: {seen.texts} texts, {seen.characters} characters, {seen.words} words, {seen.parts} parts, "
                f"{len(seen.differences)} differences ({time.monotonic() - started:.0f} s)",
                flush=True,
            )
    print("".join(f"{one}\n" for one in differences[:SHOWN]), end="")
    print(f"{len(differences)} differences")
    return 1 if differences else 0


def _plain(texts: Iterator[str]) -> Iterator[Batch]:
    while batch := list(itertools.islice(texts, BATCH)):
        yield None, batch


def _with_user_words(drawn: RandomTexts, sessions: int) -> Iterator[Batch]:
    for _ in range(sessions):
        words = drawn.user_words()
        yield words, [drawn.text_with(words) for _ in range(BATCH)]
