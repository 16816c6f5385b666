"""Writes a finding as a case that people could have written; its expected value comes from the reference (CNF-17)."""

from pathlib import Path
from typing import Any

import yaml

from conformance.errors import BrokenError
from conformance.fuzz.search import Finding
from conformance.generators import case_files
from conformance.paths import CASES
from conformance.wire.values import canonical, is_float
from hybrid_search.base import numeric

THEME = "fuzz"


class _Dumper(yaml.SafeDumper):
    """Every text in quotation marks: what is a number or a boolean differs between versions of YAML."""


def _text(dumper: _Dumper, text: str) -> yaml.ScalarNode:
    return dumper.represent_scalar("tag:yaml.org,2002:str", text, style='"')


_Dumper.add_representer(str, _text)


def promote(finding: Finding, folder: Path = CASES) -> str | None:
    """Add the case to `<module>/<operation>.fuzz.yml`.

    Args:
        finding: a difference.
        folder: where the case files are.

    Returns:
        The id of the new case; none when the same case is there already.

    Raises:
        BrokenError: the file that is there cannot be read.
    """
    drawn = finding.drawn
    module, _, rest = drawn.operation.partition(".")
    path = folder / module / f"{rest}.{THEME}.yml"
    content: dict[str, Any] = {"operation": drawn.operation, "theme": THEME, "flags": ["fuzz"], "cases": []}
    if path.exists():
        try:
            content = case_files.load_yaml(path)
        except case_files.CaseFileError as problem:
            raise BrokenError(str(problem)) from None
    params, given = _plain(drawn.params), _plain(drawn.input)
    if any(
        canonical(_encoded([one["params"], one["input"]])) == canonical(_encoded([params, given]))
        for one in content["cases"]
    ):
        return None
    identifier = f"{drawn.operation}.{THEME}.{len(content['cases']) + 1:03}"
    content["cases"].append(
        {
            "id": identifier,
            "summary": f"found by drawing, made from {drawn.base.id}",
            "clauses": list(drawn.base.clauses),
            "origin": {"kind": "fuzz", "seed": finding.seed, "index": finding.block},
            "params": params,
            "input": given,
        }
    )
    path.parent.mkdir(parents=True, exist_ok=True)
    text = yaml.dump(content, Dumper=_Dumper, allow_unicode=False, sort_keys=False, width=120)
    path.write_text(text, encoding="utf-8", newline="\n")
    return identifier


def _plain(encoded: Any) -> Any:
    """Encoded data as case files have it: floats and large integers as numbers, bytes as `{utf8: …}`."""
    if is_float(encoded):
        return numeric.from_bits(encoded["bits"])
    if isinstance(encoded, dict):
        if encoded.keys() == {"integer"}:
            return int(encoded["integer"])
        return {key: _plain(value) for key, value in encoded.items()}
    return [_plain(item) for item in encoded] if isinstance(encoded, list) else encoded


def _encoded(value: Any) -> Any:
    """Plain data with floats by their bits, so that NaN and -0.0 can be compared."""
    if isinstance(value, float):
        return {"bits": numeric.to_bits(value)}
    if isinstance(value, dict):
        return {key: _encoded(item) for key, item in value.items()}
    return [_encoded(item) for item in value] if isinstance(value, list) else value
