"""What every engine has: one data folder, one file with what was started, and a lock around starting and stopping."""

import os
import shutil
from abc import ABC, abstractmethod
from pathlib import Path

from conformance.engines.account import Account
from conformance.engines.errors import EngineError
from conformance.engines.folders import Folders
from conformance.engines.states import State

ENVIRONMENT = {"PATH": os.environ.get("PATH", "/usr/bin:/bin"), "LC_ALL": "C.UTF-8", "TZ": "UTC"}
"""What engines see of the environment: nothing that would change what they do."""


class Engine(ABC):
    """One engine of this checkout.

    Args:
        folders: where programs and data are.
        account: whom it runs as.
        instance: its name in those folders; instances of other names are other servers with other data.
    """

    kind: str
    """Its name in `bin/engines`."""
    variable: str
    """The environment variable that tells clients where it is."""
    brief = False
    """Whether it runs for minutes: it starts sooner, and neither speed over hours nor a loss of power counts."""

    def __init__(self, folders: Folders, account: Account, instance: str | None = None) -> None:
        self.folders = folders
        self.account = account
        self.instance = instance or self.kind
        self.place: Path = folders.data / self.instance
        self._file = folders.states / f"{self.instance}.json"

    @property
    def state(self) -> State | None:
        """What was started and not stopped yet, even if it has died since; none where nothing was."""
        return State.read(self._file)

    def start(self, nodes: int = 1) -> State:
        """Start it where it does not run with so many nodes already; what runs with another number is stopped first."""
        with self.folders.locked(self.instance):
            before = self.state
            if before is not None and before.running == len(before.programs) == nodes:
                return before
            if before is not None and len(before.programs) == nodes and before.running:
                state = self._mend(before)
            else:
                if before is not None:
                    self._end(before)
                self.account.own(self.place)
                state = self._begin(nodes, before)
            state.write(self._file)
            return state

    def stop(self) -> bool:
        """Stop what was started here; returns whether anything was."""
        with self.folders.locked(self.instance):
            state = self.state
            if state is not None:
                self._end(state)
                self._file.unlink()
            return state is not None

    def restart(self) -> State:
        """Stop it, and start it again with the same data, on the same ports where they are free."""
        with self.folders.locked(self.instance):
            state = self.state
            if state is None:
                raise EngineError(f"{self.instance} is not started")
            self._end(state)
        return self.start(len(state.programs))

    def clean(self) -> None:
        """Stop it, and remove its data."""
        self.stop()
        with self.folders.locked(self.instance):
            if self.place.exists():
                shutil.rmtree(self.place)

    @abstractmethod
    def version(self) -> str:
        """What it is, for people."""

    @abstractmethod
    def _begin(self, nodes: int, before: State | None) -> State:
        """Install what is missing, start it, and wait until it answers; keeps the port it had before where it can."""

    def _mend(self, state: State) -> State:
        """Start again what has died of it while the rest runs on."""
        self._end(state)
        return self._begin(len(state.programs), state)

    @abstractmethod
    def _end(self, state: State) -> None:
        """End what runs of it, without losing what it has acknowledged."""
