"""Chooses between the plain and the fast form of an operation; the only file that knows both (KRN-1).

Some operations have two forms with one interface. The plain form is in the folder of its clause, can be compared with
the specification line by line, and makes the golden fixtures. The fast form is in `accelerated/`. It may use the plain
form, never the other way round, and only this table names it. A third form, "native", calls a package in C that is
found at run time (docs/native.md). A caller chooses with `kernels="plain"`, `"fast"` or `"native"`. Without that, the
environment variable `HYBRID_SEARCH_KERNELS` decides. Without both, the native forms are used if their package is
installed, otherwise the fast ones. The choice applies to the objects that a constructor makes itself; objects passed to
it keep their own.

Every entry guarantees:

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

PLAIN, FAST, NATIVE = "plain", "fast", "native"
INCLUDED = (PLAIN, FAST)
"""The kernels that need no other package."""
NAMES = (*INCLUDED, NATIVE)
VARIABLE = "HYBRID_SEARCH_KERNELS"
PACKAGE, INTERFACE = "hybrid_search_native", 1
"""The module of the native package, and the version of its functions that this library calls."""

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
        NATIVE: "accelerated.native_documents.NativeDocumentIndex",
    },
    "postgres_documents": {
        PLAIN: "doc_store_adapter.tables.document_states.DocumentStates",
        FAST: "accelerated.postgres_documents.PostgresDocuments",
        NATIVE: "accelerated.native_documents.NativePostgresDocuments",
    },
    "sqlite_blocks": {
        PLAIN: "doc_store_adapter.sqlite.sqlite_blocks.SqliteBlocks",
        FAST: "accelerated.fast_sqlite_blocks.FastSqliteBlocks",
    },
    "sqlite_documents": {
        PLAIN: "doc_store_adapter.tables.document_states.DocumentStates",
        FAST: "accelerated.sqlite_documents.SqliteDocuments",
        NATIVE: "accelerated.native_documents.NativeSqliteDocuments",
    },
    "sqlite_postings": {
        PLAIN: "doc_store_adapter.sqlite.sqlite_postings.SqlitePostings",
        FAST: "accelerated.fast_sqlite_postings.FastSqlitePostings",
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
"""Operation → kernels → the class, as `module.Class` within the package; loaded on first use. If an operation has no
native form, "native" uses the fast one."""


def choice(kernels: str | None = None) -> str:
    """Return the name of the kernels in use: "plain", "fast" or "native".

    Args:
        kernels: the name; `None` means the environment variable, or if that is not set, "native" if its package is
            installed, otherwise "fast".

    Raises:
        InvalidInputError: no kernels have this name.
        ConfigurationError: the environment variable contains an unknown name, or the native package is missing.
    """
    if kernels is not None:
        validation.known("kernels", [kernels], NAMES)
        if kernels == NATIVE:
            native()
        return kernels
    named = os.environ.get(VARIABLE)
    if not named:
        return FAST if _native() is None else NATIVE
    try:
        return choice(named)
    except InvalidInputError as problem:
        raise ConfigurationError(f"{VARIABLE}: {problem}") from None


def kernel(operation: str, kernels: str | None = None) -> Any:
    """Return the class that performs an operation.

    Args:
        operation: one of `OPERATIONS`.
        kernels: as for `choice`.
    """
    forms = OPERATIONS[operation]
    return _load(forms.get(choice(kernels), forms[FAST]))


def native() -> Any:
    """Return the module of the native package.

    Raises:
        ConfigurationError: the module is missing, or has another interface.
    """
    found = _native()
    if found is None:
        raise ConfigurationError(
            'kernels "native" need the package hybrid-search-native with interface '
            f"{INTERFACE} (pip install 'hybrid-search[native]')"
        )
    return found


@cache
def _native() -> Any:
    try:
        module = import_module(PACKAGE)
    except ImportError:
        return None
    return module if module.INTERFACE == INTERFACE else None


@cache
def _load(path: str) -> Any:
    module, _, name = path.rpartition(".")
    return getattr(import_module(f"hybrid_search.{module}"), name)
