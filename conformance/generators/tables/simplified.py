"""Makes the table of simplified Chinese characters (TXT-1) from OpenCC's TSCharacters (Apache-2.0, named in NOTICE)."""

from importlib import metadata, resources
from typing import Any

PACKAGE = "opencc-python-reimplemented"
FIRST_TARGET, LAST_TARGET = 0x3400, 0x9FFF
"""Targets outside this range are rare characters that neither the dictionary nor fonts know: those are left out."""


def build() -> dict[str, Any]:
    """The content of `data/simplified.json`: two texts of equal length, `traditional[i]` becomes `simplified[i]`."""
    lines = resources.files("opencc").joinpath("dictionary/TSCharacters.txt").read_text(encoding="utf-8").split("\n")
    pairs = sorted(filter(_kept, (_pair(line) for line in lines if line)))
    return {
        "source": f"{PACKAGE} {metadata.version(PACKAGE)}, dictionary/TSCharacters.txt",
        "traditional": "".join(traditional for traditional, _ in pairs),
        "simplified": "".join(simplified for _, simplified in pairs),
    }


def _pair(line: str) -> tuple[str, str]:
    traditional, candidates = line.rstrip("\r").split("\t")
    return traditional, candidates.split(" ")[0]


def _kept(pair: tuple[str, str]) -> bool:
    traditional, simplified = pair
    if len(traditional) != 1 or len(simplified) != 1 or traditional == simplified:
        return False
    return FIRST_TARGET <= ord(simplified) <= LAST_TARGET
