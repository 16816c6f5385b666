r"""Makes the gem's hidden Markov model from the installed jieba (MIT, named in NOTICE) (TXT-3).

The file is not compressed. It holds 8 bytes `HSHMM01\n`, then little-endian doubles, all logarithms of
probabilities:

```
start[4]               of the first label: B, M, E, S
steps[8]               of one label after another: E→B, S→B, B→M, M→M, B→E, M→E, E→S, S→S
emissions[20950][4]    of the characters U+4E00 … U+9FD5, each for B, M, E, S
```

What jieba's tables do not have is jieba's `MIN_FLOAT`, -3.14e100, divided by 2^100: a power of two changes no
comparison of sums, and every other addend still vanishes beside it.
"""

import struct

from hybrid_search.text.jieba import jieba

MAGIC = b"HSHMM01\n"
STATES = "BMES"
STEPS = ("EB", "SB", "BM", "MM", "BE", "ME", "ES", "SS")
FIRST, LAST = 0x4E00, 0x9FD5
SCALE = 2.0**-100


def build() -> bytes:
    """The content of `hidden_markov_model.bin`."""
    model = jieba.finalseg
    never: float = model.MIN_FLOAT

    def scaled(probability: float) -> float:
        return probability * SCALE if probability == never else probability

    start = [scaled(model.start_P[state]) for state in STATES]
    steps = [scaled(model.trans_P[step[0]].get(step[1], never)) for step in STEPS]
    emissions = [
        scaled(model.emit_P[state].get(chr(point), never)) for point in range(FIRST, LAST + 1) for state in STATES
    ]
    numbers = start + steps + emissions
    return MAGIC + struct.pack(f"<{len(numbers)}d", *numbers)
