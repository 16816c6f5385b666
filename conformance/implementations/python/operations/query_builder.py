"""Operations over the query builder (TW, SYN, QRY)."""

import re
import tempfile
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

from conformance.implementations.python.registry import Trace, operation
from hybrid_search.base.kernels import kernel
from hybrid_search.errors import ConfigurationError
from hybrid_search.query_builder import clauses, question_words, render
from hybrid_search.query_builder.builder import QueryBuilder
from hybrid_search.query_builder.expressions import MatchTextExpr
from hybrid_search.query_builder.synonyms import Synonyms
from hybrid_search.query_builder.term_weight import TermWeight
from hybrid_search.query_builder.token_similarity import TokenSimilarity
from hybrid_search.query_builder.tree import AnyOf, Boost, Group, Node, Phrase, Term
from hybrid_search.query_builder.word_net import WordNet
from hybrid_search.text.segmenter import Segmenter
from hybrid_search.text.tokenizer import Tokenizer

FOLDER = "DIR"
"""What stands for the folder of a case's files in the messages of errors."""

TABLES = {"document_frequencies": None, "entities": None}


@cache
def _tokenizer() -> Tokenizer:
    return Tokenizer()


def _term_weight(params: dict[str, Any]) -> TermWeight:
    made: TermWeight = kernel("term_weight")(_tokenizer(), params["document_frequencies"], params["entities"])
    return made


def _builder(params: dict[str, Any]) -> QueryBuilder:
    return QueryBuilder(_tokenizer(), _term_weight(params), Synonyms(params["synonyms"]))


@operation("query_builder.weights", defaults={"preprocess": True, **TABLES})
def weights(params: dict[str, Any], given: Any, trace: Trace) -> Any:
    """Terms with weights."""
    found = _term_weight(params).weights(given["tokens"], preprocess=params["preprocess"])
    trace.stage("weigh", found)
    return found


@operation("query_builder.factors", defaults=TABLES)
def factors(params: dict[str, Any], given: Any, _trace: Trace) -> Any:
    """What goes into the weight of each term: frequency, document frequency, entity factor, tag factor."""
    weigher = _term_weight(params)
    return [
        [
            weigher.frequency(term),
            weigher.document_frequency(term),
            weigher.entity_weight(term),
            weigher.tag_weight(term),
        ]
        for term in given["terms"]
    ]


@operation("query_builder.weights_after_words")
def weights_after_words(_params: dict[str, Any], given: Any, trace: Trace) -> Any:
    """What tokens weigh before and after words were added to the dictionary."""
    segmenter = Segmenter()
    weigher = kernel("term_weight")(Tokenizer(segmenter))
    before = weigher.weights(given["tokens"], preprocess=False)
    trace.stage("weigh", before)
    for word in given["words"]:
        segmenter.add_word(*word)
    return [[list(pair) for pair in pairs] for pairs in (before, weigher.weights(given["tokens"], preprocess=False))]


@operation("query_builder.pretokenize", defaults={"numbers": False})
def pretokenize(params: dict[str, Any], given: Any, trace: Trace) -> Any:
    """Tokens without stop words and punctuation."""
    kept = kernel("term_weight")(_tokenizer()).pretokenize(given["text"], numbers=params["numbers"])
    trace.stage("tokenise", _tokenizer().tokenize(given["text"]))
    return kept


@operation("query_builder.merge")
def merge(_params: dict[str, Any], given: Any, _trace: Trace) -> Any:
    """Single characters joined."""
    return kernel("term_weight")(_tokenizer()).merge(given["tokens"])


@operation("query_builder.split", defaults={"entities": None})
def split(params: dict[str, Any], given: Any, _trace: Trace) -> Any:
    """The pieces of a text."""
    return kernel("term_weight")(_tokenizer(), entities=params["entities"]).split(given["text"])


@operation("query_builder.synonyms", defaults={"limit": 8})
def synonyms(params: dict[str, Any], given: Any, _trace: Trace) -> Any:
    """Synonyms of each term, from a dictionary and from WordNet files given with the case."""

    def look_up(folder: str) -> list[list[str]]:
        found = Synonyms(given["dictionary"], folder if given.get("files") else None)
        return [found.lookup(term, limit=params["limit"]) for term in given["terms"]]

    return _with_files(given.get("files", {}), look_up)


@operation("query_builder.word_net")
def word_net(_params: dict[str, Any], given: Any, trace: Trace) -> Any:
    """Head lemmas of words and their base forms, from WordNet files given with the case."""

    def look_up(folder: str) -> list[Any]:
        net = WordNet(folder)
        parts = ("noun", "verb", "adj", "adv")
        bases = [[net.base_forms(word, part) for part in parts] for word in given["words"]]
        trace.stage("normalise", bases)
        return [[net.head_lemmas(word), forms] for word, forms in zip(given["words"], bases, strict=True)]

    return _with_files(given["files"], look_up)


@operation("query_builder.term_file")
def term_file(_params: dict[str, Any], given: Any, _trace: Trace) -> Any:
    """What a file of terms gives: its error, or the look-up of a term."""

    def read(folder: str) -> Any:
        path = f"{folder}/{given['name']}"
        if given["kind"] == "synonyms":
            return Synonyms(path).lookup(given["term"])
        if given["kind"] == "entities":
            return kernel("term_weight")(_tokenizer(), entities=path).entity_weight(given["term"])
        return kernel("term_weight")(_tokenizer(), document_frequencies=path).document_frequency(given["term"])

    return _with_files(given["files"], read)


@operation("query_builder.configuration")
def configuration(_params: dict[str, Any], given: Any, _trace: Trace) -> Any:
    """Whether a class accepts these options: true, or its error."""
    classes: dict[str, Callable[..., Any]] = {
        "TermWeight": kernel("term_weight"),
        "Synonyms": Synonyms,
        "QueryBuilder": QueryBuilder,
    }
    classes[given["class"]](**given["options"])
    return True


@operation("query_builder.call")
def call(_params: dict[str, Any], given: Any, _trace: Trace) -> Any:
    """Calls a method with arguments and options as they are, for the refusals."""
    subjects: dict[str, Any] = {
        "TermWeight": kernel("term_weight")(_tokenizer()),
        "Synonyms": Synonyms({"a": ["b", "c"]}),
        "QueryBuilder": QueryBuilder(_tokenizer()),
    }
    value = getattr(subjects[given["class"]], given["method"])(*given["arguments"], **given["options"])
    if isinstance(value, MatchTextExpr):
        return render.lucene(value.tree)
    return len(value)


@operation("query_builder.defaults")
def defaults(_params: dict[str, Any], given: Any, trace: Trace) -> Any:
    """What comes out where no option is given: of a question, of a paragraph, of a term with synonyms."""
    builder = QueryBuilder(_tokenizer())
    text, _ = builder.build_text_query(given["question"])
    term_weight = kernel("term_weight")(_tokenizer())
    pretokenized = term_weight.pretokenize(given["question"] + " 7")
    trace.stage("tokenise", pretokenized)
    weights = [list(pair) for pair in term_weight.weights([given["question"]])]
    trace.stage("weigh", weights)
    return {
        "extra_options": None if text is None else dict(text.extra_options),
        "paragraph": render.lucene(builder.paragraph(given["tokens"], []).tree),
        "synonyms": Synonyms({"term": given["synonyms"]}).lookup("term"),
        "weights": weights,
        "pretokenized": pretokenized,
    }


@operation("query_builder.prepare")
def prepare(_params: dict[str, Any], given: Any, trace: Trace) -> Any:
    """The prepared text of a question."""
    prepared = QueryBuilder(_tokenizer()).prepare(given["question"])
    separated = question_words.separate_scripts(given["question"])
    trace.stage("read", separated)
    trace.stage("normalise", _tokenizer().normalize(separated))
    return prepared


@operation("query_builder.remove_question_words")
def remove_question_words(_params: dict[str, Any], given: Any, _trace: Trace) -> Any:
    """A text without question words."""
    return question_words.remove_question_words(given["text"])


@operation("query_builder.is_chinese")
def is_chinese(_params: dict[str, Any], given: Any, _trace: Trace) -> Any:
    """Whether a text takes the Chinese path."""
    return question_words.is_chinese(given["text"])


@operation("query_builder.escape")
def escape(_params: dict[str, Any], given: Any, _trace: Trace) -> Any:
    """A text escaped for Lucene."""
    return clauses.escape(given["text"])


@operation("query_builder.build_text_query", defaults={"min_match": 0.3, "synonyms": None, **TABLES})
def build_text_query(params: dict[str, Any], given: Any, trace: Trace) -> Any:
    """The text query of a question, stage by stage."""
    builder = _builder(params)
    prepared = builder.prepare(given["question"])
    trace.stage("normalise", prepared)
    tokens = builder.tokenizer.tokenize(prepared)
    trace.stage("tokenise", tokens)
    if tokens:
        trace.stage("weigh", _weighed(builder, prepared))
    expression, keywords = builder.build_text_query(given["question"], min_match=params["min_match"])
    if expression is None:
        return {"query": None, "keywords": keywords}
    trace.stage("query tree", tree_value(expression.tree))
    trace.stage("query text", render.lucene(expression.tree))
    return {**_expression_value(expression), "keywords": keywords}


@operation("query_builder.build_bm25f_query", defaults={"fields": None, "synonyms": None})
def build_bm25f_query(params: dict[str, Any], given: Any, trace: Trace) -> Any:
    """The bag of tokens of a question, and where it is looked for."""
    builder = QueryBuilder(_tokenizer(), fields=params["fields"], synonyms=params["synonyms"])
    query = builder.build_bm25f_query(given["question"])
    if query is None:
        return None
    trace.stage("tokenise", list(query.tokens))
    return {"fields": [list(pair) for pair in query.fields], "tokens": list(query.tokens), "topn": query.topn}


@operation("query_builder.paragraph", defaults={"limit": 30, "synonyms": None, **TABLES})
def paragraph(params: dict[str, Any], given: Any, trace: Trace) -> Any:
    """The query for content to be tagged."""
    builder = _builder(params)
    expression = builder.paragraph(given["tokens"], given["keywords"], limit=params["limit"])
    trace.stage("weigh", builder.term_weight.weights(given["tokens"], preprocess=False))
    trace.stage("query text", render.lucene(expression.tree))
    return _expression_value(expression)


@operation("query_builder.render")
def render_tree(_params: dict[str, Any], given: Any, _trace: Trace) -> Any:
    """A tree as each engine reads it."""
    tree = tree_of(given["tree"])
    return {"lucene": render.lucene(tree), "tsquery": render.tsquery(tree), "fts5": render.fts5(tree)}


@operation("query_builder.token_similarity", defaults=TABLES)
def token_similarity(params: dict[str, Any], given: Any, trace: Trace) -> Any:
    """The similarity of each document, and the keys of the question."""
    similarity = TokenSimilarity(_term_weight(params))
    keys = similarity.query_keys(given["query_tokens"]).keys
    trace.stage("weigh", keys)
    return {
        "keys": keys,
        "similarities": similarity.token_similarity(given["query_tokens"], given["docs_tokens"]),
    }


@operation("query_builder.weighted_similarity")
def weighted_similarity(_params: dict[str, Any], given: Any, trace: Trace) -> Any:
    """As `token_similarity`, with the weights of the question's tokens given: no dictionary is read."""
    similarity = TokenSimilarity(_GivenWeights([weight for _, weight in given["query"]]))  # type: ignore[arg-type]
    tokens = [token for token, _ in given["query"]]
    keys = similarity.query_keys(tokens).keys
    trace.stage("weigh", keys)
    found = similarity.token_similarity(tokens, given["docs_tokens"])
    trace.stage("term similarity", found)
    return found


class _GivenWeights:
    """Weighs tokens as a case says."""

    def __init__(self, weights: list[float]) -> None:
        self._weights = weights

    def weights(self, tokens: list[str], preprocess: bool = True) -> list[tuple[str, float]]:
        """The tokens with their weights, in order."""
        return list(zip(tokens, self._weights, strict=True))


def tree_value(node: Node) -> dict[str, Any]:
    """A query tree as plain data."""
    if isinstance(node, Term):
        return {"term": node.text, "escape": node.escape}
    if isinstance(node, Phrase):
        return {"phrase": list(node.tokens), "slop": node.slop, "escape": node.escape}
    if isinstance(node, AnyOf):
        return {"any_of": [tree_value(child) for child in node.children], "joiner": node.joiner}
    if isinstance(node, Boost):
        return {"boost": tree_value(node.child), "factor": node.factor, "format": node.weight_format}
    return {"group": tree_value(node.child)}


def tree_of(value: Any) -> Any:
    """The query tree of plain data; what is none comes back as it is."""
    if not isinstance(value, dict):
        return value
    if "term" in value:
        return Term(value["term"], value.get("escape", True))
    if "phrase" in value:
        return Phrase(tuple(value["phrase"]), value.get("slop", 0), value.get("escape", True))
    if "any_of" in value:
        return AnyOf(tuple(tree_of(child) for child in value["any_of"]), value.get("joiner", " "))
    if "boost" in value:
        return Boost(tree_of(value["boost"]), value["factor"], value.get("format", "shortest"))
    return Group(tree_of(value["group"]))


def _expression_value(expression: MatchTextExpr) -> dict[str, Any]:
    return {
        "query": render.lucene(expression.tree),
        "tree": tree_value(expression.tree),
        "fields": [list(field) for field in expression.fields],
        "topn": expression.topn,
        "extra_options": dict(expression.extra_options),
    }


def _weighed(builder: QueryBuilder, prepared: str) -> list[Any]:
    text, chinese = builder.question_text(prepared)
    if chinese:
        return [builder.term_weight.weights([piece]) for piece in builder.term_weight.split(text)]
    return builder.term_weight.weights(builder.tokenizer.tokenize(text), preprocess=False)


def _from_hex(text: str) -> bytes:
    """The bytes of pairs of hex digits; anything else is no content that a case may have."""
    if re.fullmatch("(?:[0-9a-fA-F]{2})*", text) is None:
        raise ValueError(f"not pairs of hex digits: {text}")
    return bytes.fromhex(text)


def _with_files(files: dict[str, str], use: Callable[[str], Any]) -> Any:
    """Calls `use` with a folder that holds these files; a `hex:` content is given by its bytes."""
    with tempfile.TemporaryDirectory() as folder:
        for name, content in files.items():
            data = _from_hex(content[4:]) if content.startswith("hex:") else content.encode("utf-8")
            Path(folder, name).write_bytes(data)
        try:
            return use(folder)
        except ConfigurationError as problem:
            raise ConfigurationError(str(problem).replace(folder, FOLDER)) from None
