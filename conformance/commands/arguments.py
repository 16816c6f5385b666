"""The command line of `bin/conformance`."""

import argparse
from pathlib import Path

from conformance.command_line import CommandParser
from conformance.implementations import listing
from conformance.judging import runner
from conformance.paths import FIXTURES, REPORTS

DESCRIPTION = """\
Asks every implementation the cases of the fixtures and compares the answers with the reference's, bit for bit: once in
file order, then again in a shuffle. Each failure names the first wrong stage and the command that runs just that case.
"""

EPILOG = """\
statuses:
  pass         the same bits, stage by stage
  fail         another value, another error, or another stage on the way
  error        an error in the place of a value, or one that is not the library's own
  crash        the process ended; it was started again for the next case
  timeout      no answer in time; the process was replaced
  protocol     rubbish on stdout, a wrong seq, a bare float: what conformance/PORTING.md does not allow
  unsupported  it says that it does not have the operation; no failure where its capabilities leave it out
  known        a listed known difference (known_differences.yml)
  fixed        a listed known difference that passes: take it off the list
  unstable     another answer in another order of cases

exit status:
  0  conformant    1  not conformant    2  the harness or the fixtures are broken, or no case is selected
  3  nothing was compared: no implementation has any of the operations that were asked for

examples:
  bin/conformance                                          everything
  bin/conformance --module fusion --implementation ruby    one module of one implementation
  bin/conformance --case 'fusion.rrf.*' --list             which cases there are
  bin/conformance --clause RET-3 --format json             the summary as JSON
  bin/conformance --implementations-from my/list.yml       a port of your own; see conformance/PORTING.md
  bin/conformance --data DIR --sample 20 --implementation reference --implementation ruby-plain
                                                           the plain forms over collections; they take long

other commands, each with its own --help:
  bin/conformance show CASE                                one case in a readable form
  bin/conformance diff [COMMIT]                            which values of the fixtures differ from another commit
  bin/conformance fuzz --cases 1000                        drawn inputs, all languages, differences made small
  bin/conformance perturbations                            fixtures made again as on other machines
  bin/conformance known-bad                                implementations that are wrong on purpose, and their verdicts
  bin/conformance hostile                                  clients of services against a hostile server
  bin/conformance engine-faults                            what becomes of stores when their engines are killed
  bin/conformance first-pages --data DIR                   collections through OpenSearch beside memory
  bin/conformance growth                                   what hostile texts of n and 8n characters cost
  bin/conformance mutants                                  small changes to both languages that a case must notice
  bin/conformance make fixtures [--all | --check]          the golden fixtures, from the reference; only what changed
  bin/conformance make data [--check]                      the data tables of both libraries, made anew
  bin/conformance make options [--check]                   what code, signatures and README say of a retrieval's options
  bin/conformance changed [COMMIT]                         the gates that a difference concerns (bin/test --changed)
  bin/conformance clauses [--check]                        docs/clauses.md: which cases and files are about a clause
  bin/conformance matrix [--check]                         the last run's matrix and badge in the documents
  bin/conformance segmentation-proof                       tokens of reference and port held to jieba's own
  bin/conformance keyword-proof                            keywords of both held to jieba's own
  bin/conformance stemmer-proof                            stems of both over a word list
  bin/conformance quality --data DIR                       ranking tables over judged collections (bin/quality)
  bin/conformance bench                                    speed beside named anchors (bin/bench)
"""


def parser() -> argparse.ArgumentParser:
    """The parser of the command line."""
    result = CommandParser("", DESCRIPTION, EPILOG)
    _selection(result.add_argument_group("which cases (each option may be given more than once)"))
    _ways(result.add_argument_group("how"))
    out = result.add_argument_group("reports")
    out.add_argument(
        "--format",
        choices=["table", "json", "jsonl", "junit", "markdown", "html"],
        default="table",
        help="what is printed: a table, the summary as JSON, the log as JSON Lines, JUnit XML, the matrix as Markdown, "
        "the HTML page (default table)",
    )
    out.add_argument("--reports", type=Path, default=REPORTS, metavar="DIR", help="where reports are written")
    _live(result.add_argument_group("live comparison: python with the others that are not slow, or with those named"))
    return result


def _selection(chosen: argparse._ArgumentGroup) -> None:
    chosen.add_argument("--module", action="append", default=[], metavar="M", help="modules, may hold *")
    chosen.add_argument("--case", action="append", default=[], metavar="ID", help="case ids, may hold *")
    chosen.add_argument("--clause", action="append", default=[], metavar="C", help="clauses, as FUS-2")
    chosen.add_argument("--flag", action="append", default=[], metavar="F", help="flags, as near_tie")
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
    how.add_argument("--timeout", type=float, metavar="S", help="seconds for one case (default: what the list says)")
    how.add_argument(
        "--budget",
        type=float,
        default=runner.Options.budget,
        metavar="S",
        help=f"seconds for the whole run; what is not asked by then is a timeout (default {runner.Options.budget:g})",
    )
    how.add_argument("--seed", type=int, default=runner.Options.seed, metavar="N", help="of the shuffled second pass")
    how.add_argument("--no-shuffle", action="store_true", help="one pass only, in file order")
    how.add_argument("--no-slow-shuffle", action="store_true", help="one pass only of implementations that are slow")
    how.add_argument("--ulp", type=int, default=0, metavar="N", help="tolerate N ULP everywhere (default 0)")
    how.add_argument("--live", action="store_true", help="show what implementations write to stderr")
    how.add_argument("--lint", action="store_true", help="only check fixtures, clauses and flags; run nothing")


def _live(data: argparse._ArgumentGroup) -> None:
    data.add_argument("--data", type=Path, metavar="DIR", help="a collection with embeddings, or a folder of such")
    data.add_argument("--sample", type=int, default=1, metavar="K", help="only every K-th query")
    data.add_argument(
        "--depth",
        type=int,
        metavar="N",
        help="walk the pages of N candidates of every query (default: 1024 of one in 32, 128 of the others)",
    )
    data.add_argument(
        "--wheel",
        action="append",
        default=[],
        metavar="NAME=REQUIREMENT",
        help="the wheel that holds the files of a collection's manifest.tsv, as swe_django=django==3.0",
    )
    data.add_argument("--query", action="append", default=[], metavar="ID", help="only these queries")
    data.add_argument("--collection", action="append", default=[], metavar="NAME", help="only these collections")
