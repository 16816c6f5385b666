"""The seam between plain forms and fast ways: the one place that knows both (KRN-1).

Some operations have two forms with one interface. The plain form stands in the room of its clause, can be held against
the specification line by line, and makes the golden fixtures. The fast way is in `accelerated/`; it may lean on the
plain form, never the other way round, and nothing but this table names it. Who builds things chooses with
`kernels="plain"` or `"fast"`, else the environment variable `HYBRID_SEARCH_KERNELS` does, else the fast ways are taken.
What is given to a constructor keeps its own; what a constructor makes itself gets the choice.

A further way, an extension in C say, is one more column of the table. It must promise what every entry here does:

- the same bits, the same order and the same errors with the same texts as the plain form, for every input;
- the plain form's public methods, and nothing asked of an argument but the methods it is documented to have;
- nothing kept between two calls, unless all it depends on is in its key;
- no more than n·log n for any input, and safety in the threads in which the plain form is safe.
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
    """Which kernels are meant: "plain" or "fast".

    Args:
        kernels: the name; none: what the environment variable says, or the fast ones without it.

    Raises:
        InvalidInputError: there are no such kernels.
        ConfigurationError: the environment variable names none.
    """
    if kernels is not None:
        validation.known("kernels", [kernels], NAMES)
        return kernels
    try:
        return choice(os.environ.get(VARIABLE) or FAST)
    except InvalidInputError as problem:
        raise ConfigurationError(f"{VARIABLE}: {problem}") from None


def kernel(operation: str, kernels: str | None = None) -> Any:
    """The class that does an operation.

    Args:
        operation: one of `OPERATIONS`.
        kernels: as for `choice`.
    """
    return _load(OPERATIONS[operation][choice(kernels)])


@cache
def _load(path: str) -> Any:
    module, _, name = path.rpartition(".")
    return getattr(import_module(f"hybrid_search.{module}"), name)
