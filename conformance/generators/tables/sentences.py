"""Makes the table of characters and abbreviations by which sentences and clauses are found (CHK-4)."""

from typing import Any


def build() -> dict[str, Any]:
    """The content of `data/sentences.json`."""
    return {
        "enders": CHINESE_ENDERS + ENGLISH_ENDERS,
        "chinese_enders": CHINESE_ENDERS,
        "closers": CLOSERS,
        "openers": OPENERS,
        "clause_enders": CHINESE_CLAUSE_ENDERS + ENGLISH_CLAUSE_ENDERS,
        "chinese_clause_enders": CHINESE_CLAUSE_ENDERS,
        "abbreviations": ABBREVIATIONS,
        "abbreviations_before_numbers": ABBREVIATIONS_BEFORE_NUMBERS,
    }


CHINESE_ENDERS = "。！？；｡"
ENGLISH_ENDERS = ".!?"
CLOSERS = "\"')]}”’»›」』）】》〉〕］｝＂＇｣"
OPENERS = "\"'([{“‘«‹「『（【《〈〔［｛＂＇｢"
CHINESE_CLAUSE_ENDERS = "，、：､"
ENGLISH_CLAUSE_ENDERS = ",;:"
ABBREVIATIONS = [
    "adm", "al", "approx", "ave", "brig", "bros", "ca", "capt", "cf", "cmdr", "col", "cpl", "dept", "dr", "drs", "ed",
    "eds", "esp", "est", "ext", "gen", "gov", "hon", "ibid", "incl", "jr", "lt", "maj", "messrs", "mme", "mr", "mrs",
    "ms", "mt", "op", "ph.d", "prof", "rep", "resp", "rev", "sen", "sgt", "sr", "st", "trans", "univ", "viz", "vs",
]  # fmt: skip
ABBREVIATIONS_BEFORE_NUMBERS = [
    "app", "art", "ch", "chap", "eq", "eqs", "ex", "fig", "figs", "no", "nos", "nr", "p", "par", "para", "pp", "pt",
    "ref", "refs", "sec", "sect", "tab", "tbl", "ver", "vol", "vols",
]  # fmt: skip
