"""The command line in a locale of ASCII: names of files are UTF-8 as in every other locale (CUR-5)."""

import os
import subprocess
import sys

PROGRAM = """
import sys
from hybrid_search.cli import main
for line in sys.argv[1].split("|"):
    print(line.split()[0], main.main(line.split()), flush=True)
"""
ASCII = {"LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"}
LINES = (
    "index --index 索引.db --on-error skip --rejects 拒绝.jsonl 文.jsonl",
    "index --index 索引.db 夹",
    "index --index 索引.db 夹/*书.md",
    "index --index 索引.db --on-error skip 缺.md",
    "index --index 索引.db 缺.jsonl",
    "search wind --index 索引.db --format json",
    "export --index 索引.db --output 出.jsonl",
    "export --index 索引.db --output 夹",
    "export --index 无/出.db",
    "stats --index 索引.db --format json",
)


def run(folder, repository, environment):
    folder.mkdir()
    (folder / "文.jsonl").write_text('{"id": "a", "content": "太阳"}\n{"x": 1}\n', "utf-8")
    (folder / "夹").mkdir()
    (folder / "夹" / "书.md").write_text("# 书\n\nwind power\n", "utf-8")
    (folder / "夹" / "无读.bin").write_text("", "utf-8")
    (folder / os.fsdecode(b"\xe5\xa4\xb9/\xff.md")).write_text("sun", "utf-8")
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM, "|".join(LINES)],
        cwd=folder,
        env={**os.environ, "PYTHONPATH": str(repository / "python_ref"), **environment},
        capture_output=True,
    )
    files = {path.name: path.read_bytes() for path in sorted(folder.rglob("*")) if path.suffix in (".jsonl", ".json")}
    return done.stdout.decode(), done.stderr.decode(), files


def test_file_names_do_not_depend_on_the_locale(tmp_path, repository):
    out, errors, files = run(tmp_path / "ascii", repository, ASCII)
    assert (out, errors, files) == run(tmp_path / "utf8", repository, {"LC_ALL": "C.UTF-8"})
    ended = [line for line in out.splitlines() if not line.startswith("{")]
    assert ended[:5] == ["index 0", "index 0", "index 0", "index 2", "index 1"]
    assert ended[5:] == ["search 0", "export 0", "export 1", "export 1", "stats 0"]
    assert list(files) == ["出.jsonl", "拒绝.jsonl", "文.jsonl"]
    assert b"wind power" in files["出.jsonl"]
