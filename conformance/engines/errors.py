"""What can go wrong with an engine."""

from conformance.errors import BrokenError


class EngineError(BrokenError):
    """An engine cannot be installed, started or stopped; the message tells what to do."""
