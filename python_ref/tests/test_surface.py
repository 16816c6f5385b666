"""The public names of both languages: the same classes, methods and parameters, or a reason why not."""

import importlib
import inspect
import json
import re
import subprocess
from functools import cache
from pathlib import Path
from typing import Any

import hybrid_search
from hybrid_search import adapter_kit

from .library_files import LIBRARY, PACKAGE, autoloads

RUBY_NAMES = {"Error": "HybridSearchError"}
RUBY_METHODS = {"to_h": "to_dict", "from_h": "from_dict"}
CUSTOMS = {"==", "eql?", "hash", "inspect"}
VALUES = {
    "ConvergentRetriever::Candidates": "convergence.candidates",
    "ConvergentRetriever::Located": "convergence.located",
    "ConvergentRetriever::LocatedBlock": "convergence.located",
    "ConvergentRetriever::RankedBlocks": "convergence.located",
    "ConvergentRetriever::Round": "convergence.candidates",
    "Chunker::TextChunk": "chunker.text_chunk",
    "KeywordExtractor::Keywords": "text.keyword_extractor",
    "PartialRerank::PartialOutcome": "reranker.partial_rerank",
    "PartialRerank::TieredEntry": "reranker.partial_rerank",
    "PostProcessor::ProcessedDocuments": "post_processor.post_processor",
    "Reranker::RerankOutcome": "reranker.outcome",
    "RetrievalService::ServiceResult": "retrieval_service.service_result",
}
"""Classes that public classes return: the name in Ruby, and the module in Python."""


DIFFERENCES = {
    "AdapterKit": "a module of Ruby; in Python what it holds is told by `adapter_kit.__all__`",
    "AsyncIndex": "asyncio is Python's",
    "CitedAnswer.to_s": "`__str__` in Python",
    "CitedSource.to_dict": "all values of Ruby have it from one module",
    "CitedSpan.to_dict": "likewise",
    "CrossEncoderModel": "a model of a Python library",
    "Model2VecEmbedder": "a model of a Python library",
    "SentenceTransformerEmbedder": "a model of a Python library",
    "AdapterKit::DocStoreContract.found": "test classes of pytest inherit it; Ruby's contract is run, not inherited",
    "AdapterKit::DocStoreContract.new": "what a store's tests may give beside the store is a method in Python",
    "AdapterKit::DocStoreContract.run": "Ruby takes a block",
    "AdapterKit::MatchDenseExpr.new": "Python's has RAGFlow's two constants as parameters, in their places",
    "Hit.[]": "`__getitem__` in Python",
    "HttpService.call": "a Rack application is called so; an ASGI application is awaited itself",
    "HttpService.new": "threads and timeouts of Ruby's are puma's",
    "Index.length": "`__len__` in Python",
    "Index.size": "likewise",
    "Index.to_arrow": "a table of a Python library",
    "KeywordCache.new": "Ruby takes the extractor by its place, too",
    "MemoryDocStore.exchange": "what `Generations` asks, which Ruby alone has",
    "OceanBaseDocStore.exchange": "likewise",
    "OceanBaseDocStore.open": "Ruby takes a block; in Python a store is closed by `with`",
    "OpenSearchDocStore.new": "Ruby has the collection and the access as keywords",
    "Page.[]": "`__getitem__` in Python",
    "Page.count": "`Enumerable` has it in Ruby",
    "Page.deconstruct": "patterns in Python ask for `__getitem__`",
    "Page.length": "`__len__` in Python",
    "Page.pretty_print": "what irb asks for, as notebooks ask Python's page for `_repr_html_`",
    "Page.table": "the text that irb shows",
    "Page.to_json": "all values of Ruby have it from one module",
    "PostgresDocStore.open": "Ruby takes a block; in Python a store is closed by `with`",
    "RetrievalConfiguration.new": "Ruby takes the settings as one object",
    "Scores.to_dict": "all values of Ruby have it from one module",
}
"""Names that only one language has, or that differ: `Class` or `Class.method`, and why."""

INDEX_PARTS = ("IndexTags", "IndexAdditions", "IndexDocuments", "IndexSearches")

Methods = dict[str, list[str]]


@cache
def ruby() -> dict[str, Any]:
    command = ["ruby", "-I", str(LIBRARY.parent), str(Path(__file__).with_name("ruby_surface.rb"))]
    told: dict[str, Any] = json.loads(subprocess.run(command, capture_output=True, text=True, check=True).stdout)
    return told


def parameters(function: Any) -> list[str]:
    names = inspect.signature(function).parameters
    return [name for name in names if name not in ("self", "cls", "unknown")]


def own_attributes(owner: type) -> set[str]:
    """Return the public attributes of a class in addition to its methods: its fields, and what it sets on itself."""
    set_here = re.findall(r"\bself\.([a-z]\w*)(?:: [^=\n]+)? = ", inspect.getsource(owner))
    return {name for name in (*inspect.get_annotations(owner), *set_here) if not name.startswith("_")}


def own_methods(owner: Any) -> list[tuple[str, Any]]:
    """Return the names that a class or a module defines; for an index, those of its parts too."""
    parts = [part for part in getattr(owner, "__bases__", ()) if part.__name__ in INDEX_PARTS]
    return [pair for part in (*parts, owner) for pair in vars(part).items()]


def python_methods(owner: Any) -> Methods:
    """Return the public methods of a class, or the public functions of a module, with their parameters."""
    found = {}
    if inspect.isclass(owner):
        found |= {name: [] for name in own_attributes(owner)}
        if "__init__" in vars(owner) and not issubclass(owner, Exception):
            found["new"] = parameters(owner.__init__)
    for name, value in own_methods(owner):
        function = value.__func__ if isinstance(value, (staticmethod, classmethod)) else value
        if name.startswith("_") or (inspect.ismodule(owner) and getattr(value, "__module__", "") != owner.__name__):
            continue
        if isinstance(value, property):
            found[name] = []
        elif inspect.isfunction(function):
            found[name] = parameters(function)
    return {name.removeprefix("is_").removeprefix("has_"): names for name, names in found.items()}


def ruby_methods(methods: Methods) -> Methods:
    """Return the same with Python's names, without methods that every Ruby class may define."""
    kept = {RUBY_METHODS.get(name, name): names for name, names in methods.items() if name not in CUSTOMS}
    if kept.get("new") in ([], [""]):
        del kept["new"]
    return {name.rstrip("?").removeprefix("has_"): names for name, names in kept.items()}


def python_surface() -> dict[str, dict[str, list[str]]]:
    """Return the name in Ruby."""
    owners = {name: getattr(hybrid_search, name) for name in hybrid_search.__all__ if name != "__version__"}
    for name in adapter_kit.__all__:
        owners[f"AdapterKit::{name[0].upper()}{name[1:]}"] = getattr(adapter_kit, name)
    nodes = {name: value for name, value in vars(adapter_kit.tree).items() if inspect.isclass(value)}
    owners |= {f"AdapterKit::Tree::{name}": value for name, value in nodes.items()}
    for name, module in VALUES.items():
        owners[name] = getattr(importlib.import_module(f"hybrid_search.{module}"), name.split("::")[1])
    return {name: python_methods(owner) for name, owner in owners.items()}


def ruby_surface() -> dict[str, Methods]:
    """Return the form in Python."""
    return {RUBY_NAMES.get(name, name): ruby_methods(methods) for name, methods in ruby()["surface"].items()}


def differences() -> set[str]:
    python, other = python_surface(), ruby_surface()
    found = set(python) ^ set(other)
    for name in set(python) & set(other):
        methods = set(python[name]) | set(other[name])
        found |= {f"{name}.{method}" for method in methods if python[name].get(method) != other[name].get(method)}
    return found


def test_both_languages_have_the_same_names_methods_and_parameters():
    assert sorted(differences()) == sorted(DIFFERENCES)
    assert sum(map(len, python_surface().values())) > 150


def test_public_constants_of_ruby_are_the_public_names_of_python():
    ours = {RUBY_NAMES.get(name, name) for name in ruby()["constants"]} - {"VERSION"}
    assert sorted(ours ^ set(hybrid_search.__all__) - {"__version__"}) == sorted(
        name for name in DIFFERENCES if "." not in name and "::" not in name
    )


def test_internals_of_ruby_cannot_be_accessed_from_outside():
    layers = {name.partition("::")[0] for name in autoloads()} - set(ruby()["constants"])
    assert len(layers) > 15
    program = "ARGV.each { |name| eval(name) && puts(name) rescue NameError }"
    names = [f"HybridSearch::{name}" for name in sorted(layers)]
    command = ["ruby", "-I", str(LIBRARY.parent), "-r", "hybrid_search", "-e", program, *names]
    assert subprocess.run(command, capture_output=True, text=True, check=True).stdout == ""


def test_public_modules_of_python_list_their_names():
    listing = [
        path.relative_to(PACKAGE).as_posix() for path in PACKAGE.rglob("*.py") if "__all__ = [" in path.read_text()
    ]
    assert sorted(listing) == [
        "__init__.py",
        "adapter_kit.py",
        "integrations/haystack.py",
        "integrations/langchain.py",
        "integrations/llama_index.py",
        "integrations/mcp.py",
    ]
