"""Own attributes: filters on them, an order, browsing without a question, counts of their values."""

import datetime

from hybrid_search import Index, InvalidInputError

index = Index()
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
    print(" ".join(sorted(hit.id for hit in page)))

page = index.search("invoice", order_by=[["metadata.sent", "desc"], ["metadata.total", "asc"]])
print(" ".join(hit.id for hit in page), page[0].metadata["sent"])

for number in (1, 2):
    page = index.search(match_all=True, limit=3, page=number, facets=["metadata.goods", "metadata.to.town"])
    print(page.page, " ".join(hit.id for hit in page))
for name, counts in page.facets.items():
    print(name, " ".join(f"{entry['value']}:{entry['count']}" for entry in counts))

try:
    index.search("invoice", filters={"goods": "tiles"})
except InvalidInputError as problem:
    print(str(problem).split(" Known")[0])
