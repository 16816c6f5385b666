"""The error of a request that got no usable response."""


class ExchangeError(Exception):
    """A request got no usable response.

    Attributes:
        problem: what the service did or failed to do, for messages.
        retryable: whether another attempt may succeed.
    """

    def __init__(self, problem: str, retryable: bool = True) -> None:
        super().__init__(problem)
        self.problem = problem
        self.retryable = retryable
