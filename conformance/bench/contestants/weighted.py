"""Dify's weighted score as the reference is measured."""

from typing import Any

from conformance.bench.contestants.helpers import digest, lines
from conformance.bench.timing import timed
from hybrid_search.base import numeric
from hybrid_search.post_processor.document import Document
from hybrid_search.post_processor.post_processor import PostProcessor
from hybrid_search.text.keyword_cache import KeywordCache
from hybrid_search.text.keyword_extractor import KeywordExtractor


class WeightedRerank:
    """`PostProcessor.process` of documents whose vector scores are known."""

    def load(self, path: str) -> None:
        """Read the query and the texts; load the dictionary."""
        self._query, *texts = lines(path)
        self._documents = [
            Document(text, {"doc_id": f"{place:04}", "vector_score": 1.0 / (place + 1)})
            for place, text in enumerate(texts)
        ]
        extractor = KeywordExtractor()
        self._processors = {
            kept: PostProcessor("weighted_score", "0.3,0.7", keyword_extractor=source)
            for kept, source in ((False, extractor), (True, KeywordCache(extractor)))
        }
        for processor in self._processors.values():
            processor.process(self._query, self._documents)

    def run(self, kept: bool) -> dict[str, Any]:
        """Rerank once, with the keywords of the documents kept from before or found anew."""
        found, taken = timed(lambda: self._processors[kept].process(self._query, self._documents))
        shown = (f"{one.doc_id} {numeric.to_bits(one.metadata['score'])}" for one in found.documents)
        return {"cpu": taken.cpu, "wall": taken.wall, "digest": digest(shown)}
