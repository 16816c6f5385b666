"""The files of both languages and their contents, for the tests of architecture."""

import ast
import json
import re
import subprocess
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

REPOSITORY = Path(__file__).resolve().parents[2]
PACKAGE = REPOSITORY / "python_ref/hybrid_search"
LIBRARY = REPOSITORY / "ruby/lib/hybrid_search"
CONFORMANCE = REPOSITORY / "conformance"
AUTOLOADING = [
    REPOSITORY / "ruby/lib/hybrid_search.rb",
    LIBRARY / "cli.rb",
    LIBRARY / "convergence.rb",
]
"""The Ruby files that list where names are."""
ONLY_PYTHON_FUNCTIONS = {
    "base/validation.checked": "a decorator; Ruby's methods call `argument` and name their parameters",
    "base/validation.taking": "likewise",
    "base/validation.known_options": "a decorator; in Ruby `**unknown` takes what `known` refuses",
    "base/known_names.no_attribute": "`method_missing` makes the error in Ruby",
    "accelerated/field_parts.totals_at": "of numpy; Ruby computes one after the other",
    "accelerated/postgres_vectors.are_among": "of numpy; Ruby looks numbers up in a Hash",
    "accelerated/touched_documents.positions_of": "`group_by` of Ruby",
    "doc_store_adapter/sqlite/sqlite_packing.packed_after": "of numpy; `AddedTerms` of Ruby packs term by term",
    "accelerated/sqlite_masks.numbers_at": "an array of numpy; Ruby unpacks where numbers are wanted",
    "cli/embedding_flags.are_given": "`given?` in Ruby",
    "cli/filter_flags.are_given": "`given?` in Ruby",
    "cli/identifier_lines.batches": "`each_batch`: Ruby yields to a block",
    "cli/page_table.warn": "`warn_of`: `warn` is a word of Ruby's own",
    "doc_store_adapter/postgres/postgres_pool.own_transactions": "psycopg begins transactions, the gem pg does not",
    "doc_store_adapter/postgres/postgres_pool.restore": "likewise",
    "doc_store_adapter/documents/stored_document.copy_fields": "Ruby's stored documents are frozen whole",
    "doc_store_adapter/documents/stored_document.copy_value": "likewise",
    "base/ordering.tiered_key": "`compare_tiered`: Ruby sorts by comparing two, Python by a key",
    "text/dictionary_table.content": "jieba's file, out of which Ruby's table is made",
    "text/idf_table.entries": "the lines of jieba's file, out of which Ruby's table is made",
    "base/validation.fail": "`failure`: `fail` is a word of Ruby's own",
}
"""Functions of a module that only Python has, with their equivalents in Ruby."""
ONLY_RUBY = {
    "railtie",
    "value",  # values are dataclasses in Python
    "listing",  # results in Python have a method for their list
    "short_inspect",  # Python shows objects only by their class
    "common_sums",  # adds large Integers where numpy adds arrays
    "sketch_columns",  # likewise
    "gmp",  # likewise, and its columns
    "gmp_bytes",
    "gmp_lanes",
    "integer_bytes",
    "integer_lanes",
    "slices",  # Python's slices take integers of any size
    "informers_models",  # a gem's models; those of Python's libraries are in local_models
    "informers_reranker",  # likewise; those of Python's libraries are in cross_encoder
    "gzip_stream",  # Python's gzip reads all members
}
ONLY_RUBY_FOLDERS = {
    "generations",  # Ruby's applications change while they are searched: reindexing is theirs, as are
    "rails",  # models and controllers
}
ONLY_PYTHON = {
    "code_index/block_cutter",  # indexes are made by Python's `ast` and tree-sitter; Ruby reads them
    "code_index/code_definition",
    "code_index/code_indexer",
    "code_index/grammars",
    "code_index/program",
    "code_index/python_definitions",
    "code_index/source_blocks",
    "code_index/source_walk",
    "code_index/syntax_definitions",
    "adapter_kit",  # a module within `hybrid_search.rb`
    "async_index",  # asyncio is Python's; Ruby's threads and fibres call the same Index
    "integrations/filter_tree",  # these frameworks are Python's
    "integrations/haystack",
    "integrations/haystack_filters",
    "integrations/langchain",
    "integrations/llama_index",
    "integrations/llama_index_filters",
    "integrations/mcp",
    "integrations/packages",
    "integrations/record_parts",
    "concurrency/async_additions",
    "concurrency/async_tags",
    "concurrency/async_calls",
    "concurrency/async_providers",
    "concurrency/worker_threads",
    "base/awaitable",
    "protocols",  # interfaces of Ruby are in its signatures
    "base/process_lock",  # Ruby opens the locks of threads that a forked child does not have
    "readers/html_text",  # these are read by Python's own libraries
    "readers/optional_library",
    "readers/pdf_text",
    "readers/word_text",
    "readers/workbook_sheets",
    "readers/zip_size",
    "base/system_path",  # paths are bytes in Ruby in every locale
    "base/provider_proxy",  # only an `AsyncIndex` calls proxies instead of its providers
    "reranker/cross_encoder",  # these two run models of Python's own libraries
    "embedding/local_models",
    "records/arrow_table",  # tables of Python's libraries
    "base/data_table",  # Ruby's readers of the generated tables read them themselves
    "text/jieba",  # the package, which Ruby does not have
    "text/jieba_files",
    "text/cutter",  # jieba itself, which Ruby does not have either
    "accelerated/fast_cutter",  # in Ruby the segmenter has a single form
    "accelerated/fast_dictionary_table",  # the gem's packed table needs no reading
    "accelerated/token_batch",  # numpy sorts the tokens of many documents at once; Ruby appends them one by one
    "accelerated/kept_vectors",  # in arrays of numpy; Ruby's are in `SqliteVectors` and `SketchColumns`
    "doc_store_adapter/documents/packed_fields",  # numpy reads packed vectors; Ruby unpacks them into Arrays
    "accelerated/fast_sqlite_blocks",  # likewise
    "accelerated/row_dots",  # numpy adds up many rows at once; Ruby takes them one by one
}
RUBY_TWINS = {  # Ruby has one form for these, in the folder of the clause
    "accelerated/hidden_markov_model": "text/hidden_markov_model",
    "accelerated/route_finder": "text/route_finder",
}


def python_files() -> list[Path]:
    return sorted(path for path in PACKAGE.rglob("*.py") if path.name not in ("__init__.py", "__main__.py"))


def paired_python_files() -> list[Path]:
    return [path for path in python_files() if name_of(path, PACKAGE) not in ONLY_PYTHON]


def ruby_files() -> list[Path]:
    paths = [path for path in LIBRARY.rglob("*.rb") if path.stem not in ONLY_RUBY and path not in AUTOLOADING]
    return sorted(path for path in paths if name_of(path, LIBRARY).split("/")[0] not in ONLY_RUBY_FOLDERS)


def name_of(path: Path, root: Path) -> str:
    """`text/tokenizer` for a file of either language."""
    return path.relative_to(root).with_suffix("").as_posix()


def twin_of(path: Path) -> str:
    """The name of the Ruby file that mirrors a Python file."""
    name = name_of(path, PACKAGE)
    return RUBY_TWINS.get(name, name)


def shown(path: Path) -> str:
    return path.relative_to(REPOSITORY).as_posix()


@cache
def ruby_facts() -> dict[str, dict[str, Any]]:
    """Return what ruby_facts.rb prints about files with a twin, by the name of the file (`text/tokenizer`)."""
    printed = facts_of_ruby()
    return {name_of(path, LIBRARY): printed[str(path)] for path in ruby_files()}


@cache
def facts_of_ruby() -> dict[str, dict[str, Any]]:
    """Return what ruby_facts.rb prints about each file of the gem, by path."""
    paths = sorted(map(str, LIBRARY.parent.rglob("*.rb")))
    command = ["ruby", str(Path(__file__).with_name("ruby_facts.rb")), *paths]
    printed: dict[str, dict[str, Any]] = json.loads(
        subprocess.run(command, capture_output=True, text=True, check=True).stdout
    )
    return printed


@cache
def autoloads() -> dict[str, str]:
    """File by constant, with its folder's module (`Text::Stemmer`), from the lists and from classes with values."""
    found: dict[str, str] = {}
    for path in [*AUTOLOADING, *ruby_files()]:
        opened: list[str] = []
        for line in path.read_text(encoding="utf-8").splitlines():
            depth = (len(line) - len(line.lstrip())) // 2 - 1  # within `module HybridSearch`
            if named := re.match(r"  +(?:module|class) (\w+)", line):
                opened = [*opened[:depth], named[1]]
            elif re.fullmatch(r"  +end", line):
                opened = opened[:depth]
            elif load := re.fullmatch(r' +autoload :(\w+), "hybrid_search/([\w/]+)"', line):
                found["::".join([*opened, load[1]])] = load[2]
    return found


@cache
def public_classes(path: Path) -> list[ast.ClassDef]:
    """The classes others use; protocols and tables of options, which Ruby has no word for, are omitted."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    classes = [node for node in tree.body if isinstance(node, ast.ClassDef) and not node.name.startswith("_")]
    bases = {node.name: set(map(ast.unparse, node.bases)) for node in classes}
    return [node for node in classes if not {"Protocol", "TypedDict", "RankingOptions"} & bases[node.name]]


def file_of(constant: str, used_in: str) -> str | None:
    """The Ruby file that a constant leads to, as it is written in a file (`Text::Stemmer`, `Stemmer` within `Text`)."""
    own = {name.rpartition("::")[0] for name, file in autoloads().items() if file == used_in}
    outer = {module.rpartition("::")[0] for module in own}
    parts = constant.split("::")
    names = ["::".join(parts[:count]) for count in range(len(parts), 0, -1)]
    modules = sorted((own | outer) - {""}, key=lambda module: (-module.count("::"), module))
    wanted = [f"{module}::{name}" for module in modules for name in names] + names
    return next((autoloads()[name] for name in wanted if name in autoloads()), None)


@cache
def imported_by(path: Path) -> list[tuple[str, int]]:
    """The library's files that a Python file imports, anywhere in it, as `text/tokenizer`, with the lines."""
    return list(_imported(path))


def _imported(path: Path) -> Iterator[tuple[str, int]]:
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        modules: list[str] = []
        if isinstance(node, ast.Import):
            modules = [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            modules = [f"{node.module}.{alias.name}" for alias in node.names]
        for module in modules:
            parts = module.split(".")
            if parts[0] == "hybrid_search" and len(parts) > 1:
                name = "/".join(parts[1:])
                yield name if is_module(name) else name.rpartition("/")[0], node.lineno


@cache
def is_module(name: str) -> bool:
    """Whether the package has a file of that name; otherwise the last part is a name within a file."""
    return (PACKAGE / f"{name}.py").exists()
