"""Checks the host of requests, as a defence against DNS rebinding (CUR-6)."""

import re
from collections.abc import Sequence

from hybrid_search.server.http_message import HttpHead
from hybrid_search.server.http_problem import HttpProblem

HOST = re.compile(r"([a-z0-9._-]+)(?::[0-9]{0,5})?")
IPV4 = re.compile(r"(?:(?:25[0-5]|2[0-4][0-9]|1[0-9][0-9]|[1-9]?[0-9])(?:\.(?!\Z)|\Z)){4}")
IPV6 = re.compile(r"\[[0-9a-f:.]+\](?::[0-9]{0,5})?")
ANY = "*"


class AllowedHosts:
    """Refuses requests whose `Host` is neither localhost, nor an IP address, nor one of the given names.

    A page of another site whose name has been pointed at this machine sends its own name as `Host`.

    Args:
        names: the names; one that begins with a dot includes all its subdomains, and `*` allows any host. `None` allows
            every host if the service has a token or is mounted below a path, and otherwise no other host.
        guarded: whether the service has a token.
    """

    def __init__(self, names: Sequence[str] | None, guarded: bool) -> None:
        self._given = names is not None
        self._guarded = guarded
        self._names = [name.lower() for name in names or ()]

    def check(self, head: HttpHead) -> None:
        """Refuse a request to another host; a request without `Host` does not come from a browser.

        Raises:
            HttpProblem: the host is not served.
        """
        host = head.header("host").lower()
        if host == "" or (not self._given and (self._guarded or head.root != "")):
            return
        if ANY not in self._names and not self._is_served(host):
            raise HttpProblem("misdirected_request")

    def _is_served(self, host: str) -> bool:
        found = HOST.fullmatch(host)
        if found is None:
            return IPV6.fullmatch(host) is not None
        name = found[1].removesuffix(".")
        if IPV4.fullmatch(name) or name == "localhost" or name.endswith(".localhost"):
            return True
        return any(name == one.removeprefix(".") or (one[0] == "." and name.endswith(one)) for one in self._names)
