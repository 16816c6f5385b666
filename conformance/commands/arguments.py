"""The command line of `bin/conformance`."""

import argparse
from pathlib import Path

from conformance.command_line import CommandParser
from conformance.implementations import listing
from conformance.judging import runner
from conformance.paths import FIXTURES, REPORTS

DESCRIPTION = """\
Runs the cases of the fixtures with every implementation and compares the results with the reference's, bit for bit,
once in file order and once in random order; then draws cases, to which no fixture has the answer, and compares these
too. Each failure names the first wrong stage and the command for that case.
"""

DRAWN = 200
EPILOG = """\
statuses:
  pass         the same bits in every stage
  fail         a different value, error or stage
  error        an error instead of a value, or an error that is not the library's own
  crash        the process ended; it was started again for the next case
  timeout      no response in time; the process was replaced
  protocol     a response that conformance/PORTING.md forbids: other output, a wrong seq, a bare float
  unsupported  the operation is not supported; a failure only if it is among the capabilities
  known        a listed known difference (known_differences.yml)
  fixed        a listed known difference that passes: remove it from the list
  unstable     a different result in another order of cases

exit status:
  0  conformant    1  not conformant    2  the harness or the fixtures are broken, or no case is selected
  3  nothing was compared: no implementation supports any of the selected operations

examples:
  bin/conformance                                          everything
  bin/conformance --module fusion --implementation ruby    one module of one implementation
  bin/conformance --case 'fusion.rrf.*' --list             the names of the cases
  bin/conformance --clause RET-3 --format json             the summary as JSON
  bin/conformance --implementations-from my/list.yml       your own port; see conformance/PORTING.md
  bin/conformance --data DIR --sample 20 --implementation reference --implementation ruby-plain
                                                           the plain forms over collections, which is slow

other commands, each with its own --help:
  bin/conformance fuzz --cases 1000                        random inputs in all languages; minimises differences
  bin/conformance perturbations                            makes the fixtures under the conditions of other machines
  bin/conformance known-bad                                implementations that are wrong on purpose, and their verdicts
  bin/conformance hostile                                  service clients against a hostile server
  bin/conformance engine-faults                            stores while their engines are killed
  bin/conformance first-pages --data DIR                   collections through a server, compared with memory
  bin/conformance growth                                   the cost of hostile texts of n and 8n characters
  bin/conformance mutants                                  small changes to both languages that a case must detect
  bin/conformance show CASE                                one case in a readable form
  bin/conformance diff [COMMIT]                            the values of the fixtures that differ from another commit
  bin/conformance make fixtures [--all | --check]          the golden fixtures, from the reference; only changed ones
  bin/conformance make data [--check]                      the data tables of both libraries
  bin/conformance make options [--check]                   the options in code, signatures, help and documents
  bin/conformance make release [--check]                   the version and the repository's address, everywhere
  bin/conformance changed [COMMIT]                         the gates that a difference affects (bin/test --changed)
  bin/conformance clauses [--check]                        docs/clauses.md: the cases and files of each clause
  bin/conformance matrix [--check]                         the last run's matrix and badge in the documents
  bin/conformance prose                                    idioms to avoid in texts, and long commit titles
  bin/conformance site                                     the documentation as a site, strict about links
  bin/conformance segmentation-proof                       tokens of reference and port, compared with jieba's
  bin/conformance keyword-proof                            keywords of both, compared with jieba's
  bin/conformance stemmer-proof                            stems of both over a word list
  bin/conformance quality --data DIR                       ranking tables over judged collections (bin/quality)
  bin/conformance bench                                    speed, compared with named anchors (bin/bench)
"""


def parser() -> argparse.ArgumentParser:
    """The parser of the command line."""
    result = CommandParser("", DESCRIPTION, EPILOG)
    _selection(result.add_argument_group("selection (each option may be repeated)"))
    _ways(result.add_argument_group("how"))
    out = result.add_argument_group("reports")
    out.add_argument(
        "--format",
        choices=["table", "json", "jsonl", "junit", "markdown", "html"],
        default="table",
        help="the output: a table, the summary as JSON, the log as JSON Lines, JUnit XML, the matrix as Markdown, "
        "the HTML page (default table)",
    )
    out.add_argument("--reports", type=Path, default=REPORTS, metavar="DIR", help="the folder of the reports")
    _live(
        result.add_argument_group(
            "live comparison of python with the other fast implementations, or with the named ones"
        )
    )
    return result


def _selection(chosen: argparse._ArgumentGroup) -> None:
    chosen.add_argument("--module", action="append", default=[], metavar="M", help="modules; * is a wildcard")
    chosen.add_argument("--case", action="append", default=[], metavar="ID", help="case ids; * is a wildcard")
    chosen.add_argument("--clause", action="append", default=[], metavar="C", help="clauses, such as FUS-2")
    chosen.add_argument("--flag", action="append", default=[], metavar="F", help="flags, such as near_tie")
    chosen.add_argument("--fixtures", type=Path, default=FIXTURES, metavar="DIR", help="another folder of fixtures")
    chosen.add_argument("--list", action="store_true", help="only list the selected cases, their clauses and summaries")


def _ways(how: argparse._ArgumentGroup) -> None:
    how.add_argument("--implementation", action="append", default=[], metavar="NAME", help="only these implementations")
    how.add_argument(
        "--implementations-from",
        type=Path,
        default=listing.LIST,
        metavar="FILE",
        help="another list of implementations (default conformance/implementations.yml)",
    )
    how.add_argument("--timeout", type=float, metavar="S", help="seconds for one case (default: from the list)")
    how.add_argument(
        "--budget",
        type=float,
        default=runner.Options.budget,
        metavar="S",
        help=f"seconds for the whole run; later cases are timeouts (default {runner.Options.budget:g})",
    )
    how.add_argument(
        "--seed",
        type=int,
        metavar="N",
        help=f"seed of the second pass, in random order (default {runner.Options.seed}), and of the drawn cases "
        "(default: a new one, which is printed)",
    )
    how.add_argument(
        "--drawn",
        type=int,
        default=DRAWN,
        metavar="N",
        help=f"the number of cases that are drawn at the end and compared with the plain reference (default {DRAWN}; "
        "0 when single cases, clauses or flags are selected: the verdict is then of the fixtures only)",
    )
    how.add_argument("--no-shuffle", action="store_true", help="one pass only, in file order")
    how.add_argument(
        "--no-slow-shuffle",
        action="store_true",
        help="only one pass for slow implementations, and for cases over whole corpora and tables and of programs",
    )
    how.add_argument(
        "--shuffle-sample", type=int, default=1, metavar="K", help="the second pass asks only one in K cases, drawn"
    )
    how.add_argument(
        "--slow-sample",
        type=int,
        default=1,
        metavar="K",
        help="ask slow implementations but the reference only one in K cases, drawn, and none that takes long; with K "
        "above 1, ask one case of an operation that an implementation does not list",
    )
    how.add_argument("--ulp", type=int, default=0, metavar="N", help="tolerate N ULP everywhere (default 0)")
    how.add_argument("--live", action="store_true", help="show what implementations write to stderr")
    how.add_argument("--lint", action="store_true", help="only check fixtures, clauses and flags; run nothing")


def _live(data: argparse._ArgumentGroup) -> None:
    data.add_argument(
        "--data", type=Path, metavar="DIR", help="a collection with embeddings, or a folder of collections"
    )
    data.add_argument("--sample", type=int, default=1, metavar="K", help="only every K-th query")
    data.add_argument(
        "--depth",
        type=int,
        metavar="N",
        help="walk the pages of N candidates of every query (default: 1024 for every 32nd query, 128 for the others)",
    )
    data.add_argument(
        "--wheel",
        action="append",
        default=[],
        metavar="NAME=REQUIREMENT",
        help="the wheel with the files of a collection's manifest.tsv, for example swe_django=django==3.0",
    )
    data.add_argument("--query", action="append", default=[], metavar="ID", help="only these queries")
    data.add_argument("--collection", action="append", default=[], metavar="NAME", help="only these collections")
    data.add_argument("--most-documents", type=int, metavar="N", help="only collections of at most N documents")
