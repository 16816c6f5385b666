"""The command `hybrid-search locate`."""

from collections.abc import Mapping, Sequence
from contextlib import ExitStack
from typing import Any, Protocol, runtime_checkable

from hybrid_search.cli import progress_choice, rerank_flags, round_table
from hybrid_search.cli.block_indexes import BlockIndexes
from hybrid_search.cli.command import PROGRAM
from hybrid_search.cli.command_line import CommandLine
from hybrid_search.cli.console import Console
from hybrid_search.cli.convergence_report import ConvergenceReport
from hybrid_search.cli.gold_files import GoldFiles
from hybrid_search.cli.instance import Instance
from hybrid_search.cli.locate_run import LocateRun
from hybrid_search.cli.located_lines import LocatedLines
from hybrid_search.cli.record_lines import InputError, RecordLines
from hybrid_search.cli.report import JSON, form, report
from hybrid_search.cli.usage import UsageError
from hybrid_search.convergence.located import Located
from hybrid_search.convergence.settings import PARAMETERS, Settings
from hybrid_search.errors import ConfigurationError, RerankError

WHO = f"{PROGRAM} locate"
WITHOUT_INDEX = 3
"""The exit status if an instance has no index."""


@runtime_checkable
class LoadedModel(Protocol):
    """A model that can be loaded before its first use."""

    def load(self) -> None:
        """Load the model."""


def run(line: CommandLine, console: Console) -> int:
    """Locate the answers to texts in repositories."""
    flags = line.flags
    options = _options(flags)
    Settings(options)  # raises on unusable options before anything is written
    if "enable-rerank" in flags and "repos-root" not in flags:
        raise UsageError("--enable-rerank needs --repos-root")
    indexes = BlockIndexes(flags["index-dir"])
    model = rerank_flags.model_of_blocks(flags)
    lines = RecordLines(line.arguments, console.stdin)
    gold = GoldFiles(RecordLines([flags["gold"]], console.stdin)) if "gold" in flags else None
    how = flags.get("progress", progress_choice.BAR if console.has_terminal_for_errors else progress_choice.NONE)
    model, options = _loaded(model, options, console)
    work = LocateRun(indexes, options, model, flags.get("repos-root"), lambda text: console.complain(WHO, text))
    with ExitStack() as open_parts:
        output = open_parts.enter_context(LocatedLines(flags["output"], "resume" in flags))
        picture = open_parts.enter_context(ConvergenceReport(flags["report"])) if "report" in flags else None
        progress = open_parts.enter_context(progress_choice.progress(how, console, lines.size))
        shown = _Shown(flags, console, picture)
        tally = _Tally(gold)
        for number, each in enumerate(lines):
            instance = Instance.of(each)
            if number < len(output.kept):
                tally.add(_kept(instance, output.kept[number], flags["output"], number + 1))
                continue
            located, error = work.locate(instance)
            found = _found(located, error)
            output.write(instance.identifier, found)
            shown.add(instance, located, console)
            tally.add({"instance_id": instance.identifier, **found})
            progress.stored(work.counts(), lines.read)
    counts = {**work.counts(), **tally.counts(len(output.kept))}
    if "no-times" not in flags:
        counts["seconds"] = dict(work.times.seconds())
    report(counts, flags.get("format"), console)
    return WITHOUT_INDEX if counts["without_index"] else 0


def _loaded(model: Any, options: dict[str, Any], console: Console) -> tuple[Any, dict[str, Any]]:
    """Load a model of this process; with `rerank_fail_open`, a failure turns reranking off, with one warning."""
    if not isinstance(model, LoadedModel):
        return model, options
    try:
        model.load()
    except (ConfigurationError, RerankError) as problem:
        if not Settings(options)["rerank_fail_open"]:
            raise
        console.complain(WHO, f"ranked without the rerank model: {problem}")
        return None, {**options, "enable_rerank": False}
    return model, options


class _Shown:
    """Shows further information about each answer, in addition to its line."""

    def __init__(self, flags: Mapping[str, Any], console: Console, picture: ConvergenceReport | None) -> None:
        self._explain = "explain" in flags
        self._plain = form(flags.get("format"), console) == JSON
        self._picture = picture

    def add(self, instance: Instance, located: Located | None, console: Console) -> None:
        """Show one answer."""
        if located is None or instance.identifier is None:
            return
        for warning in located.warnings:
            console.complain(WHO, f"{instance.identifier}: {warning}")
        if self._picture is not None:
            self._picture.add(instance.identifier, located)
        if self._explain and self._plain:
            console.write_json(round_table.plain(instance.identifier, located))
        elif self._explain:
            console.write("".join(f"{text}\n" for text in round_table.lines(instance.identifier, located)))


class _Tally:
    """Totals over all lines of the output, including those of an earlier run."""

    def __init__(self, gold: GoldFiles | None) -> None:
        self._gold = gold
        self._lines = self._empty = 0

    def add(self, line: Mapping[str, Any]) -> None:
        """Count a line."""
        files: Sequence[Any] = line.get("found_files", ())
        self._lines += 1
        self._empty += 0 if files else 1
        if self._gold is not None:
            self._gold.count(line["instance_id"], files)

    def counts(self, resumed: int) -> dict[str, Any]:
        """Return the counts."""
        told: dict[str, Any] = {"resumed": resumed, "lines": self._lines, "empty": self._empty}
        told["empty_rate"] = self._empty / self._lines if self._lines else None
        return told if self._gold is None else {**told, **self._gold.rates()}


def _options(flags: Mapping[str, Any]) -> dict[str, Any]:
    """Return the parameters of CNV-2 among the flags."""
    named = {name: name.replace("_", "-") for name in PARAMETERS}
    return {name: flags[flag] for name, flag in named.items() if flag in flags}


def _found(located: Located | None, error: str | None) -> dict[str, Any]:
    if error is not None:
        return {"error": error}
    return {} if located is None else located.to_dict()


def _kept(instance: Instance, line: Mapping[str, Any], path: str, number: int) -> Mapping[str, Any]:
    if line["instance_id"] != instance.identifier:
        raise InputError(f"{path}:{number}: the line of another instance; omit --resume to start again")
    return line
