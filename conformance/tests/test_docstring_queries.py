"""The task of locating code that is made of docstrings: no docstring is left, and every line keeps its number."""

import ast
import json
from pathlib import Path

from conformance.quality import docstring_queries

SOURCE = '''"""About é modules of many kinds and how they are used here."""


class A:
    """Short."""

    def one(self):
        """Gives the one that is wanted by
        everybody who asks for it.

        More.
        """
        return 1

    def _two(self): "Gives two to nobody at all, as it is private here."; return 2
'''


def test_a_docstring_becomes_the_question_and_is_removed_from_the_code(tmp_path: Path) -> None:
    package = tmp_path / "package"
    (package / "tests").mkdir(parents=True)
    (package / "a.py").write_text(SOURCE, encoding="utf-8")
    (package / "tests" / "b.py").write_text(SOURCE, encoding="utf-8")
    assert docstring_queries.make(package, tmp_path / "task", 5) == (2, 1)
    instance = json.loads((tmp_path / "task/instances.jsonl").read_text(encoding="utf-8"))
    text = "Gives the one that is wanted by everybody who asks for it."
    assert instance == {"instance_id": "a.py:one", "text": text, "repo_name": "package"}
    gold = json.loads((tmp_path / "task/gold.jsonl").read_text(encoding="utf-8"))
    assert gold == {"instance_id": "a.py:one", "files": ["a.py"]}
    made = (tmp_path / "task/repos/package/a.py").read_text(encoding="utf-8")
    tree = ast.parse(made)
    assert list(docstring_queries.docstrings(tree)) == []
    assert made.splitlines()[12] == SOURCE.splitlines()[12]
    assert "private" not in made
