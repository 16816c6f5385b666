"""Proves that both languages segment as jieba does (TXT-2): `bin/conformance segmentation-proof --data DIR`.

Every title, text and query of the Chinese collections in a data folder, and random strings, are cut by a plain
`jieba.Tokenizer`, by the reference and by the port: with the model, without it, for search, and along the best route
without the whole token (TXT-5). A part of the random strings is cut with random user words. Exit status: 0 no
difference, 1 differences, 2 the port could not be run.
"""

import argparse
import itertools
import json
import random
import sys
import time
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

from conformance.errors import BrokenError
from conformance.proofs.jieba_oracle import UserWord, plain_jieba, route_without_whole
from conformance.proofs.port import Port
from hybrid_search.text.segmenter import Segmenter

COLLECTIONS = ("stard", "dureader_demo", "drcd", "cmrc2018", "xquad_zh2en")
SEED = 20_260_101
SHOWN = 20
LONGEST_ROUTE = 200
BATCH = 50

Batch = tuple[list[UserWord] | None, list[str], list[list[list[str]]]]
"""User words for a new segmenter or none, texts, and what jieba makes of each in the `WAYS`."""

PORT = """
require "json"
$stdout.sync = true
segmenter = HybridSearch::Segmenter.new
$stdin.each_line do |line|
  given = JSON.parse(line)
  if given.key?("user_words")
    segmenter = HybridSearch::Segmenter.new
    given["user_words"].each { |word, frequency| segmenter.add_word(word, frequency: frequency) }
  end
  found = given["texts"].map do |text|
    route = text.length > given["longest_route"] ? [] : segmenter.best_route_without_whole(text)
    [segmenter.cut(text), segmenter.cut(text, hmm: false), segmenter.cut_for_search(text), route]
  end
  puts JSON.generate(found)
end
"""
WAYS = ("cut", "cut without the model", "cut for search", "best route without the whole")
COMMON = "的一是不了在人有我他这中大来上国个到说们为子和你地出道也时年得就那要下以生会自着去之过家学对可她里后"
WHITE_SPACE = (
    "\t\n\v\f\r\x1c\x1d\x1e\x1f \x85\xa0\u1680\u2000\u2003\u2009\u2028\u2029\u202f\u205f\u3000\u200b\ufeff\u180e"
)
RANGES = {
    "han": (0x4E00, 0x9FD5),
    "han edges": (0x9FC0, 0x9FFF),
    "extension a": (0x3400, 0x4DBF),
    "extension b": (0x20000, 0x2A6DF),
    "compatibility": (0xF900, 0xFAFF),
    "latin": (0x41, 0x7A),
    "digits": (0x30, 0x39),
    "ascii": (0x20, 0x7E),
    "controls": (0x00, 0x1F),
    "accented": (0xC0, 0x17F),
    "punctuation": (0x2010, 0x206F),
    "cjk punctuation": (0x3000, 0x303F),
    "kana": (0x3041, 0x30FE),
    "hangul": (0xAC00, 0xD7A3),
    "full width": (0xFF01, 0xFF9F),
    "emoji": (0x1F300, 0x1FAFF),
    "greek and cyrillic": (0x370, 0x4FF),
    "thai and devanagari": (0x900, 0xE5B),
}


def collection_texts(folder: Path) -> Iterator[str]:
    """Every title, text and query of the Chinese collections."""
    for name in COLLECTIONS:
        for file in ("corpus.jsonl", "queries.jsonl"):
            yield from texts_of(folder / name / file)


def texts_of(path: Path) -> Iterator[str]:
    """Every title and text of a file of JSON lines."""
    with path.open(encoding="utf-8") as lines:
        for line in lines:
            row = json.loads(line)
            yield from (row[field] for field in ("title", "text") if row.get(field))


class RandomStrings:
    """Strings of dictionary words, their pieces, and characters of many kinds, repeatable by a seed."""

    def __init__(self, seed: int) -> None:
        self._source = random.Random(seed)
        frequencies = Segmenter().dictionary.frequencies
        self._words = [word for word, frequency in frequencies.items() if frequency]
        self._characters = [word for word in frequencies if len(word) == 1]

    def string(self) -> str:
        """Up to 40 pieces; most are short, and a tenth have one kind of character only."""
        source = self._source
        kinds = list(RANGES)
        if source.random() < 0.1:
            kinds = [source.choice(kinds)]
        count = source.choice([1, 2, 3, 4, 6, 8, 12, 20, 40])
        return "".join(self._piece(kinds) for _ in range(count))

    def user_words(self) -> list[UserWord]:
        """A few words with frequencies: none, 0, small, large."""
        source = self._source
        frequencies = [None, None, 0, 1, 3, source.randint(1, 10**6), source.randint(1, 10**11)]
        return [(self._user_word(), source.choice(frequencies)) for _ in range(source.randint(1, 12))]

    def string_with(self, words: list[UserWord]) -> str:
        """A string in which some of the words occur."""
        parts = [self.string()]
        for _ in range(self._source.randint(0, 3)):
            parts += [self._source.choice(words)[0], self._source.choice(["", self.string()])]
        return "".join(parts)

    def _piece(self, kinds: list[str]) -> str:
        source = self._source
        choice = source.random()
        if choice < 0.25:
            return source.choice(self._words)
        if choice < 0.4:
            return source.choice(COMMON)
        if choice < 0.55:
            return source.choice(self._characters)
        if choice < 0.6:
            return source.choice(WHITE_SPACE)
        if choice < 0.63:
            return source.choice(["\r\n", "3.14%", "C++", "a.b", "1.5", "x-y", "&", "#1", "_", ".", "%", "+", "-"])
        first, last = RANGES[source.choice(kinds)]
        return chr(source.randint(first, last))

    def _user_word(self) -> str:
        source = self._source
        choice = source.random()
        if choice < 0.3:
            return source.choice(self._words)
        if choice < 0.6:
            return source.choice(self._words) + source.choice(self._words)
        if choice < 0.8:
            return "".join(source.choice(self._characters) for _ in range(source.randint(1, 4)))
        return self.string() or "x"


class Oracle:
    """jieba itself, with user words."""

    def __init__(self, words: Iterable[UserWord] = ()) -> None:
        self._tokenizer = plain_jieba(words)

    def tokens(self, text: str) -> list[list[str]]:
        """What jieba makes of a text in the `WAYS`."""
        oracle = self._tokenizer
        plain = [oracle.lcut(text), oracle.lcut(text, HMM=False), oracle.lcut_for_search(text)]
        return [*plain, [] if len(text) > LONGEST_ROUTE else route_without_whole(oracle, text)]


def expected(oracle: Oracle, segmenter: Segmenter, text: str) -> list[list[str]]:
    """What jieba makes of a text in the `WAYS`; the reference must agree."""
    wanted = oracle.tokens(text)
    route = [] if len(text) > LONGEST_ROUTE else segmenter.best_route_without_whole(text)
    if wanted != [segmenter.cut(text), segmenter.cut(text, hmm=False), segmenter.cut_for_search(text), route]:
        raise AssertionError(f"the reference does not give jieba's tokens: {text!r}")
    return wanted


def _question(texts: list[str], words: list[UserWord] | None) -> dict[str, Any]:
    """What the port is asked: texts; `words` are for a new segmenter, which answers from then on."""
    return {"texts": texts, "longest_route": LONGEST_ROUTE} | ({} if words is None else {"user_words": words})


class Tally:
    """Counts texts, characters and differences, and shows the first."""

    def __init__(self) -> None:
        self.differences = 0

    def compare(self, name: str, port: Port, batches: Iterable[Batch]) -> None:
        """Ask the port for every text and compare."""
        started = time.monotonic()
        count = characters = tokens = 0
        before = self.differences
        for words, texts, wanted in batches:
            count += len(texts)
            characters += sum(map(len, texts))
            tokens += sum(len(found) for ways in wanted for found in ways)
            answers = port.exchange(_question(texts, words), f"one of {texts!r}")
            for text, left, right in zip(texts, wanted, answers, strict=True):
                self._compare(text, left, right)
        print(
            f"{name}: {count} texts, {characters} characters, {tokens} tokens, "
            f"{self.differences - before} differences ({time.monotonic() - started:.0f} s)",
            flush=True,
        )

    def _compare(self, text: str, wanted: list[list[str]], found: list[list[str]]) -> None:
        for way, left, right in zip(WAYS, wanted, found, strict=True):
            if left != right:
                self.differences += 1
                if self.differences <= SHOWN:
                    print(f"{way}: {text!r}\n  jieba {left}\n  port  {right}")


def main(arguments: list[str] | None = None) -> int:
    """Run the command."""
    parser = argparse.ArgumentParser(prog="conformance segmentation-proof", description=__doc__)
    parser.add_argument("--data", type=Path, help="a folder with the collections " + ", ".join(COLLECTIONS))
    parser.add_argument("--random", type=int, default=200_000, help="how many random strings (default 200000)")
    parser.add_argument("--seed", type=int, default=SEED, help=f"of the random strings (default {SEED})")
    parser.add_argument("--ruby-option", action="append", default=[], help="an option for ruby, such as --yjit")
    options = parser.parse_args(arguments)
    tally = Tally()
    strings = RandomStrings(options.seed)
    try:
        port = Port(PORT, options.ruby_option)
        if options.data:
            tally.compare("collections", port, _plain(collection_texts(options.data)))
        drawn = (strings.string() for _ in range(options.random))
        tally.compare("random strings", port, _plain(drawn))
        sessions = options.random // (20 * BATCH)
        tally.compare("random strings with user words", port, _with_user_words(strings, sessions))
        port.close()
    except BrokenError as problem:
        print(f"the port could not be run: {problem}", file=sys.stderr)
        return 2
    print(f"{tally.differences} differences")
    return 1 if tally.differences else 0


def _plain(texts: Iterator[str]) -> Iterator[Batch]:
    oracle, segmenter = Oracle(), Segmenter()
    while batch := list(itertools.islice(texts, BATCH)):
        yield None, batch, [expected(oracle, segmenter, text) for text in batch]


def _with_user_words(strings: RandomStrings, sessions: int) -> Iterator[Batch]:
    """Strings for segmenters with user words of their own."""
    for _ in range(sessions):
        segmenter, words = Segmenter(), strings.user_words()
        for word, frequency in words:
            segmenter.add_word(word, frequency)
        oracle = Oracle(words)
        batch = [strings.string_with(words) for _ in range(BATCH)]
        yield words, batch, [expected(oracle, segmenter, text) for text in batch]
