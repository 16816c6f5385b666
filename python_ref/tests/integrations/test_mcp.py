"""The MCP server over standard input and output, called by the official client."""

import asyncio
import json
import subprocess
import sys

import pytest

pytest.importorskip("mcp", reason="the gates frameworks and frameworks-oldest run it with the package")

from mcp import ClientSession, StdioServerParameters
from mcp.client.stdio import stdio_client

from hybrid_search import HashingEmbedder, Index, InvalidInputError
from hybrid_search.integrations.mcp import server

RECORDS = [
    {"id": "rule", "doc_id": "misra", "title": "Expressions", "content": "Rule 6-2-1: no assignment in sub-expressions",
     "positions": [3], "metadata": {"lang": "en", "year": 2008}},
    {"id": "wind", "title": "Wind.pdf", "content": "Wind turbines off the coast", "metadata": {"lang": "en"}},
    {"id": "solar", "content": "太阳能发电与储能", "metadata": {"lang": "zh", "year": 2024}},
]  # fmt: skip


@pytest.fixture(scope="module")
def file(tmp_path_factory):
    path = tmp_path_factory.mktemp("mcp") / "handbook.hsx"
    with Index(path=path, embedding=HashingEmbedder()) as index:
        index.add(RECORDS)
    return path


def talk(file, conversation):
    """What a conversation with a started server returns."""

    async def work():
        parameters = StdioServerParameters(
            command=sys.executable, args=["-m", "hybrid_search.cli", "mcp", "--index", str(file)]
        )
        async with stdio_client(parameters) as streams, ClientSession(*streams) as session:
            await session.initialize()
            return await conversation(session)

    return asyncio.run(asyncio.wait_for(work(), 60))


def plain(answer):
    """A response with the names of the protocol, which both versions of the SDK write."""
    return answer.model_dump(mode="json", by_alias=True)


def call(file, *calls):
    """The results of tools, as plain data."""

    async def conversation(session):
        return [plain(await session.call_tool(name, arguments)) for name, arguments in calls]

    return talk(file, conversation)


def test_the_tools_describe_themselves(file):
    async def conversation(session):
        return plain(await session.list_tools())["tools"]

    tools = {tool["name"]: tool for tool in talk(file, conversation)}
    assert sorted(tools) == ["cite", "get", "records", "search"]
    assert tools["search"]["inputSchema"]["required"] == ["question"]
    named = {"question", "limit", "filters", "collapse", "diversity", "context", "cursor"}
    assert set(tools["search"]["inputSchema"]["properties"]) == named
    assert "documents" in tools["search"]["outputSchema"]["properties"]
    assert all(tool["annotations"]["readOnlyHint"] for tool in tools.values())


def test_a_search_returns_the_hits_of_the_index_with_the_data_for_citations(file):
    found, filtered = call(
        file,
        ("search", {"question": "rule 6-2-1"}),
        ("search", {"question": "发电", "filters": {"metadata.lang": "zh"}, "limit": 1}),
    )
    assert not found["isError"]
    first = found["structuredContent"]["documents"][0]
    assert first == {
        "id": "rule", "doc_id": "misra", "title": "Expressions", "document_name": "Expressions", "positions": [3],
        "content": RECORDS[0]["content"], "metadata": {"lang": "en", "year": 2008}, "score": 1.0,
        "before": [], "after": [],
    }  # fmt: skip
    assert json.loads(found["content"][0]["text"]) == found["structuredContent"]
    with Index.open(file) as index:
        page = index.search("rule 6-2-1")
        assert [one["id"] for one in found["structuredContent"]["documents"]] == [hit.id for hit in page]
        assert found["structuredContent"]["total"] == page.total
    assert [one["id"] for one in filtered["structuredContent"]["documents"]] == ["solar"]
    assert "太阳能" in filtered["content"][0]["text"]


def test_neighbours_are_returned_with_a_document(tmp_path):
    path = tmp_path / "book.hsx"
    texts = ("the preface", "the carrier pays the fee", "the annex")
    with Index.open(path) as index:
        index.add(
            [{"id": f"a{place}", "doc_id": "a", "content": text, "positions": [place]}
             for place, text in enumerate(texts)]
        )  # fmt: skip
    (found,) = call(path, ("search", {"question": "carrier fee", "context": 1}))
    first = found["structuredContent"]["documents"][0]
    assert (first["id"], first["before"], first["after"]) == ("a1", ["the preface"], ["the annex"])


def test_documents_are_returned_whole_and_listed_page_by_page(file):
    record, listed = call(
        file, ("get", {"id": "rule"}), ("records", {"limit": 2, "order_by": {"metadata.year": "desc"}})
    )
    assert record["structuredContent"] == RECORDS[0]
    page = listed["structuredContent"]
    assert [one["id"] for one in page["documents"]] == ["solar", "rule"]
    assert (page["total"], page["documents"][0]["score"]) == (3, None)
    following = {"limit": 2, "order_by": {"metadata.year": "desc"}, "cursor": page["next_cursor"]}
    (rest,) = call(file, ("records", following))
    assert [one["id"] for one in rest["structuredContent"]["documents"]] == ["wind"]
    assert rest["structuredContent"]["next_cursor"] is None


def test_the_sources_of_an_answer_are_marked(file):
    answer = "No assignment in sub-expressions. Something else."
    (cited,) = call(file, ("cite", {"answer": answer, "ids": ["wind", "rule"]}))
    with Index.open(file) as index:
        assert cited["structuredContent"] == index.cite(answer, ["wind", "rule"]).to_dict()
    assert cited["structuredContent"]["text"] == "No assignment in sub-expressions [2]. Something else."


@pytest.mark.parametrize(
    ("name", "arguments", "said"),
    [
        ("get", {"id": "missing"}, 'there is no document with the id "missing"'),
        ("search", {"question": "x", "filters": {"lang": "en"}}, "metadata.lang"),
        ("search", {"question": "x", "limit": 0}, "limit must be"),
        ("cite", {"answer": "Some answer.", "ids": ["missing"]}, "hits[0] must be"),
        ("search", {"question": "x", "cursor": "forged"}, "cursor"),
        ("search", {}, "question"),
        ("records", {"order_by": {"titel": "asc"}}, "titel"),
    ],
)
def test_mistakes_are_errors_of_the_tool(file, name, arguments, said):
    (answer,) = call(file, (name, arguments))
    assert answer["isError"]
    assert said in answer["content"][0]["text"]


def test_a_missing_file_ends_the_program(tmp_path):
    command = [sys.executable, "-m", "hybrid_search.cli", "mcp", "--index", str(tmp_path / "missing.hsx")]
    done = subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=60)
    assert (done.returncode, done.stdout) == (1, "")
    assert "missing.hsx" in done.stderr


def test_the_program_exits_when_its_input_ends(file):
    command = [sys.executable, "-W", "ignore", "-m", "hybrid_search.cli", "mcp", "--index", str(file)]
    done = subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=60)
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")


def test_a_server_needs_an_index(file):
    with pytest.raises(InvalidInputError, match="index must be an Index"):
        server(str(file))
