"""The example that asks a language model, against a server with the API of OpenAI's chat completions."""

import json
import os
import subprocess
import sys
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
COMMANDS = {
    "python": [sys.executable, "docs/examples/python/rewrite_by_model.py"],
    "ruby": ["ruby", "-W", "-I", "ruby/lib", "docs/examples/ruby/rewrite_by_model.rb"],
}
PRINTED = """\
2024年的保修期多长？ ['b']
  searched: warranty period
warranty ['a', 'b']
  searched: warranty
  warning: searched as given
"""


class ChatCompletions(BaseHTTPRequestHandler):
    """Translates one question, and fails for others."""

    asked = []  # noqa: RUF012

    def do_POST(self):
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        question = body["messages"][-1]["content"]
        self.asked.append((self.path, self.headers["Authorization"], body["model"], question))
        content = json.dumps({"question": "warranty period", "filters": {"metadata.year": 2024}})
        choice = {"index": 0, "message": {"role": "assistant", "content": content}, "finish_reason": "stop"}
        known = question.startswith("2024")
        answer = json.dumps({"object": "chat.completion", "choices": [choice]} if known else {"error": {}}).encode()
        self.send_response(200 if known else 503)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(answer)))
        self.end_headers()
        self.wfile.write(answer)

    def log_message(self, *_arguments):
        pass


@pytest.mark.parametrize("language", COMMANDS)
def test_a_model_rewrites_a_question_and_its_failure_is_a_warning(language):
    ChatCompletions.asked.clear()
    with ThreadingHTTPServer(("127.0.0.1", 0), ChatCompletions) as server:
        threading.Thread(target=server.serve_forever, args=(0.01,), daemon=True).start()
        service = {"CHAT_URL": f"http://127.0.0.1:{server.server_port}/v1", "CHAT_MODEL": "small", "CHAT_KEY": "k"}
        done = subprocess.run(
            COMMANDS[language],
            cwd=ROOT,
            env={**os.environ, **service, "no_proxy": "*"},
            capture_output=True,
            text=True,
            check=False,
            timeout=60,
        )
        server.shutdown()
    lines = done.stderr.splitlines()
    assert (done.returncode, [line for line in lines if "rewrite of a question failed" not in line]) == (0, [])
    assert done.stdout == PRINTED
    assert ChatCompletions.asked == [
        ("/v1/chat/completions", "Bearer k", "small", question) for question in ("2024年的保修期多长？", "warranty")
    ]
