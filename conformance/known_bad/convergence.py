"""Faults of convergent retrieval: the rounds as a port may have misread them (CNV-3, CNV-4)."""

from collections.abc import Sequence
from typing import Any

from conformance.known_bad.fault import Fault, fault
from conformance.known_bad.library import replace


@fault("alpha_and_beta_swapped")
class AlphaAndBetaSwapped(Fault):
    """Takes the share of the feedback for that of the last query, and the other way round."""

    def begin(self) -> None:
        """Swap them where the next query is made."""
        from hybrid_search.convergence.feedback import Feedback

        right = Feedback.next_query

        def next_query(feedback: Any, query: Sequence[float], ranking: Any) -> list[float]:
            feedback._alpha, feedback._beta = feedback._beta, feedback._alpha
            try:
                return right(feedback, query, ranking)
            finally:
                feedback._alpha, feedback._beta = feedback._beta, feedback._alpha

        replace(Feedback, "next_query", next_query)


@fault("first_query_forgotten")
class FirstQueryForgotten(Fault):
    """Anchors the next query in the last one alone."""

    def begin(self) -> None:
        """The last query stands for the first."""
        from hybrid_search.convergence.feedback import Feedback

        right = Feedback.next_query

        def next_query(feedback: Any, query: Sequence[float], ranking: Any) -> list[float]:
            feedback._anchor = query
            return right(feedback, query, ranking)

        replace(Feedback, "next_query", next_query)


@fault("last_round_twice")
class LastRoundTwice(Fault):
    """Fuses the last round twice."""

    def begin(self) -> None:
        """One more ranking is fused."""
        from hybrid_search.convergence.rounds import Rounds

        right = Rounds._fused

        def fused(rounds: Any, recorded: Sequence[Any]) -> Any:
            return right(rounds, [*recorded, *recorded[-1:]] if len(recorded) > 1 else recorded)

        replace(Rounds, "_fused", fused)


@fault("drift_upside_down")
class DriftUpsideDown(Fault):
    """Calls it drift where the next query is near the first one."""

    def begin(self) -> None:
        """The least cosine is the most."""
        from hybrid_search.convergence.rounds import Rounds

        right = Rounds._is_drift

        def is_drift(rounds: Any, cosine: float) -> bool:
            return not right(rounds, cosine)

        replace(Rounds, "_is_drift", is_drift)
