"""Reads the input of `locate`: instances, one on each line (CNV-6)."""

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
        identifier: the name of its line of the output; `None` if it has none.
        text: the first of `TEXTS` that is not blank; `None` if all are.
        repo_name: the folder of its repository; `None` if it is not stated.
        query_vector: its vector, if it has one.
        problem: the reason why it is invalid; `None` if it is valid.
    """

    identifier: str | None
    text: str | None = None
    repo_name: str | None = None
    query_vector: Any = None
    problem: str | None = None

    @classmethod
    def of(cls, line: RecordLine) -> "Instance":
        """Return the instance of a line."""
        if line.content is None:
            return cls(None, problem=f"{line.place}: {line.reason}")
        identifier = line.content.get("instance_id")
        if not isinstance(identifier, str) or not identifier:
            return cls(None, problem=f"{line.place}: instance_id must be a text that is not empty")
        return cls(identifier, cls._text(line.content), cls._repo(line.content), line.content.get("query_vector"))

    @property
    def repository(self) -> str | None:
        """The repository, derived from an instance's name: `django_django` for `django__django-12113`."""
        return None if self.identifier is None else NUMBER.sub("", self.identifier).replace("__", "_")

    @staticmethod
    def _text(content: Mapping[str, Any]) -> str | None:
        given = (content.get(name) for name in TEXTS)
        return next((text for text in given if isinstance(text, str) and characters.strip(text)), None)

    @staticmethod
    def _repo(content: Mapping[str, Any]) -> str | None:
        """Return `repo_name`, otherwise `repo` with two underscores in place of its slash, as folders are named."""
        if isinstance(content.get("repo_name"), str):
            return str(content["repo_name"])
        return content["repo"].replace("/", "__") if isinstance(content.get("repo"), str) else None
