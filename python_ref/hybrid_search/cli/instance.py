"""What `locate` is asked: instances, one a line (CNV-6)."""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from hybrid_search.base import characters
from hybrid_search.cli.record_lines import RecordLine

NUMBER = re.compile(r"-[0-9]+\Z")
TEXTS = ("problem_statement", "issue", "description", "prompt", "text")


@dataclass(frozen=True)
class Instance:
    """One instance.

    Attributes:
        identifier: what its line of the output is called; none: it has none.
        text: the first of `TEXTS` that is not blank; none: there is none.
        repo_name: the folder of its repository; none: not said.
        query_vector: its vector, where it brings one.
        problem: why it is no instance; none: it is one.
    """

    identifier: str | None
    text: str | None = None
    repo_name: str | None = None
    query_vector: Any = None
    problem: str | None = None

    @classmethod
    def of(cls, line: RecordLine) -> "Instance":
        """The instance of a line."""
        if line.content is None:
            return cls(None, problem=f"{line.place}: {line.reason}")
        identifier = line.content.get("instance_id")
        if not isinstance(identifier, str) or not identifier:
            return cls(None, problem=f"{line.place}: instance_id must be a text that is not empty")
        return cls(identifier, cls._text(line.content), cls._repo(line.content), line.content.get("query_vector"))

    @property
    def repository(self) -> str | None:
        """The repository as code_index names it after an instance: `django_django` for `django__django-12113`."""
        return None if self.identifier is None else NUMBER.sub("", self.identifier).replace("__", "_")

    @staticmethod
    def _text(content: Mapping[str, Any]) -> str | None:
        given = (content.get(name) for name in TEXTS)
        return next((text for text in given if isinstance(text, str) and characters.strip(text)), None)

    @staticmethod
    def _repo(content: Mapping[str, Any]) -> str | None:
        """`repo_name` as it is, else `repo`, whose slash is two underscores in the names of folders."""
        if isinstance(content.get("repo_name"), str):
            return str(content["repo_name"])
        return content["repo"].replace("/", "__") if isinstance(content.get("repo"), str) else None
