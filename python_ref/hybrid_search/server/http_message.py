"""What the service is asked, apart from its body, and what it answers: the same for every server (CUR-6)."""

import dataclasses
from collections.abc import Mapping


@dataclasses.dataclass(frozen=True, repr=False)
class HttpHead:
    """A request without its body.

    Attributes:
        method: in capitals, as `GET`.
        path: below where the service is mounted, percent-encoded, from `/` on.
        headers: by their names in small letters; several of a name joined by a comma.
        root: the path where the service is mounted, "" if at the top.
        remote: the address of the client, "" if not known.
        query: the query string, percent-encoded, "" if there is none.
    """

    method: str
    path: str
    headers: Mapping[str, str]
    root: str = ""
    remote: str = ""
    query: str = ""

    @property
    def has_body(self) -> bool:
        """Whether a body comes with it."""
        return self.header("content-length") not in ("", "0") or self.header("transfer-encoding") != ""

    def header(self, name: str) -> str:
        """The value of a header without blanks around it, "" where it is missing."""
        return self.headers.get(name, "").strip(" \t")


@dataclasses.dataclass(frozen=True, repr=False)
class ServerResponse:
    """An answer.

    Attributes:
        status: the status.
        headers: by their names in small letters; the length of the body among them.
        body: the bytes that are sent.
    """

    status: int
    headers: Mapping[str, str]
    body: bytes
