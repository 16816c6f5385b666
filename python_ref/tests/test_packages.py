"""The wheel and the gem, built, installed into clean places, and tried there without the checkout."""

import email
import json
import os
import shlex
import shutil
import socket
import subprocess
import sys
import sysconfig
import time
import urllib.error
import urllib.parse
import urllib.request
import venv
import zipfile
from pathlib import Path

import pytest
import subprocess_tee

from conformance import yaml_files
from conformance.paths import CONFORMANCE

pytestmark = pytest.mark.slow

TEXT = "混合检索 combines the full-text ranking of 2024 with vectors，分词结果一致"
TOKENIZE_PYTHON = """
import json, sys
import hybrid_search
from hybrid_search.text.tokenizer import Tokenizer
print(json.dumps({"file": hybrid_search.__file__, "tokens": Tokenizer().tokenize(sys.argv[1])}))
"""
TOKENIZE_RUBY = """
require "json"
require "hybrid_search"
file = $LOADED_FEATURES.find { |path| path.end_with?("/lib/hybrid_search.rb") }
puts JSON.generate(file: file, tokens: HybridSearch::Tokenizer.new.tokenize(ARGV[0].encode("UTF-8")))
"""


def run(*command: str, cwd: Path, env: dict[str, str] | None = None) -> str:
    """Return the output of a command, shown live under `pytest -s`; its errors become the message of a failed test."""
    environment = dict(os.environ) if env is None else env
    done = subprocess_tee.run(list(command), cwd=cwd, env=environment, stdin=subprocess.DEVNULL)
    assert done.returncode == 0, f"{' '.join(command[:6])} …\n{done.stdout}\n{done.stderr}"
    return done.stdout


def clean_environment(**more: str) -> dict[str, str]:
    """The environment without variables that could lead an interpreter back to the checkout."""
    dropped = ("PYTHON", "RUBY", "GEM_", "BUNDLE", "RBS_", "VIRTUAL_ENV")
    kept = {name: value for name, value in os.environ.items() if not name.startswith(dropped)}
    return {**kept, "LC_ALL": "C.UTF-8", **more}


@pytest.fixture(scope="module")
def wheel(repository, tmp_path_factory) -> Path:
    """The wheel, built from a copy of its sources."""
    source = tmp_path_factory.mktemp("wheel_source")
    for name in ("pyproject.toml", "README.md", "LICENSE", "NOTICE"):
        shutil.copy(repository / name, source / name)
    ignored = shutil.ignore_patterns("__pycache__", "*.egg-info", "tests")
    shutil.copytree(repository / "python_ref", source / "python_ref", ignore=ignored)
    target = tmp_path_factory.mktemp("wheel")
    options = ["--no-deps", "--no-build-isolation", "--no-index", "--quiet", "--wheel-dir", str(target)]
    run(sys.executable, "-m", "pip", "wheel", *options, str(source), cwd=target)
    (built,) = target.glob("*.whl")
    return built


@pytest.fixture(scope="module")
def gem(repository, tmp_path_factory) -> Path:
    """The gem, built from a copy of its folder."""
    source = tmp_path_factory.mktemp("gem_source") / "ruby"
    shutil.copytree(repository / "ruby", source, ignore=shutil.ignore_patterns("*.gem", "spec"))
    built = source.parent / "hybrid_search.gem"
    run("gem", "build", "--quiet", "--output", str(built), "hybrid_search.gemspec", cwd=source)
    return built


@pytest.fixture(scope="module")
def environment(wheel, tmp_path_factory) -> Path:
    """A new environment with the installed wheel that sees only its dependencies besides."""
    place = tmp_path_factory.mktemp("environment")
    venv.create(place, with_pip=False)
    python = str(place / "bin/python")
    run(sys.executable, "-m", "pip", "--python", python, "install", "--no-deps", "--no-index", "--quiet", str(wheel),
        cwd=place)  # fmt: skip
    # A .pth file adds the folder of the dependencies, but not the links to editable checkouts in it.
    (site,) = place.glob("lib/python*/site-packages")
    (site / "dependencies.pth").write_text(sysconfig.get_paths()["purelib"] + "\n", encoding="utf-8")
    return place


@pytest.fixture(scope="module")
def answer_of_wheel(environment) -> dict[str, object]:
    """Return the output of the installed wheel."""
    place, python = environment, str(environment / "bin/python")
    answer = json.loads(run(python, "-c", TOKENIZE_PYTHON, TEXT, cwd=place, env=clean_environment()))
    assert Path(answer["file"]).is_relative_to(place)
    return {**answer, "program": run(str(place / "bin/hybrid-search"), "--help", cwd=place, env=clean_environment())}


@pytest.fixture(scope="module")
def gems(gem, tmp_path_factory) -> Path:
    """A folder of gems with only the installed gem."""
    place = tmp_path_factory.mktemp("gems")
    env = clean_environment(GEM_HOME=str(place), GEM_PATH=str(place), HOME=str(place))
    run("gem", "install", "--local", "--no-document", "--quiet", "--install-dir", str(place), str(gem), cwd=place,
        env=env)  # fmt: skip
    return place


@pytest.fixture(scope="module")
def answer_of_gem(gems) -> dict[str, object]:
    """Return the output of the installed gem, with no other gem installed."""
    place = gems
    env = clean_environment(GEM_HOME=str(place), GEM_PATH=str(place), HOME=str(place))
    answer = json.loads(run("ruby", "-w", "-e", TOKENIZE_RUBY, TEXT, cwd=place, env=env))
    assert Path(answer["file"]).is_relative_to(place)
    return {**answer, "program": run(str(place / "bin/hybrid-search"), "--help", cwd=place, env=env)}


def test_the_wheel_contains_the_expected_files(wheel, repository):
    names = set(zipfile.ZipFile(wheel).namelist())
    package = repository / "python_ref/hybrid_search"
    data = {f"hybrid_search/data/{path.name}" for path in (package / "data").iterdir() if path.is_file()}
    modules = {f"hybrid_search/{path.relative_to(package).as_posix()}" for path in package.rglob("*.py")}
    assert sorted((data | modules | {"hybrid_search/py.typed"}) - names) == []
    assert [name for name in names if name.endswith("licenses/LICENSE")]
    assert [name for name in names if name.endswith("licenses/NOTICE")]
    others = names - data - modules - {"hybrid_search/py.typed"}
    assert [name for name in others if not name.split("/")[0].endswith(".dist-info")] == []


def test_the_gem_contains_the_expected_files(gem, repository):
    listed = run(
        "ruby", "-rrubygems/package", "-e", "puts Gem::Package.new(ARGV[0]).contents", str(gem), cwd=gem.parent
    )
    names = set(listed.split())
    ruby = repository / "ruby"
    templates = tuple(f"lib/**/*.{ending}" for ending in ("rake", "tt", "yml"))
    patterns = ("lib/**/*.rb", *templates, "exe/*", "sig/**/*.rbs", "sig/*.yaml", "data/*")
    expected = {path.relative_to(ruby).as_posix() for pattern in patterns for path in ruby.glob(pattern)}
    assert sorted(expected ^ (names - {"README.md", "LICENSE", "NOTICE", "CHANGELOG.md"})) == []
    assert {"README.md", "LICENSE", "NOTICE", "CHANGELOG.md"} <= names


def test_the_wheel_and_the_gem_return_the_same_tokens(answer_of_wheel, answer_of_gem):
    assert answer_of_wheel["tokens"] == answer_of_gem["tokens"]
    assert {"combin", "vector", "2024"} <= set(answer_of_wheel["tokens"])


def test_the_wheel_and_the_gem_install_the_same_program(answer_of_wheel, answer_of_gem):
    assert answer_of_wheel["program"] == answer_of_gem["program"]
    assert answer_of_wheel["program"].startswith("usage: hybrid-search COMMAND")


@pytest.mark.parametrize("name", ["LICENSE", "NOTICE", "CHANGELOG.md"])
def test_the_gem_contains_the_documents_of_the_project(repository, name):
    told = "rake gem:documents copies it"
    assert (repository / "ruby" / name).read_bytes() == (repository / name).read_bytes(), told


def test_the_versions_of_both_packages_agree(wheel, repository):
    text = (repository / "ruby/lib/hybrid_search.rb").read_text(encoding="utf-8")
    assert f'VERSION = "{wheel.name.split("-")[1]}"' in text


def test_both_packages_state_the_links_of_the_project(wheel, gem):
    with zipfile.ZipFile(wheel) as archive:
        (name,) = [name for name in archive.namelist() if name.endswith(".dist-info/METADATA")]
        told = email.message_from_bytes(archive.read(name))
    urls = dict(line.split(", ") for line in told.get_all("Project-URL"))
    script = "require 'json'; spec = Gem::Package.new(ARGV[0]).spec; puts JSON.generate(spec.metadata)"
    metadata = json.loads(run("ruby", "-rrubygems/package", "-e", script, str(gem), cwd=gem.parent))
    assert urls["Homepage"] == metadata["homepage_uri"] == metadata["source_code_uri"]
    assert urls["Changelog"] == metadata["changelog_uri"]
    assert urls["Documentation"] == metadata["documentation_uri"]
    assert urls["Issues"] == metadata["bug_tracker_uri"]
    assert "Typing :: Typed" in told.get_all("Classifier")
    assert told["License-Expression"] == "MIT"


@pytest.fixture(scope="module")
def native_packages(repository, tmp_path_factory) -> dict[str, Path]:
    """The wheel and the gem of the native kernels, built from the same source."""
    if not (repository / ".cache/native").is_dir():
        pytest.skip("the native kernels are not built (bin/setup says why)")
    folder = tmp_path_factory.mktemp("native")
    run("rake", "--silent", f"native:packages[{folder}]", cwd=repository)
    (built,) = folder.glob("*.whl")
    return {"python": built, "ruby": folder / "hybrid_search-native.gem"}


NATIVE_PYTHON = """
import json
from hybrid_search import HashingEmbedder, Index
from hybrid_search.base import kernels
index = Index(embedding=HashingEmbedder(dimension=32))
index.add([{"id": str(place), "content": f"rule {place} of {place % 7} words"} for place in range(600)])
hits = [[hit.id, hit.score] for hit in index.search("rule 5 words", limit=20)]
print(json.dumps({"kernels": kernels.choice(), "hits": hits}))
"""
NATIVE_RUBY = """
require "json"
require "hybrid_search"
index = HybridSearch::Index.new(embedding: HybridSearch::HashingEmbedder.new(dimension: 32))
index.add((0...600).map { |place| { id: place.to_s, content: "rule #{place} of #{place % 7} words" } })
hits = index.search("rule 5 words", limit: 20).map { |hit| [hit.id, hit.score] }
puts JSON.generate(kernels: HybridSearch.const_get(:Base)::Kernels.choice, hits: hits)
"""


def test_native_packages_contain_the_expected_files(native_packages):
    wheel = native_packages["python"]
    assert "-cp311-abi3-" in wheel.name
    names = set(zipfile.ZipFile(wheel).namelist())
    inside = {name for name in names if not name.split("/")[0].endswith(".dist-info")}
    assert inside == {f"hybrid_search_native/{name}" for name in
                      ("__init__.py", "kernels.abi3.so", "kernels.pyi", "py.typed")}  # fmt: skip
    assert {name.rpartition("/")[2] for name in names} >= {"LICENSE", "NOTICE"}
    listed = run("ruby", "-rrubygems/package", "-e", "puts Gem::Package.new(ARGV[0]).contents",
                 str(native_packages["ruby"]), cwd=wheel.parent)  # fmt: skip
    of_extension = {f"ext/hybrid_search_native/{name}" for name in ("extconf.rb", "kernels.c", "kernels.h", "ruby.c")}
    assert set(listed.split()) == of_extension | {"lib/hybrid_search/native.rb", "README.md", "LICENSE", "NOTICE"}


def test_installed_native_packages_are_found_and_return_the_same_results(native_packages, installed, tmp_path):
    python, _, environment, _ = installed["python"]
    run(sys.executable, "-m", "pip", "install", "--no-deps", "--no-index", "--quiet", "--target",
        str(tmp_path / "python"), str(native_packages["python"]), cwd=tmp_path)  # fmt: skip
    ruby, _, of_gems, _ = installed["ruby"]
    own = tmp_path / "gems"
    with_gem = {**of_gems, "GEM_PATH": os.pathsep.join([str(own), of_gems["GEM_PATH"]])}
    run("gem", "install", "--local", "--no-document", "--quiet", "--install-dir", str(own),
        str(native_packages["ruby"]), cwd=tmp_path, env=with_gem)  # fmt: skip
    answers = [
        json.loads(run(*command, cwd=tmp_path, env=env))
        for command, env in [
            ((python, "-c", NATIVE_PYTHON), environment),
            ((python, "-c", NATIVE_PYTHON), {**environment, "PYTHONPATH": str(tmp_path / "python")}),
            ((ruby, "-w", "-e", NATIVE_RUBY), of_gems),
            ((ruby, "-w", "-e", NATIVE_RUBY), with_gem),
        ]
    ]
    assert [answer["kernels"] for answer in answers] == ["fast", "native", "fast", "native"]
    assert answers[0]["hits"]
    assert all(answer["hits"] == answers[0]["hits"] for answer in answers)


SCRIPTS = {"python": "try_installed.py", "ruby": "try_installed.rb"}
LINES = yaml_files.load(CONFORMANCE / "as_installed.yml")
RECORDS = [
    {"id": "1", "title": "Expressions", "content": "Rule 6-2-1: no assignment in sub-expressions",
     "keywords": ["assignment"], "metadata": {"lang": "en", "year": 2020}},
    {"id": "2", "title": "Arithmetic", "content": "Rule 5-0-15: array indexing is the only pointer arithmetic",
     "metadata": {"lang": "en", "year": 2021}},
    {"id": "3", "title": "中文", "content": "混合检索", "metadata": {"lang": "zh", "year": 2022}},
]  # fmt: skip


@pytest.fixture(scope="module")
def installed(environment, gems, tmp_path_factory):
    """Language → its interpreter, its program, the environment for both, and where the package is."""
    ours = os.pathsep.join([str(gems), *run("gem", "environment", "gempath", cwd=gems).strip().split(os.pathsep)])
    of_gems = clean_environment(GEM_HOME=str(gems), GEM_PATH=ours, HOME=str(gems))
    return {
        "python": (str(environment / "bin/python"), str(environment / "bin/hybrid-search"), clean_environment(),
                   environment),
        "ruby": ("ruby", str(gems / "bin/hybrid-search"), of_gems, gems),
    }  # fmt: skip


@pytest.fixture(scope="module")
def handbooks(installed, tmp_path_factory):
    """Language → the index file that its trial leaves, and the results of its lines, in order."""
    found = {}
    for language, (interpreter, _, env, place) in installed.items():
        folder = tmp_path_factory.mktemp("trial")
        script = Path(shutil.copy(Path(__file__).with_name(SCRIPTS[language]), folder))
        given = [str(folder / "handbook.hsx"), RECORDS, [line for line in LINES if language in line]]
        done = subprocess.run([interpreter, str(script)], input="\n".join(map(json.dumps, given)) + "\n",
                              capture_output=True, text=True, cwd=folder, env=env)  # fmt: skip
        assert done.returncode == 0, done.stderr
        told = json.loads(done.stdout.splitlines()[-1])
        assert Path(told["file"]).is_relative_to(place)
        found[language] = (given[0], told["told"])
    return found


@pytest.mark.parametrize("language", ["python", "ruby"])
def test_the_installed_packages_run_the_documented_lines(language, handbooks):
    lines = [line for line in LINES if language in line]
    told = list(zip(lines, handbooks[language][1], strict=True))
    for line, value in told:
        if "needs" in line and isinstance(value, str) and value.startswith("skipped"):
            print(f"{line['line']}: {value}")
    wrong = {line["line"]: value for line, value in told
             if value != line["gives"] and not ("needs" in line and str(value).startswith("skipped"))}  # fmt: skip
    assert wrong == {}


@pytest.mark.parametrize("language", ["python", "ruby"])
def test_the_installed_program_runs_command_lines(language, handbooks, installed, tmp_path):
    _, program, env, _ = installed[language]
    for line in (line for line in LINES if "run" in line):
        command = shlex.split(line["run"].replace("HANDBOOK", handbooks[language][0]))
        done = subprocess.run([program, *command], capture_output=True, text=True, cwd=tmp_path, env=env)
        assert line["says"] in done.stdout + done.stderr, line["run"]


@pytest.mark.parametrize("language", ["python", "ruby"])
def test_the_installed_program_runs_the_server(language, handbooks, installed, tmp_path):
    _, program, env, _ = installed[language]
    with socket.socket() as found:
        found.bind(("127.0.0.1", 0))
        port = found.getsockname()[1]
    server = subprocess.Popen([program, "serve", "--index", handbooks[language][0], "--port", str(port)],
                              cwd=tmp_path, env=env, stderr=subprocess.PIPE)  # fmt: skip
    try:
        for line in (line for line in LINES if "http" in line):
            assert line["says"] in asked(line, port), line["http"]
    finally:
        server.terminate()
        server.communicate(timeout=30)


def asked(line, port, patience=30.0):
    """Return the body of a response, after waiting for the server."""
    method, target = line["http"].split(" ")
    data = json.dumps(line["body"]).encode() if "body" in line else None
    address = f"http://127.0.0.1:{port}{urllib.parse.quote(target, safe='/?&=.:')}"
    request = urllib.request.Request(address, data, method=method)
    if data is not None:
        request.add_header("Content-Type", line.get("type", "application/json") or "")
    try:
        return urllib.request.urlopen(request, timeout=30).read().decode()
    except urllib.error.HTTPError as problem:
        return problem.read().decode()
    except urllib.error.URLError:
        if patience <= 0:
            raise
        time.sleep(0.1)
        return asked(line, port, patience - 0.1)
