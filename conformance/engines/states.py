"""What is remembered of an engine that was started, until it is stopped."""

import dataclasses
import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from conformance.engines.processes import Program


@dataclass(frozen=True)
class State:
    """An engine that was started.

    Attributes:
        programs: its programs, one a node.
        ports: what each listens on.
        url: what its clients are told.
        secrets: passwords by their user, where it has any.
    """

    programs: tuple[Program, ...]
    ports: tuple[int, ...]
    url: str
    secrets: dict[str, str] = dataclasses.field(default_factory=dict, repr=False)

    @property
    def running(self) -> int:
        """How many of its programs still run."""
        return sum(program.alive() for program in self.programs)

    def write(self, file: Path) -> None:
        """Keep it in a file that only this user reads."""
        unfinished = file.with_suffix(".part")
        unfinished.touch(mode=0o600)
        unfinished.write_text(json.dumps(dataclasses.asdict(self), indent=1), "utf-8")
        unfinished.replace(file)

    @classmethod
    def read(cls, file: Path) -> "State | None":
        """What a file keeps; none where there is no such file."""
        try:
            data: dict[str, Any] = json.loads(file.read_text("utf-8"))
        except FileNotFoundError:
            return None
        programs = tuple(Program(**program) for program in data["programs"])
        return cls(programs, tuple(data["ports"]), data["url"], data["secrets"])
