"""What a run found out."""

from dataclasses import dataclass, field

from conformance.bench.timing import Spread


@dataclass(frozen=True)
class Goal:
    """What a candidate should reach.

    Attributes:
        anchor: the anchor's name.
        at_least: how many times as good.
    """

    anchor: str
    at_least: float


@dataclass(frozen=True)
class Ratio:
    """How many times as good as an anchor a candidate was.

    Attributes:
        anchor: the anchor's name.
        cpu: by processor time (of memory: by bytes).
        wall: by the clock, or none.
        goal: what was aimed at, or none.
    """

    anchor: str
    cpu: Spread
    wall: Spread | None = None
    goal: float | None = None

    @property
    def reached(self) -> bool | None:
        """Whether the median reaches the goal; none without a goal."""
        return None if self.goal is None else self.cpu.median >= self.goal


@dataclass(frozen=True)
class Row:
    """One contestant at one task.

    Attributes:
        task: what was done, with its size.
        contestant: who did it; anchors are marked.
        figures: (name, text), such as ("p95", "1.2 ms").
        ratios: to the anchors.
    """

    task: str
    contestant: str
    figures: tuple[tuple[str, str], ...]
    ratios: tuple[Ratio, ...] = ()
    anchor: bool = False


@dataclass(frozen=True)
class Comparison:
    """A figure of a contestant, usually its time divided by that of another one, and the goal.

    Attributes:
        call: what was called.
        documents: the number of documents.
        contestant: who did it.
        other: the contestant whose figure is the divisor; empty for a figure that is not a ratio.
        figure: over the rounds.
        unit: of a figure of its own.
        goal: the bound, or none.
        at_least: whether the goal is a lower bound; else it is an upper one.
    """

    call: str
    documents: int
    contestant: str
    other: str
    figure: Spread
    unit: str = ""
    goal: float | None = None
    at_least: bool = False

    @property
    def reached(self) -> bool | None:
        """Whether the median reaches the goal; none without a goal."""
        if self.goal is None:
            return None
        return self.figure.median >= self.goal if self.at_least else self.figure.median <= self.goal


@dataclass
class Report:
    """All rows of a run, with what has to be said about them.

    Attributes:
        rows: in the order of measuring.
        notes: how things were measured, one text each.
        differences: results that are not equal though they have to be.
        comparisons: whole calls compared with other libraries, and their goals; they come first.
    """

    rows: list[Row] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    differences: list[str] = field(default_factory=list)
    comparisons: list[Comparison] = field(default_factory=list)

    def same(self, what: str, expected: object, got: object) -> None:
        """Note a difference if there is one."""
        if expected != got:
            self.differences.append(what)
