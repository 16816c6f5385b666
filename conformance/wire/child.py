"""One implementation's process in the protocol: greeted, asked, timed, and replaced when it hangs or dies (CNF-11)."""

import contextlib
from typing import Any

from conformance.errors import ChildDiedError, ChildTimeoutError, ProtocolError
from conformance.implementations.listing import Implementation
from conformance.wire import protocol
from conformance.wire.process import Process
from conformance.wire.protocol import Message

BYE_SECONDS = 5.0
INTERNAL = "internal:"
"""What the class of an error begins with that is not one of the library's own."""

NO_ANSWER = (ChildDiedError, ChildTimeoutError, ProtocolError)


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
            greeting = self._exchange(message, self.implementation.start_timeout)
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
        self.start()
        self._seq += 1
        message = protocol.case_message(self._seq, operation, params, given, want_trace)
        try:
            answer = self._exchange(message, timeout or self.implementation.timeout)
            self._check_answer(answer, message)
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
            answer = self._exchange({"type": "bye"}, timeout)
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

    def _exchange(self, message: Message, timeout: float) -> Message:
        assert self._process is not None
        if self._process.unread:
            raise ProtocolError(f"a line that nobody asked for: {self._process.unread[: protocol.SHOWN]!r}")
        return protocol.from_line(self._process.exchange(protocol.to_line(message), timeout))

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
    def _check_answer(answer: Message, message: Message) -> None:
        if "type" in answer:
            raise ProtocolError(f"a {answer['type']} in the place of an answer")
        if answer["seq"] != message["seq"]:
            raise ProtocolError(f"the answer's seq is {answer['seq']}, not {message['seq']}")
        if "unsupported" in answer:
            operation, named = message["op"], answer["unsupported"]
            if operation != named and not operation.startswith(f"{named}."):
                raise ProtocolError(f"asked for {operation}, it says that it does not support {named!r}")
        elif message["want_trace"] and "trace" not in answer and not _is_internal(answer):
            raise ProtocolError("a trace was asked for, and there is none")
        elif not message["want_trace"] and "trace" in answer:
            raise ProtocolError("a trace that nobody asked for")


def _is_internal(answer: Message) -> bool:
    return bool(answer.get("error", {}).get("class", "").startswith(INTERNAL))
