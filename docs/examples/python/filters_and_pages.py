"""Filters, marked matches, counts by document, and a walk over all pages that gives every hit exactly once."""

from hybrid_search import HashingEmbedder, Index

index = Index(embedding=HashingEmbedder(dimension=128), similarity_threshold=0.0)
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

page = index.search(question, page_size=5, filters={"doc_id": ["welding"]}, highlight=True)
print(f"{page.total} hits{', more to come' if page.has_more else ''}: {page.chunks[0].highlight}")
for entry in page.doc_aggs:
    print(entry["doc_name"], entry["count"])

seen = []
for page in index.each_page(question, page_size=5, filters={"kb_id": "handbooks"}):
    print(page.page, " ".join(chunk.chunk_id for chunk in page.chunks))
    seen += [chunk.chunk_id for chunk in page.chunks]
print(f"{len(seen)} hits, {len(set(seen))} different, {seen.count('welding-17')} of them not available")

# A page asked for by its number is the page of the walk.
third = index.search(question, page=3, page_size=5, filters={"kb_id": "handbooks"})
print("page 3:", " ".join(chunk.chunk_id for chunk in third.chunks))
print(third.chunks[0].document_name, third.chunks[0].metadata["chapter"], third.chunks[0].content)
