"""The program `python -m hybrid_search.code_index`."""

import argparse
from collections.abc import Sequence

from hybrid_search.cli import embedding_flags, progress_choice, usage
from hybrid_search.cli.console import Console
from hybrid_search.cli.report import report
from hybrid_search.code_index.block_cutter import AUTO, WAYS, BlockCutter
from hybrid_search.code_index.code_indexer import CodeIndexer
from hybrid_search.embedding.embedding import Embedding
from hybrid_search.errors import HybridSearchError, InvalidInputError

DONE, FAILED, MISUSED = 0, 1, 2


def main(arguments: Sequence[str] | None = None, console: Console | None = None) -> int:
    """Run the program and return its exit status."""
    console = Console() if console is None else console
    given = _parser().parse_args(arguments)
    try:
        flags = {name: getattr(given, name.replace("-", "_")) for name in ("dimension", "embed-url", "embed-model")}
        told = {"embed": given.embed, **{name: value for name, value in flags.items() if value is not None}}
        choice = embedding_flags.choice_of(told, None)
        embedding = Embedding.chosen(choice)
        assert isinstance(embedding, Embedding)
        cutter = BlockCutter(given.blocks)
        indexer = CodeIndexer(given.repository, given.index_dir, embedding, choice.to_dict(), cutter)
        files = indexer.files()
        if not files:
            raise InvalidInputError(f"{usage.shown(given.repository)} has no source files: nothing was written")
        sizes = [size for _, size in files]
        how = progress_choice.BAR if console.has_terminal_for_errors else progress_choice.NONE
        with progress_choice.progress(given.progress or how, console, sum(sizes)) as progress:  # whole numbers
            counts = indexer.run(files, progress.stored)
        report(counts, given.format, console)
    except HybridSearchError as problem:
        console.complain("code_index", str(problem))
        return MISUSED if isinstance(problem, InvalidInputError) else FAILED
    except OSError as problem:
        console.complain("code_index", usage.failed_to(f"index {usage.shown(given.repository)}", problem))
        return FAILED
    console.flush()
    return DONE


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m hybrid_search.code_index", description="Index a repository.")
    parser.add_argument("repository", help="its folder")
    parser.add_argument("--index-dir", "--index_dir", required=True, help="the folder of the index")
    parser.add_argument("--embed", choices=["hashing", "openai"], default="hashing", help="what makes the vectors")
    parser.add_argument("--dimension", type=int, help="components of a vector; 256 for hashing")
    parser.add_argument("--embed-url", "--embed_url", help="the address of the service for openai")
    parser.add_argument("--embed-model", "--embed_model", help="the model for openai")
    parser.add_argument(
        "--blocks",
        choices=WAYS,
        default=AUTO,
        help="cut at functions where the language can be parsed (auto), must be parsed, or windows of lines",
    )
    parser.add_argument("--progress", choices=["bar", "lines", "none"], help="a bar on a terminal, else none")
    parser.add_argument("--format", choices=["table", "json"], help="how the counts are printed")
    return parser
