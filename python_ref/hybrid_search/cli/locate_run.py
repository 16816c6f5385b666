"""Locates one instance after another (CNV-6)."""

from collections.abc import Callable, Mapping
from typing import Any

from hybrid_search.cli import block_indexes
from hybrid_search.cli.block_indexes import BlockIndexes
from hybrid_search.cli.instance import Instance
from hybrid_search.cli.locate_times import LocateTimes
from hybrid_search.convergence.block_index import BlockIndex
from hybrid_search.convergence.convergent_retriever import ConvergentRetriever
from hybrid_search.convergence.located import Located
from hybrid_search.embedding.embedding import Embedding
from hybrid_search.errors import HybridSearchError, InvalidInputError, RerankError

ATTEMPTED = ("applied", "failed")


class LocateRun:
    """One run of `locate`.

    Args:
        indexes: the indexes to search.
        options: the parameters (CNV-2).
        model: the rerank model, if requested.
        repos_root: the folder of the repositories.
        warn: receives one warning for each repository without an index.
    """

    def __init__(
        self,
        indexes: BlockIndexes,
        options: Mapping[str, Any],
        model: Any,
        repos_root: str | None,
        warn: Callable[[str], None],
    ) -> None:
        self._indexes = indexes
        self._options = options
        self._model = model
        self._root = repos_root
        self._warn = warn
        self._missing: set[str | None] = set()
        self._retriever: tuple[BlockIndex, ConvergentRetriever] | None = None
        self._embedding: tuple[Any, Embedding | None] | None = None
        self._counts = dict.fromkeys(("instances", "located", "failed", "without_index", "without_text"), 0)
        self._rounds = 0
        self._statuses: dict[str, int] = {}
        self.times = LocateTimes()

    def locate(self, instance: Instance) -> tuple[Located | None, str | None]:
        """Return the result, or `None` if the instance has no text or no index; and the problem, if any.

        Raises:
            RerankError: the model failed, and `rerank_fail_open` is off.
        """
        self._counts["instances"] += 1
        try:
            located = self._located(instance)
        except RerankError:
            raise
        except HybridSearchError as problem:
            self._counts["failed"] += 1
            return None, str(problem)
        if located is not None:
            self._counts["located"] += 1
            self._rounds += len(located.rounds)
            self._statuses[located.rerank_status] = self._statuses.get(located.rerank_status, 0) + 1
        return located, None

    def counts(self) -> Mapping[str, Any]:
        """Return the counts of the run."""
        located = self._counts["located"]
        statuses = {status: self._statuses.get(status, 0) for status in ATTEMPTED}
        return {
            **self._counts,
            "average_rounds": self._rounds / located if located else None,
            "rerank": {"attempted": statuses["applied"] + statuses["failed"], **statuses},
        }

    def _located(self, instance: Instance) -> Located | None:
        if instance.problem is not None:
            raise InvalidInputError(instance.problem)
        with self.times.stage("open"):
            index = self._indexes.of(instance)
        if index is None:
            self._counts["without_index"] += 1
            self._warn_of(instance)
            return None
        if instance.text is None:
            self._counts["without_text"] += 1
            return None
        with self.times.stage("open"):
            retriever = self._of(index)
        with self.times.stage("embed"):
            vector = self._vector(instance, index)
        with self.times.stage("retrieve"):
            candidates = retriever.retrieve_candidates(vector)
        with self.times.stage("rerank"):
            ranked = retriever.maybe_rerank(instance.text, candidates)
        with self.times.stage("map"):
            return retriever.map_and_format_output(candidates, ranked)

    def _warn_of(self, instance: Instance) -> None:
        repository = instance.repo_name or instance.repository
        if repository not in self._missing:
            self._missing.add(repository)
            self._warn(f"{instance.identifier}: {self._indexes.missing(instance)}")

    def _of(self, index: BlockIndex) -> ConvergentRetriever:
        if self._retriever is None or self._retriever[0] is not index:
            made = ConvergentRetriever(index, self._model, self._root, **self._options)
            self._retriever = (index, made)
        return self._retriever[1]

    def _vector(self, instance: Instance, index: BlockIndex) -> Any:
        if instance.query_vector is not None:
            return instance.query_vector
        told = index.notes.get(block_indexes.EMBEDDING)
        if self._embedding is None or self._embedding[0] != told:
            choice = block_indexes.choice_of(index)
            self._embedding = (told, Embedding.chosen(choice))
        embedding = self._embedding[1]
        if embedding is None:
            raise InvalidInputError("the index does not say how it was embedded, and there is no query_vector")
        return embedding.encode_queries(str(instance.text))
