"""What the README says is true: its programs run, and its table names the options there are."""

import json
import re
import subprocess
import sys

from hybrid_search.retriever.request import DEFAULTS


def block(text: str, language: str) -> str:
    found = re.findall(rf"^```{language}\n(.*?)^```$", text, re.DOTALL | re.MULTILINE)
    assert len(found) == 1
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


def test_the_table_names_every_option_with_its_default(repository):
    text = (repository / "README.md").read_text(encoding="utf-8")
    table = text.split("<!-- options:begin -->")[1].split("<!-- options:end -->")[0]
    rows = re.findall(r"^\| `(\w+)` \| `([^`]+)` \| .+ \|$", table, re.MULTILINE)
    assert {name: json.loads(default) for name, default in rows} == DEFAULTS
    assert [name for name, _ in rows] == list(DEFAULTS)
