"""`hybrid-search serve` in both languages, on one index file (CUR-5, CUR-6)."""

import json
import os
import re
import signal
import subprocess
import sys
from contextlib import ExitStack
from pathlib import Path

import pytest

from conformance.http import servers
from conformance.http.servers import LANGUAGES, Server
from conformance.paths import ROOT
from conformance.tests.test_http import DOCUMENTS, GUARDED, LONGEST_WAIT, SECRET, raw

pytestmark = pytest.mark.programs

PROGRAMS = {
    "python": [sys.executable, "-m", "hybrid_search.cli"],
    "ruby": ["ruby", "-W", "-I", str(ROOT / "ruby/lib"), str(ROOT / "ruby/exe/hybrid-search")],
}


def test_both_commands_serve_the_same_file_at_once(tmp_path: Path) -> None:
    for language in LANGUAGES:
        if servers.missing(language):
            pytest.skip(servers.missing(language))
    environment = {**os.environ, "HYBRID_SEARCH_CURSOR_SECRET": "of both"}
    lines = "".join(json.dumps(document, ensure_ascii=False) + "\n" for document in DOCUMENTS)
    index, tokens = tmp_path / "index.hsx", tmp_path / "tokens"
    tokens.write_text(f"another\n{SECRET}\n", encoding="utf-8")
    made = [*PROGRAMS["ruby"], "index", "--index", str(index), "--dimension", "16"]
    subprocess.run(made, input=lines.encode("utf-8"), env=environment, check=True, capture_output=True)
    options = ["--index", str(index), "--port", "0", "--max-results", "50", "--token-file", str(tokens)]
    with ExitStack() as stack:
        found = []
        for language in LANGUAGES:
            more = ["--read-only"] if language == "ruby" else []
            process = stack.enter_context(
                subprocess.Popen(
                    [*PROGRAMS[language], "serve", *options, *more],
                    env=environment,
                    stdout=subprocess.PIPE,
                    stderr=subprocess.PIPE,
                    text=True,
                )
            )
            stack.callback(process.kill)
            assert process.stderr is not None
            told = re.fullmatch(rf"{re.escape(str(index))} is served at (http://\S+)\n", process.stderr.readline())
            assert told, process.stderr.read()
            found.append(Server(process, told[1]))
        python, ruby = found
        assert ruby.post("/v1/search", {"question": "red"}).status == 401
        asked = {"question": "red wine", "limit": 4, "min_score": 0.0}
        pages = [one.post("/v1/search", asked, **GUARDED) for one in found]
        assert pages[0].body == pages[1].body
        after = {**asked, "cursor": pages[0].data["next_cursor"]}
        following = [one.post("/v1/search", after, **GUARDED) for one in found]
        assert following[0].body == following[1].body
        assert following[0].data["page"] == 2
        new = {"documents": [{"id": "new", "content": "a zebra of its own"}], "mode": "add"}
        assert ruby.post("/v1/documents", new, **GUARDED).status == 403
        assert python.post("/v1/documents", new, **GUARDED).data == {"received": 1, "changed": 1}
        assert ruby.post("/v1/search", {"question": "zebra"}, **GUARDED).data["hits"][0]["id"] == "new"
        assert ruby.post("/v1/search", after, **GUARDED).data["index_changed"] is True
        for one in found:
            assert not raw(one, b"NONSENSE\r\n\r\n").startswith(b"HTTP/1.1 5")
            one.process.send_signal(signal.SIGTERM)
            output, errors = one.process.communicate(timeout=LONGEST_WAIT)
            assert (one.process.returncode, errors) == (0, "")
            entries = [json.loads(line) for line in output.splitlines()]
            assert {entry["path"] for entry in entries} == {"/v1/search", "/v1/documents"}
