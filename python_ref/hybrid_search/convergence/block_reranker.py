"""Reranks the first blocks of a list with a model that reads their source (CNV-5)."""

from collections.abc import Sequence
from typing import Any

from hybrid_search.base import validation
from hybrid_search.convergence.block_index import BlockIndex
from hybrid_search.convergence.located import LocatedBlock, RankedBlocks
from hybrid_search.convergence.row_names import RowNames
from hybrid_search.convergence.settings import Settings
from hybrid_search.convergence.snippets import Snippets
from hybrid_search.convergence.source_files import SourceFiles
from hybrid_search.convergence.truncating_model import TruncatingModel
from hybrid_search.reranker.partial_rerank import PartialRerank
from hybrid_search.reranker.rerank_choice import accept


class BlockReranker:
    """Reranks blocks of one index.

    Args:
        index: the blocks.
        settings: the parameters (CNV-2).
        model: the rerank model (RNK-3).
        repos_root: the folder that contains the repository.

    Raises:
        InvalidInputError: an argument is not acceptable.
    """

    def __init__(self, index: BlockIndex, settings: Settings, model: Any, repos_root: Any) -> None:
        self._index = index
        self._settings = settings
        self._root = validation.text("repos_root", repos_root)
        self._model = TruncatingModel.of(accept("model", model), settings["rerank_max_length"])
        self._partial = PartialRerank(
            self._model,
            rerank_top_k=settings["rerank_top_k"],
            rerank_fusion=settings["rerank_fusion"],
            rerank_weight=settings["rerank_weight"],
            rerank_batch_size=settings["rerank_batch_size"],
            fail_open=settings["rerank_fail_open"],
            rerank_timeout=settings["rerank_timeout"],
        )

    def rerank(self, query: str, blocks: Sequence[tuple[int, float]]) -> RankedBlocks:
        """Return the blocks, the first of them reranked.

        Args:
            query: the query as typed.
            blocks: rows with their scores, best first.

        Raises:
            RerankError: the model failed, and `rerank_fail_open` is off.
        """
        cut = not isinstance(self._model, TruncatingModel)
        snippets = Snippets(self._index, SourceFiles(self._root, self._index.repo_name), self._settings, cut)
        outcome = self._partial.rerank(
            query,
            [RowNames.id_of(row) for row, _ in blocks],
            [score for _, score in blocks],
            lambda name: snippets.text(RowNames.row_of(name)),
        )
        ranked = (
            LocatedBlock(RowNames.row_of(entry.id), entry.tier, entry.score, entry.stage1_score)
            for entry in outcome.entries
        )
        return RankedBlocks(tuple(ranked), outcome.status, tuple(outcome.warnings))
