"""Paths with `*`, `?` and `**` (FIL-1)."""

from collections.abc import Callable, Sequence

ONE, ANY, ANY_FOLDERS = "?", "*", "**"


class GlobPattern:
    """Matches paths, segment by segment; `**` matches any number of folders.

    Args:
        pattern: the pattern, a path in its plain form.

    Attributes:
        folder: the path before the first segment with a special character; "" is the current folder.
    """

    def __init__(self, pattern: str) -> None:
        self._segments = pattern.split("/")
        fixed: list[str] = []
        for segment in self._segments:
            if is_magic(segment):
                break
            fixed.append(segment)
        self.folder = "/".join(fixed) or ("/" if pattern.startswith("/") else "")

    def matches(self, path: str) -> bool:
        """Return whether a whole path matches."""
        return _matches(self._segments, path.split("/"), ANY_FOLDERS, _segment_matches)

    def __repr__(self) -> str:
        return f"GlobPattern {'/'.join(self._segments)}"


def is_magic(text: str) -> bool:
    """Return whether a text has a special character."""
    return ANY in text or ONE in text


def _segment_matches(pattern: str, name: str) -> bool:
    return _matches(pattern, name, ANY, lambda wanted, letter: wanted in (letter, ONE))


def _matches(pattern: Sequence[str], parts: Sequence[str], joker: str, equal: Callable[[str, str], bool]) -> bool:
    """Return whether the parts match a pattern in which a joker stands for any number of them.

    Only the last joker is ever tried again, so the cost is at most the product of both lengths.
    """
    place = part = 0
    last_joker = tried = -1
    while part < len(parts):
        if place < len(pattern) and pattern[place] == joker:
            last_joker, tried = place, part
            place += 1
        elif place < len(pattern) and equal(pattern[place], parts[part]):
            place += 1
            part += 1
        elif last_joker >= 0:
            tried += 1
            place, part = last_joker + 1, tried
        else:
            return False
    return all(rest == joker for rest in pattern[place:])
