"""Makes the stored fields from the keys of a record (IDX-1)."""

import re
from collections.abc import Callable, Collection, Mapping
from typing import Any

from hybrid_search.base.kernels import kernel
from hybrid_search.text.tokenizer import TokenizerLike

FILE_ENDING = re.compile(r"\.[A-Za-z]+\Z")
TABLE_TAG = re.compile(r"</?(?:table|td|caption|tr|th)(?: [^<>]{0,12})?>")

TEXTS = (("content",), ("title",), ("keywords",), ("questions",))
"""The keys whose texts are cut into tokens."""

Fields = dict[str, Any]
Ready = Mapping[tuple[str, ...], Fields]
"""Keys of a record → the fields that are made from them."""


class RecordFields:
    """Makes the stored fields of records, except for their vectors.

    Args:
        tokenizer: cuts texts into tokens.
    """

    def __init__(self, tokenizer: TokenizerLike) -> None:
        self._analyzer = kernel("analyzer")(tokenizer)
        self._makers: tuple[tuple[tuple[str, ...], Callable[[dict[str, Any]], Fields]], ...] = (
            (("id",), lambda record: {"id": record["id"]}),
            (("doc_id",), lambda record: {"doc_id": record.get("doc_id", record["id"])}),
            (("title", "document_name"), self._names),
            (("content",), self._content),
            (("kb_id",), lambda record: {"kb_id": record.get("kb_id")}),
            (("parent",), lambda record: {"mom_id": record.get("parent")}),
            (("title",), self._title),
            (("keywords",), self._keywords),
            (("questions",), self._questions),
            (("tags",), lambda record: {"tag_feas": record.get("tags")}),
            (("page_rank",), lambda record: {"pagerank_fea": record.get("page_rank")}),
            (("positions",), lambda record: {"position_int": record.get("positions")}),
            (("available",), self._availability),
            (("metadata",), lambda record: {"metadata": record.get("metadata")}),
        )

    def of_texts(self, record: dict[str, Any]) -> Ready:
        """Return the fields that are made from the texts of a record alone: most of the work, for another process."""
        return {keys: make(record) for keys, make in self._makers if keys in TEXTS and keys[0] in record}

    def made_of(self, keys: Collection[str], record: dict[str, Any], ready: Ready | None = None) -> Fields:
        """Return the fields that depend on some keys of a record; null if the record does not have the key.

        Args:
            keys: the keys.
            record: a checked record, with all other values from which these fields are made.
            ready: the result of `of_texts` for the record, if it is known.
        """
        made: Fields = {}
        for parts, make in self._makers:
            if any(key in keys for key in parts):
                made.update(make(record) if ready is None or parts not in ready else ready[parts])
        return made

    def _names(self, record: dict[str, Any]) -> Fields:
        title = record.get("title")
        name = record.get("document_name", "" if title is None else title)
        return {"docnm_kwd": name, "title": None if name == title else title}

    def _content(self, record: dict[str, Any]) -> Fields:
        text = TABLE_TAG.sub(" ", record["content"])
        tokens = self._analyzer.tokens(text)
        whole, parts = self._joined(tokens)
        return {
            "content_with_weight": record["content"],
            "content_ltks": whole,
            "content_sm_ltks": parts,
            "content_id_ltks": self._identified(tokens, text),
        }

    def _title(self, record: dict[str, Any]) -> Fields:
        if "title" not in record:
            return dict.fromkeys(("title_tks", "title_sm_tks", "title_id_tks"))
        text = FILE_ENDING.sub("", record["title"])
        tokens = self._analyzer.tokens(text)
        whole, parts = self._joined(tokens)
        return {
            "title_tks": whole,
            "title_sm_tks": parts,
            "title_id_tks": self._identified(tokens, text, record["title"]),
        }

    def _keywords(self, record: dict[str, Any]) -> Fields:
        if "keywords" not in record:
            return dict.fromkeys(("important_kwd", "important_tks", "important_id_tks"))
        text = " ".join(record["keywords"])
        tokens = self._analyzer.tokens(text)
        return {
            "important_kwd": record["keywords"],
            "important_tks": " ".join(tokens),
            "important_id_tks": self._identified(tokens, text),
        }

    def _questions(self, record: dict[str, Any]) -> Fields:
        if "questions" not in record:
            return dict.fromkeys(("question_kwd", "question_tks", "question_id_tks"))
        text = "\n".join(record["questions"])
        tokens = self._analyzer.tokens(text)
        return {
            "question_kwd": record["questions"],
            "question_tks": " ".join(tokens),
            "question_id_tks": self._identified(tokens, text),
        }

    def _availability(self, record: dict[str, Any]) -> Fields:
        if "available" not in record:
            return {"available_int": None}
        return {"available_int": 1 if record["available"] else 0}

    def _joined(self, tokens: list[str]) -> tuple[str, str]:
        """Return tokens and their parts in the form of a field; equal ones are the same text."""
        parts = self._analyzer.fine_grained(tokens)
        whole = " ".join(tokens)
        return whole, whole if parts == tokens else " ".join(parts)

    def _identified(self, tokens: list[str], text: str, whole: str | None = None) -> str | None:
        """Return the identifiers of a text that are not among its tokens, in the form of a field; `None` without any.

        Args:
            tokens: the tokens of the text.
            text: the text.
            whole: a second text, whose identifiers count only if the first one does not contain them.
        """
        found = self._analyzer.identifiers(text, tokens)
        if whole is not None and whole != text:
            found += self._analyzer.identifiers(whole, [*tokens, *found])
        return " ".join(found) if found else None
