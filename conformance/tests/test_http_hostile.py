"""Requests of a hostile client cost little, and `/v1/health` answers meanwhile (CUR-6)."""

import os
import threading
import time
from pathlib import Path
from typing import Any

import pytest

from conformance.http import servers
from conformance.http.servers import LANGUAGES, Server, serving

pytestmark = pytest.mark.programs

COLLIDING = 2**61 - 1
"""Multiples of it have one hash in Python."""
COUNT = 1000
MOST_SECONDS = 5.0
"""CPU time, where the system reports it."""
MOST_WAIT = 10.0
"""A limit for busy machines; an unanswered request waits for minutes."""
PROCESS = "/proc/{}/stat"


def spent(server: Server) -> float:
    """The CPU time of a server in seconds; without `/proc` the time of a clock."""
    stat = Path(PROCESS.format(server.process.pid))
    if not stat.exists():
        return time.monotonic()
    user, system = stat.read_text().rpartition(")")[2].split()[11:13]
    return (int(user) + int(system)) / os.sysconf("SC_CLK_TCK")


def seconds(server: Server, body: Any) -> float:
    """The seconds until a query is answered with a status below 500."""
    begun = spent(server)
    assert server.post("/v1/search", body).status < 500
    return spent(server) - begun


def ask(server: Server, body: Any, waited: list[float]) -> None:
    """Add the time of a query to a list."""
    waited.append(seconds(server, body))


def colliding(count: int) -> list[dict[str, Any]]:
    """Bodies with that many colliding numbers: as values of a filter, and as long texts of digits."""
    numbers = [one * COLLIDING for one in range(1, count + 1)]
    return [
        {"question": "red", "filters": {"page_rank": numbers}},
        {"question": "red", "filters": {"metadata.n": numbers}},
        {"question": "red", "rank_feature": {str(number): 1 for number in numbers}},
        {"question": "red", "order_by": [[str(number), "asc"] for number in numbers]},
        {"question": "red", "filters": {"metadata.n": [10**3999 + one for one in range(count // 40)]}},
    ]


@pytest.mark.parametrize("language", LANGUAGES)
def test_colliding_numbers_cost_little_and_health_checks_succeed_meanwhile(language: str) -> None:
    if servers.missing(language):
        pytest.skip(servers.missing(language))
    documents = [{"id": str(one), "content": f"red wine {one}", "metadata": {"n": one}} for one in range(50)]
    with serving(language, {"documents": documents}) as server:
        for few, many in zip(colliding(COUNT), colliding(8 * COUNT), strict=True):
            before = seconds(server, few)
            waited: list[float] = []
            asking = threading.Thread(target=ask, args=(server, many, waited))
            asking.start()
            longest = 0.0
            while asking.is_alive():
                begun = time.monotonic()
                assert server.ask("GET", "/v1/health").status == 200
                longest = max(longest, time.monotonic() - begun)
            asking.join()
            assert waited[0] < MOST_SECONDS, (before, waited)
            assert longest < MOST_WAIT
