"""Requests without their bodies, and responses, in the same form for every server (CUR-6)."""

import dataclasses
from collections.abc import Mapping


@dataclasses.dataclass(frozen=True, repr=False)
class HttpHead:
    """A request without its body.

    Attributes:
        method: in capitals, as `GET`.
        path: the percent-encoded path below the mount point, beginning with `/`.
        headers: by their names in lower case; several values of a name are joined by a comma.
        root: the path of the mount point, "" at the top.
        remote: the address of the client, "" if not known.
        query: the percent-encoded query string, "" without one.
    """

    method: str
    path: str
    headers: Mapping[str, str]
    root: str = ""
    remote: str = ""
    query: str = ""

    @property
    def has_body(self) -> bool:
        """Whether the request has a body."""
        return self.header("content-length") not in ("", "0") or self.header("transfer-encoding") != ""

    def header(self, name: str) -> str:
        """Return the value of a header without blanks around it, "" if it is missing."""
        return self.headers.get(name, "").strip(" \t")


@dataclasses.dataclass(frozen=True, repr=False)
class ServerResponse:
    """A response.

    Attributes:
        status: the status.
        headers: by their names in lower case, including the length of the body.
        body: the bytes to send.
    """

    status: int
    headers: Mapping[str, str]
    body: bytes
