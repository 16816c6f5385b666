"""The entry point of convergent retrieval, which runs three stages in a fixed order (CNV-1)."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Unpack

from hybrid_search.base import kernels as kernel_table
from hybrid_search.base import numeric, object_checks, validation
from hybrid_search.convergence.block_index import BlockIndex
from hybrid_search.convergence.candidates import Candidates, Round
from hybrid_search.convergence.located import Located, LocatedBlock, RankedBlocks
from hybrid_search.convergence.locations import Locations
from hybrid_search.convergence.rounds import Rounds
from hybrid_search.convergence.settings import OFF, ConvergenceOptions, Settings
from hybrid_search.errors import InvalidInputError
from hybrid_search.protocols import RerankSource, Vector

if TYPE_CHECKING:
    from hybrid_search.convergence.block_reranker import BlockReranker


class ConvergentRetriever:
    """Locates the answer to a text in a repository.

    The first stage ranks blocks, in several rounds if convergence is on. In the second stage, if enabled, a model
    scores the best of them. The third stage returns files, modules and entities. The code of stages that are off is not
    even loaded. Safe to share between threads, as far as the model is.
    """

    def __init__(
        self,
        index: BlockIndex,
        rerank_model: RerankSource | str | None = None,
        repos_root: str | None = None,
        kernels: str | None = None,
        **options: Unpack[ConvergenceOptions],
    ) -> None:
        """Make a retriever for an index.

        Args:
            index: the blocks.
            rerank_model: the rerank model, or its name (RNK-3, RNK-9); required and used only with `enable_rerank`.
            repos_root: the folder that contains the repository `index.repo_name`; also only for `enable_rerank`.
            kernels: "plain" or "fast"; `None` means the choice of the environment.
            options: the parameters of CNV-2; those not given have their defaults.

        Raises:
            InvalidInputError: an argument is not acceptable.
        """
        self._index = object_checks.instance("index", index, BlockIndex, "a BlockIndex")
        self._settings = Settings(options)
        self._scores: Any = kernel_table.kernel("block_scores", kernels)(index.rows)
        self._locations = Locations(index, self._settings)
        self._reranker = self._made_reranker(rerank_model, repos_root) if self._settings["enable_rerank"] else None

    def locate(self, query: str, query_vector: Vector) -> Located:
        """Run all three stages.

        Args:
            query: the query as typed; only the rerank model reads it.
            query_vector: a vector of the length of the blocks' vectors, not all zero.

        Raises:
            InvalidInputError: an argument is not acceptable.
            DimensionMismatchError: the vector has another length.
            RerankError: the model failed, and `rerank_fail_open` is false.
        """
        candidates = self.retrieve_candidates(query_vector)
        return self.map_and_format_output(candidates, self.maybe_rerank(query, candidates))

    def retrieve_candidates(self, query_vector: Vector) -> Candidates:
        """Run the first stage.

        Args:
            query_vector: as for `locate`.
        """
        vector = self._checked(query_vector)
        if self._settings["convergence_mode"] != OFF:
            return Rounds(self._index, self._scores, self._settings, numeric.normalize(vector)).run()
        ranking = self._scores.best(vector, self._settings.wanted)
        if not ranking:
            return Candidates((), ())
        mean = numeric.mean([score for _, score in ranking[: self._settings["converge_jaccard_k"]]])
        return Candidates(tuple(ranking), (Round(tuple(vector), tuple(ranking), mean),))

    def maybe_rerank(self, query: str, candidates: Candidates) -> RankedBlocks:
        """Run the second stage; without `enable_rerank` the blocks are unchanged.

        Args:
            query: as for `locate`.
            candidates: the result of the first stage.
        """
        query = validation.text("query", query)
        self._candidates(candidates)
        if self._reranker is None:
            return RankedBlocks(tuple(LocatedBlock(row, 1, score, score) for row, score in candidates.blocks))
        return self._reranker.rerank(query, candidates.blocks)

    def map_and_format_output(self, candidates: Candidates, ranked: RankedBlocks) -> Located:
        """Run the third stage.

        Args:
            candidates: the result of the first stage.
            ranked: the result of the second stage.
        """
        self._candidates(candidates)
        object_checks.instance("ranked", ranked, RankedBlocks, "RankedBlocks, as maybe_rerank gives them")
        blocks = ranked.blocks[: self._settings["top_k_blocks"]]
        return Located(
            tuple(self._locations.files(blocks)),
            tuple(self._locations.modules(blocks)),
            tuple(self._locations.entities(blocks)),
            tuple(blocks),
            candidates.rounds,
            candidates.stop_reason,
            ranked.rerank_status,
            ranked.warnings,
        )

    def _made_reranker(self, model: RerankSource | str | None, repos_root: str | None) -> "BlockReranker":
        from hybrid_search.convergence.block_reranker import BlockReranker

        return BlockReranker(self._index, self._settings, model, repos_root)

    @staticmethod
    def _candidates(given: Candidates) -> None:
        object_checks.instance("candidates", given, Candidates, "Candidates, as retrieve_candidates gives them")

    def _checked(self, query_vector: Vector) -> Sequence[float]:
        dimension = self._index.dimension if self._index.size else None
        vector = validation.vector("query_vector", query_vector, dimension)
        if numeric.norm(vector) == 0.0:
            raise InvalidInputError("query_vector must not be of norm 0")
        return vector
