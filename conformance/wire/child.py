"""One implementation's process in the protocol: greeted, asked, timed, and replaced when it hangs or dies (CNF-11)."""

import contextlib
import hashlib
from dataclasses import dataclass
from typing import Any

from conformance.errors import ChildDiedError, ChildTimeoutError, ProtocolError
from conformance.implementations.listing import Implementation
from conformance.wire import protocol
from conformance.wire.process import Process
from conformance.wire.protocol import Message, Question

BYE_SECONDS = 5.0
INTERNAL = "internal:"
"""What the class of an error begins with that is not one of the library's own."""

NO_ANSWER = (ChildDiedError, ChildTimeoutError, ProtocolError)


@dataclass(frozen=True)
class Reply:
    """A line that came as the answer to a case, not read yet.

    Attributes:
        line: as it came.
        seq: the number of the question.
        operation: of the question.
        want_trace: whether it asked for a trace.
    """

    line: bytes
    seq: int
    operation: str
    want_trace: bool

    def digest(self) -> bytes | None:
        """Of all it says but its number; none where the number is not in front. Equal ones are the same answer."""
        said = protocol.unnumbered(self.line, self.seq)
        return None if said is None else hashlib.sha256(said).digest()


class Child:
    """A running implementation. Not for use from several threads at once.

    Args:
        implementation: what to start.
        live: show its stderr while it runs, each line with its name in front.
    """

    def __init__(self, implementation: Implementation, live: bool = False) -> None:
        self.implementation = implementation
        self.live = live
        self.greeting: Message = {}
        self.starts = 0
        self._process: Process | None = None
        self._seq = 0

    def __enter__(self) -> "Child":
        return self

    def __exit__(self, *_: Any) -> None:
        self.close()

    def start(self) -> Message:
        """Start the process, if it does not run yet, and greet it.

        Returns:
            Its `hello`.

        Raises:
            ChildDiedError, ChildTimeoutError, ProtocolError: it does not start as it should.
        """
        if self._process is not None:
            return self.greeting
        self.starts += 1
        self._process = Process(self.implementation, self.live)
        message = {"type": "hello", "protocol": protocol.VERSION}
        try:
            greeting = protocol.from_line(self._exchange(protocol.to_line(message), self.implementation.start_timeout))
            self._check_hello(greeting)
        except NO_ANSWER:
            self.kill()
            raise
        self.greeting = greeting
        return greeting

    def ask(self, operation: str, params: Any, given: Any, want_trace: bool, timeout: float | None = None) -> Message:
        """The answer to one case. After an error the process is gone; the next question starts another.

        Raises:
            ChildDiedError, ChildTimeoutError, ProtocolError: there is no proper answer.
        """
        return self.read(self.hear(Question(operation, params, given), want_trace, timeout))

    def hear(self, question: Question, want_trace: bool, timeout: float | None = None) -> Reply:
        """What comes as the answer to one case, to be read with `read`. After an error the process is gone.

        Raises:
            ChildDiedError, ChildTimeoutError, ProtocolError: no line comes.
        """
        self.start()
        self._seq += 1
        asked = question.line(self._seq, want_trace)
        try:
            line = self._exchange(asked, timeout or self.implementation.timeout)
        except NO_ANSWER:
            self.kill()
            raise
        return Reply(line, self._seq, question.operation, want_trace)

    def read(self, reply: Reply) -> Message:
        """The answer that a reply holds. After an error the process is gone; the next question starts another.

        Raises:
            ProtocolError: the answer is not valid.
        """
        try:
            answer = protocol.from_line(reply.line)
            self._check_answer(answer, reply)
        except NO_ANSWER:
            self.kill()
            raise
        return answer

    def last_errors(self, lines: int = 8) -> str:
        """The end of what it wrote to stderr."""
        return self._process.last_errors(lines) if self._process is not None else ""

    def bye(self) -> None:
        """Say bye, if it runs; it must answer, write nothing more, and end with exit status 0.

        Raises:
            ChildDiedError, ChildTimeoutError, ProtocolError: it takes its leave in another way.
        """
        if self._process is None:
            return
        timeout = min(BYE_SECONDS, self.implementation.timeout)
        try:
            answer = protocol.from_line(self._exchange(protocol.to_line({"type": "bye"}), timeout))
            if answer != {"type": "bye"}:
                raise ProtocolError("its answer to bye is no bye")
            self._process.end(timeout)
        finally:
            self.kill()

    def close(self) -> None:
        """Say bye and wait a little; then make sure it is gone."""
        with contextlib.suppress(*NO_ANSWER):
            self.bye()
        self.kill()

    def kill(self) -> None:
        """End the process at once."""
        process, self._process = self._process, None
        if process is not None:
            process.kill()

    def _exchange(self, line: bytes, timeout: float) -> bytes:
        assert self._process is not None
        if self._process.unread:
            raise ProtocolError(f"a line that nobody asked for: {self._process.unread[: protocol.SHOWN]!r}")
        return self._process.exchange(line, timeout)

    def _check_hello(self, greeting: Message) -> None:
        if greeting.get("type") != "hello":
            raise ProtocolError("the first answer is not a hello")
        listed = self.implementation.capabilities
        said = greeting["capabilities"]
        if listed is not None and set(said) != set(listed):
            raise ProtocolError(
                f"says in its hello that it has the capabilities {', '.join(sorted(said)) or 'none'}; "
                f"listed are {', '.join(sorted(listed)) or 'none'}"
            )

    @staticmethod
    def _check_answer(answer: Message, reply: Reply) -> None:
        if "type" in answer:
            raise ProtocolError(f"a {answer['type']} in the place of an answer")
        if answer["seq"] != reply.seq:
            raise ProtocolError(f"the answer's seq is {answer['seq']}, not {reply.seq}")
        if "unsupported" in answer:
            operation, named = reply.operation, answer["unsupported"]
            if operation != named and not operation.startswith(f"{named}."):
                raise ProtocolError(f"asked for {operation}, it says that it does not support {named!r}")
        elif reply.want_trace and "trace" not in answer and not _is_internal(answer):
            raise ProtocolError("a trace was asked for, and there is none")
        elif not reply.want_trace and "trace" in answer:
            raise ProtocolError("a trace that nobody asked for")


def _is_internal(answer: Message) -> bool:
    return bool(answer.get("error", {}).get("class", "").startswith(INTERNAL))
