"""Proves that the port's stemmer gives the reference's stems (TXT-4): `bin/conformance stemmer-proof`.

Both stem every word of a word list, every word of the English collections of a data folder, and random words; any
difference is shown. Exit status: 0 no difference, 1 differences, 2 the port could not be run.
"""

import argparse
import random
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

from snowballstemmer.english_stemmer import EnglishStemmer

from conformance.paths import ROOT, RUBY_INTERNALS

WORD_LIST = Path("/usr/share/dict/words")
WORD = re.compile("[a-z]+")
SEED = 20_260_101
SHOWN = 20
PORT = "stemmer = HybridSearch::Text::Stemmer.new; $stdin.each_line(chomp: true) { |word| puts stemmer.stem(word) }"
SUFFIXES = WORD.findall(
    "s es ies ied sses us ss ed eed edly eedly ing ingly ying y ly li ogi logist tional ational enci anci abli entli "
    "izer ization ation ator alism aliti alli fulness ousli ousness iveness iviti biliti bli fulli lessli alize icate "
    "iciti ical ful ness ative ic ance ence able ible ate ive ize iti al ism sion tion er ous ant ent ment ement e l ll"
)


def listed_words(path: Path) -> set[str]:
    """The words of a word list, lower-cased, split at what is no letter."""
    return set(WORD.findall(path.read_text(encoding="utf-8").lower())) if path.exists() else set()


def collection_words(folder: Path) -> Iterator[str]:
    """The words of every collection in a folder."""
    for path in sorted(folder.glob("**/*.jsonl")):
        with path.open(encoding="utf-8") as lines:
            for line in lines:
                yield from WORD.findall(line.lower())


def random_words(count: int) -> set[str]:
    """Different words of random letters, about half of them ending in one or two suffixes; many hold a y."""
    source = random.Random(SEED)
    letters = "abcdefghijklmnopqrstuvwxyz" + "aeiouyyy"
    words: set[str] = set()
    while len(words) < count:
        stem = "".join(source.choice(letters) for _ in range(source.randint(1, 9)))
        ends = source.choice(SUFFIXES) + source.choice(["", "", *SUFFIXES]) if source.random() < 0.5 else ""
        words.add(stem + ends)
    return words


def port_stems(words: list[str]) -> list[str]:
    """What the port makes of the words."""
    ruby = shutil.which("ruby")
    if ruby is None:
        raise RuntimeError("ruby is not installed")
    command = [ruby, "-w", "-I", str(ROOT / "ruby" / "lib"), "-r", str(RUBY_INTERNALS), "-e", PORT]
    outcome = subprocess.run(command, input="\n".join(words), capture_output=True, text=True, check=False)
    if outcome.returncode != 0 or outcome.stderr:
        raise RuntimeError(outcome.stderr)
    return outcome.stdout.split("\n")[:-1]


def main(arguments: list[str] | None = None) -> int:
    """Run the command."""
    parser = argparse.ArgumentParser(prog="conformance stemmer-proof", description=__doc__)
    parser.add_argument("--words", type=Path, default=WORD_LIST, help="a word list, one word a line")
    parser.add_argument("--data", type=Path, help="a folder with collections (*.jsonl)")
    parser.add_argument("--random", type=int, default=200_000, help="how many random words (default 200000)")
    options = parser.parse_args(arguments)
    parts = {
        f"word list {options.words}": listed_words(options.words),
        "collections": set(collection_words(options.data)) if options.data else set(),
        "random words": random_words(options.random),
    }
    words = sorted(set().union(*parts.values()))
    algorithm = EnglishStemmer()
    try:
        found = port_stems(words)
    except RuntimeError as problem:
        print(f"the port could not be run: {problem}", file=sys.stderr)
        return 2
    expected = [algorithm.stemWord(word) for word in words]
    differences = [row for row in zip(words, expected, found, strict=True) if row[1] != row[2]]
    for name, content in parts.items():
        print(f"{name}: {len(content)} words")
    for word, stem, other in differences[:SHOWN]:
        print(f"{word}: reference {stem}, port {other}")
    print(f"{len(words)} words, {len(differences)} differences")
    return 1 if differences else 0
