"""The program of docs/porting-from-ragflow.md that uses RAGFlow's own tokenizer, where its package is installed."""

import re
from pathlib import Path

import pytest

PAGE = Path(__file__).parents[2] / "docs" / "porting-from-ragflow.md"


def test_the_example_with_the_tokenizer_of_ragflow_runs(capsys):
    pytest.importorskip("infinity.rag_tokenizer", reason="needs the package infinity-sdk, which is not installed")
    programs = re.findall(r"```python\n(.*?)```", PAGE.read_text(encoding="utf-8"), re.DOTALL)
    (program,) = [text for text in programs if "infinity.rag_tokenizer" in text]
    names = {}
    exec(program, names)
    assert capsys.readouterr().out == "1\n"
    tokenizer = names["RagFlowTokenizer"]()
    assert tokenizer.tokenize("赋值运算符") == ["赋值", "运算符"]
    assert tokenizer.fine_grained("运算符") == ["运算", "符"]
    assert (tokenizer.frequency("规则"), tokenizer.tag("规则")) == (6738, "n")
