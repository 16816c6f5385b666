"""The one way to start a command: `bin/conformance [COMMAND]`, or `python -m conformance [COMMAND]`.

Exit status: 0 all is well, 1 something differs, 2 the harness or its fixtures are broken, or nothing was selected.
"""

import importlib
import os
import sys
import traceback

from conformance.errors import BrokenError

CONFORM = "conformance.commands.conform"
COMMANDS = {
    "bench": "conformance.bench.command",
    "changed": "conformance.commands.changed",
    "chunk-sizes": "conformance.quality.chunk_sizes",
    "clauses": "conformance.cases.clause_map",
    "conditions": "conformance.conditions.command",
    "diff": "conformance.commands.diff",
    "engine-faults": "conformance.engine_faults.command",
    "engines": "conformance.engines.command",
    "first-pages": "conformance.first_pages.command",
    "fuzz": "conformance.fuzz.command",
    "hostile": "conformance.hostile.command",
    "http-load": "conformance.http.load",
    "keyword-proof": "conformance.proofs.keyword_proof",
    "known-bad": "conformance.known_bad.command",
    "make": "conformance.generators.command",
    "matrix": "conformance.reports.matrix",
    "growth": "conformance.growth.command",
    "mutants": "conformance.mutants.command",
    "perturbations": "conformance.proofs.perturbations",
    "prose": "conformance.prose.command",
    "quality": "conformance.quality.command",
    "segmentation-proof": "conformance.proofs.segmentation_proof",
    "show": "conformance.commands.show",
    "site": "conformance.site.command",
    "stemmer-proof": "conformance.proofs.stemmer_proof",
}
"""Every command but the suite itself: the module whose `main(arguments)` gives the exit status."""


def main(arguments: list[str] | None = None) -> int:
    """Run a command; whatever goes wrong in the harness itself ends with exit status 2."""
    given = sys.argv[1:] if arguments is None else arguments
    named = bool(given) and given[0] in COMMANDS
    try:
        module = importlib.import_module(COMMANDS[given[0]] if named else CONFORM)
        status: int = module.main(given[1:] if named else given)
        return status
    except BrokenError as problem:
        print(f"conformance: {problem}", file=sys.stderr)
    except KeyboardInterrupt:
        print("conformance: interrupted", file=sys.stderr)
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())  # nobody reads on; nothing is left to flush
    except Exception:
        traceback.print_exc()
        print("conformance: the harness itself is broken", file=sys.stderr)
    from conformance.reports.outcome import BROKEN  # with all that runs cases, which few commands need

    return BROKEN
