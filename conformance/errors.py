"""What can be wrong with the harness itself, or with what it is given."""


class BrokenError(Exception):
    """The harness or its fixtures are broken; the run ends with exit status 2."""


class ProtocolError(Exception):
    """An implementation answered something that the protocol does not allow."""


class ChildDiedError(Exception):
    """An implementation's process ended before it answered."""


class ChildTimeoutError(Exception):
    """An implementation did not answer in time."""
