"""A client that the usual Python generator makes of the OpenAPI document can do everything (CUR-6)."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

from conformance.http import servers
from conformance.http.servers import LANGUAGES, serving
from conformance.paths import ROOT

pytestmark = pytest.mark.programs

DOCUMENT = ROOT / "python_ref/hybrid_search/data/openapi.json"
SECRET = "a-token"
MODELS = ("Search", "Page", "Hit", "Scores", "Documents", "Record", "Stored", "Deleted", "Health", "Error")


@pytest.fixture(scope="module")
def client(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of the generated package `client`; the generator printed no warnings."""
    program = Path(sys.executable).with_name("openapi-python-client")
    if not program.exists():
        pytest.skip("openapi-python-client is not installed: bin/setup installs the extra 'test'")
    folder = tmp_path_factory.mktemp("generated")
    config = folder / "config.yml"
    config.write_text("post_hooks: []\n", encoding="utf-8")
    command = [str(program), "generate", "--path", str(DOCUMENT), "--meta", "none", "--config", str(config)]
    done = subprocess.run(
        [*command, "--output-path", str(folder / "client"), "--fail-on-warning"],
        capture_output=True,
        text=True,
        check=False,
        timeout=60,
    )
    assert (done.returncode, done.stderr) == (0, ""), done.stdout
    assert "Warning" not in done.stdout
    return folder


def test_the_generator_creates_every_model(client: Path) -> None:
    exported = (client / "client/models/__init__.py").read_text(encoding="utf-8")
    assert [name for name in MODELS if f'"{name}"' not in exported] == []


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_generated_client_calls_a_server(language: str, client: Path) -> None:
    if servers.missing(language):
        pytest.skip(servers.missing(language))
    told = {"service": {"token": SECRET}, "dimension": 16, "index": {"min_score": 0.0}}
    with serving(language, told) as server:
        program = [sys.executable, str(ROOT / "conformance/http/generated.py"), str(client), server.address, SECRET]
        done = subprocess.run(program, capture_output=True, text=True, check=False, timeout=60)
    assert done.returncode == 0, done.stderr
    stored, page, following, addressed, facets, got, record, deleted, missing, wrong, health = json.loads(done.stdout)
    assert stored == {"received": 2, "changed": 2}
    assert [hit["id"] for hit in (*page["hits"], *following["hits"])] == ["a/b", "7"]
    assert following["page"] == 2
    assert addressed == following
    assert page["hits"][0]["scores"]["bm25"] > 0.0
    assert facets["metadata.lang"] == [{"value": "en", "count": 1}, {"value": "zh", "count": 1}]
    assert [(hit["id"], hit["positions"], hit["metadata"]) for hit in got["hits"]] == [
        ("a/b", [[1, 2], 3], {"lang": "en"})
    ]
    assert record["content"] == "red wine"
    assert record["tokens"] == ["red", "wine"]
    assert deleted == {"deleted": 1}
    assert missing["error"]["code"] == "document_not_found"
    assert wrong["error"]["message"].startswith("limit must be ")
    assert health == {"status": "ok"}
