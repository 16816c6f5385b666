"""Whether mutants are programs at all: one that is none would be killed by whatever case comes first."""

import json
import subprocess
import warnings
from collections.abc import Callable, Sequence

from conformance.errors import BrokenError
from conformance.mutants import table
from conformance.mutants.table import Mutant

RUBY = """
require "json"
$VERBOSE = nil
JSON.parse($stdin.read).each do |name, source|
  RubyVM::InstructionSequence.compile(source)
rescue SyntaxError => e
  puts "#{name}: is no Ruby: #{e.message.lines.first}"
end
"""


def problems(mutants: Sequence[Mutant], read: Callable[[Mutant], str] = table.read) -> list[str]:
    """What does not apply or does not compile, one line each.

    Args:
        mutants: those that are tried.
        read: gives the source that a mutant changes.
    """
    found = []
    ruby = {}
    for mutant in mutants:
        try:
            source = mutant.apply(read(mutant))
        except BrokenError as problem:
            found.append(f"{mutant.name}: {problem}")
            continue
        if mutant.language == "ruby":
            ruby[mutant.name] = source
        elif complaint := _python(source):
            found.append(f"{mutant.name}: is no Python: {complaint}")
    return found + _ruby(ruby)


def _python(source: str) -> str | None:
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            compile(source, "mutant", "exec")
    except SyntaxError as problem:
        return str(problem)
    return None


def _ruby(sources: dict[str, str]) -> list[str]:
    words = ["ruby", "-e", RUBY]
    outcome = subprocess.run(words, input=json.dumps(sources), capture_output=True, text=True, check=True)
    return outcome.stdout.splitlines()
