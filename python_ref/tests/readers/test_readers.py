"""Files are added to an index: those that libraries read, changed ones, and hostile ones (FIL-1 … FIL-6)."""

import datetime
import gzip
import os
import sys
import zlib

import openpyxl
import pytest

from hybrid_search import Chunker, HashingEmbedder, Index
from hybrid_search.errors import InvalidInputError
from hybrid_search.readers import file_bytes, pdf_text
from hybrid_search.readers.file_reader import FileReader
from hybrid_search.readers.file_walk import FileWalk
from python_ref.tests.readers import office_files


def read(path):
    """The records of one file, or why there are no records."""
    walk = FileWalk([str(path)])
    records = [record for file in walk.files() for record in FileReader(Chunker(), {}, None).records(file)]
    return [each.record for each in records if each.record], [each.reason for each in records if not each.record]


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "docs/more").mkdir(parents=True)
    (tmp_path / "docs/guide.md").write_text("# Guide\n\nRed wine.\n\n## Bottles\n\n120 bottles.\n\n## Corks\n\nOld.\n")
    (tmp_path / "docs/more/notes.txt").write_text("白葡萄酒在地窖里。", encoding="utf-8")
    (tmp_path / "docs/page.html").write_text(
        "<head><title>Cellar\n page</title><style>p{}</style></head><body><h1>Rooms</h1><p>Room&nbsp;one.</p>"
        "<script>alert(1)</script><h2>Racks</h2><table><tr><th>rack</th></tr><tr><td>7</td></tr></table></body>"
    )
    office_files.pdf_of_pages(tmp_path / "docs/report.pdf", ["Wine turns to vinegar", "Corks are made of bark"])
    office_files.word(tmp_path / "docs/letter.docx", [("heading 1", "A letter"), ("", "Dear cellar master")])
    return tmp_path


def test_each_file_type_provides_title_headings_pages_and_its_document(folder):
    index = Index(embedding=None)
    added = index.add_files("docs")
    assert (added.read, added.unchanged, added.added, added.skipped) == (5, 0, 9, [])
    page = index.get("docs/report.pdf#2")
    assert page["content"] == "Corks are made of bark"
    assert page["metadata"] == {"path": "docs/report.pdf", "page": 2}
    assert (page["doc_id"], page["title"], page["positions"]) == ("docs/report.pdf", "report.pdf", [[2, 22, 44]])
    racks = index.get("docs/page.html#2")
    assert racks["metadata"] == {"path": "docs/page.html", "headings": ["Rooms", "Racks"]}
    assert racks["title"] == "Cellar page > Rooms > Racks"
    assert "| 7 |" in racks["content"]
    assert "alert" not in index.get("docs/page.html#1")["content"]
    letter = index.get("docs/letter.docx#1")
    assert letter["metadata"]["headings"] == ["A letter"]
    assert "Dear cellar master" in letter["content"]
    assert index.search("bark").hits[0].id == "docs/report.pdf#2"
    assert index.search("地窖").hits[0].doc_id == "docs/more/notes.txt"


UNICODE_NAMES = ["B.txt", "b.txt", "字.txt", "Ａ.txt", "😀.txt"]


def test_file_names_in_any_language_are_ordered_by_code_points(tmp_path):
    for name in reversed(UNICODE_NAMES):
        (tmp_path / name).write_text("x")
    assert [file.path for file in FileWalk([str(tmp_path)]).files()] == [f"{tmp_path}/{name}" for name in UNICODE_NAMES]


def test_a_second_run_embeds_only_changed_texts(folder):
    asked = []
    embedder = HashingEmbedder(dimension=16)

    def embed(texts):
        asked.extend(texts)
        return embedder.encode(texts)

    index = Index(embedding=embed)
    index.add_files("docs")
    asked.clear()
    again = index.add_files(["docs"], prune=True)
    assert (again.read, again.unchanged, again.added, again.updated, again.removed) == (5, 5, 0, 0, 0)
    assert asked == []
    (folder / "docs/guide.md").write_text("# Guide\n\nRed wine.\n\n## Bottles\n\n99 bottles.\n")
    (folder / "docs/report.pdf").unlink()
    changed = index.add_files("docs")
    assert (changed.unchanged, changed.updated, changed.removed) == (3, 1, 1)
    assert asked == ["## Bottles\n\n99 bottles."]
    assert index.exists("docs/report.pdf#1")
    pruned = index.add_files("docs", prune=True)
    assert (pruned.unchanged, pruned.removed) == (4, 2)
    assert not index.exists("docs/report.pdf#1")


def test_pruning_preserves_records_outside_the_paths_and_of_unreadable_files(folder):
    index = Index(embedding=None)
    index.add({"id": "own", "content": "mine", "doc_id": "docs/gone.md", "metadata": {"path": "elsewhere"}})
    index.add_files("docs")
    (folder / "docs/more/notes.txt").unlink()
    (folder / "docs/guide.md").write_bytes(b"\xff")
    added = index.add_files(["docs/*.md", "docs/*.txt"], prune=True, on_error="skip")
    assert [(each.path, each.reason) for each in added.skipped] == [("docs/guide.md", "is not valid UTF-8")]
    assert added.removed == 0
    assert index.exists("docs/guide.md#3")
    assert index.add_files("docs", prune=True, on_error="skip").removed == 1
    assert index.exists("own")
    assert index.exists("docs/guide.md#3")


def test_a_spreadsheet_of_a_thousand_rules_is_read(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    book = openpyxl.Workbook()
    rules = book.active
    rules.title = "MISRA"
    rules.append(["规则编号", "规则标题", "规则描述", "修改建议", "年份"])
    for number in range(1000):
        name = f"{number // 100}-{number // 10 % 10}-{number % 10}"
        rules.append([name, f"Rule title {number}", f"描述 {number}", "将赋值操作移到独立语句中", 2008])
    rules["B623"] = "Assignment operators should not be used in sub-expressions"
    book.create_sheet("Empty")
    book.save("rules.xlsx")
    index = Index(embedding=None)
    mapping = {"id": "规则编号", "title": "规则标题", "content": "规则描述"}
    added = index.add_files("rules.xlsx", mapping=mapping)
    assert (added.read, added.added) == (1, 1000)
    hit = index.search("MisraC++ 2008 Rule 6-2-1 assignment operators 怎么修改").hits[0]
    assert (hit.id, hit.doc_id, hit.positions) == ("6-2-1", "rules.xlsx", (623,))
    assert hit.metadata == {"修改建议": "将赋值操作移到独立语句中", "年份": 2008, "path": "rules.xlsx"}
    assert index.count(filters={"metadata.年份": 2008}) == 1000
    plain = Index(embedding=None)
    plain.add_files("rules.xlsx")
    record = plain.get("rules.xlsx#MISRA#623")
    assert record["content"].startswith("规则编号: 6-2-1\n规则标题: Assignment operators")
    assert record["content"].endswith("年份: 2008")


def test_each_cell_of_a_spreadsheet_becomes_plain_data(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    book = openpyxl.Workbook()
    cells = {
        "day": datetime.date(2024, 5, 1), "moment": datetime.datetime(2024, 5, 1, 9, 30), "time": datetime.time(9, 30),
        "text": "a", "flag": True, "whole": 2, "part": 2.5, "none": None, "blank": " ",
    }  # fmt: skip
    book.active.append([*cells, None, 7.0])
    book.active.append([None, " "])
    book.active.append([*cells.values(), 5, False])
    book.save("a.xlsx")
    shown = [
        "day: 2024-05-01", "moment: 2024-05-01 09:30:00", "time: 09:30:00", "text: a", "flag: true", "whole: 2",
        "part: 2.5", "column_10: 5", "7: false",
    ]  # fmt: skip
    (record,) = read("a.xlsx")[0]
    assert record["content"].split("\n") == shown
    assert record["metadata"]["moment"] == "2024-05-01 09:30:00"
    assert (record["metadata"]["flag"], record["metadata"]["part"]) == (True, 2.5)


def test_numbers_of_a_spreadsheet_are_whole_if_a_double_holds_them_exactly(tmp_path):
    written = {"A": "2.0", "B": "1E14", "C": "1E15", "D": "2.5", "E": "1E999", "F": "-1E999"}
    cells = "".join(f'<c r="{column}2"><v>{number}</v></c>' for column, number in written.items())
    names = office_files.row(1, {f"{column}1": column for column in written})
    (record,) = read(office_files.sheet(tmp_path / "a.xlsx", f'{names}<row r="2">{cells}</row>'))[0]
    assert record["content"] == "A: 2\nB: 100000000000000\nC: 1000000000000000.0\nD: 2.5\nE: inf\nF: -inf"


@pytest.mark.parametrize(
    ("name", "content", "reason"),
    [
        ("a.md", b"# \xff", "is not valid UTF-8"),
        ("a.txt", b"\xff", "is not valid UTF-8"),
        ("a.csv", b'a\n"1', "line 2: a quoted cell does not end"),
        ("a.tsv", b'a\tb\n1\t"2"3', "line 2: a quoted cell goes on after its closing quote"),
        ("a.json", b"{", "is not valid JSON"),
        ("a.jsonl", b"{", "not a JSON object"),
        ("a.jsonl.gz", gzip.compress(b"{}")[:-4], "is not whole gzip data"),
        ("a.pdf", b"%PDF-\n nothing", "is not a PDF that can be read: PdfStreamError"),
        ("a.pdf", b"", "is not a PDF that can be read: EmptyFileError"),
        ("a.xlsx", b"nothing", "is not a whole zip archive, as such files are"),
        ("a.docx", b"PK\x03\x04", "is not a whole zip archive, as such files are"),
        ("a.html", b"<p>" * 2 + b"<ul><li>" * 5000, "is nested too deeply"),
    ],
)
def test_a_broken_file_has_one_error(tmp_path, name, content, reason):
    (tmp_path / name).write_bytes(content)
    assert read(tmp_path / name)[1] == [reason]
    index = Index(embedding=None)
    with pytest.raises(InvalidInputError, match=f"{name}.*: "):
        index.add_files(tmp_path)
    (tmp_path / "b.md").write_text("fine")
    assert index.add_files(tmp_path, on_error="skip").added == 1


def test_archives_without_a_document_are_refused(tmp_path):
    for name, what, error in (("a.xlsx", "a spreadsheet", "KeyError"), ("a.docx", "a document of Word", "OSError")):
        office_files.archive(tmp_path / name, {"x": "y"})
        assert read(tmp_path / name)[1] == [f"is not {what} that can be read: {error}"]


@pytest.mark.nightly
def test_packed_documents_are_bounded(tmp_path):
    for name in ("a.xlsx", "a.docx"):
        office_files.archive(tmp_path / name, {"bomb": "\0" * (257 * 1024 * 1024)})
        assert (tmp_path / name).stat().st_size < 1024 * 1024
        assert read(tmp_path / name)[1] == ["would have more than 268435456 bytes unpacked"]


def test_rows_and_columns_far_from_the_origin_are_bounded(tmp_path):
    first = office_files.row(1, {"A1": "a"})
    far = office_files.sheet(tmp_path / "a.xlsx", first + office_files.row(1048576, {"XFD1048576": "b"}))
    assert read(far)[1] == ["row 1048576 has 16384 cells, and there are 1 columns"]
    farther = office_files.sheet(tmp_path / "b.xlsx", first + office_files.row(10**12, {"A1000000000000": "b"}))
    assert read(farther)[1] == ["has more than 1048576 rows or 33554432 cells in a sheet"]


def test_entities_are_not_expanded(tmp_path):
    entities = '<!DOCTYPE x [<!ENTITY a "aaaaaaaaaa">' + "".join(
        f'<!ENTITY {after} "{f"&{before};" * 10}">' for before, after in zip("abcdefgh", "bcdefghi", strict=True)
    )
    path = office_files.sheet(tmp_path / "a.xlsx", office_files.row(1, {"A1": "&i;"}), f"{entities}]>")
    assert read(path)[1][0].startswith("is not a spreadsheet that can be read")


@pytest.mark.nightly
def test_an_endless_pdf_is_bounded(tmp_path, monkeypatch):
    catalog = b"<< /Type /Catalog /Pages 2 0 R >>"
    resources = b"<< /Font << /F1 5 0 R >> >>"
    page = b"<< /Type /Page /MediaBox [0 0 612 792] /Resources %s /Contents 4 0 R >>" % resources
    circle = office_files.pdf(tmp_path / "a.pdf", [catalog, b"<< /Type /Pages /Kids [2 0 R] /Count 9999999 >>"])
    assert read(circle)[1] == ["is not a PDF that can be read: PdfReadError"]
    pages = b"<< /Type /Pages /Kids [%s] /Count 9 >>" % (b"3 0 R " * 10_001)
    many = office_files.pdf(tmp_path / "b.pdf", [catalog, pages, page, office_files.stream(b" "), office_files.FONT])
    assert read(many)[1] == ["has more than 10000 pages or 67108864 characters"]
    packed = office_files.stream(zlib.compress(b"\0" * 200_000_000), b"/Filter /FlateDecode ")
    one = b"<< /Type /Pages /Kids [3 0 R] /Count 1 >>"
    bomb = office_files.pdf(tmp_path / "c.pdf", [catalog, one, page, packed, office_files.FONT])
    assert read(bomb)[1] == ["is not a PDF that can be read: LimitReachedError"]
    monkeypatch.setattr(pdf_text, "LONGEST_READING", -1.0)
    slow = office_files.pdf_of_pages(tmp_path / "d.pdf", ["one"])
    assert read(slow)[1] == ["takes longer than -1 seconds to read"]


def test_a_pdf_without_text_is_skipped(tmp_path):
    office_files.pdf_of_pages(tmp_path / "scan.pdf", ["", ""])
    added = Index(embedding=None).add_files(tmp_path)
    assert [each.reason for each in added.skipped] == ["it contains no text"]


@pytest.mark.nightly
def test_endless_lines_and_large_files_are_bounded(tmp_path):
    for name in ("a.jsonl", "a.csv", "a.txt", "a.json", "a.html"):
        with open(tmp_path / name, "wb") as file:
            file.truncate(200 * 1024 * 1024)
    (tmp_path / "a.jsonl.gz").write_bytes(gzip.compress(b" " * (65 * 1024 * 1024)))
    most = file_bytes.LARGEST_FILE
    assert read(tmp_path / "a.jsonl")[1] == [f"the line has more than {most} bytes"]
    assert read(tmp_path / "a.jsonl.gz")[1] == [f"the line has more than {most} bytes"]
    assert read(tmp_path / "a.csv")[1] == [f"line 1: the row has more than {most} bytes"]
    for name in ("a.txt", "a.json", "a.html"):
        assert read(tmp_path / name)[1] == [f"has more than {most} bytes"]


def test_links_and_pipes_are_skipped(tmp_path):
    (tmp_path / "sub").mkdir()
    (tmp_path / "sub/a.md").write_text("one")
    (tmp_path / "sub/loop").symlink_to("..")
    (tmp_path / "link.md").symlink_to("sub/a.md")
    os.mkfifo(tmp_path / "pipe.md")
    added = Index(embedding=None).add_files(tmp_path)
    assert added.added == 1
    found = [(os.path.basename(each.path), each.reason) for each in added.skipped]
    assert found == [("link.md", "a symbolic link"), ("pipe.md", "not a regular file"), ("loop", "a symbolic link")]


@pytest.mark.parametrize(
    ("name", "module", "package"),
    [("a.pdf", "pypdf", "pypdf"), ("a.xlsx", "openpyxl", "openpyxl"), ("a.docx", "mammoth", "mammoth"),
     ("a.html", "bs4", "bs4"), ("b.html", "lxml", "lxml"), ("c.htm", "markdownify", "markdownify")],
)  # fmt: skip
def test_a_missing_library_names_the_extra(tmp_path, monkeypatch, name, module, package):
    monkeypatch.setitem(sys.modules, module, None)
    (tmp_path / name).write_text("x")
    end = name[1:] if name.endswith(("pdf", "xlsx", "docx")) else ".html"
    assert read(tmp_path / name)[1] == [f"{end} files are read with {package}: pip install 'hybrid-search[files]'"]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"paths": 3}, "paths must be a path, or a list of paths, not 3"),
        ({"paths": "missing.md"}, '"missing.md" is neither a file nor a folder'),
        ({"paths": ""}, 'path must be the path of a file or a folder, or a pattern, not ""'),
        ({"paths": ".", "on_error": "ignore"}, "on_error must be"),
        ({"paths": ".", "other_keys": "keep"}, "other_keys must be"),
        ({"paths": ".", "batch_size": 0}, "batch_size must be an integer of at least 1, not 0"),
        ({"paths": ".", "prune": 1}, "prune must be"),
        ({"paths": ".", "mapping": []}, "mapping must be an object"),
    ],
)
def test_wrong_arguments_are_refused(tmp_path, monkeypatch, arguments, message):
    monkeypatch.chdir(tmp_path)
    with pytest.raises(InvalidInputError) as error:
        Index(embedding=None).add_files(**arguments)
    assert str(error.value).startswith(message)
