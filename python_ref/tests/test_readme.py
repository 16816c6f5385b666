"""What the README says is true: its programs run, and its table names the options there are."""

import json
import re
import subprocess
import sys

import pytest

from hybrid_search import HttpReranker, InvalidInputError, KeywordExtractor, OpenAiEmbedder
from hybrid_search.retriever.request import DEFAULTS

SELDOM = {
    HttpReranker: ["url", "extra", "timing"],
    OpenAiEmbedder: ["base_url", "query_prefix", "passage_prefix", "extra", "timing"],
}
"""Options that the README leaves to the docstrings."""


def block(text: str, language: str) -> str:
    found = re.findall(rf"^```{language}\n(.*?)^```$", text, re.DOTALL | re.MULTILINE)
    assert found
    return str(found[0])


def run(command: list[str], program: str) -> str:
    done = subprocess.run([*command, program], capture_output=True, text=True, stdin=subprocess.DEVNULL, check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_the_ten_lines_give_the_same_in_both_languages(repository):
    text = (repository / "README.md").read_text(encoding="utf-8")
    python = run([sys.executable, "-W", "error::DeprecationWarning:__main__", "-c"], block(text, "python"))
    ruby = run(["ruby", "-w", "-I", str(repository / "ruby/lib"), "-e"], block(text, "ruby"))
    assert python == ruby
    assert python.startswith("1 0.")


def test_the_keywords_are_those_it_shows(repository):
    question, words, parts = block((repository / "README.md").read_text(encoding="utf-8"), "text").splitlines()
    found = KeywordExtractor().extract(question)
    assert words == f"words: {' '.join(found.words)}"
    assert parts == f"parts: {' '.join(found.parts)}"


def test_the_options_of_the_clients_are_those_there_are(repository):
    text = (repository / "README.md").read_text(encoding="utf-8")
    for kind in (HttpReranker, OpenAiEmbedder):
        with pytest.raises(InvalidInputError, match="Known: ") as refused:
            kind("http://127.0.0.1:1", "m", nonsense=1)
        known = re.findall(r"[a-z_]+", str(refused.value).split("Known: ")[1])
        table = text.split("## Models over HTTP")[1].split("\n## ")[0]
        assert [name for name in known if f"`{name}`" not in table and f"{name}=" not in table] == SELDOM[kind]


def test_the_table_names_every_option_with_its_default(repository):
    text = (repository / "README.md").read_text(encoding="utf-8")
    table = text.split("<!-- options:begin -->")[1].split("<!-- options:end -->")[0]
    rows = re.findall(r"^\| `(\w+)` \| `([^`]+)` \| .+ \|$", table, re.MULTILINE)
    assert {name: json.loads(default) for name, default in rows} == DEFAULTS
    assert [name for name, _ in rows] == list(DEFAULTS)
