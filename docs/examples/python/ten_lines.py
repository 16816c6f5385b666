"""Documents in, an answer out; 1.0 is what would be first by text and by meaning."""

from hybrid_search import HashingEmbedder, Index

index = Index(embedding=HashingEmbedder(dimension=256))
index.add(
    [
        {"id": "1", "title": "Assignment operators", "content": "Rule 6-2-1 不应在子表达式中使用赋值运算符"},
        {"id": "2", "title": "Pagination", "content": "Pages joined give every result once, 每条结果恰好出现一次"},
    ]
)
for hit in index.search("规则 6-2-1 赋值运算符 怎么修改", limit=10):
    print(hit.id, hit.title, hit.score, hit.scores.cosine)
