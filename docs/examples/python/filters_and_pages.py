"""Filters, marked matches, counts by document, and a walk over all pages that returns every hit exactly once."""

from hybrid_search import HashingEmbedder, Index

index = Index(embedding=HashingEmbedder(dimension=128))
index.add(
    {
        "id": f"{book}-{number}",
        "content": f"Rule {number} of the {book} handbook, 手册规则 {number}",
        "doc_id": book,
        "document_name": f"{book} handbook",
        "kb_id": "handbooks",
        "metadata": {"chapter": number % 3},
        "available": number != 17,
    }
    for book in ("welding", "painting")
    for number in range(11, 23)
)
question = "handbook rule 手册规则"

page = index.search(question, limit=5, filters={"doc_id": ["welding"]}, highlight=True, facets=["document_name"])
print(f"{page.total} hits on {page.pages} pages: {page[0].highlight}")
for entry in page.facets["document_name"]:
    print(entry["value"], entry["count"])

seen, cursor = [], None
while not seen or cursor is not None:
    page = index.search(question, limit=5, filters={"kb_id": "handbooks"}, cursor=cursor)
    print(page.page, " ".join(hit.id for hit in page))
    seen += [hit.id for hit in page]
    cursor = page.next_cursor
print(f"{len(seen)} hits, {len(set(seen))} different, {seen.count('welding-17')} of them not available")

# A page asked for by its number is the page of the walk.
third = index.search(question, page=3, limit=5, filters={"kb_id": "handbooks"})
print("page 3:", " ".join(hit.id for hit in third))
print(third[0].document_name, third[0].metadata["chapter"], third[0].content)
