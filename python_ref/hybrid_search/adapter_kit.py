"""The interface for authors of stores: queries, results, and the contract that a store must fulfil.

A store is a subclass of `hybrid_search.DocStoreAdapter`. It receives a `MatchTextExpr`, whose `tree` is the text query,
or a `MatchBm25fExpr`, which contains tokens; a `MatchDenseExpr`, and a `FusionExpr`. `Filters` evaluates the conditions
on documents for stores without an engine that does, and a `SearchResult` is the result. `render` writes a tree for
engines with a query language of their own, and the classes of `tree` are for code that walks it. `DocStoreContract`
checks whether a store fulfils the contract.

```python
from hybrid_search import MemoryDocStore
from hybrid_search.adapter_kit import DocStoreContract, render, tree

print(render.tsquery(tree.AnyOf((tree.Term("solar"), tree.Phrase(("wind", "power"))))))
print(len(DocStoreContract.run(MemoryDocStore)))
```
"""

from hybrid_search.doc_store_adapter.contract.doc_store_contract import DocStoreContract
from hybrid_search.doc_store_adapter.filters.filters import Filters
from hybrid_search.doc_store_adapter.search_result import SearchResult
from hybrid_search.fusion.fusion_expr import FusionExpr
from hybrid_search.query_builder import render, tree
from hybrid_search.query_builder.expressions import MatchBm25fExpr, MatchDenseExpr, MatchTextExpr

__all__ = [
    "DocStoreContract",
    "Filters",
    "FusionExpr",
    "MatchBm25fExpr",
    "MatchDenseExpr",
    "MatchTextExpr",
    "SearchResult",
    "render",
    "tree",
]
