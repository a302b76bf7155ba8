"""Answers as HTML. A model writes lists and emphasis; links, images and HTML of its own stay text.

What is not parsed cannot leave the page: an image in an answer would be a request that carries patient data away.
"""

from __future__ import annotations

import re
from functools import cache

from markdown_it import MarkdownIt
from markupsafe import Markup, escape

from docgemma.entities.printable import plain

_TOGETHER = re.compile(r"\b(?:18|19|20)\d\d-\d\d-\d\d\b|\bMRN …\w{1,12}")
"""A birth date or a record number that a line end tears apart is misread."""

SOURCE_MARK = re.compile(r"\[S?([0-9]{1,2})\]")


@cache
def _parser() -> MarkdownIt:
    parser = MarkdownIt("zero", {"html": False, "linkify": False, "breaks": True})
    return parser.enable(["emphasis", "list", "newline", "escape", "table", "backticks", "heading", "blockquote"])


def to_html(text: str, *, marks: str = "") -> Markup:
    """Safe HTML. With `marks` (an id's beginning) a source mark such as [1] becomes a link to that source."""
    html: str = _parser().render(plain(text))
    html = re.sub(r"<(/?)h[1-6]>", r"<\1h4>", html)  # the page's own headings stay above those of an answer
    if marks:
        html = SOURCE_MARK.sub(lambda found: f'<a class="mark" href="#{marks}{found[1]}">[{found[1]}]</a>', html)
    return Markup(html)  # noqa: S704 - made by the parser, with HTML off


def steady(text: str) -> Markup:
    """Text in which dates and record numbers stay on one line."""
    escaped = str(escape(text))
    return Markup(_TOGETHER.sub(r'<span class="steady">\g<0></span>', escaped))  # noqa: S704 - escaped above
