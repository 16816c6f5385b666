"""Processes that cut the texts of batches into tokens before the main process stores them (IDX-7)."""

from collections import deque
from collections.abc import Iterable, Iterator, Sequence
from typing import Any, Self

from hybrid_search.errors import InvalidInputError
from hybrid_search.protocols import Record
from hybrid_search.records import record_values
from hybrid_search.records.record_fields import Ready
from hybrid_search.records.worker_process import WorkerProcess
from hybrid_search.text.tokenizer import Tokenizer, TokenizerLike

Batch = Sequence[Record]
ReadyBatch = tuple[Batch, Sequence[Ready] | None]
"""A batch and the fields of its texts, if a process has made them."""


class TextWorkers:
    """Passes batches to processes and returns them in the same order; each process has one batch at a time.

    A process is started if all others are busy when a batch arrives. A batch with a record that is not accepted is
    returned unchanged, so that the error is raised in the same place as without workers.

    Args:
        tokenizer: cuts texts into tokens.
        count: the number of processes; 1 starts none.

    Raises:
        InvalidInputError: the tokenizer cannot be made again in another process.
    """

    def __init__(self, tokenizer: TokenizerLike, count: int) -> None:
        self._count = count
        self._tokenizer = tokenizer
        self._idle: list[WorkerProcess] = []
        self._waiting: deque[tuple[Batch, WorkerProcess | None]] = deque()
        if count > 1 and self._recipe() is None:
            raise InvalidInputError(
                f"workers must be 1 with this tokenizer, not {count}: "
                "only a Tokenizer with a Segmenter of this library can work in other processes"
            )

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: object) -> None:
        self.close()

    def push(self, batch: Batch) -> ReadyBatch | None:
        """Accept a batch; return the oldest one if there are as many as processes, otherwise `None`."""
        if self._count == 1:
            return batch, None
        oldest = self._oldest() if len(self._waiting) == self._count else None
        self._waiting.append((batch, self._at_work(batch)))
        return oldest

    def rest(self) -> Iterator[ReadyBatch]:
        """Return the remaining batches, in order."""
        while self._waiting:
            yield self._oldest()

    def of(self, batches: Iterable[Batch]) -> Iterator[ReadyBatch]:
        """Return batches in order; an error of their source comes after the batches before it."""
        source, problem = iter(batches), None
        while problem is None:
            try:
                batch = next(source)
            except StopIteration:
                break
            except Exception as error:
                problem = error
            else:
                oldest = self.push(batch)
                if oldest is not None:
                    yield oldest
        yield from self.rest()
        if problem is not None:
            raise problem

    def close(self) -> None:
        """End all processes."""
        processes = [*self._idle, *(process for _, process in self._waiting if process is not None)]
        self._idle, self._waiting = [], deque()
        for process in processes:
            process.end()

    def _oldest(self) -> ReadyBatch:
        batch, process = self._waiting[0]
        ready = None if process is None else process.receive()
        self._waiting.popleft()
        if process is not None:
            self._idle.append(process)
        return batch, ready

    def _at_work(self, batch: Batch) -> WorkerProcess | None:
        """Return the process that cuts a batch; `None` if a record of the batch is not accepted."""
        try:
            texts = [record_values.texts(record) for record in batch]
        except InvalidInputError:
            return None
        process = self._idle.pop() if self._idle else WorkerProcess()
        try:
            process.send_texts(self._recipe(), texts)
        except BaseException:
            process.end()
            raise
        return process

    def _recipe(self) -> dict[str, Any] | None:
        return self._tokenizer.recipe if isinstance(self._tokenizer, Tokenizer) else None
