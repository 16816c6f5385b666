"""What becomes of a request that is not answered."""


class ExchangeError(Exception):
    """A request that got no usable answer.

    Attributes:
        problem: what the service did or did not do, for messages.
        retryable: whether another attempt may succeed.
    """

    def __init__(self, problem: str, retryable: bool = True) -> None:
        super().__init__(problem)
        self.problem = problem
        self.retryable = retryable
