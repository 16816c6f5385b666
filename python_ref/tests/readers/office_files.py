"""Small files of the kinds that libraries read, made for tests."""

import zipfile
from collections.abc import Mapping, Sequence
from pathlib import Path

RELATIONS = "http://schemas.openxmlformats.org/package/2006/relationships"
OFFICE = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
SHEETS = "http://schemas.openxmlformats.org/spreadsheetml/2006/main"
WORDS = "http://schemas.openxmlformats.org/wordprocessingml/2006/main"
FONT = b"<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>"


def pdf(path: Path, objects: Sequence[bytes]) -> Path:
    """Write a PDF of these objects, whose first is the catalog."""
    written = b"%PDF-" + b"1.4\n"
    places = []
    for number, content in enumerate(objects, 1):
        places.append(len(written))
        written += b"%d 0 obj\n%s\nendobj\n" % (number, content)
    table = b"".join(b"%010d 00000 n \n" % place for place in places)
    trailer = b"trailer\n<< /Size %d /Root 1 0 R >>\nstartxref\n%d\n%%%%EOF" % (len(objects) + 1, len(written))
    path.write_bytes(written + b"xref\n0 %d\n0000000000 65535 f \n" % (len(objects) + 1) + table + trailer)
    return path


def stream(content: bytes, extra: bytes = b"") -> bytes:
    return b"<< /Length %d %s>>\nstream\n%s\nendstream" % (len(content), extra, content)


def pdf_of_pages(path: Path, pages: Sequence[str]) -> Path:
    """Write a PDF with a line of text on each page."""
    kids = b" ".join(b"%d 0 R" % (4 + 2 * number) for number in range(len(pages)))
    objects = [b"<< /Type /Catalog /Pages 2 0 R >>", b"<< /Type /Pages /Kids [%s] /Count %d >>" % (kids, len(pages))]
    objects.append(FONT)
    for number, text in enumerate(pages):
        resources = b"/Resources << /Font << /F1 3 0 R >> >> /Contents %d 0 R" % (5 + 2 * number)
        objects.append(b"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 612 792] %s >>" % resources)
        objects.append(stream(b"BT /F1 12 Tf 72 720 Td (%s) Tj ET" % text.encode("ascii")))
    return pdf(path, objects)


def archive(path: Path, parts: Mapping[str, str]) -> Path:
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as packed:
        for name, content in parts.items():
            packed.writestr(name, content)
    return path


def _relation(kind: str, target: str) -> str:
    found = f'<Relationship Id="r1" Type="{OFFICE}/{kind}" Target="{target}"/>'
    return f'<Relationships xmlns="{RELATIONS}">{found}</Relationships>'


def sheet(path: Path, rows: str, before: str = "") -> Path:
    """Write a spreadsheet whose one sheet has these rows in XML."""
    cell = '<sheets><sheet name="S" sheetId="1" r:id="r1"/></sheets>'
    return archive(
        path,
        {
            "[Content_Types].xml": '<Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types">'
            '<Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/>'
            '<Override PartName="/xl/workbook.xml" ContentType="application/vnd.openxmlformats-officedocument.'
            'spreadsheetml.sheet.main+xml"/></Types>',
            "_rels/.rels": _relation("officeDocument", "xl/workbook.xml"),
            "xl/workbook.xml": f'<workbook xmlns="{SHEETS}" xmlns:r="{OFFICE}">{cell}</workbook>',
            "xl/_rels/workbook.xml.rels": _relation("worksheet", "worksheets/sheet1.xml"),
            "xl/worksheets/sheet1.xml": f'{before}<worksheet xmlns="{SHEETS}"><sheetData>{rows}</sheetData>'
            "</worksheet>",
        },
    )


def row(number: int, cells: Mapping[str, str]) -> str:
    found = "".join(f'<c r="{name}" t="inlineStr"><is><t>{text}</t></is></c>' for name, text in cells.items())
    return f'<row r="{number}">{found}</row>'


def _style(name: str) -> str:
    return f'<w:pPr><w:pStyle w:val="{name.replace(" ", "-")}"/></w:pPr>' if name else ""


def word(path: Path, paragraphs: Sequence[tuple[str, str]]) -> Path:
    """Write a document of Word; each paragraph has the name of its style, or `None`."""
    body = "".join(f"<w:p>{_style(style)}<w:r><w:t>{text}</w:t></w:r></w:p>" for style, text in paragraphs)
    styles = "".join(
        f'<w:style w:type="paragraph" w:styleId="{style.replace(" ", "-")}"><w:name w:val="{style}"/></w:style>'
        for style in sorted({style for style, _ in paragraphs if style})
    )
    types = "application/vnd.openxmlformats-officedocument.wordprocessingml"
    return archive(
        path,
        {
            "[Content_Types].xml": '<Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types">'
            '<Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/>'
            f'<Override PartName="/word/document.xml" ContentType="{types}.document.main+xml"/>'
            f'<Override PartName="/word/styles.xml" ContentType="{types}.styles+xml"/></Types>',
            "_rels/.rels": _relation("officeDocument", "word/document.xml"),
            "word/_rels/document.xml.rels": _relation("styles", "styles.xml"),
            "word/styles.xml": f'<w:styles xmlns:w="{WORDS}">{styles}</w:styles>',
            "word/document.xml": f'<w:document xmlns:w="{WORDS}"><w:body>{body}</w:body></w:document>',
        },
    )
