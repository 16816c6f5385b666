"""The command `hybrid-search serve`."""

from hybrid_search.cli import rerank_flags
from hybrid_search.cli.command_line import CommandLine
from hybrid_search.cli.console import Console
from hybrid_search.cli.index_file import IndexFile
from hybrid_search.search.ranking_cache import RankingCache
from hybrid_search.server import serving


def run(line: CommandLine, console: Console) -> int:
    """Serve over HTTP until a signal stops the process."""
    path = line.flags["index"]
    flags = {name: line.flags[name] for name in serving.FLAGS if name in line.flags}
    rerank = rerank_flags.options_of(line.flags)
    with IndexFile(path, read_only="read-only" in flags) as file:
        index = file.index(max_results=line.flags["max-results"], ranking_cache=RankingCache(), **rerank)
        serving.serve(index, flags, lambda address: console.tell(f"{path} is served at {address}\n"))
    return 0
