"""Hostile texts: each pattern gives a text of any length."""

import itertools
import random
from collections.abc import Callable, Iterator

Pattern = Callable[[int], str]
"""Gives the text of a length in code points."""

SEED = 20261122
CJK_RARE = range(0x4E02, 0x9FA0, 3)
HANGUL = range(0xAC00, 0xD7A4)
ASTRAL_HAN = range(0x20000, 0x2A6D0)
ASCII_PRINTABLE = range(0x21, 0x7F)
NAMES = "王李张刘陈杨赵黄周吴徐孙胡朱高林何郭马罗"
GIVEN = "伟芳娜敏静丽强磊军洋勇艳杰娟涛明超秀霞平"
SCRIPTS = ("мир", "δέλτα", "שלום", "سلام", "नमस्ते", "ไทย", "日本", "ひら", "カナ", "한글", "word", "42", "龘")


def _repeated(unit: str) -> Pattern:
    return lambda size: (unit * (size // len(unit) + 1))[:size]


def _drawn(pieces: Callable[[], Iterator[str]]) -> Pattern:
    """As many of the pieces as the length takes."""

    def text(size: int) -> str:
        found: list[str] = []
        length = 0
        for piece in pieces():
            found.append(piece)
            length += len(piece)
            if length >= size:
                break
        return "".join(found)[:size]

    return text


def _numbered(template: str) -> Pattern:
    return _drawn(lambda: (template.format(number) for number in itertools.count(1)))


def _cycle(points: range) -> Pattern:
    return _drawn(lambda: (chr(point) for point in itertools.cycle(points)))


def _random(pieces: str | tuple[str, ...], joiner: str = "") -> Pattern:
    def draw() -> Iterator[str]:
        source = random.Random(SEED)
        while True:
            yield source.choice(pieces) + joiner

    return _drawn(draw)


_REPEATED = {
    "one rare character": "龘",
    "one common character": "的",
    "two rare characters": "龘靐",
    "rare characters apart": "龘 ",
    "one Hangul syllable": "한",
    "Hangul words": "한국어 검색 ",
    "one Hiragana": "の",
    "Katakana words": "カタカナ・",
    "one Latin letter": "a",
    "one capital": "A",
    "letters apart": "a ",
    "letter y": "y",
    "vowel and y": "ay",
    "two-letter words": "ab ",
    "one word": "search ",
    "one long word": "internationalisation",
    "capitals and small letters": "aB",
    "one digit": "7",
    "digits apart": "7 ",
    "digit and letter": "1a",
    "digit and dash": "1-",
    "Han and digit": "中1",
    "Han and letter": "中a",
    "Han, letter, digit": "中a1 ",
    "number with a dot": "1.",
    "number with commas": "123,",
    "per cent": "5%",
    "identifier with signs": "C++#",
    "letter and plus": "a+",
    "pluses": "+",
    "dots": ".",
    "blanks": " ",
    "wide blanks": "\u3000",
    "line feeds": "\n",
    "tabs and blanks": "\t ",
    "punctuation": "。！？；，",
    "ASCII punctuation": "!?;:,.",
    "separators": " :|,，、。",
    "open table cells": "<td",
    "table cells": "<td>x</td>",
    "less-than signs": "<",
    "ampersands": "&",
    "double quotes": '"',
    "apostrophes": "'",
    "backslashes": "\\",
    "brackets": "([{",
    "closing brackets": ")]}",
    "tildes and carets": "~^",
    "stars and question marks": "*?",
    "combining marks": "e\u0301",
    "marks alone": "\u0301",
    "slashes": "a/",
    "slashes in Han": "中/",
    "at signs": "a@b.",
    "hash signs": "a#",
    "underscores": "a_",
    "e-mail addresses": "someone@example.com ",
    "addresses": "https://example.com/a?b=c&d=e ",
    "NUL": "\0",
    "control characters": "\x01\x02",
    "surrogate pairs": "😀",
    "rare astral Han": "𠀀",
    "zero-width joiners": "\u200d",
    "stop words": "的了是在",
    "English stop words": "the of and a ",
    "question words": "什么 怎么 ",
    "run of 是": "是",
    "English question words": "what is the ",
    "fillers": "is was do ",
    "sentences": "混合检索把全文与向量结合起来。",
    "English sentences": "Hybrid search joins full text with vectors. ",
    "dictionary words": "中华人民共和国清华大学计算机科学",
    "keyword-like": "R1-750 6-2-1 MisraC++ ",
    "half-width forms": "Ａ１",
    "traditional Chinese": "漢語檢索",
    "JSON escapes": "\\u4e2d",
    "nested lists": "[",
    "quoted keys": '{"a":',
    "highlight marks": "<em>",
    "Markdown headings": "# h\n",
    "Markdown headings of three levels": "# a\n## b\n### c\n",
    "lines under headings": "a\n---\n",
    "code fences": "```\nx\n",
    "markers of list items": "- ",
    "list items": "- a\n  - b\n",
    "Markdown tables": "| a |\n|---|\n",
    "number signs": "#",
    "form feeds": "a\f",
    "paragraphs": "混合检索。\n\n",
}

PATTERNS: dict[str, Pattern] = {
    **{name: _repeated(unit) for name, unit in _REPEATED.items()},
    "many rare characters": _cycle(CJK_RARE),
    "many Hangul syllables": _cycle(HANGUL),
    "many astral Han": _cycle(ASTRAL_HAN),
    "ASCII at random": _random("".join(map(chr, ASCII_PRINTABLE))),
    "scripts at random": _random(SCRIPTS),
    "scripts apart": _random(SCRIPTS, " "),
    "names": _drawn(lambda: (a + b + c for a, b, c in itertools.cycle(itertools.product(NAMES, GIVEN, GIVEN)))),
    "near-identical words": _numbered("token{0} "),
    "near-identical Han words": _numbered("检索{0} "),
    "different numbers": _numbered("{0} "),
    "different decimals": _numbered("{0}.5 "),
    "different identifiers": _numbered("R{0}-x "),
    "different keyed lines": _numbered("t{0}\t{0}\n"),
    "letter and blanks": lambda size: ("a" + " " * size)[:size],
    "letter, wide blanks": lambda size: ("a" + "\u3000" * size)[:size],
    "letter and digits": lambda size: ("a" + "7" * size)[:size],
    "blanks between letters": lambda size: "a" + " " * (size - 2) + "b",
    "blanks at both ends and between": lambda size: " a" + " " * (size - 4) + "b ",
    "digits and a letter": lambda size: "7" * (size - 1) + "x",
    "a heading and its text": lambda size: ("# " + "h" * (size // 2) + "\n" + "a. " * size)[:size],
    "a fence that is never closed": lambda size: ("```\n" + "# h\n" * size)[:size],
    "items ever deeper": _drawn(lambda: (f"{' ' * depth}- x\n" for depth in itertools.count())),
    "letters, Han at the end": lambda size: "a" * (size - 1) + "中",
}
