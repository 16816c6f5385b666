"""The kinds of files that can be read, by the ends of their names (FIL-2)."""

TEXT, MARKDOWN, HTML, PDF, DOCX = "text", "markdown", "html", "pdf", "docx"
CSV, TSV, XLSX = "csv", "tsv", "xlsx"
JSON, JSONL, JSONL_GZ = "json", "jsonl", "jsonl.gz"
UNKNOWN = "unknown"
DOCUMENTS = (TEXT, MARKDOWN, HTML, PDF, DOCX)
"""The kinds whose files are one document each, which is cut into chunks."""
TABLES = (CSV, TSV, XLSX)
"""The kinds whose rows are documents."""

EXTENSIONS = {
    ".txt": TEXT,
    ".md": MARKDOWN,
    ".markdown": MARKDOWN,
    ".html": HTML,
    ".htm": HTML,
    ".pdf": PDF,
    ".docx": DOCX,
    ".csv": CSV,
    ".tsv": TSV,
    ".xlsx": XLSX,
    ".json": JSON,
    ".jsonl": JSONL,
    ".ndjson": JSONL,
    ".jsonl.gz": JSONL_GZ,
}
"""The end of a file's name, in lower case → its kind."""


def kind_of(name: str) -> str | None:
    """Return the kind of a file by its name, ASCII case ignored; `None` for an unknown one."""
    lower = "".join(letter.lower() if letter.isascii() else letter for letter in name.rpartition("/")[2])
    return next((kind for end, kind in EXTENSIONS.items() if lower.endswith(end) and lower != end), None)


def extension_of(name: str) -> str:
    """Return the end of a file's name from its last full stop on; "" if there is none."""
    base = name.rpartition("/")[2].lstrip(".")
    return f".{base.rpartition('.')[2]}" if "." in base else ""
