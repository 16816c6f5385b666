"""A program as a process that is spoken to in lines, with a deadline for each exchange (CNF-9, CNF-11)."""

import collections
import contextlib
import os
import selectors
import signal
import subprocess
import sys
import threading
import time
import uuid
from typing import IO, Any

from conformance.errors import ChildDiedError, ChildTimeoutError, ProtocolError
from conformance.implementations.listing import Implementation
from conformance.wire import descendants

KEPT_LINES = 40
LONGEST_ERROR_LINE = 10_000
CHUNK = 1 << 16
LONGEST_LINE = 1 << 26
"""Bytes of an answer; there is no honest one of this size."""
GRACE_SECONDS = 5.0
PAUSE_SECONDS = 0.02


class Process:
    """A started program, leader of a process group of its own. Not for use from several threads at once.

    Args:
        implementation: what to start.
        live: show its stderr while it runs, each line with its name in front.

    Raises:
        ChildDiedError: it cannot be started.
    """

    def __init__(self, implementation: Implementation, live: bool = False) -> None:
        self.name = implementation.name
        self.live = live
        self.unread = b""
        self._mark = uuid.uuid4().hex
        self._errors: collections.deque[str] = collections.deque(maxlen=KEPT_LINES)
        try:
            self._process = subprocess.Popen(
                implementation.command,
                cwd=implementation.folder,
                env={**implementation.variables(), descendants.MARK: self._mark},
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                bufsize=0,
                start_new_session=True,
            )
        except OSError as problem:
            raise ChildDiedError(f"cannot be started: {problem}") from None
        self._stdin = _pipe(self._process.stdin)
        self._stdout = _pipe(self._process.stdout)
        os.set_blocking(self._stdin.fileno(), False)
        self._reader = threading.Thread(target=self._read_errors, args=(_pipe(self._process.stderr),), daemon=True)
        self._reader.start()

    def exchange(self, line: bytes, timeout: float) -> bytes:
        """Write a line and read one; reading and writing take turns so that neither side can block.

        Raises:
            ChildDiedError, ChildTimeoutError, ProtocolError: no line came.
        """
        unsent = memoryview(line)
        received = bytearray()
        deadline = time.monotonic() + timeout
        inward, outward = self._stdin.fileno(), self._stdout.fileno()
        with selectors.DefaultSelector() as selector:
            selector.register(outward, selectors.EVENT_READ)
            selector.register(inward, selectors.EVENT_WRITE)
            while True:
                left = deadline - time.monotonic()
                if left <= 0:
                    part = f"; it began a line: {bytes(received[:60])!r}" if received else ""
                    raise ChildTimeoutError(f"no answer within {timeout:g} s{part}")
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
                        answer, _, self.unread = bytes(received).partition(b"\n")
                        return answer
                    if len(received) > LONGEST_LINE:
                        raise ProtocolError(f"a line of more than {LONGEST_LINE} bytes")

    def end(self, timeout: float) -> None:
        """Close its stdin and wait until it has ended by itself, with exit status 0 and nothing more to say.

        Whatever it has started must end with it; what does not is told, and ended by `kill`.

        Raises:
            ChildDiedError, ChildTimeoutError, ProtocolError: it does not end like that.
        """
        with contextlib.suppress(OSError):
            self._stdin.close()
        rest, closed = self._rest(timeout)
        rest = self.unread + rest
        if rest:
            raise ProtocolError(f"a line that nobody asked for: {rest[:200]!r}")
        try:
            status = self._process.wait(timeout)
        except subprocess.TimeoutExpired:
            raise ChildTimeoutError(f"did not end within {timeout:g} s after bye") from None
        if status != 0:
            raise ChildDiedError(self._obituary(b"") + "; after bye")
        if not closed:
            raise ProtocolError("it ended after bye, but a process that it has started holds its stdout open")
        if self._left_behind(timeout):
            raise ProtocolError("it ended after bye, but a process that it has started goes on")

    def last_errors(self, lines: int = 8) -> str:
        """The end of what it wrote to stderr."""
        return "\n".join(list(self._errors)[-lines:])

    def kill(self) -> None:
        """End it and whatever it has started, at once."""
        with contextlib.suppress(OSError):
            os.killpg(self._process.pid, signal.SIGKILL)
        descendants.end(self._mark)
        self._process.kill()
        self._process.wait()
        descendants.remove_files(self._mark)
        self._reader.join(GRACE_SECONDS)
        for pipe in (self._process.stdin, self._process.stdout, self._process.stderr):
            if pipe is not None:
                with contextlib.suppress(OSError):
                    pipe.close()

    def _left_behind(self, timeout: float) -> bool:
        """Whether something that it has started still runs when the time is up."""
        deadline = time.monotonic() + timeout
        while descendants.alive(self._mark):
            if time.monotonic() > deadline:
                return True
            time.sleep(PAUSE_SECONDS)
        return False

    def _rest(self, timeout: float) -> tuple[bytes, bool]:
        """What it still writes until its stdout is closed, and whether it is."""
        deadline = time.monotonic() + timeout
        outward = self._stdout.fileno()
        with selectors.DefaultSelector() as selector:
            selector.register(outward, selectors.EVENT_READ)
            received = b""
            while len(received) < CHUNK:
                if not selector.select(max(0.0, deadline - time.monotonic())):
                    break
                chunk = os.read(outward, CHUNK)
                if not chunk:
                    return received, True
                received += chunk
            return received, False

    def _write(self, descriptor: int, unsent: memoryview) -> memoryview:
        try:
            return unsent[os.write(descriptor, unsent[:CHUNK]) :]
        except BlockingIOError:
            return unsent
        except OSError:
            return memoryview(b"")  # it is gone; reading will say so

    def _obituary(self, received: bytes) -> str:
        try:
            status = self._process.wait(GRACE_SECONDS)
        except subprocess.TimeoutExpired:
            return "closed its stdout but did not end"
        how = f"ended with exit status {status}" if status >= 0 else f"was ended by signal {-status}"
        self._reader.join(1.0)
        partial = f" in the middle of a line ({received[-60:]!r})" if received else ""
        tail = self.last_errors()
        return f"{how}{partial}" + (f"; its last words:\n{tail}" if tail else "")

    def _read_errors(self, stream: IO[bytes]) -> None:
        begun = b""
        with contextlib.suppress(ValueError, OSError):
            while chunk := os.read(stream.fileno(), CHUNK):
                *lines, begun = (begun + chunk).split(b"\n")
                for line in lines:
                    self._keep_error(line)
                if len(begun) > LONGEST_ERROR_LINE:
                    self._keep_error(begun)
                    begun = b""
        if begun:
            self._keep_error(begun)

    def _keep_error(self, raw: bytes) -> None:
        line = raw[:LONGEST_ERROR_LINE].decode("utf-8", "replace")
        self._errors.append(line)
        if self.live:
            sys.stderr.write(f"[{self.name}] {line}\n")


def _pipe(stream: Any) -> IO[bytes]:
    assert stream is not None
    pipe: IO[bytes] = stream
    return pipe
