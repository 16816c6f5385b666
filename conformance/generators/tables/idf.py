r"""Makes the gem's inverse document frequencies from the installed jieba's `idf.txt` (MIT, named in NOTICE) (TXT-8).

Most words of that file are words or prefixes of the dictionary, so a number for each slot of its trie holds them; the
others are listed. The file is not compressed. Little-endian:

```
8 bytes   "HSIDF01\n"
uint32    slots of the dictionary's trie, distinct values, other words
double    the median
double    values[distinct]
uint16    number[slots]         0 is "no value", else 1 + index into the values
uint16    number[other words]   the same
bytes     the other words, each ended by LF
```
"""

import struct

from conformance.generators.tables import dictionary
from hybrid_search.text.idf_table import IdfTable, entries

MAGIC = b"HSIDF01\n"


def build() -> bytes:
    """The content of `idf.bin`."""
    trie = dictionary.trie()
    table = dict(entries())
    values = sorted(set(table.values()))
    numbers = {value: number for number, value in enumerate(values, start=1)}
    number_of_slot = [0] * len(trie.check)
    others: dict[str, int] = {}
    for word in sorted(table):
        try:
            number_of_slot[trie.find(word)] = numbers[table[word]]
        except KeyError:
            others[word] = numbers[table[word]]
    return b"".join(
        [
            MAGIC,
            struct.pack("<3I", len(trie.check), len(values), len(others)),
            struct.pack("<d", IdfTable.shared().median),
            struct.pack(f"<{len(values)}d", *values),
            struct.pack(f"<{len(number_of_slot)}H", *number_of_slot),
            struct.pack(f"<{len(others)}H", *others.values()),
            "".join(f"{word}\n" for word in others).encode("utf-8"),
        ]
    )
