"""The port as a process of a proof: a script of Ruby that reads lines of JSON and answers them."""

from collections.abc import Sequence

from conformance.paths import ROOT, RUBY_INTERNALS
from conformance.wire.worker import WorkerProcess


class Port(WorkerProcess):
    """The gem with a script.

    Args:
        script: what it runs once the gem is loaded.
        options: for ruby, such as `--yjit`.
    """

    def __init__(self, script: str, options: Sequence[str]) -> None:
        command = ["ruby", *options, "-w", "-I", str(ROOT / "ruby" / "lib"), "-r", str(RUBY_INTERNALS), "-e", script]
        super().__init__(command, "the port")
