"""README and docs list exactly the existing options, keys, fields and errors."""

import json
import re

import pytest

from hybrid_search import Hit, HttpReranker, InvalidInputError, OpenAiEmbedder, Page, Scores, errors
from hybrid_search.client.http_client import DEFAULTS as CONNECTION
from hybrid_search.index import OPTIONS
from hybrid_search.records.document_builder import RECORD_KEYS
from hybrid_search.retriever.request import DEFAULTS
from hybrid_search.search.search_options import SEARCH_DEFAULTS

SELDOM = {HttpReranker: ["url", "timing"], OpenAiEmbedder: ["base_url", "timing"]}
"""Arguments that docs/http-models.md leaves to the docstrings."""
OF_INDEX = {**SEARCH_DEFAULTS, "include": []}
"""Return the relevant parts of an `Index`, as JSON has it."""


@pytest.fixture(scope="module")
def page(repository):
    return lambda name: (repository / name).read_text(encoding="utf-8")


def section(text: str, heading: str) -> str:
    return text.split(f"## {heading}\n")[1].split("\n## ")[0]


def rows(text: str) -> list[list[str]]:
    """Return the cells of the rows of tables, without their headers."""
    lines = [line.strip("| ").split(" | ") for line in text.splitlines() if line.startswith("| `")]
    assert lines
    return lines


def names(text: str) -> list[str]:
    return re.findall(r"`([^`]+)`", re.sub("```.*?```", "", text, flags=re.DOTALL))


def test_records_have_the_keys_listed_on_their_page(page):
    assert tuple(names(row[0])[0] for row in rows(section(page("docs/records.md"), "Keys"))) == RECORD_KEYS


def test_the_page_of_results_names_all_parts_of_pages_and_hits(page):
    named = set(names(page("docs/results.md")))
    parts = set(Page.__dataclass_fields__) | set(Hit.__dataclass_fields__) | set(Scores.__dataclass_fields__)
    assert parts - named == set()


@pytest.mark.parametrize(("mark", "defaults"), [("options", OF_INDEX), ("retrieval", DEFAULTS)])
def test_the_tables_name_every_option_with_its_default(page, mark, defaults):
    table = page("docs/options.md").split(f"<!-- {mark}:begin -->")[1].split(f"<!-- {mark}:end -->")[0]
    listed = re.findall(r"^\| \[`(\w+)`\]\(clauses\.md#[a-z]+-\d+\) \| `([^`]+)` \| .+ \|$", table, re.MULTILINE)
    assert {name: json.loads(default) for name, default in listed} == defaults
    assert [name for name, _ in listed] == list(defaults)


def test_the_readme_names_existing_options_with_their_defaults(page):
    for row in rows(section(page("README.md"), "Records, results, options")):
        defaults = [json.loads(value) for value in names(row[1])]
        told = dict(zip(names(row[0]), defaults, strict=True)) if defaults else dict.fromkeys(names(row[0]))
        assert {name: OF_INDEX[name] for name in told if told[name] is not None or OF_INDEX[name]} == {
            name: value for name, value in told.items() if value is not None
        }


def test_the_page_of_options_names_every_option_of_an_index(page):
    text = page("docs/options.md")
    assert set(OPTIONS) - set(names(text)) == set()


def test_the_front_page_is_short(page):
    assert len(page("README.md").encode()) <= 9_000


def test_the_page_of_clients_names_every_option(page):
    text = page("docs/http-models.md")
    for kind in (HttpReranker, OpenAiEmbedder):
        with pytest.raises(InvalidInputError, match="Known: ") as refused:
            kind("http://127.0.0.1:1", "m", nonsense=1)
        known = re.findall(r"[a-z_]+", str(refused.value).split("Known: ")[1])
        assert [name for name in known if f"`{name}`" not in text and f"{name}=" not in text] == SELDOM[kind]


def test_the_page_of_clients_states_the_actual_defaults(page):
    said = {}
    for row in rows(section(page("docs/http-models.md"), "Options of both")):
        numbers = re.findall(r"[\d.]+", row[1])
        factor = 2**20 if "MiB" in row[1] else 1
        said |= {name: float(number) * factor for name, number in zip(names(row[0]), numbers, strict=False)}
    numeric = {name: value for name, value in CONNECTION.items() if isinstance(value, (int, float))}
    assert {name: said.get(name) for name in numeric} == numeric


def test_the_page_of_errors_lists_the_tree(page):
    listed = [names(row[0])[0] for row in rows(page("docs/errors.md"))]
    tree = {name for name, kind in vars(errors).items() if isinstance(kind, type)} - {"HybridSearchError"}
    assert set(listed) == tree
    assert len(listed) == len(tree)


def test_the_page_of_stores_states_how_every_key_is_stored(page):
    made_of = {name for row in rows(section(page("docs/stores.md"), "Stored documents")) for name in names(row[1])}
    assert set(RECORD_KEYS) - made_of == {"id", "doc_id", "kb_id"}  # "the same keys"
