"""`python -m hybrid_search.generate data [--check]`: make or check the generated files."""

import argparse
import sys

from hybrid_search.generate import data_files


def main(arguments: list[str] | None = None) -> int:
    """Run the command; 0 when all is well, 1 when `--check` found drift."""
    parser = argparse.ArgumentParser(prog="hybrid_search.generate", description=__doc__)
    parser.add_argument("what", choices=["data"], help="data: the tables that the libraries read")
    parser.add_argument("--check", action="store_true", help="compare with the committed files and write nothing")
    options = parser.parse_args(arguments)
    paths = data_files.check() if options.check else data_files.write()
    for path in paths:
        print(f"{'differs' if options.check else 'wrote'}: {path.relative_to(data_files.REPOSITORY)}")
    return 1 if options.check and paths else 0


if __name__ == "__main__":
    sys.exit(main())
