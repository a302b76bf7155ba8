"""The marks in front of list items, and which item hangs under which."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from docgemma.grounding.reading.cleaning import SYMBOLS

_SYMBOL = (
    rf"(?P<symbol>[{SYMBOLS}])\s{{0,8}}(?=\S)|"
    r"(?P<ascii>[*+-]|-{2,3}|o(?=\s{1,8}[A-Z≥≤<>]))(?:\s{1,8}(?=\S)|(?=[A-Za-z≥≤]))"
)
_DOTTED = r"(?P<dotted>\d{1,2}(?:\.\d{1,2}){1,3})(?:[.)]?\s{1,8}(?=[A-Z*])|[.)]\s{0,8}(?=[A-Za-z]))"
_NUMBER = r"\(?(?P<number>\d{1,3})(?:[.):]\s{1,8}(?=\S)|[.)](?=[A-Za-z≥≤<>]))"
_LETTER = r"\(?(?P<letter>[A-Za-z]|[ivx]{1,5}|[IVX]{1,5})(?:\)\s{0,8}(?=\S)|\.\s{1,8}(?=\S))"
_BULLET = re.compile(rf"^(?P<indent> {{0,200}})(?:{_SYMBOL}|{_DOTTED}|{_NUMBER}|{_LETTER})")
_ROMAN = re.compile(r"[ivx]{1,5}", re.IGNORECASE)
_SPECIES = re.compile(r"^[A-Z]\.\s{1,2}[a-z]{3}")
"""`H. pylori` at the start of a line is a name."""

_RANKS = {"plain": 0, "number": 1, "upper": 2, "letter": 3, "roman": 4, "symbol": 5}


@dataclass(frozen=True, slots=True)
class Bullet:
    """`kind` groups marks that stand on one level; `body` is where the words begin."""

    indent: int
    kind: str
    body: int
    depth: int = 0
    """Of numbers such as 2.1.3: how many parts."""


@dataclass(frozen=True, slots=True)
class Node:
    """An item that others may hang under."""

    bullet: Bullet
    text: str


def bullet(line: str, above: Sequence[Node] = ()) -> Bullet | None:
    """The mark at the start of a line. `above`: the open items, to tell `i)` after `h)` from the first Roman number."""
    found = _BULLET.match(line)
    if found is None:
        return None
    indent, body = len(found["indent"]), found.end()
    if symbol := found["symbol"] or found["ascii"]:
        return Bullet(indent, symbol, body)
    if dotted := found["dotted"]:
        return Bullet(indent, "dotted", body, dotted.count(".") + 1)
    if found["number"]:
        return Bullet(indent, "number", body, 1)
    if _SPECIES.match(line[indent:]):
        return None
    return Bullet(indent, _lettered(found["letter"], above), body)


def _lettered(mark: str, above: Sequence[Node]) -> str:
    kinds = [node.bullet.kind for node in above]
    single = "upper" if mark.isupper() else "letter"
    if not _ROMAN.fullmatch(mark):
        return single
    return single if len(mark) == 1 and single in kinds and "roman" not in kinds and mark.lower() != "i" else "roman"


def parents(above: Sequence[Node], new: Bullet) -> list[Node]:
    """The open items that the new one hangs under: by its kind of mark, else by indentation, else by rank."""
    if new.kind == "dotted" or (new.kind == "number" and any(node.bullet.kind == "dotted" for node in above)):
        return [node for node in above if node.bullet.kind == "plain" or 0 < node.bullet.depth < new.depth]
    for place, node in enumerate(above):
        if node.bullet.kind == new.kind and abs(node.bullet.indent - new.indent) <= 1:
            return list(above[:place])
    kept = list(above)
    while kept and not _under(kept[-1], new):
        kept.pop()
    return kept


def _under(node: Node, new: Bullet) -> bool:
    if node.bullet.kind == "plain":
        return True
    if node.bullet.indent > new.indent + 1:
        return False
    if node.bullet.indent < new.indent - 1:
        return True
    return node.text.endswith(":") or (new.indent <= 1 and _rank(new.kind) > _rank(node.bullet.kind))


def _rank(kind: str) -> int:
    return _RANKS.get(kind, _RANKS["symbol"])
