"""How words of others stand between our own: what looks like a line of ours is marked, names are text without links."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable
from html import unescape

from docgemma.entities.printable import printable
from docgemma.knowledge.consult.phrases import BEGINNINGS, LABELS


def _folded(text: str) -> str:
    """Without marks and letter forms that make the same word look different to a program only."""
    split = unicodedata.normalize("NFKD", text).casefold().replace("đ", "d")
    return "".join(letter for letter in split if not unicodedata.combining(letter))


def _any_of(texts: Iterable[str]) -> str:
    return "|".join(re.escape(_folded(each)) for each in texts)


_OWN = re.compile(rf"[\W_]*(?:(?:{_any_of(LABELS)})[\W_]*?(?:[:=|–—-]|$)|(?:{_any_of(BEGINNINGS)})(?![^\W_]))")
_OWN_SIGN = re.compile(r"\s*(?:!|>|\[\s*(?:\d|(?:end of )?entry\b))", re.IGNORECASE)
_LABEL_INSIDE = re.compile(
    r"(?<![^\W_])(?:sources?|nguon(?: tham khao)?)\s*:|(?<![^\W_])reviewed|(?<![^\W_])duyet(?![^\W_])"
)
_NAMED_LINK = re.compile(r"!?\[([^\]\[]*)\]\([^()\s]*(?:\s[^()]*)?\)")
_TAG = re.compile(r"</?[a-zA-Z!][^<>]*>")
_LINK = re.compile(
    r"(?:[a-z][a-z0-9+.-]{1,15}://|(?:javascript|data|file|mailto|vbscript):|www\.)\S+|[\w.+-]+@[\w-]+(?:\.[\w-]+)+|"
    r"(?<![\w.])(?:[\w-]+\.)+(?:[a-z]{2,12}/\S*|(?:com|net|org|info|io|example|vn|ru|cn|xyz|top|site|online|app|dev)"
    r"(?![\w]))",
    re.IGNORECASE,
)
_REVIEW = re.compile(
    r"[\s,;:(\[–—-]*(?<![^\W_])(?:(?:not|never|peer|clinically|medically|last|was|is|been|has|have|and|un)[\s-]+)*"
    r"(?:(?:un)?reviewed|(?:approved|verified|validated|checked|endorsed|certified)(?=\s*(?:by|on|in|at|:|\d|[,;.)\]]|$)))"
    r"[^,;()\[\]]*[)\]]?|"
    r"[\s,;:(\[–—-]*(?<![^\W_])(?:(?:đã|được|chưa|không)\s+)*(?:(?:kiểm|phê|xét)\s+)?(?:duyệt|thẩm định)(?![^\W_])"
    r"[^,;()\[\]]*[)\]]?",
    re.IGNORECASE,
)


def set_apart(text: str) -> str:
    """The text with “> ” before each line that begins like one of ours: it is part of what is quoted."""
    return "\n".join(f"> {line}" if _like_ours(line) else line for line in printable(text).splitlines())


def title(text: str) -> str:
    """A question or a topic on one line, without links; in quotation marks where it holds a label of ours."""
    name = one_line(_LINK.sub("", _TAG.sub(" ", _NAMED_LINK.sub(r"\1", one_line(unescape(text))))))
    return f"“{name}”" if _LABEL_INSIDE.search(_folded(name)) or _like_ours(name) else name


def source_name(text: str) -> str:
    """A source without what it says about its own review: that is told from the entry's date alone."""
    return _REVIEW.sub("", one_line(unicodedata.normalize("NFKC", text))).strip(" ,;:–—-") or "?"


def one_line(text: str) -> str:
    return " ".join(printable(text).split())


def _like_ours(line: str) -> bool:
    return bool(_OWN_SIGN.match(unicodedata.normalize("NFKC", line)) or _OWN.match(_folded(line)))
