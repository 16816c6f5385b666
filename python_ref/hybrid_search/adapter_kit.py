"""For those who write stores: what a store is asked, what it gives, and the contract it keeps.

A store is a subclass of `hybrid_search.DocStoreAdapter`. It is asked with a `MatchTextExpr`, whose `tree` says what is
looked for, or a `MatchBm25fExpr`, which holds tokens; a `MatchDenseExpr`, and a `FusionExpr`. `Filters` says which
documents count, where no engine does; a `SearchResult` is its answer. `render` writes a tree for engines with a query
language of their own, the classes of `tree` are for those who walk it. `DocStoreContract` tells whether a store keeps
what is promised.

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
