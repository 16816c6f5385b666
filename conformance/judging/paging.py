"""The laws of paging (CNF-7): the pages joined are the full list; nothing repeats, nothing is lost.

A paging operation answers with a *page table*: an object (or a list of such) with

    page_size: 7
    full: [ids in order]                the full list that the pages should be a cut of
    pages: [[ids], [ids], …]            what each page showed, in order

Other keys are free. The checker needs nothing of the ranking itself, so it holds for every implementation.
"""

from typing import Any

KEYS = {"page_size", "full", "pages"}


def tables(value: Any) -> list[dict[str, Any]]:
    """Every page table inside an answer, wherever it stands."""
    if isinstance(value, dict):
        found = [value] if value.keys() >= KEYS else []
        return found + [table for part in value.values() for table in tables(part)]
    if isinstance(value, list):
        return [table for part in value for table in tables(part)]
    return []


def broken_laws(operation: str, value: Any) -> list[str]:
    """The laws an answer breaks, one line each; empty for an answer without page tables.

    Args:
        operation: its operation; one whose name ends in `.pages` must have at least one page table.
        value: the encoded value.
    """
    found = tables(value)
    if not found and operation.endswith(".pages"):
        return ["a paging operation must answer with page tables (page_size, full, pages)"]
    return [line for table in found for line in _check(table)]


def malformed(table: dict[str, Any]) -> str | None:
    """What keeps a page table from being one; none if nothing does."""
    size, full, pages = table["page_size"], table["full"], table["pages"]
    if not isinstance(size, int) or not isinstance(full, list) or not isinstance(pages, list):
        return "a page table must have an integer page_size and the lists full and pages"
    if not all(isinstance(page, list) and all(isinstance(entry, str) for entry in page) for page in [full, *pages]):
        return "a page table must hold lists of ids, and ids are texts"
    return None


def _check(table: dict[str, Any]) -> list[str]:
    size, full, pages = table["page_size"], table["full"], table["pages"]
    problem = malformed(table)
    if problem:
        return [problem]
    where = f"page size {size}"
    joined = [entry for page in pages for entry in page]
    broken = []
    repeated = _repeated(joined)
    if repeated:
        broken.append(f"{where}: {repeated[0]!r} is shown more than once")
    shown, wanted = set(joined), set(full)
    lost = [entry for entry in full if entry not in shown]
    if lost:
        broken.append(f"{where}: {lost[0]!r} is never shown ({len(lost)} lost)")
    added = [entry for entry in joined if entry not in wanted]
    if added:
        broken.append(f"{where}: {added[0]!r} is shown but not in the full list")
    if not broken and joined != full:
        place = next(index for index, (one, other) in enumerate(zip(joined, full, strict=True)) if one != other)
        broken.append(f"{where}: the pages joined are not the full list, first at place {place + 1}")
    too_long = [number for number, page in enumerate(pages, start=1) if size >= 1 and len(page) > size]
    if too_long:
        broken.append(f"{where}: page {too_long[0]} has {len(pages[too_long[0] - 1])} entries")
    return broken


def _repeated(entries: list[Any]) -> list[Any]:
    seen: set[Any] = set()
    repeated = []
    for entry in entries:
        if entry in seen:
            repeated.append(entry)
        seen.add(entry)
    return repeated
