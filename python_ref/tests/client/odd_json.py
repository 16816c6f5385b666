"""JSON with something wrong in it, or almost: drawn at random, the same for the same seed."""

import random
from collections.abc import Iterator

WHOLE = [
    b'{"results": [{"index": 0, "relevance_score": 0.25}, {"index": 1, "relevance_score": -1.5e-3}], "id": null}',
    b'{"data":[{"index":0,"embedding":[0.1,-2,3E+4,5e-324]}],"model":"m","usage":{"total_tokens":12}}',
    '{"error": {"message": "规则 6-2-1 \\ud83e\\udd8a 🦊", "code": 429}, "ok": [true, false, null, {}, []]}'.encode(),
    b'[{"index":1,"score":0.5},{"index":0,"score":1e400,"text":"\\"\\\\\\/\\b\\f\\n\\r\\t\\u00e9"}]',
    b' [ [ ] , { } , "" , 0 , -0 , -0.0 , 123456789012345678901234567890 ] \n',
    b'"alone"',
    b"-12.50e-2",
]
PARTS = [
    *(
        b"[",
        b"]",
        b"{",
        b"}",
        b",",
        b":",
        b'"',
        b"\\",
        b"/",
        b"*",
        b"#",
        b"'",
        b" ",
        b"\n",
        b"\t",
        b"\r",
        b"\0",
        b"\x0c",
    ),
    *(b"0", b"1", b"9", b"-", b"+", b".", b"e", b"E", b"00", b"-0", b"1.", b".5", b"1e", b"0x1", b"1_0", b"1e999"),
    *(
        b"true",
        b"null",
        b"NaN",
        b"Infinity",
        b"-Infinity",
        b"nul",
        b"True",
        b'""',
        b'"a":',
        b'{"a":1}',
        b"[[]]",
        b"[1,",
    ),
    *(b"/* x */", b"// x\n", b"#x\n", b"\\q", b"\\u", b"\\u0041", b"\\ud83d", b"\\ude00", b"\\ud83d\\ude00", b"\\u12"),
    *(b"\xff", b"\xc0\xaf", b"\xed\xa0\x80", b"\xf4\x90\x80\x80", b"\xe4\xb8", "\ufeff".encode(), "\u2028".encode()),
    *(
        "\u00a0".encode(),
        "é中😀".encode(),
        b"[" * 99,
        b"]" * 99,
        b"[" * 150,
        b"9" * 30,
        b"0." + b"1234567" * 20,
        b"\x7f",
    ),
]
NUMBER_CHARACTERS = "0123456789" * 3 + "-+.eE"


def texts(seed: int, count: int) -> Iterator[bytes]:
    """Yield that many texts: valid ones, ones changed in some places, and numbers of all sorts."""
    chance = random.Random(seed)
    for _ in range(count):
        yield _number(chance) if chance.random() < 0.15 else _changed(chance)


def _changed(chance: random.Random) -> bytes:
    text = chance.choice(WHOLE)
    for _ in range(chance.choice((1, 1, 1, 2, 3, 6))):
        start = chance.randint(0, len(text))
        end = min(len(text), start + chance.choice((0, 0, 1, 1, 2, 5, 30)))
        put = chance.choice(
            (b"", chance.choice(PARTS), chance.choice(PARTS), bytes([chance.randrange(256)]), text[start:end] * 2)
        )
        text = text[:start] + put + text[end:]
    return text


def _number(chance: random.Random) -> bytes:
    if chance.random() < 0.5:
        text = "".join(chance.choice(NUMBER_CHARACTERS) for _ in range(chance.randint(1, 12)))
    else:
        digits = "".join(chance.choice("0123456789") for _ in range(chance.choice((17, 18, 40, 100, 800))))
        text = f"{chance.choice(('', '-'))}{digits[0]}.{digits[1:]}e{chance.randint(-340, 320)}"
    return text.encode() if chance.random() < 0.5 else b'{"a": [' + text.encode() + b"]}"
