"""Operations over the text layer (TXT-1, TXT-4 … TXT-9)."""

import tempfile
from collections import UserList
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

from conformance.implementations.python.registry import Trace, operation
from hybrid_search.query_builder import render
from hybrid_search.query_builder.builder import QueryBuilder
from hybrid_search.text import function_tokenizer, stop_words
from hybrid_search.text.keyword_extractor import KeywordExtractor
from hybrid_search.text.keyword_tokenizer import KeywordTokenizer
from hybrid_search.text.normalizer import Normalizer
from hybrid_search.text.segmenter import Segmenter
from hybrid_search.text.stemmer import Stemmer
from hybrid_search.text.tokenizer import Tokenizer


class DashTokenizer:
    """A tokenizer somebody may plug in (TXT-9): words between blanks, parts between dashes, four-letter words known."""

    def tokenize(self, text: str) -> list[str]:
        """The words between blanks."""
        return [word for word in self.normalize(text).split(" ") if word]

    def fine_grained(self, token: str) -> list[str]:
        """The pieces between dashes."""
        return [part for part in token.split("-") if part] or [token]

    def frequency(self, term: str) -> int:
        """A thousand for terms of four characters."""
        return 1000 if len(term) == 4 else 0

    def tag(self, term: str) -> str:
        """Nouns of four characters."""
        return "n" if len(term) == 4 else ""

    def normalize(self, text: str) -> str:
        """Capital X becomes small."""
        return text.replace("X", "x")


@cache
def _segmenter() -> Segmenter:
    return Segmenter()


@cache
def _tokenizer(stemming: bool) -> Tokenizer:
    return Tokenizer(stemming=stemming)


@operation("text.normalize", defaults={"step": "all"})
def normalize(params: dict[str, Any], given: Any, trace: Trace) -> Any:
    """The whole normalisation, or one step of it."""
    normalizer = Normalizer()
    steps = {
        "all": normalizer.normalize,
        "half_width": normalizer.half_width,
        "lower": normalizer.lower,
        "simplify": normalizer.simplify,
    }
    normalized = steps[params["step"]](given["text"])
    if params["step"] == "all":
        narrow = normalizer.half_width(given["text"])
        trace.stage("read", narrow)
        trace.stage("normalise", normalizer.lower(narrow))
    return normalized


@operation("text.stem")
def stem(_params: dict[str, Any], given: Any, _trace: Trace) -> Any:
    """The stems of words."""
    stemmer = Stemmer()
    return [stemmer.stem(word) for word in given["words"]]


@operation("text.tokenize", defaults={"stemming": True})
def tokenize(params: dict[str, Any], given: Any, trace: Trace) -> Any:
    """The tokens of a text."""
    tokenizer = _tokenizer(params["stemming"])
    trace.stage("normalise", tokenizer.normalize(given["text"]))
    return tokenizer.tokenize(given["text"])


@operation("text.fine_grained")
def fine_grained(_params: dict[str, Any], given: Any, trace: Trace) -> Any:
    """The parts of a token, or of a text with blanks."""
    parts = _tokenizer(True).fine_grained(given["token"])
    words = [word for word in given["token"].split(" ") if word]
    trace.stage("route", [_segmenter().best_route_without_whole(word) for word in words])
    return parts


@operation("text.frequency_and_tag")
def frequency_and_tag(_params: dict[str, Any], given: Any, _trace: Trace) -> Any:
    """Frequency and part of speech of each term."""
    tokenizer = _tokenizer(True)
    return [[tokenizer.frequency(term), tokenizer.tag(term)] for term in given["terms"]]


@operation("text.tokenizer_options")
def tokenizer_options(_params: dict[str, Any], given: Any, _trace: Trace) -> Any:
    """What the constructor accepts: true, or its error."""
    Tokenizer(**given["options"])
    return True


@operation("text.plugged_in")
def plugged_in(_params: dict[str, Any], given: Any, trace: Trace) -> Any:
    """The query and keywords of a question when another tokenizer is plugged in."""
    tokenizer: Any = DashTokenizer()
    expression, keywords = QueryBuilder(tokenizer=tokenizer).build_text_query(given["question"])
    trace.stage("tokenise", tokenizer.tokenize(given["question"]))
    return [None if expression is None else render.lucene(expression.tree), keywords]


WIDE = str.maketrans("-+=#", "\u3000\u00a0\u2028\u2009")
"""Signs that become white space which is not ASCII."""
FUNCTIONS: dict[str, Callable[[str], Any]] = {
    "words": lambda text: text.split(" "),
    "text": lambda text: text,
    "commas": lambda text: text.split(","),
    "length": len,
    "sequence": lambda text: UserList(text.split(",")),
    "row": lambda text: tuple(text.split(",")),
    "members": lambda text: dict.fromkeys(text.split(","), 1),
    "wide": lambda text: text.translate(WIDE),
    "wide_words": lambda text: text.translate(WIDE).split(","),
}


@operation("text.function")
def function(params: dict[str, Any], given: Any, trace: Trace) -> Any:
    """What a function in the place of a tokenizer gives for a text, and the query and keywords it leads to."""
    tokenizer = function_tokenizer.accept("tokenizer", FUNCTIONS[params["cut"]])
    text = given["text"]
    expression, keywords = QueryBuilder(tokenizer=tokenizer).build_text_query(text)
    query = None if expression is None else render.lucene(expression.tree)
    told = [tokenizer.fine_grained(text), tokenizer.frequency(text), tokenizer.tag(text), tokenizer.normalize(text)]
    tokens = tokenizer.tokenize(text)
    trace.stage("tokenise", tokens)
    return [tokens, told, query, keywords]


@cache
def _keyword_tokenizer(identifiers: bool) -> KeywordTokenizer:
    return KeywordTokenizer(identifiers=identifiers)


@cache
def _plain_extractor() -> KeywordExtractor:
    return KeywordExtractor()


def _with_words(made: Any, words: list[Any], dictionary: str | None) -> Any:
    """A tokenizer or extractor with user words, each a list of word, frequency and tag, and those of a file."""
    for entry in words:
        made.add_word(*entry)
    if dictionary is not None:
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder, "words.txt")
            path.write_text(dictionary, encoding="utf-8")
            made.load_user_dict(path)
    return made


@operation("text.identifiers", defaults={"identifiers": True, "user_words": []})
def identifiers(params: dict[str, Any], given: Any, trace: Trace) -> Any:
    """The tokens of a text that keywords are taken from, each with its parts."""
    words = params["user_words"]
    made = KeywordTokenizer(identifiers=params["identifiers"]) if words else _keyword_tokenizer(params["identifiers"])
    tokenizer = _with_words(made, words, None)
    tokens = tokenizer.tokenize(given["text"])
    trace.stage("tokenise", tokens)
    return [[token, tokenizer.parts(token)] for token in tokens]


@operation("text.keywords", defaults={"options": {}, "user_words": [], "user_dictionary": None})
def keywords(params: dict[str, Any], given: Any, trace: Trace) -> Any:
    """The keywords of a text with their weights, and their parts; `stop_words: jieba` takes jieba's."""
    options = dict(params["options"])
    if options.get("stop_words") == "jieba":
        options["stop_words"] = stop_words.jieba_words()
    plain = not (options or params["user_words"] or params["user_dictionary"])
    made = _plain_extractor() if plain else KeywordExtractor(**options)
    extractor = _with_words(made, params["user_words"], params["user_dictionary"])
    found = extractor.extract(**given)
    pairs = [list(pair) for pair in zip(found.words, found.weights, strict=True)]
    trace.stage("weigh", pairs)
    return {"words": pairs, "parts": list(found.parts), "terms": len(found.terms)}
