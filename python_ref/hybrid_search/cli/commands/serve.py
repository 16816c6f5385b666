"""The command `hybrid-search serve`."""

import socket
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from typing import Any

from hybrid_search.cli import rerank_flags
from hybrid_search.cli.command import PROGRAM
from hybrid_search.cli.command_line import CommandLine
from hybrid_search.cli.console import Console
from hybrid_search.cli.index_file import IndexFile
from hybrid_search.search.ranking_cache import RankingCache
from hybrid_search.server import serving
from hybrid_search.server.http_server import HttpServer
from hybrid_search.server.worker_processes import WorkerProcesses


def run(line: CommandLine, console: Console) -> int:
    """Serve over HTTP until a signal stops the process."""
    flags = line.flags

    def tell(address: str) -> None:
        console.tell(f"{flags['index']} is served at {address}\n")

    processes = WorkerProcesses(flags["workers"], work, lambda problem: console.complain(f"{PROGRAM} serve", problem))
    with _server(flags) as server:
        if flags["workers"] == 1:
            server.run(tell)
            return 0
    # The file is closed here, and opened by each process.
    with server.listening() as listener:
        processes.run((flags, listener), lambda: tell(server.address(listener)), listener.close)
    return 0


def work(flags: Mapping[str, Any], listener: socket.socket, ready: Callable[[], object]) -> None:
    """Serve the connections of a listener in a process of its own."""
    with _server(flags) as server:
        server.serve(listener, ready)


@contextmanager
def _server(flags: Mapping[str, Any]) -> Iterator[HttpServer]:
    """Yield the server of a command line; its file is open within the block."""
    rerank = rerank_flags.options_of(flags)
    with IndexFile(flags["index"], read_only="read-only" in flags) as file:
        index = file.index(max_results=flags["max-results"], ranking_cache=RankingCache(), **rerank)
        yield serving.server(index, {name: flags[name] for name in serving.FLAGS if name in flags})
