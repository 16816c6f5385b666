"""Operations over the text layer (TXT-1, TXT-4, TXT-5, TXT-6, TXT-9)."""

from functools import cache
from typing import Any

from hybrid_search.generate.registry import Trace, operation
from hybrid_search.text.normalizer import Normalizer
from hybrid_search.text.stemmer import Stemmer
from hybrid_search.text.tokenizer import Tokenizer


@cache
def _tokenizer(stemming: bool) -> Tokenizer:
    return Tokenizer(stemming=stemming)


@operation("text.normalize", defaults={"step": "all"})
def normalize(params: dict[str, Any], given: Any, _trace: Trace) -> Any:
    """The whole normalisation, or one step of it."""
    normalizer = Normalizer()
    steps = {
        "all": normalizer.normalize,
        "half_width": normalizer.half_width,
        "lower": normalizer.lower,
        "simplify": normalizer.simplify,
    }
    return steps[params["step"]](given["text"])


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
def fine_grained(_params: dict[str, Any], given: Any, _trace: Trace) -> Any:
    """The parts of a token, or of a text with blanks."""
    return _tokenizer(True).fine_grained(given["token"])


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
