"""Where things are in the repository."""

from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
CONFORMANCE = ROOT / "conformance"
FIXTURES = ROOT / "fixtures"
SCHEMAS = FIXTURES / "schema"
CORPORA = FIXTURES / "corpora"
CASES = FIXTURES / "cases"
REPORTS = ROOT / "reports"
RUBY_INTERNALS = CONFORMANCE / "implementations/ruby/internals.rb"
"""What a Ruby program loads to name the library's internals."""
