"""Chooses between the plain and the fast form of an operation; the only file that knows both (KRN-1).

Some operations have two forms with one interface. The plain form is in the room of its clause, can be compared with the
specification line by line, and makes the golden fixtures. The fast form is in `accelerated/`. It may use the plain
form, never the other way round, and only this table names it. A caller chooses with `kernels="plain"` or
`kernels="fast"`. Without that, the environment variable `HYBRID_SEARCH_KERNELS` decides, and without both, the fast
forms are used. The choice applies to the objects that a constructor makes itself; objects passed to it keep their own.

A further form, for example a C extension, is one more column of the table. It must guarantee what every entry
guarantees:

- the same bits, the same order and the same errors with the same texts as the plain form, for every input;
- the public methods of the plain form, and arguments used only through their documented methods;
- no state between two calls, unless everything it depends on is in its key;
- a cost of at most n·log n for any input, and safety in the threads in which the plain form is safe.
"""

import os
from functools import cache
from importlib import import_module
from typing import Any

from hybrid_search.base import validation
from hybrid_search.errors import ConfigurationError, InvalidInputError

PLAIN, FAST = "plain", "fast"
NAMES = (PLAIN, FAST)
VARIABLE = "HYBRID_SEARCH_KERNELS"

OPERATIONS = {
    "analyzer": {PLAIN: "text.analyzer.Analyzer", FAST: "accelerated.fast_analyzer.FastAnalyzer"},
    "block_scores": {
        PLAIN: "convergence.block_scores.BlockScores",
        FAST: "accelerated.fast_block_scores.FastBlockScores",
    },
    "cutter": {PLAIN: "text.cutter.Cutter", FAST: "accelerated.fast_cutter.FastCutter"},
    "dictionary_table": {
        PLAIN: "text.dictionary_table.DictionaryTable",
        FAST: "accelerated.fast_dictionary_table.FastDictionaryTable",
    },
    "document_index": {
        PLAIN: "doc_store_adapter.snapshot.document_index.DocumentIndex",
        FAST: "accelerated.fast_document_index.FastDocumentIndex",
    },
    "postgres_documents": {
        PLAIN: "doc_store_adapter.tables.document_states.DocumentStates",
        FAST: "accelerated.postgres_documents.PostgresDocuments",
    },
    "sqlite_documents": {
        PLAIN: "doc_store_adapter.tables.document_states.DocumentStates",
        FAST: "accelerated.sqlite_documents.SqliteDocuments",
    },
    "term_similarity": {
        PLAIN: "reranker.term_similarity.TermSimilarity",
        FAST: "accelerated.fast_term_similarity.FastTermSimilarity",
    },
    "term_weight": {PLAIN: "query_builder.term_weight.TermWeight", FAST: "accelerated.fast_term_weight.FastTermWeight"},
    "vector_similarity": {
        PLAIN: "reranker.vector_similarity.VectorSimilarity",
        FAST: "accelerated.fast_vector_similarity.FastVectorSimilarity",
    },
}
"""Operation → kernels → the class, as `module.Class` within the package; loaded on first use."""


def choice(kernels: str | None = None) -> str:
    """Return the name of the kernels in use: "plain" or "fast".

    Args:
        kernels: the name; `None` takes the environment variable, or "fast" if that is not set.

    Raises:
        InvalidInputError: no kernels have this name.
        ConfigurationError: the environment variable holds an unknown name.
    """
    if kernels is not None:
        validation.known("kernels", [kernels], NAMES)
        return kernels
    try:
        return choice(os.environ.get(VARIABLE) or FAST)
    except InvalidInputError as problem:
        raise ConfigurationError(f"{VARIABLE}: {problem}") from None


def kernel(operation: str, kernels: str | None = None) -> Any:
    """Return the class that performs an operation.

    Args:
        operation: one of `OPERATIONS`.
        kernels: as for `choice`.
    """
    return _load(OPERATIONS[operation][choice(kernels)])


@cache
def _load(path: str) -> Any:
    module, _, name = path.rpartition(".")
    return getattr(import_module(f"hybrid_search.{module}"), name)
