"""One question under several of Dify's retrieval settings, as a knowledge base stores them."""

import json

from hybrid_search import HashingEmbedder, Index, MemoryDocStore, RetrievalService

store = MemoryDocStore()
embedder = HashingEmbedder(dimension=256)
Index(store=store, embedding=embedder).add(
    [
        {"id": "1", "doc_id": "rules", "content": "Rule 6-2-1 不应在子表达式中使用赋值运算符"},
        {"id": "2", "doc_id": "rules", "content": "Rule 6-2-11 每行只写一条语句"},
        {"id": "3", "doc_id": "notes", "content": "How to change an assignment, 怎么修改"},
    ]
)
weights = {"vector_setting": {"vector_weight": 0.3}, "keyword_setting": {"keyword_weight": 0.7}}
stored = [
    {"search_method": "semantic_search", "top_k": 2},
    {"search_method": "full_text_search", "top_k": 2},
    {"search_method": "keyword_search", "top_k": 2},
    {"search_method": "hybrid_search", "top_k": 2, "reranking_mode": "weighted_score", "weights": weights},
    {
        "search_method": "hybrid_search",
        "top_k": 2,
        "reranking_enable": True,
        "reranking_mode": "reranking_model",
        "reranking_model": {"reranking_provider_name": "own", "reranking_model_name": "shortest"},
    },
]
service = RetrievalService(
    store, embedding=embedder, models={"shortest": lambda query, texts: [1.0 / len(text) for text in texts]}
)
for settings in stored:
    result = service.retrieve("Rule 6-2-1 怎么修改", configuration=json.dumps(settings))
    found = [f"{document.doc_id}: {document.metadata['score']}" for document in result.documents]
    print(settings["search_method"], settings.get("reranking_mode", "-"), *found)
