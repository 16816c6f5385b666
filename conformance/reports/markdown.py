"""Clauses as HTML: the little Markdown that they are written in; anything else is shown as it is written."""

import html
import re

TABLE = re.compile(r"\|(?P<cells>.*)\|")
RULE = re.compile(r"[|:\- ]+")
ITEM = re.compile(r"(?:[-*]|\d+\.) +(?P<text>.*)")
ANCHOR = re.compile(r'<a id="[^"]*"></a>')
LINK = re.compile(r"\[([^\]]+)\]\([^)\s]*\)")
STRONG = re.compile(r"\*\*(.+?)\*\*")
EMPHASIS = re.compile(r"(?<![*\w])\*([^*\s](?:[^*]*[^*\s])?)\*(?![*\w])")
FENCE = "```"


def rendered(text: str) -> str:
    """Paragraphs, headings, lists, tables, code, emphasis; of links the text alone, for they lead out of the page."""
    return "".join(_block(block) for block in _blocks(text))


def _blocks(text: str) -> list[list[str]]:
    """The lines of each block: what blank lines divide, but for code."""
    blocks: list[list[str]] = [[]]
    in_code = False
    for line in text.splitlines():
        fence = line.strip().startswith(FENCE)
        if fence and not in_code:
            blocks.append([line])
        elif line.strip() or in_code:
            blocks[-1].append(line)
        else:
            blocks.append([])
        if fence and in_code:
            blocks.append([])
        in_code ^= fence
    return [block for block in blocks if block]


def _block(lines: list[str]) -> str:
    first = lines[0].strip()
    if first.startswith(FENCE):
        return f"<pre>{html.escape(chr(10).join(lines[1:-1]))}</pre>"
    if first.startswith("#"):
        rest = _block(lines[1:]) if lines[1:] else ""
        return f"<h5>{_inline(first.lstrip('#').strip())}</h5>{rest}"
    place = next((number for number, line in enumerate(lines) if TABLE.fullmatch(line.strip())), None)
    if place == 0:
        return _table(lines)
    place = next((number for number, line in enumerate(lines) if ITEM.fullmatch(line.strip())), place)
    if place is None:
        return f"<p>{_inline(' '.join(line.strip() for line in lines))}</p>"
    if place:
        return _block(lines[:place]) + _block(lines[place:])
    return _list(lines)


def _list(lines: list[str]) -> str:
    items: list[list[str]] = []
    for line in lines:
        found = ITEM.fullmatch(line.strip())
        if found:
            items.append([found["text"]])
        else:
            items[-1].append(line.strip())
    shown = "".join(f"<li>{_inline(' '.join(item))}</li>" for item in items)
    return f"<ul>{shown}</ul>"


def _table(lines: list[str]) -> str:
    rows = []
    for number, line in enumerate(line.strip() for line in lines):
        if number == 1 and RULE.fullmatch(line):
            continue
        tag = "th" if number == 0 else "td"
        cells = line.strip("|").split(" | ")
        rows.append(f"<tr>{''.join(f'<{tag}>{_inline(cell.strip())}</{tag}>' for cell in cells)}</tr>")
    return f'<div class="scroll"><table>{"".join(rows)}</table></div>'


def _inline(text: str) -> str:
    """Code stays as it is written; emphasis and links are rendered around it."""
    parts = ANCHOR.sub("", text).split("`")
    if len(parts) % 2 == 0:
        parts[-2:] = ["`".join(parts[-2:])]
    return "".join(
        f"<code>{html.escape(part)}</code>" if number % 2 else _emphasised(html.escape(part, quote=False))
        for number, part in enumerate(parts)
    )


def _emphasised(text: str) -> str:
    return EMPHASIS.sub(r"<em>\1</em>", STRONG.sub(r"<strong>\1</strong>", LINK.sub(r"\1", text)))
