"""One implementation's process: started, asked, timed, and replaced when it hangs or dies (CNF-9, CNF-11)."""

import collections
import contextlib
import os
import selectors
import subprocess
import sys
import threading
import time
from typing import IO, Any

from conformance import protocol
from conformance.errors import ChildDiedError, ChildTimeoutError, ProtocolError
from conformance.implementations import Implementation
from conformance.protocol import Message

KEPT_LINES = 40
CHUNK = 1 << 16
LONGEST_LINE = 1 << 30
BYE_SECONDS = 5.0


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
        self._process: subprocess.Popen[bytes] | None = None
        self._reader: threading.Thread | None = None
        self._errors: collections.deque[str] = collections.deque(maxlen=KEPT_LINES)
        self._pending = b""
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
        self._pending = b""
        self._errors.clear()
        try:
            self._process = subprocess.Popen(
                self.implementation.command,
                cwd=self.implementation.folder,
                env=self.implementation.variables(),
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                bufsize=0,
            )
        except OSError as problem:
            raise ChildDiedError(f"cannot be started: {problem}") from None
        assert self._process.stdin is not None
        os.set_blocking(self._process.stdin.fileno(), False)
        self._reader = threading.Thread(target=self._read_errors, args=(self._process.stderr,), daemon=True)
        self._reader.start()
        message = {"type": "hello", "protocol": protocol.VERSION}
        try:
            greeting = self._exchange(message, self.implementation.start_timeout)
            if greeting.get("type") != "hello":
                raise ProtocolError("the first answer is no hello")
        except (ChildDiedError, ChildTimeoutError, ProtocolError):
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
            if self._pending:
                raise ProtocolError(f"a line that nobody asked for: {self._pending[: protocol.SHOWN]!r}")
            answer = self._exchange(message, timeout or self.implementation.timeout)
            if answer.get("seq") != self._seq:
                raise ProtocolError(f"the answer's seq is {answer.get('seq')}, not {self._seq}")
        except (ChildDiedError, ChildTimeoutError, ProtocolError):
            self.kill()
            raise
        return answer

    def last_errors(self, lines: int = 8) -> str:
        """The end of what it wrote to stderr."""
        return "\n".join(list(self._errors)[-lines:])

    def close(self) -> None:
        """Say bye and wait a little; then make sure it is gone."""
        if self._process is not None:
            with contextlib.suppress(ChildDiedError, ChildTimeoutError, ProtocolError):
                self._exchange({"type": "bye"}, BYE_SECONDS)
                self._process.wait(BYE_SECONDS)
        self.kill()

    def kill(self) -> None:
        """End the process at once."""
        process, self._process = self._process, None
        if process is None:
            return
        process.kill()
        process.wait()
        if self._reader is not None:
            self._reader.join(BYE_SECONDS)
        for pipe in (process.stdin, process.stdout, process.stderr):
            if pipe is not None:
                with contextlib.suppress(OSError):
                    pipe.close()

    def _exchange(self, message: Message, timeout: float) -> Message:
        """Send a message and read one line; reading and writing take turns so that neither side can block."""
        assert self._process is not None
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        inward, outward = self._process.stdin.fileno(), self._process.stdout.fileno()
        unsent = memoryview(protocol.to_line(message))
        received = bytearray(self._pending)
        deadline = time.monotonic() + timeout
        with selectors.DefaultSelector() as selector:
            selector.register(outward, selectors.EVENT_READ)
            selector.register(inward, selectors.EVENT_WRITE)
            while True:
                left = deadline - time.monotonic()
                if left <= 0:
                    raise ChildTimeoutError(f"no answer within {timeout:g} s")
                for key, _ in selector.select(left):
                    if key.fd == inward:
                        unsent = self._write(inward, unsent)
                        if not unsent:
                            selector.unregister(inward)
                        continue
                    chunk = os.read(outward, CHUNK)
                    if not chunk:
                        raise ChildDiedError(self._obituary(bytes(received)))
                    received += chunk
                    if b"\n" in chunk:
                        line, _, rest = bytes(received).partition(b"\n")
                        self._pending = rest
                        return protocol.from_line(line)
                    if len(received) > LONGEST_LINE:
                        raise ProtocolError("a line without an end")

    def _write(self, descriptor: int, unsent: memoryview) -> memoryview:
        try:
            return unsent[os.write(descriptor, unsent[:CHUNK]) :]
        except BlockingIOError:
            return unsent
        except OSError:
            return memoryview(b"")  # it is gone; reading will say so

    def _obituary(self, received: bytes) -> str:
        assert self._process is not None
        try:
            status = self._process.wait(BYE_SECONDS)
        except subprocess.TimeoutExpired:
            return "closed its stdout but did not end"
        how = f"ended with exit status {status}" if status >= 0 else f"was ended by signal {-status}"
        if self._reader is not None:
            self._reader.join(1.0)
        partial = f" in the middle of a line ({received[-60:]!r})" if received else ""
        tail = self.last_errors()
        return f"{how}{partial}" + (f"; its last words:\n{tail}" if tail else "")

    def _read_errors(self, stream: IO[bytes]) -> None:
        with contextlib.suppress(ValueError, OSError):
            for raw in stream:
                line = raw.decode("utf-8", "replace").rstrip("\n")
                self._errors.append(line)
                if self.live:
                    sys.stderr.write(f"[{self.implementation.name}] {line}\n")
