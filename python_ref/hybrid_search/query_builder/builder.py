"""Builds text queries from questions (QRY-1 … QRY-11)."""

from collections.abc import Mapping, Sequence
from typing import Any

from hybrid_search.base import characters, numeric, validation
from hybrid_search.base.kernels import kernel
from hybrid_search.errors import InvalidInputError
from hybrid_search.query_builder import clauses, parts, question_words
from hybrid_search.query_builder.chinese_query import ChineseQuery
from hybrid_search.query_builder.english_query import EnglishQuery
from hybrid_search.query_builder.expressions import MatchBm25fExpr, MatchTextExpr
from hybrid_search.query_builder.synonyms import Synonyms
from hybrid_search.query_builder.term_weight import TermWeight
from hybrid_search.query_builder.token_similarity import QueryKeys, TokenSimilarity
from hybrid_search.query_builder.tree import AnyOf, Boost, Node, Phrase
from hybrid_search.text import function_tokenizer
from hybrid_search.text.function_tokenizer import Cut
from hybrid_search.text.identifiers import IdentifierTokens
from hybrid_search.text.tokenizer import TokenizerLike

QUERY_FIELDS = (
    ("title_tks", 10.0),
    ("title_sm_tks", 5.0),
    ("important_kwd", 30.0),
    ("important_tks", 20.0),
    ("question_tks", 20.0),
    ("content_ltks", 2.0),
    ("content_sm_ltks", 1.0),
)
"""The fields and boosts of a query (QRY-1)."""

BM25F_FIELDS = (
    ("title_tks", 3.0),
    ("important_tks", 3.0),
    ("question_tks", 3.0),
    ("content_ltks", 1.0),
    ("title_id_tks", 1.5),
    ("important_id_tks", 1.5),
    ("question_id_tks", 1.5),
    ("content_id_ltks", 0.5),
)
"""The fields and weights of a bag of tokens (QRY-11)."""

SYNONYM_SHARE = 4
"""The number of times that a token of the question counts if it has synonyms, which count once (QRY-11)."""

TOPN = 100
MAX_QUESTION_LENGTH = 65_536
MOST_CLAUSES_REQUIRED = 3
CLAUSES_PER_REQUIRED = 10.0


class QueryBuilder:
    """Builds text queries as RAGFlow does.

    Args:
        tokenizer: makes the tokens, or a function that cuts a text into words; default: the tokenizer of `term_weight`,
            or a `Tokenizer`.
        term_weight: weighs the tokens; default: a `TermWeight` of that tokenizer.
        synonyms: looks up synonyms, or a mapping word → word or list of words; default: no synonyms.
        fields: field → boost, at least 0: the fields that queries search instead of `QUERY_FIELDS` and `BM25F_FIELDS`.
        max_question_length: the maximum number of code points in a question, 1 or more; `None`: no limit.
        unknown: must be empty; names given here are refused with the nearest option.

    Raises:
        InvalidInputError: an unknown option, an argument without the methods that are called (ERR-3), fields that do
            not map names to boosts, or a length below 1.
    """

    @validation.known_options(("tokenizer", "term_weight", "synonyms", "fields", "max_question_length"))
    def __init__(
        self,
        tokenizer: TokenizerLike | Cut | None = None,
        term_weight: TermWeight | None = None,
        synonyms: Synonyms | Mapping[str, str | Sequence[str]] | None = None,
        fields: Mapping[str, float] | None = None,
        max_question_length: int | None = MAX_QUESTION_LENGTH,
    ) -> None:
        self.max_question_length = (
            None if max_question_length is None else validation.integer("max_question_length", max_question_length, 1)
        )
        self.fields = QUERY_FIELDS if fields is None else parts.boosts(fields)
        self.bm25f_fields = BM25F_FIELDS if fields is None else self.fields
        given = None if tokenizer is None else function_tokenizer.accept("tokenizer", tokenizer)
        self.term_weight: TermWeight = (
            parts.term_weight(term_weight) if term_weight is not None else kernel("term_weight")(given)
        )
        self.tokenizer: TokenizerLike = given if given is not None else self.term_weight.tokenizer
        self.synonyms = parts.synonyms(synonyms)
        self._widens = synonyms is not None
        self._identifiers = IdentifierTokens(self.tokenizer)
        # A fast form of `tokenize`, with the same tokens, that remembers the words of earlier questions.
        remembers = getattr(self.tokenizer, "cuts_words_alone", False)
        self._tokens = kernel("analyzer")(self.tokenizer).tokens if remembers else self.tokenizer.tokenize
        self._token_similarity = TokenSimilarity(self.term_weight)
        self._english = EnglishQuery(self.tokenizer, self.term_weight, self.synonyms)
        self._chinese = ChineseQuery(self.tokenizer, self.term_weight, self.synonyms)

    @validation.known_options(("min_match",))
    def build_text_query(self, question: str, min_match: float = 0.3) -> tuple[MatchTextExpr | None, list[str]]:
        """Return the text query of a question, and its keywords.

        Args:
            question: any text.
            min_match: the share of clauses that must match, from 0 to 1; it does not apply to the English path.

        Returns:
            The query, or `None` if there is nothing to search for; and the keywords in order, with repeats.

        Raises:
            InvalidInputError: `question` is not valid text or too long, `min_match` is out of range, an unknown option.
        """
        share = validation.number("min_match", min_match, 0, 1)
        prepared = self.prepare(question)
        if not self._has_tokens(prepared):
            return None, []
        text, chinese = self.question_text(prepared)
        tree: Node | None
        extra_options: dict[str, Any] = {"original_query": question}
        if chinese:
            tree, keywords = self._chinese.build(text, prepared)
            extra_options["minimum_should_match"] = share
        else:
            tree, keywords = self._english.build(text)
        return (None if tree is None else MatchTextExpr(self.fields, tree, TOPN, extra_options)), keywords

    def build_bm25f_query(self, question: str) -> MatchBm25fExpr | None:
        """Return the query for the question's tokens in all fields at once (QRY-11); `None` if there are no tokens.

        The tokens of synonyms follow, at a quarter of the weight.

        Raises:
            InvalidInputError: `question` is not a valid text, or too long.
        """
        text, _ = self.question_text(self.prepare(question))
        tokens = self._with_identifiers(self._tokens(text), question)
        widening = self._synonym_tokens([*text.split(" "), *tokens], frozenset(tokens))
        if widening:
            tokens = [*(tokens * SYNONYM_SHARE), *widening]
        return MatchBm25fExpr(self.bm25f_fields, tuple(tokens), TOPN) if tokens else None

    def written_words(self, question: str) -> list[str]:
        """Return the ASCII words of a question as written, for highlighting in addition to their stems (QRY-11).

        Raises:
            InvalidInputError: `question` is not valid text, or too long.
        """
        text, _ = self.question_text(self.prepare(question))
        words = [word for word in text.split(" ") if word and word.isascii()]
        return [*words, *self._identifiers.written(question)]

    def keywords(self, question: str) -> list[str]:
        """Return the keywords of `build_text_query`, without building the query.

        Raises:
            InvalidInputError: `question` is not valid text, or too long.
        """
        prepared = self.prepare(question)
        if not self._has_tokens(prepared):
            return []
        text, chinese = self.question_text(prepared)
        return self._chinese.keywords(text) if chinese else self._english.keywords(text)

    def accept_question(self, question: Any, name: str = "question") -> str:
        """Return a question unchanged, after checks; every method that takes a question calls this first.

        Args:
            question: any text of valid Unicode, of at most `max_question_length` code points.
            name: the name of the argument, for the message.

        Raises:
            InvalidInputError: it is not valid text, or too long.
        """
        accepted = validation.text(name, question)
        if self.max_question_length is not None and len(accepted) > self.max_question_length:
            raise InvalidInputError(
                f"{name} must have at most {self.max_question_length} characters, not {len(accepted)}"
            )
        return accepted

    def prepare(self, question: str) -> str:
        """Return the prepared text of a question: scripts separated, normalised, without separators (QRY-2)."""
        typed = self.accept_question(question).replace("\0", " ")
        normalised = self.tokenizer.normalize(question_words.separate_scripts(typed))
        return characters.strip(question_words.fold_separators(normalised))

    def question_text(self, prepared: str) -> tuple[str, bool]:
        """Return the text that is searched for, and whether it takes the Chinese path (QRY-3, QRY-4)."""
        text = question_words.remove_question_words(prepared)
        chinese = question_words.is_chinese(text)
        # A second removal would change nothing.
        return (text if text == prepared else question_words.remove_question_words(text)), chinese

    @validation.known_options(("limit",))
    def paragraph(self, tokens: Sequence[str], keywords: Sequence[str], limit: int = 30) -> MatchTextExpr:
        """Return the query for content to be tagged: its keywords and its heaviest tokens (QRY-10).

        Args:
            tokens: the tokens of the content.
            keywords: phrases that are searched for unchanged.
            limit: the maximum number of tokens, 0 or more.

        Raises:
            InvalidInputError: an argument has another type, or an option is unknown.
        """
        given = validation.texts("keywords", keywords)
        limit = validation.integer("limit", limit, 0)
        children: list[Node] = [Phrase(tuple(text.split(" ")), escape=False) for text in _quotable(given)]
        weighted = self.term_weight.weights(tokens, preprocess=False)
        for token, weight in sorted(weighted, key=lambda pair: -pair[1])[:limit]:
            node = clauses.term_node(token)
            if node is not None:
                synonyms = clauses.synonym_nodes(self.tokenizer, self.synonyms.lookup(token))
                children.append(Boost(clauses.with_synonyms(node, synonyms), weight))
        required = min(MOST_CLAUSES_REQUIRED, numeric.round_half_even(len(children) / CLAUSES_PER_REQUIRED))
        extra_options = {"original_query": " ".join(given), "minimum_should_match": required}
        return MatchTextExpr(self.fields, AnyOf(tuple(children)), TOPN, extra_options)

    def token_similarity(self, query_tokens: Sequence[str], docs_tokens: Sequence[Sequence[str]]) -> list[float]:
        """Return the share of the question's weight that each document has (QRY-9); see `TokenSimilarity`."""
        return self._token_similarity.token_similarity(query_tokens, docs_tokens)

    def query_keys(self, query_tokens: Sequence[str]) -> QueryKeys:
        """Return the keys that `token_similarity` looks up in documents; see `TokenSimilarity`."""
        return self._token_similarity.query_keys(query_tokens)

    def _synonym_tokens(self, words: list[str], known: frozenset[str]) -> list[str]:
        """Return the tokens of the synonyms of words, each once, without known ones."""
        if not self._widens:
            return []
        synonyms = (synonym for word in dict.fromkeys(words) for synonym in self.synonyms.lookup(word))
        found = dict.fromkeys(
            token for synonym in synonyms for token in self._with_identifiers(self.tokenizer.tokenize(synonym), synonym)
        )
        return [token for token in found if token not in known]

    def _with_identifiers(self, tokens: list[str], text: str) -> list[str]:
        """Return the tokens of a text, and then its identifiers that are not among them (TXT-10)."""
        return [*tokens, *self._identifiers.tokens(text, tokens)]

    def _has_tokens(self, text: str) -> bool:
        has_tokens = getattr(self.tokenizer, "has_tokens", None)
        return bool(self.tokenizer.tokenize(text) if has_tokens is None else has_tokens(text))


def _quotable(keywords: Sequence[str]) -> list[str]:
    """Return the keywords without quotes and WHITE at their ends, except those that become empty."""
    stripped = (characters.strip(characters.strip(keyword).replace('"', "")) for keyword in keywords)
    return [keyword for keyword in stripped if keyword]
