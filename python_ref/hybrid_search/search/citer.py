"""Finds the sources of an answer's sentences (CIT-2, CIT-3)."""

import dataclasses
from collections.abc import Iterator, Sequence
from typing import Any

from hybrid_search.base import numeric, validation
from hybrid_search.doc_store_adapter.base import DocStoreAdapter
from hybrid_search.embedding.embedding import Embedding
from hybrid_search.query_builder import question_words
from hybrid_search.query_builder.builder import QueryBuilder
from hybrid_search.query_builder.token_similarity import held_keys
from hybrid_search.search.answer_sentences import AnswerSentence, answer_sentences
from hybrid_search.search.citation_sources import CitationSource, citation_sources, source_vectors
from hybrid_search.search.cited_answer import CitedAnswer, CitedSource, CitedSpan

MARK = " [{number}]"
"""The default mark; RAGFlow's is ` [ID:{index}]`."""
PLACEHOLDERS = ("{number}", "{index}", "{id}")
FIRST_THRESHOLD = 0.63
THRESHOLD_FACTOR = 0.8
LAST_THRESHOLD = 0.3
NEAR_THE_BEST = 0.99
MOST_OF_A_SENTENCE = 4
AT_ONCE = 64
"""The number of sentences that are embedded at once."""


@dataclasses.dataclass(frozen=True)
class _Cited:
    """A sentence, the similarity that its sources exceed, and the most similar of them."""

    sentence: AnswerSentence
    lowest: float
    sources: Sequence[CitedSource]


class Citer:
    """Finds the sources of an answer.

    Args:
        store: the documents.
        query_builder: reads texts.
        embedding: makes vectors; without one only the terms count.
    """

    def __init__(self, store: DocStoreAdapter, query_builder: QueryBuilder, embedding: Embedding | None) -> None:
        self._store = store
        self._query_builder = query_builder
        self._embedding = embedding

    def cite(self, answer: Any, hits: Any, mark: Any, vector_similarity_weight: Any) -> CitedAnswer:
        """See `Index.cite`."""
        text = validation.text("answer", answer)
        template = validation.text("mark", mark)
        if not any(placeholder in template for placeholder in PLACEHOLDERS):
            raise validation.fail("mark", mark, "a text with {number}, {index} or {id}")
        weight = validation.number("vector_similarity_weight", vector_similarity_weight, 0, 1)
        sources = citation_sources(self._store, hits, self._embedding is not None)
        found = list(self._found(answer_sentences(text), sources, weight)) if sources else []
        threshold = FIRST_THRESHOLD
        while threshold > LAST_THRESHOLD:
            cited = [one for one in found if one.lowest >= threshold]
            if cited:
                return _answer(text, cited, template, threshold)
            threshold = threshold * THRESHOLD_FACTOR
        return CitedAnswer(text)

    def _found(
        self, sentences: Sequence[AnswerSentence], sources: Sequence[CitationSource], weight: float
    ) -> Iterator[_Cited]:
        """Yield the sentences to which a source is similar."""
        held = [held_keys(self._tokens(source.content)) for source in sources]
        vectors: list[tuple[list[float], float] | None] | None = None
        for first in range(0, len(sentences), AT_ONCE):
            read = [(one, self._tokens(one.text)) for one in sentences[first : first + AT_ONCE]]
            batch = [(one, tokens) for one, tokens in read if tokens]
            encoded = self._encoded([one.text for one, _ in batch])
            if encoded and vectors is None and self._embedding is not None:
                readable = [bool(keys) for keys in held]
                made = source_vectors(sources, readable, self._embedding, len(encoded[0]))
                vectors = [None if vector is None else (vector, numeric.norm(vector)) for vector in made]
            for place, (sentence, tokens) in enumerate(batch):
                keys = self._query_builder.query_keys(tokens)
                similarities = [keys.similarity_of(one) for one in held]
                if vectors is not None:
                    similarities = _hybrid(similarities, encoded[place], vectors, weight)
                cited = _cited(sentence, sources, similarities)
                if cited.lowest > LAST_THRESHOLD:
                    yield cited

    def _tokens(self, text: str) -> list[str]:
        return self._query_builder.tokenizer.tokenize(question_words.remove_question_words(text))

    def _encoded(self, texts: list[str]) -> list[list[float]]:
        return [] if self._embedding is None else self._embedding.encode(texts)


def _hybrid(
    terms: Sequence[float], vector: Sequence[float], others: Sequence[tuple[list[float], float] | None], weight: float
) -> list[float]:
    """Return the weighted similarities of terms and vectors; only those of the terms if the cosines have the sum 0.

    Args:
        terms: the similarity of the terms of each source.
        vector: the vector of the sentence.
        others: the vector of each source and its norm.
        weight: the share of the vectors.
    """
    length = numeric.norm(vector)
    cosines = [0.0 if other is None else numeric.cosine_of(other[0], other[1], vector, length) for other in others]
    if numeric.sum_left(cosines) == 0.0:
        return list(terms)
    share = 1.0 - weight
    return [weight * cosine + share * term for term, cosine in zip(terms, cosines, strict=True)]


def _cited(sentence: AnswerSentence, sources: Sequence[CitationSource], similarities: Sequence[float]) -> _Cited:
    lowest = max(similarities) * NEAR_THE_BEST
    near = sorted(
        (place for place, similarity in enumerate(similarities) if similarity > lowest),
        key=lambda place: (-similarities[place], place),
    )
    cited = [
        CitedSource(sources[place].number, sources[place].id, similarities[place])
        for place in near[:MOST_OF_A_SENTENCE]
    ]
    return _Cited(sentence, lowest, tuple(cited))


def _answer(text: str, cited: Sequence[_Cited], template: str, threshold: float) -> CitedAnswer:
    """Return the answer with a mark after the first sentence of each source."""
    marked: set[int] = set()
    parts: list[str] = []
    place = 0
    spans = []
    for one in cited:
        sentence = one.sentence
        spans.append(CitedSpan(sentence.start, sentence.end, sentence.text, one.sources))
        for source in one.sources:
            if source.number not in marked:
                marked.add(source.number)
                parts += [text[place : sentence.end], _mark(template, source)]
                place = sentence.end
    return CitedAnswer("".join([*parts, text[place:]]), tuple(spans), threshold)


def _mark(template: str, source: CitedSource) -> str:
    values = {"{number}": str(source.number), "{index}": str(source.number - 1), "{id}": source.id}
    for placeholder in PLACEHOLDERS:
        template = template.replace(placeholder, values[placeholder])
    return template
