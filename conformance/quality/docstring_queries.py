"""Makes a task of locating code out of a Python package: docstrings are the questions, and are removed from the code.

`python -m conformance.quality.docstring_queries PACKAGE FOLDER [--most N]` writes FOLDER/repos/NAME, a copy of the
package without any docstring, FOLDER/instances.jsonl and FOLDER/gold.jsonl. A question is the first paragraph of the
docstring of one public function or method of a file, the longest, which has at least eight words; the right file is the
one it stood in. Nothing is asked about tests. Names of functions stay in the code, so that a question shares words with
it as a report of a bug does.
"""

import argparse
import ast
import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

FEWEST_WORDS = 8
MOST_CHARACTERS = 600
Documented = ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef


class Question(NamedTuple):
    """A question with its file and the function whose docstring it was."""

    path: str
    name: str
    text: str


def docstrings(tree: ast.AST) -> Iterator[tuple[Documented, ast.Expr]]:
    """Everything that has a docstring, with the statement that it is."""
    for node in ast.walk(tree):
        if isinstance(node, Documented) and ast.get_docstring(node, clean=False) is not None:
            statement = node.body[0]
            assert isinstance(statement, ast.Expr)
            yield node, statement


def without_docstrings(text: str) -> str:
    """A source without docstrings: each becomes `pass`, and its lines blank, so that line numbers stay."""
    lines = text.splitlines()
    for _, statement in docstrings(ast.parse(text)):
        first, last = statement.lineno - 1, (statement.end_lineno or statement.lineno) - 1
        before = lines[first].encode()[: statement.col_offset].decode()
        after = lines[last].encode()[statement.end_col_offset :].decode()
        lines[first : last + 1] = [f"{before}pass{after}", *[""] * (last - first)]
    return "\n".join(lines) + "\n"


def question_of(path: str, text: str) -> Question | None:
    """The question of a file; none: it has none."""
    found = []
    for node, _ in docstrings(ast.parse(text)):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef) and not node.name.startswith("_"):
            paragraph = re.sub(r"\s+", " ", (ast.get_docstring(node) or "").split("\n\n")[0])[:MOST_CHARACTERS]
            if len(paragraph.split()) >= FEWEST_WORDS:
                found.append(Question(path, node.name, paragraph))
    return max(found, key=lambda each: len(each.text), default=None)


def make(package: Path, folder: Path, most: int) -> tuple[int, int]:
    """Write the task; gives how many files and questions there are."""
    questions, files = [], 0
    for source in sorted(package.rglob("*.py")):
        path = source.relative_to(package).as_posix()
        text = source.read_text(encoding="utf-8")
        place = folder / "repos" / package.name / path
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_text(without_docstrings(text), encoding="utf-8")
        files += 1
        question = None if "tests" in Path(path).parts else question_of(path, text)
        if question is not None:
            questions.append(question)
    count = min(most, len(questions))
    chosen = [questions[place * len(questions) // count] for place in range(count)]
    instances = [
        {"instance_id": f"{each.path}:{each.name}", "text": each.text, "repo_name": package.name} for each in chosen
    ]
    gold = [{"instance_id": f"{each.path}:{each.name}", "files": [each.path]} for each in chosen]
    for name, entries in (("instances", instances), ("gold", gold)):
        lines = "".join(json.dumps(entry, ensure_ascii=False) + "\n" for entry in entries)
        (folder / f"{name}.jsonl").write_text(lines, encoding="utf-8")
    return files, count


def main() -> None:
    """Run the program."""
    parser = argparse.ArgumentParser(prog="docstring_queries", description="Make a task of locating code.")
    parser.add_argument("package", type=Path, help="its folder")
    parser.add_argument("folder", type=Path, help="where the task is written")
    parser.add_argument("--most", type=int, default=100, help="how many questions at the most")
    given = parser.parse_args()
    files, count = make(given.package, given.folder, given.most)
    print(f"{files} files, {count} questions")


if __name__ == "__main__":
    main()
