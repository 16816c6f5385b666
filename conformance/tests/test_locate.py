"""`hybrid-search locate`: files, kills and damage, which command lines cannot show (CNV-1, CNV-5 … CNV-7)."""

import json
import os
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

import pytest

from conformance.paths import ROOT
from hybrid_search import BlockIndex, ConvergentRetriever, IndexCorruptError
from hybrid_search.base import numeric
from hybrid_search.embedding.hashing import HashingEmbedder

PROGRAMS = {
    "python": [sys.executable, "-m", "hybrid_search.cli"],
    "ruby": ["ruby", "-I", str(ROOT / "ruby/lib"), str(ROOT / "ruby/exe/hybrid-search")],
}
ENVIRONMENT = {**os.environ, "PYTHONPATH": str(ROOT / "python_ref")}
TEXTS = ["open a file", "next page", "parse json", "write and sync", "rank by score", "cut words"]


def written_index(folder: Path) -> BlockIndex:
    blocks: list[dict[str, object]] = [
        {"file_path": f"f{row % 4}.py", "start_line": 0, "end_line": 1} for row in range(6)
    ]
    vectors = HashingEmbedder(dimension=16).encode(TEXTS)
    index = BlockIndex(blocks, vectors, "repo", {"embedding": {"embed": "hashing", "dimension": 16}})
    index.write(str(folder / "index"))
    return index


def written_instances(folder: Path, count: int) -> None:
    lines = [json.dumps({"instance_id": f"i{n}", "text": TEXTS[n % len(TEXTS)]}) for n in range(count)]
    (folder / "in.jsonl").write_text("\n".join(lines) + "\n", encoding="utf-8")


def locate(program: str, folder: Path, *flags: str) -> subprocess.CompletedProcess[str]:
    command = [*PROGRAMS[program], "locate", "--index-dir", "index", "in.jsonl", "--no-times", *flags]
    return subprocess.run(command, cwd=folder, env=ENVIRONMENT, capture_output=True, text=True, check=False)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    written_index(tmp_path)
    written_instances(tmp_path, 7)
    return tmp_path


def test_both_programs_write_the_same_bytes(folder):
    for mode in ("off", "prf", "global_local"):
        flags = ("--convergence-mode", mode, "--report", "page.html", "--explain")
        told = []
        for program in PROGRAMS:
            done = locate(program, folder, *flags)
            assert done.returncode == 0, done.stderr
            lines = (folder / "loc_outputs.jsonl").read_bytes()
            told.append((done.stdout, lines, (folder / "page.html").read_bytes()))
            assert [json.loads(line)["instance_id"] for line in lines.splitlines()] == [f"i{n}" for n in range(7)]
        assert told[0] == told[1]


@pytest.mark.parametrize("program", PROGRAMS)
def test_an_index_is_found_by_the_name_of_code_index(program, tmp_path):
    written_index(tmp_path)
    (tmp_path / "indexes").mkdir()
    (tmp_path / "index").rename(tmp_path / "indexes/django_django")
    asked = [("django__django-12113", {}), ("django__django", {}), ("django__django-1x", {"repo": "django/django"})]
    lines = [json.dumps({"instance_id": name, "text": "next page", **more}) for name, more in asked]
    (tmp_path / "in.jsonl").write_text("\n".join(lines), encoding="utf-8")
    done = locate(program, tmp_path, "--index-dir", "indexes")
    assert (done.returncode, json.loads(done.stdout)["located"]) == (3, 2)
    assert done.stderr == (
        'hybrid-search locate: django__django-1x: no index in "indexes": there is no folder "django__django-1x" or '
        '"django__django" or "django_django-1x"\n'
    )
    written_instances(tmp_path, 40)
    (tmp_path / "in.jsonl").write_text(
        "".join(json.dumps({"instance_id": f"django__flask-{n}", "text": "a"}) + "\n" for n in range(40)),
        encoding="utf-8",
    )
    done = locate(program, tmp_path, "--index-dir", "indexes")
    assert (done.returncode, done.stderr.count("\n"), json.loads(done.stdout)["without_index"]) == (3, 1, 40)


@pytest.mark.parametrize("program", PROGRAMS)
def test_an_empty_folder_is_an_error(program, folder):
    (folder / "empty").mkdir()
    (folder / "loc_outputs.jsonl").write_bytes(b"of another run")
    for place in ("empty", "missing"):
        done = locate(program, folder, "--index-dir", place)
        assert (done.returncode, done.stdout) == (1, "")
        assert done.stderr == (
            f'hybrid-search locate: "{place}" is not a block index, a folder of them, or an index file\n'
        )
    assert (folder / "loc_outputs.jsonl").read_bytes() == b"of another run"


@pytest.mark.parametrize("program", PROGRAMS)
def test_a_killed_run_leaves_whole_lines_and_is_resumed(program, tmp_path):
    written_index(tmp_path)
    written_instances(tmp_path, 30_000)
    command = [*PROGRAMS[program], "locate", "--index-dir", "index", "in.jsonl", "--no-times", "--progress", "lines"]
    process = subprocess.Popen(
        command, cwd=tmp_path, env=ENVIRONMENT, stderr=subprocess.PIPE, stdout=subprocess.DEVNULL
    )
    assert process.stderr is not None
    for _ in range(20):
        assert process.stderr.readline()
    process.kill()
    process.wait()
    process.stderr.close()
    content = (tmp_path / "loc_outputs.jsonl").read_bytes()
    done = content.count(b"\n")
    assert 20 <= done < 30_000
    written_instances(tmp_path, done + 3)
    (tmp_path / "loc_outputs.jsonl").write_bytes(content + b'{"instance_id": "i')
    resumed = locate(program, tmp_path, "--resume")
    assert json.loads(resumed.stdout)["resumed"] == done
    assert json.loads(resumed.stdout)["instances"] == 3
    lines = (tmp_path / "loc_outputs.jsonl").read_bytes()
    assert lines.startswith(content[: content.rfind(b"\n") + 1])
    assert [json.loads(line)["instance_id"] for line in lines.splitlines()] == [f"i{n}" for n in range(done + 3)]


def loaded(program: str, folder: Path, flags: Sequence[str]) -> str:
    """The names of all files that a run has loaded."""
    given = ["locate", "--index-dir", "index", "in.jsonl", "--no-times", *flags]
    if program == "python":
        script = (
            "import sys\nfrom hybrid_search.cli.main import main\n"
            f"main({given!r})\nprint(*sys.modules, sep='\\n', file=sys.stderr)"
        )
        command = [sys.executable, "-c", script]
    else:
        script = (
            f"require 'hybrid_search'; HybridSearch.const_get(:Cli)::Main.main({json.dumps(given)}); "
            "warn $LOADED_FEATURES"
        )
        opened = "HybridSearch.send(:public_constant, :Cli); "
        command = [
            "ruby",
            "-I",
            str(ROOT / "ruby/lib"),
            "-e",
            script.replace("HybridSearch.const", opened + "HybridSearch.const", 1),
        ]
    done = subprocess.run(command, cwd=folder, env=ENVIRONMENT, capture_output=True, text=True, check=True)
    return done.stderr


@pytest.mark.parametrize("program", PROGRAMS)
def test_no_rerank_code_is_loaded_when_reranking_is_off(program, folder):
    names = ("partial_rerank", "block_reranker", "snippets", "source_files", "http_reranker", "cross_encoder")
    off = loaded(program, folder, [])
    assert [name for name in names if name in off] == []
    flags = ["--enable-rerank", "--repos-root", ".", "--rerank-url", "http://127.0.0.1:9/", "--rerank-timeout", "1"]
    on = loaded(program, folder, flags)
    assert [name for name in names if name not in on] == ["cross_encoder"]


def test_convergence_that_is_off_equals_plain_dense_retrieval_bit_for_bit(tmp_path):
    index = written_index(tmp_path)
    query = [float(value) for value in HashingEmbedder(dimension=16).encode(["read a page of a file"])[0]]
    scored = [(numeric.dot(query, index.rows.row(row)), row) for row in range(index.size)]
    expected = [(row, score) for score, row in sorted(scored, key=lambda pair: (-pair[0], pair[1]))]
    for kernels in ("plain", "fast"):
        candidates = ConvergentRetriever(index, kernels=kernels, top_k_blocks=5).retrieve_candidates(query)
        assert list(candidates.blocks) == expected[:5]
        assert candidates.stop_reason is None


def test_damage_to_every_byte_is_found(tmp_path):
    written_index(tmp_path)
    path = tmp_path / "index"
    for name in ("manifest.json", "metadata.jsonl", "vectors.f32"):
        whole = (path / name).read_bytes()
        for place in range(len(whole)):
            damaged = bytearray(whole)
            damaged[place] ^= 1 << (place % 8)
            (path / name).write_bytes(damaged)
            with pytest.raises(IndexCorruptError):
                BlockIndex.open(str(path))
        for length in (0, 1, len(whole) // 2, len(whole) - 1):
            (path / name).write_bytes(whole[:length])
            with pytest.raises(IndexCorruptError):
                BlockIndex.open(str(path))
        (path / name).write_bytes(whole + b"\n")
        with pytest.raises(IndexCorruptError):
            BlockIndex.open(str(path))
        (path / name).write_bytes(whole)
    assert BlockIndex.open(str(path)).size == 6


def test_ruby_finds_damage_in_every_region(tmp_path):
    written_index(tmp_path)
    script = """
      require "hybrid_search"
      %w[manifest.json metadata.jsonl vectors.f32].each do |name|
        path = File.join("index", name)
        whole = File.binread(path)
        (0...whole.bytesize).step(7).each do |place|
          damaged = whole.dup
          damaged.setbyte(place, damaged.getbyte(place) ^ (1 << (place % 8)))
          File.binwrite(path, damaged)
          begin
            HybridSearch::BlockIndex.open("index")
            puts "#{name} #{place}"
          rescue HybridSearch::IndexCorruptError
            nil
          end
        end
        File.binwrite(path, whole)
      end
      puts HybridSearch::BlockIndex.open("index").size
    """
    command = ["ruby", "-I", str(ROOT / "ruby/lib"), "-e", script]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=True)
    assert done.stdout == "6\n"
