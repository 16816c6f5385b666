"""Own attributes: filters on them, an order, browsing without a question, counts of their values."""

import datetime

from hybrid_search import Index, InvalidInputError

index = Index(similarity_threshold=0.0)
index.add(
    {
        "id": number,
        "content": f"Invoice {number} for {goods}",
        "document_name": f"{goods} invoices",
        "metadata": {
            "goods": goods,
            "total": 100 * number,
            "sent": datetime.date(2024, month, 15),
            "paid": number % 2 == 0,
            "to": {"town": town},
        },
    }
    for number, goods, month, town in (
        (1, "bricks", 1, "Ulm"), (2, "bricks", 3, "Bonn"), (3, "tiles", 3, "Ulm"), (4, "tiles", 4, "Kiel"),
    )
)  # fmt: skip

for filters in (
    {"metadata.goods": "tiles"},
    {"metadata.total": {"gte": 200, "lt": 400}},
    {"metadata.sent": {"gte": datetime.date(2024, 3, 1)}, "not": {"metadata.paid": True}},
    {"any": [{"metadata.to.town": ["Bonn", "Kiel"]}, {"document_name": "tiles invoices"}]},
):
    page = index.search("invoice", filters=filters)
    print(" ".join(sorted(chunk.chunk_id for chunk in page.chunks)))

page = index.search("invoice", order_by=[["metadata.sent", "desc"], ["metadata.total", "asc"]])
print(" ".join(chunk.chunk_id for chunk in page.chunks), page.chunks[0].metadata["sent"])

for page in index.each_page(match_all=True, page_size=3, facets=["metadata.goods", "metadata.to.town"]):
    print(page.page, " ".join(chunk.chunk_id for chunk in page.chunks))
for name, counts in page.facets.items():
    print(name, " ".join(f"{entry['value']}:{entry['count']}" for entry in counts))

try:
    index.search("invoice", filters={"goods": "tiles"})
except InvalidInputError as problem:
    print(str(problem).split(" Known")[0])
