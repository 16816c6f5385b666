"""The package without the packages of other frameworks."""

import subprocess
import sys

import pytest

FRAMEWORKS = ("langchain_core", "llama_index", "haystack", "mcp", "pydantic")


def run(code):
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout.strip()


def test_the_package_imports_no_framework():
    code = (
        "import sys, hybrid_search\n"
        "for name in hybrid_search.__all__: getattr(hybrid_search, name)\n"
        "import hybrid_search.adapter_kit, hybrid_search.cli.main\n"
        f"print(sorted(set({FRAMEWORKS}) & set(sys.modules)), 'hybrid_search.integrations' in sys.modules)"
    )
    assert run(code) == "[] False"


@pytest.mark.parametrize(
    ("module", "missing", "said"),
    [
        ("langchain", "langchain_core", "needs the package langchain-core: pip install 'hybrid-search[langchain]'"),
        ("llama_index", "llama_index", "needs the package llama-index-core: pip install 'hybrid-search[llama-index]'"),
        ("haystack", "haystack", "haystack needs the package haystack-ai: pip install 'hybrid-search[haystack]'"),
        ("mcp", "mcp", "an MCP server needs the package mcp: pip install 'hybrid-search[mcp]'"),
    ],
)  # fmt: skip
def test_a_missing_package_is_an_error_that_names_the_extra(module, missing, said):
    code = (
        f"import sys; sys.modules[{missing!r}] = None\n"
        "from hybrid_search import ConfigurationError\n"
        f"try: import hybrid_search.integrations.{module}\n"
        "except ConfigurationError as problem: print(problem)"
    )
    assert said in run(code)
