"""How the commands of the suite read their command lines."""

import argparse


class CommandParser(argparse.ArgumentParser):
    """The parser of one command: texts are shown as they are written, options have their whole names.

    Args:
        command: its name behind `conformance`; none for the suite itself.
        description: what it does.
        epilog: what its exit statuses mean.
    """

    def __init__(self, command: str, description: str | None, epilog: str | None = None) -> None:
        super().__init__(
            prog=f"conformance {command}".rstrip(),
            description=description,
            epilog=epilog,
            formatter_class=argparse.RawDescriptionHelpFormatter,
            allow_abbrev=False,
        )
