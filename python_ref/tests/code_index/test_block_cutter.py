"""How files of several languages are cut into blocks (CNV-6)."""

import json
import re
import sys
import tomllib
from pathlib import Path

import pytest

from hybrid_search import BlockIndex, ConfigurationError
from hybrid_search.code_index.block_cutter import LINES, PARSED, BlockCutter
from hybrid_search.code_index.grammars import GRAMMARS
from hybrid_search.code_index.program import main

ROOT = Path(__file__).parents[3]

RUBY = """# frozen_string_literal: true

module A
  # Pages,
  # one by one.
  class B::C < D
    attr_reader :x # not above anything

    def go(y)
      lambda { 1 }
      def deep; end
    end

    def self.make = new

    class << self
      def ==(other) = true
    end
  end
end
"""
JAVASCRIPT = """import x from "y";

/**
 * Pages.
 */
export class A extends B {
  #page = 1;
  handle = () => { return 1; };
  static async go(y) {
    function inner() {}
    return inner;
  }
  [Symbol.iterator]() {}
}
export const f = async (a) => {
  return a;
};
function* g() {}
A.prototype.more = function () {};
module.exports = { k: function () {}, l() {}, "m": () => 1, n: 1 };
const P = class { q() {} };
export default () => <div>{x}</div>;
"""
GO = """package a

// T is one.
type T[K any] struct {
	x int
}
type I interface{ Go() }
type N int
func (t *T[K]) Go(x int) error { return nil }
func main() {
	f := func() {}
	f()
}
"""
JAVA = """package a;
/** One. */
@Deprecated
public class A<T> {
  int x;
  A() {}
  @Override
  public int go(int y) { return y; }
  interface I { void z(); }
  enum E { X; void m() {} }
  record R(int a) { R { } }
  @interface N {}
}
"""
C = """#include <x.h>
struct s { int a; };
typedef struct { int b; } t;
struct s *p;
/* Finds. */
static char *f(int x)
{
  return 0;
}
"""


def found(path: str, text: str, way: str = PARSED) -> list[tuple[str, str, int, int]]:
    """Each definition of a file once: its name, the first letter of its kind, and its lines."""
    blocks = BlockCutter(way).cut(path, text.encode()).blocks
    names = [each for block in blocks for each in block.get("definitions", [])]
    rows = [(each["qualified_name"], each["kind"][0], each["start_line"], each["end_line"]) for each in names]
    return list(dict.fromkeys(rows))


def spans(path: str, text: str, way: str = PARSED) -> list[tuple[int, int]]:
    return [(block["start_line"], block["end_line"]) for block in BlockCutter(way).cut(path, text.encode()).blocks]


def test_ruby_is_cut_at_its_definitions():
    assert found("a.rb", RUBY) == [
        ("A", "c", 2, 19), ("A.B.C", "c", 3, 18), ("A.B.C.go", "f", 8, 11), ("A.B.C.go.deep", "f", 10, 10),
        ("A.B.C.make", "f", 13, 13), ("A.B.C.==", "f", 16, 16),
    ]  # fmt: skip
    assert spans("a.rb", RUBY) == [(0, 0), (2, 2), (3, 6), (8, 11), (13, 13), (15, 15), (16, 16)]


def test_javascript_is_cut_at_its_definitions():
    assert found("a.js", JAVASCRIPT) == found("a.jsx", JAVASCRIPT) == [
        ("A", "c", 2, 13), ("A.handle", "f", 7, 7), ("A.go", "f", 8, 11), ("A.go.inner", "f", 9, 9),
        ("A.Symbol.iterator", "f", 12, 12), ("f", "f", 14, 16), ("g", "f", 17, 17), ("A.prototype.more", "f", 18, 18),
        ("k", "f", 19, 19), ("l", "f", 19, 19), ("m", "f", 19, 19), ("P", "c", 20, 20), ("P.q", "f", 20, 20),
    ]  # fmt: skip
    assert spans("a.js", JAVASCRIPT)[:5] == [(0, 0), (2, 6), (7, 7), (8, 11), (12, 12)]


def test_go_is_cut_at_its_definitions():
    assert found("a.go", GO) == [
        ("T", "c", 2, 5), ("I", "c", 6, 6), ("T.Go", "f", 8, 8), ("main", "f", 9, 12),
    ]  # fmt: skip


def test_java_is_cut_at_its_definitions():
    assert found("A.java", JAVA) == [
        ("A", "c", 1, 12), ("A.A", "f", 5, 5), ("A.go", "f", 6, 7), ("A.I", "c", 8, 8), ("A.I.z", "f", 8, 8),
        ("A.E", "c", 9, 9), ("A.E.m", "f", 9, 9), ("A.R", "c", 10, 10), ("A.R.R", "f", 10, 10), ("A.N", "c", 11, 11),
    ]  # fmt: skip


def test_c_is_cut_at_its_definitions():
    assert found("a.c", C) == found("a.h", C) == [("s", "c", 1, 1), ("t", "c", 2, 2), ("f", "f", 4, 8)]
    assert spans("a.c", C) == [(0, 0), (1, 1), (2, 2), (3, 3), (4, 8)]


def test_every_method_of_the_library_in_ruby_is_found():
    for path in sorted((ROOT / "ruby/lib").rglob("*.rb")):
        text = path.read_text(encoding="utf-8")
        told = [name.rsplit(".", 1)[-1] for name, kind, _, _ in found(path.name, text) if kind == "f"]
        assert told == re.findall(r"^ *(?:\w+ )?def (?:self\.)?([^\s(;]+)", text, re.MULTILINE), path


def test_every_function_of_the_page_in_javascript_is_found():
    (path,) = (ROOT / "python_ref/hybrid_search").rglob("*.js")
    text = path.read_text(encoding="utf-8")
    declared = re.findall(r"^ *(?:async )?function\*? (\w+)", text, re.MULTILINE)
    told = [name for name, _, _, _ in found(path.name, text)]
    assert declared
    assert set(declared) <= {name.rsplit(".", 1)[-1] for name in told}


def test_a_class_and_a_function_of_the_same_name_are_two_blocks():
    text = "def f():\n    pass\n\n\nclass f:\n    x = 1\n\n    def go(self):\n        pass\n"
    assert spans("a.py", text) == [(0, 1), (4, 5), (7, 8)]


def test_suffixes_in_capital_letters_mean_the_same_language():
    assert found("A.RB", RUBY) == found("a.rb", RUBY)
    assert found("a.PY", "def f(): pass\n") == [("f", "f", 0, 0)]


def test_of_definitions_that_begin_on_one_line_the_larger_comes_first():
    assert found("a.js", "class A { b() {}\n}\n") == [("A", "c", 0, 1), ("A.b", "f", 0, 0)]


def test_a_comment_after_code_belongs_to_that_code():
    assert found("a.js", "x(); // of x\nfunction f() {\n}\n") == [("f", "f", 1, 2)]


def test_names_of_several_parts_are_joined_by_dots():
    assert found("a.js", "class A {\n  [x?.y]() {}\n}\n") == [("A", "c", 0, 2), ("A.x.y", "f", 1, 1)]
    assert found("a.rb", "class A::B\nend\n") == [("A.B", "c", 0, 1)]


def test_lines_that_only_close_a_definition_are_not_a_block():
    assert spans("a.rb", "class A\n  def b\n  end\nend\n") == [(0, 0), (1, 2)]
    assert spans("a.js", "class A {\n  b() {\n  }\n\n}\nx();\n") == [(0, 0), (1, 2), (5, 5)]
    assert spans("a.json", "{\n}\n") == [(0, 1)]


def test_lines_are_counted_as_in_snippets():
    assert spans("a.js", "x = 'é';\r\n\rfunction f() {\r  y();\r}\rx = 1;\n") == [(0, 0), (2, 4), (5, 5)]


def test_files_that_do_not_parse_are_cut_into_windows():
    for path in ("a.rb", "a.js", "a.go", "a.java", "a.c"):
        assert found(path, "class f( {\n  def\n") == []
        assert spans(path, "class f( {\n  def\n") == [(0, 1)]
        assert spans(path, "") == []
    assert found("a.rb", RUBY, LINES) == found("a.py", "def f(): pass\n", LINES) == []
    assert spans("a.rb", RUBY, LINES) == [(0, 19)]


def test_bytes_that_are_not_text_are_replaced():
    cut = BlockCutter().cut("a.rb", b"X = '\xff\xfe'\ndef f\n  1\nend\n")
    assert [(block["start_line"], block["end_line"]) for block in cut.blocks] == [(0, 0), (1, 3)]
    assert cut.texts == ["a.rb\nX = '\ufffd\ufffd'", "a.rb\ndef f\n  1\nend"]


def test_the_extra_installs_all_grammars():
    extras = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]["optional-dependencies"]
    names = {re.split(r"[<>=]", each)[0] for each in extras["code"]}
    assert names == {"tree-sitter", *(grammar.package for grammar in GRAMMARS.values())}


def indexed(folder: Path, capsysbinary: pytest.CaptureFixture[bytes], *flags: str) -> dict[str, int]:
    assert main([str(folder / "repo"), "--index-dir", str(folder / "index"), "--format", "json", *flags]) == 0
    counts: dict[str, int] = json.loads(capsysbinary.readouterr().out)
    return counts


@pytest.fixture
def repository(tmp_path: Path) -> Path:
    (tmp_path / "repo").mkdir()
    for name, text in (("a.rb", RUBY), ("b.js", JAVASCRIPT), ("c.py", "def f(): pass\n"), ("d.md", "words\n")):
        (tmp_path / "repo" / name).write_text(text, encoding="utf-8")
    return tmp_path


@pytest.mark.parametrize("broken", ["missing", "misfit"])
def test_only_files_that_are_parsed_differently_are_embedded_again(repository, capsysbinary, monkeypatch, broken):
    assert indexed(repository, capsysbinary)["embedded"] == 4
    assert indexed(repository, capsysbinary, "--blocks", "parsed")["embedded"] == 0
    notes = BlockIndex.open(str(repository / "index")).notes["parsers"]
    assert sorted(notes) == ["javascript", "python", "ruby"]
    assert notes["python"] == "ast"
    assert re.fullmatch(r"tree-sitter [\d.]+, tree-sitter-ruby [\d.]+", notes["ruby"])
    whole = {path.name: path.read_bytes() for path in (repository / "index").iterdir()}
    if broken == "missing":
        monkeypatch.setitem(sys.modules, "tree_sitter_ruby", None)
    else:
        monkeypatch.setattr("tree_sitter.Language", lambda _: (_ for _ in ()).throw(ValueError("Incompatible")))
    assert indexed(repository, capsysbinary)["embedded"] == (1 if broken == "missing" else 2)
    monkeypatch.undo()
    assert indexed(repository, capsysbinary)["embedded"] == (1 if broken == "missing" else 2)
    assert whole == {path.name: path.read_bytes() for path in (repository / "index").iterdir()}
    assert indexed(repository, capsysbinary, "--blocks", "lines") == {
        "files": 4, "embedded": 3, "kept": 1, "blocks": 4,
    }  # fmt: skip
    assert BlockIndex.open(str(repository / "index")).notes["parsers"] == {}


def test_a_missing_parser_is_reported_only_if_it_was_requested(repository, capsysbinary, monkeypatch):
    monkeypatch.setitem(sys.modules, "tree_sitter", None)
    indexed(repository, capsysbinary)
    told = (
        "to cut javascript at its functions needs tree-sitter and tree-sitter-javascript: "
        "pip install 'hybrid-search[code]'"
    )
    assert main([str(repository / "repo"), "--index-dir", str(repository / "index"), "--blocks", "parsed"]) == 1
    assert capsysbinary.readouterr().err == f"code_index: {told}\n".encode()
    with pytest.raises(ConfigurationError, match=re.escape(told)):
        BlockCutter(PARSED).parsers(["a.js", "b.py"])
    assert BlockCutter(PARSED).parsers(["b.py", "c.md"]) == {"python": "ast"}
