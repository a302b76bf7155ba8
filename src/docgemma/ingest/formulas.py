"""Cells that a spreadsheet would run instead of show.

Entries leave this program again, as CSV too, and are opened in spreadsheets. Answers also begin with "- " (a list),
"-5 °C" or "+ve", and those are text. So the first character alone decides nothing; what follows it does.
"""

from __future__ import annotations

import re

_STARTS = "=+-@"
_WIDE = str.maketrans("＝＋－＠", _STARTS)
_READ = 2_000
"""A formula shows itself at its beginning; this is also the most that the patterns below may go through."""

_OPERAND = r"(?:\d+(?:[.,]\d+)*%?|\"[^\"]*\"|\$?[A-Z]{1,3}\$?\d{1,7}(?::\$?[A-Z]{1,3}\$?\d{1,7})?)"
_OPERATOR = r"[-+*/^&=<>]{1,2}"
_FUNCTIONS = (
    "hyperlink|webservice|filterxml|encodeurl|import[a-z]+|image|query|google[a-z]+|rtd|dde|call|exec|register(?:\\.id)?|"
    "indirect|offset|cell|info|concat(?:enate)?|text(?:join)?|char|unichar|sum(?:if|ifs|product)?|product|"
    "ifs?|iferror|average(?:if|ifs)?|count(?:a|if|ifs|blank)?|min|max|[hvx]?lookup|index|x?match|choose|now|today|"
    "rand(?:between)?|substitute|replace|left|right|mid|len|round(?:up|down)?|value|not|and|or|row|column|let|lambda"
)

_ANOTHER_PROGRAM = re.compile(r"\A[=+@-].*?\w\s?\|[^|\n]{0,300}![\w'$]")
"""DDE: `=cmd|' /C calc'!A0`, also behind a sum."""

_CALL = re.compile(r"\A[=@][=+@\s-]*_?[a-z][\w.]*\(", re.IGNORECASE)
_KNOWN_CALL = re.compile(rf"\A[+-][=+@-]*(?:_xl[a-z]+\.)*(?:{_FUNCTIONS})\(", re.IGNORECASE)
"""Behind a sign only what spreadsheets know: "+CRP(>10)" is a finding."""

_SUM = re.compile(
    rf"\A[=+@-][=+@\s(-]*{_OPERAND}(?:\s*\)*\s*{_OPERATOR}\s*\(*\s*{_OPERAND})+[\s)]*\Z", re.IGNORECASE | re.ASCII
)
_REFERENCE = re.compile(r"\A[=+@-][=+@\s-]*(?:'[^'\n]{1,60}'!|\w{1,60}!)?\$?[A-Z]{1,3}\$?\d{1,7}\Z", re.ASCII)
_EQUALS = re.compile(r"\A=(?![=><\s]|\Z)")
"""An equals sign glued to what follows; "= 5 mg", "=> next" and "== Title ==" are text."""

_EQUALS_SIGN = re.compile(r"\A=\s*[+@-]|\A@\s*=")
_TELEPHONE = re.compile(r"\A\+\d{1,3}(?:[-\s]\d{2,5}){2,5}\Z", re.ASCII)
_RULES = (_EQUALS, _EQUALS_SIGN, _ANOTHER_PROGRAM, _CALL, _KNOWN_CALL, _SUM, _REFERENCE)


def is_formula(text: str) -> bool:
    """Whether a spreadsheet would compute this text, or start another program because of it."""
    begun = text.lstrip()[:_READ].rstrip().translate(_WIDE)
    if not begun.startswith(tuple(_STARTS)) or _TELEPHONE.match(begun):
        return False
    return any(rule.match(begun) for rule in _RULES)
