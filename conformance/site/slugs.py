"""The names of headings in links, as GitHub and the tests of the documents spell them."""

import re


def slug(heading: str, separator: str = "-") -> str:
    """Return the anchor of a heading."""
    return re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", separator)
