"""An index as a server of the Model Context Protocol: search, get, records, cite; Python only, the extra `mcp`.

```python
from hybrid_search import Index
from hybrid_search.integrations.mcp import server

server(Index.open("handbook.hsx")).run("stdio")
```
"""

import asyncio
from collections.abc import Callable
from importlib import import_module
from typing import Annotated, Any, TypeVar

from hybrid_search.base import validation
from hybrid_search.embedding.embedding_argument import NOT_GIVEN
from hybrid_search.errors import HybridSearchError
from hybrid_search.index import Index
from hybrid_search.integrations import packages
from hybrid_search.search.page import Page
from hybrid_search.server.operations import LONGEST_ANSWER

try:
    from mcp.types import ToolAnnotations
    from pydantic import BaseModel, Field

    try:
        sdk: Any = import_module("mcp.server.mcpserver")
        Server = sdk.MCPServer
    except ModuleNotFoundError:  # version 1 of the SDK
        sdk = import_module("mcp.server.fastmcp")
        Server = sdk.FastMCP
    ToolError = import_module(f"{sdk.__name__}.exceptions").ToolError
except ImportError as problem:
    raise packages.missing("an MCP server", "mcp", "mcp") from problem

__all__ = ["Citation", "CitedSentence", "CitedText", "FoundDocument", "FoundPage", "server"]

INSTRUCTIONS = (
    "Search the documents of this index before you answer questions about them. Cite the title and the id of each "
    "document that an answer uses. The tool get returns a whole document, records lists documents without a question, "
    "cite marks the sources of an answer."
)
FILTERS = (
    'conditions that documents must satisfy, as an object: {"metadata.lang": "zh", "metadata.year": {"gte": 2020}}; '
    "operators: eq, in, gt, gte, lt, lte, contains, starts_with, ends_with, exists, not; any, all and not combine "
    "conditions"
)
CURSOR = "the next_cursor of the previous page; the other arguments must be the same"
LIMIT = "the number of documents on a page"
COLLAPSE = (
    'a name whose values make groups, of which only the best is returned: "doc_id" returns one chunk of each document, '
    '"metadata.lang" one document of each language'
)
DIVERSITY = "0 to 1: how much the documents of a page shall differ from each other; 0 ranks by relevance alone"
CONTEXT = "the number of neighbours of each document that are returned with it, before and after it, 0 to 10"

Result = TypeVar("Result")


class FoundDocument(BaseModel):
    """A document that was found.

    Attributes:
        id: its id, for citations and for the tool get.
        title: its title, "" if it has none.
        document_name: the name of the document that it is part of.
        doc_id: the id of the document that it is part of.
        positions: its positions in that document.
        content: its text.
        metadata: its own attributes.
        score: its score, relative to the best document of the search; `None` in a list without a question.
        before: the texts of its neighbours before it in their document, if requested.
        after: the texts of its neighbours after it.
    """

    id: str
    title: str
    document_name: str
    doc_id: str
    positions: list[Any]
    content: str
    metadata: dict[str, Any]
    score: float | None
    before: list[str] = []
    after: list[str] = []


class FoundPage(BaseModel):
    """A page of documents.

    Attributes:
        documents: the documents, best first.
        total: the number of documents on all pages.
        total_is_lower_bound: whether more documents may match.
        next_cursor: the cursor of the next page; `None` on the last one.
        warnings: problems that did not stop the search.
    """

    documents: list[FoundDocument]
    total: int
    total_is_lower_bound: bool
    next_cursor: str | None
    warnings: list[str]


class Citation(BaseModel):
    """A source of a sentence.

    Attributes:
        number: its place among the ids, from 1.
        id: its id.
        similarity: its similarity with the sentence.
    """

    number: int
    id: str
    similarity: float


class CitedSentence(BaseModel):
    """A sentence of an answer that has sources.

    Attributes:
        start: the number of characters before it in the answer.
        end: the number of characters up to its end.
        text: the sentence.
        sources: its sources, the most similar first.
    """

    start: int
    end: int
    text: str
    sources: list[Citation]


class CitedText(BaseModel):
    """An answer with its sources.

    Attributes:
        text: the answer with a mark after the first sentence of each source.
        spans: the sentences that have sources.
        threshold: the lowest similarity of a source; `None` without sources.
    """

    text: str
    spans: list[CitedSentence]
    threshold: float | None


def server(index: Index) -> Any:
    """Return a server with the tools of an index, which only read it.

    Args:
        index: the index.

    Returns:
        An `MCPServer` of the SDK; with version 1 of the SDK a `FastMCP`.

    Raises:
        InvalidInputError: `index` is not an `Index`.
    """
    if not isinstance(index, Index):
        raise validation.fail("index", index, "an Index")
    made = Server("hybrid-search", instructions=INSTRUCTIONS, log_level="WARNING")
    reading = ToolAnnotations.model_validate({"readOnlyHint": True, "openWorldHint": False})

    @made.tool(
        description="Search the documents by words and meaning. Returns the best documents first.", annotations=reading
    )
    async def search(
        question: Annotated[str, Field(description="a question or key words")],
        limit: Annotated[int, Field(description=LIMIT)] = 10,
        filters: Annotated[dict[str, Any] | None, Field(description=FILTERS)] = None,
        collapse: Annotated[str | None, Field(description=COLLAPSE)] = None,
        diversity: Annotated[float | None, Field(description=DIVERSITY)] = None,
        context: Annotated[int | None, Field(description=CONTEXT, ge=0, le=10)] = None,
        cursor: Annotated[str | None, Field(description=CURSOR)] = None,
    ) -> FoundPage:
        return _page(
            await _asked(
                lambda: index.search(
                    question,
                    limit=limit,
                    filters=filters,
                    collapse=NOT_GIVEN if collapse is None else collapse,
                    diversity=NOT_GIVEN if diversity is None else diversity,
                    context=NOT_GIVEN if context is None else context,
                    cursor=cursor,
                )
            )
        )

    @made.tool(description="Return the whole record of a document by its id.", annotations=reading)
    async def get(id: Annotated[str, Field(description="the id of a document")]) -> dict[str, Any]:  # noqa: A002
        record = await _asked(lambda: index.get(id))
        if record is None:
            raise ToolError(f"there is no document with the id {validation.describe(id)}")
        return record

    @made.tool(description="List documents without a question, by id or in an order.", annotations=reading)
    async def records(
        filters: Annotated[dict[str, Any] | None, Field(description=FILTERS)] = None,
        order_by: Annotated[
            dict[str, str] | None, Field(description='an object of names and directions: {"metadata.year": "desc"}')
        ] = None,
        limit: Annotated[int, Field(description=LIMIT)] = 10,
        cursor: Annotated[str | None, Field(description=CURSOR)] = None,
    ) -> FoundPage:
        return _page(
            await _asked(
                lambda: index.search(match_all=True, filters=filters, order_by=order_by, limit=limit, cursor=cursor)
            )
        )

    @made.tool(
        description="Find the documents that each sentence of an answer is taken from, and mark them as [1], [2].",
        annotations=reading,
    )
    async def cite(
        answer: Annotated[str, Field(description="the answer", max_length=LONGEST_ANSWER)],
        ids: Annotated[list[str], Field(description="the ids of the documents that the answer was written from")],
    ) -> CitedText:
        return CitedText.model_validate((await _asked(lambda: index.cite(answer, ids))).to_dict())

    return made


async def _asked(ask: Callable[[], Result]) -> Result:
    """Return the response of the index, computed in a thread; its errors become errors of the tool."""
    try:
        return await asyncio.to_thread(ask)
    except HybridSearchError as problem:
        raise ToolError(str(problem)) from problem


def _neighbours(hit: dict[str, Any]) -> dict[str, list[str]]:
    """Return the texts of the neighbours of a hit on each side."""
    return {side: [record["content"] for record in records] for side, records in hit.get("context", {}).items()}


def _page(page: Page) -> FoundPage:
    plain = page.to_dict()
    documents = [FoundDocument.model_validate({**hit, **_neighbours(hit)}) for hit in plain["hits"]]
    return FoundPage(documents=documents, **{name: plain[name] for name in FoundPage.model_fields if name in plain})
