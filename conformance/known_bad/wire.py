"""Faults on the wire, and of the process: they break the protocol, hang or die."""

import json
import os
import signal
import sys
from typing import IO

from conformance.known_bad.fault import Fault, Message, fault, hang, is_here, line

MORE_THAN_ANY_LINE = 80 << 20


class AtOneCase(Fault):
    """Strikes at one case."""

    def send(self, message: Message, reply: Message, out: IO[bytes]) -> None:
        """Send what is sent at that case, and elsewhere what is right."""
        if is_here(message):
            self.strike(reply, out)
        else:
            super().send(message, reply, out)

    def strike(self, reply: Message, out: IO[bytes]) -> None:
        """What happens at that case."""
        raise NotImplementedError


@fault("hangs")
class Hangs(AtOneCase):
    """Sleeps for an hour."""

    def strike(self, reply: Message, out: IO[bytes]) -> None:
        """No answer."""
        hang()


@fault("dies")
class Dies(AtOneCase):
    """Is killed in the middle of the run."""

    def strike(self, reply: Message, out: IO[bytes]) -> None:
        """No process."""
        os.kill(os.getpid(), signal.SIGKILL)


@fault("exits")
class Exits(AtOneCase):
    """Ends by itself, with words on stderr."""

    def strike(self, reply: Message, out: IO[bytes]) -> None:
        """The end."""
        print("out of ideas", file=sys.stderr, flush=True)
        os._exit(3)


@fault("half_a_line")
class HalfALine(AtOneCase):
    """Dies in the middle of a line."""

    def strike(self, reply: Message, out: IO[bytes]) -> None:
        """Half of the answer."""
        whole = line(reply)
        out.write(whole[: len(whole) // 2])
        os._exit(0)


@fault("half_a_line_and_hangs")
class HalfALineAndHangs(AtOneCase):
    """Writes half of a line and sleeps."""

    def strike(self, reply: Message, out: IO[bytes]) -> None:
        """Half of the answer."""
        whole = line(reply)
        out.write(whole[: len(whole) // 2])
        hang()


@fault("wrong_seq")
class WrongSeq(AtOneCase):
    """Answers another question."""

    def strike(self, reply: Message, out: IO[bytes]) -> None:
        """The answer to the question before."""
        out.write(line({**reply, "seq": reply["seq"] + 1}))


@fault("noise")
class Noise(AtOneCase):
    """Prints something on stdout before its answer."""

    def strike(self, reply: Message, out: IO[bytes]) -> None:
        """A line for people."""
        out.write(b"loading the dictionary ...\n" + line(reply))


@fault("answers_twice")
class AnswersTwice(AtOneCase):
    """Gives its answer twice, so that all others would be one late."""

    def strike(self, reply: Message, out: IO[bytes]) -> None:
        """Two lines."""
        out.write(line(reply) * 2)


@fault("unknown_message")
class UnknownMessage(AtOneCase):
    """Sends a message of a type that the protocol does not have."""

    def strike(self, reply: Message, out: IO[bytes]) -> None:
        """How far it is."""
        out.write(line({"type": "progress", "done": 1}) + line(reply))


@fault("bye_too_soon")
class ByeTooSoon(AtOneCase):
    """Says bye in the place of an answer."""

    def strike(self, reply: Message, out: IO[bytes]) -> None:
        """Another message of the protocol."""
        out.write(line({"type": "bye"}))


@fault("bare_float")
class BareFloat(AtOneCase):
    """Writes a float as a number of JSON."""

    def strike(self, reply: Message, out: IO[bytes]) -> None:
        """A number that loses its bits in some languages."""
        out.write(line({**reply, "value": [["a", 0.5]]}))


@fault("wrong_decimal")
class WrongDecimal(AtOneCase):
    """Writes a float whose decimal is not that of its bits."""

    def strike(self, reply: Message, out: IO[bytes]) -> None:
        """0.1 with the bits of its neighbour."""
        out.write(line({**reply, "value": {"bits": "3fb999999999999b", "decimal": "0.1"}}))


@fault("large_integer")
class LargeInteger(AtOneCase):
    """Writes an integer of 2^53 as it is."""

    def strike(self, reply: Message, out: IO[bytes]) -> None:
        """An integer that some languages cannot read."""
        out.write(line({**reply, "value": 2**53}))


@fault("not_utf8")
class NotUtf8(AtOneCase):
    """Writes bytes that are no UTF-8."""

    def strike(self, reply: Message, out: IO[bytes]) -> None:
        """A byte of Latin-1 in a text."""
        out.write(json.dumps({**reply, "value": "caf?"}).encode().replace(b"?", b"\xe9") + b"\n")


@fault("lone_surrogate")
class LoneSurrogate(AtOneCase):
    """Writes half of a character."""

    def strike(self, reply: Message, out: IO[bytes]) -> None:
        """The first half of a pair."""
        out.write(json.dumps({**reply, "value": "\ud83d"}).encode() + b"\n")


@fault("endless_line")
class EndlessLine(AtOneCase):
    """Writes a line without an end."""

    def strike(self, reply: Message, out: IO[bytes]) -> None:
        """More than any answer."""
        part = b"[" * (1 << 20)
        for _ in range(MORE_THAN_ANY_LINE // len(part)):
            out.write(part)
        hang()


@fault("noise_at_the_end")
class NoiseAtTheEnd(Fault):
    """Prints a summary after its bye."""

    def send(self, message: Message, reply: Message, out: IO[bytes]) -> None:
        """A line more than it was asked for."""
        super().send(message, reply, out)
        if message["type"] == "bye":
            out.write(b"42 questions answered\n")


@fault("fails_at_the_end")
class FailsAtTheEnd(Fault):
    """Ends with another exit status than 0."""

    def send(self, message: Message, reply: Message, out: IO[bytes]) -> None:
        """Everything is right but the end."""
        super().send(message, reply, out)
        if message["type"] == "bye":
            os._exit(1)


@fault("hangs_at_the_end")
class HangsAtTheEnd(Fault):
    """Does not end after its bye."""

    def send(self, message: Message, reply: Message, out: IO[bytes]) -> None:
        """Everything is right but the end."""
        super().send(message, reply, out)
        if message["type"] == "bye":
            hang()


@fault("hangs_at_hello")
class HangsAtHello(Fault):
    """Never says hello."""

    def send(self, message: Message, reply: Message, out: IO[bytes]) -> None:
        """Nothing."""
        hang()


@fault("dies_at_once")
class DiesAtOnce(Fault):
    """Cannot start."""

    def begin(self) -> None:
        """The end."""
        print("cannot load such file -- json", file=sys.stderr, flush=True)
        os._exit(1)


@fault("other_protocol")
class OtherProtocol(Fault):
    """Speaks another version of the protocol."""

    def hello(self, reply: Message) -> Message:
        """Version 2."""
        return {**reply, "protocol": 2}


@fault("other_capabilities")
class OtherCapabilities(Fault):
    """Says in its hello that it has other operations than those it is listed with."""

    def hello(self, reply: Message) -> Message:
        """Half of them."""
        return {**reply, "capabilities": ["fusion.rrf", "teleportation"]}


@fault("talks_on_stderr")
class TalksOnStderr(Fault):
    """Writes megabytes on stderr, which is free to it, in lines and without."""

    def change(self, message: Message, reply: Message) -> Message:
        """The right answer."""
        sys.stderr.write("loading the dictionary ...\n" * 10_000 + "." * 1_000_000)
        sys.stderr.flush()
        return reply
