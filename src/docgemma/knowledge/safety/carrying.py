"""Whether one sentence of an entry carries a sentence of a model: its words, its figures and what turns them.

A sentence that is carried says nothing of its own. It may leave something out, stand in another order of clauses and
name what the entry is about; all else must be in one and the same sentence of the entry. Much that is true is left out
by this. That costs little, because the reader then gets the entry itself.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations, pairwise

from docgemma.knowledge.safety.content import stem
from docgemma.knowledge.safety.glue import ACTIONS, BINDING, FOLLOWING, GLUE, IN_TURN, NEARING, NUMBERS, TURNING, folded

_WORD = re.compile(r"[^\W_]+")
_APOSTROPHES = str.maketrans("", "", "'’‘`´")
_SPLIT = re.compile(
    r"(\s*(?:,(?!\d)|[;:()\n]|\s[-–—]\s)\s*(?:(?:but|and|so|because|as|then|or|nhưng|và|mà|vì|nên|rồi|hoặc)\b)?|"
    r"\b(?:but|and|so|because|although|while|then|or|nhưng|và|mà|vì|rồi|còn|hoặc)\b|"
    r"\b(?=(?:if|when|unless|until|nếu|khi)\b))",
    re.IGNORECASE,
)
_GOES_ON = re.compile(r"\s*,?\s*(?:or|hoặc)?\s*", re.IGNORECASE)
_ADDS = re.compile(r"\s*,?\s*(?:and|và)\s*", re.IGNORECASE)
_DIGITS = "\\d\u00b2\u00b3\u00b9\u00bc-\u00be\u2150-\u215f\u2189"
_FIGURE = re.compile(
    rf"(?P<sign>(?:[<>≤≥=≈~±+]|(?<![\w)])-)\s*)?(?<![^\W\d_])(?P<n>[{_DIGITS}]+(?:\s?[-.,/:x×*^]\s?[{_DIGITS}]+)*)"
    r"\s*(?P<unit>[%‰]|°\s*\w?|[^\W\d_]+(?:/[^\W\d_]+)*)?"
)
_DASHES = str.maketrans(dict.fromkeys("‐‑‒–—−", "-"))
_POINTS = frozenset(map(folded, ("it", "them", "they", "this", "nó", "này", "thuốc")))
_MOST_PARTS = 3
_APART = 5


@dataclass(frozen=True, slots=True)
class _Part:
    """A clause: what it is about, and which way it points. `doubtful`: a denial before it may hold for it as well."""

    words: frozenset[str]
    turning: frozenset[str]
    doubtful: bool


@dataclass(frozen=True, slots=True)
class Carrier:
    """A sentence as it is held against another one. `about`: words that its pronouns may stand for."""

    matter: tuple[str, ...]
    parts: tuple[_Part, ...]
    figures: frozenset[str]
    counts: frozenset[str]
    about: frozenset[str]
    in_turn: bool

    @staticmethod
    def of(text: str, about: frozenset[str] = frozenset()) -> Carrier:
        tokens = _tokens(text)
        return Carrier(
            matter=tuple(stem(token) for token in tokens if _is_matter(token)),
            parts=tuple(_parts(text)),
            figures=frozenset(_figures(text)),
            counts=frozenset(_counts(tokens)),
            about=about if _POINTS.intersection(tokens) else frozenset(),
            in_turn=_in_turn(tokens),
        )

    def carries(self, said: Carrier, topic: frozenset[str]) -> bool:
        """`topic`: what the entry's question names, which a sentence may name as well."""
        lent = topic | self.about
        if not frozenset(said.matter) <= frozenset(self.matter) | lent:
            return False
        if not (said.figures <= self.figures and said.counts <= self.counts):
            return False
        if (self.turning & BINDING) - said.turning or not frozenset(said.matter) & frozenset(self.matter):
            return False
        return self._in_order(said) and all(self._has(part, lent) for part in said.parts)

    @property
    def turning(self) -> frozenset[str]:
        return frozenset(kind for part in self.parts for kind in part.turning)

    def _has(self, part: _Part, lent: frozenset[str]) -> bool:
        """Whether a few clauses together have the words of this one, none for nothing, and point the same way."""
        needed = part.words - lent
        if not needed:
            return part.turning <= {"if"}
        useful = [each for each in self.parts if each.words & needed]
        groups = (group for many in range(1, _MOST_PARTS + 1) for group in combinations(useful, many))
        return any(_covers(group, needed) and _same_way(group, part) for group in groups)

    def _in_order(self, said: Carrier) -> bool:
        """Words keep their order and stay near each other, but for one jump a clause; none where order is said."""
        places: dict[str, list[int]] = {}
        for at, word in enumerate(self.matter):
            places.setdefault(word, []).append(at)
        known = [places[word] for word in said.matter if word in places]
        if said.in_turn or self.in_turn:
            return _rises(known)
        jumps = sum(not any(0 < b - a <= _APART for a in one for b in other) for one, other in pairwise(known))
        return jumps <= len(said.parts)


def matter(text: str) -> frozenset[str]:
    """What a question is about: its words, but nothing that somebody does."""
    return frozenset(stem(token) for token in _tokens(text) if _is_matter(token) and token not in ACTIONS | NUMBERS)


def _rises(places: Sequence[Sequence[int]]) -> bool:
    """Whether each word has a place after the one before it. A word that comes again may be the same place."""
    last = -1
    for each in places:
        later = [at for at in each if at > last]
        if not later:
            return False
        last = min(later)
    return True


def _in_turn(tokens: Sequence[str]) -> bool:
    """Whether it says what comes before what. "After 15 minutes" only says when."""
    return any(
        token in FOLLOWING or (TURNING.get(token) in IN_TURN and not (after.isnumeric() or after in NUMBERS))
        for token, after in pairwise((*tokens[1:], ""))
    )


def _covers(group: Sequence[_Part], needed: frozenset[str]) -> bool:
    if not needed <= frozenset(word for part in group for word in part.words):
        return False
    others = (frozenset(word for other in group if other is not part for word in other.words) for part in group)
    return len(group) == 1 or all(not needed <= rest for rest in others)


def _same_way(group: Sequence[_Part], part: _Part) -> bool:
    """A condition may be added, as in "when lows come back", but none may be left out."""
    turning = frozenset(kind for each in group for kind in each.turning)
    return turning in (part.turning, part.turning - {"if"}) and (part.doubtful or not any(each.doubtful for each in group))


def _tokens(text: str) -> list[str]:
    bare = unicodedata.normalize("NFC", text).translate(_APOSTROPHES)
    return [folded(word) for word in _WORD.findall(bare)]


def _is_matter(token: str) -> bool:
    return not (token in GLUE or token in TURNING or token.isnumeric())


def _parts(text: str) -> list[_Part]:
    """The clauses. A denial goes on over "or" and commas, and over "and" where no new action begins.

    A clause without a matter of its own ("or more") belongs to the one before it.
    """
    pieces = _SPLIT.split(text)
    found: list[_Part] = []
    denied = False
    for at in range(0, len(pieces), 2):
        if not (tokens := _tokens(pieces[at])):
            continue
        words = frozenset(stem(token) for token in tokens if _is_matter(token))
        turning = frozenset(TURNING[token] for token in tokens if token in TURNING)
        doubtful = denied and "not" not in turning and _goes_on(pieces[at - 1] if at else ";", tokens[0])
        denied = ("not" in turning and "if" not in turning) or doubtful
        if found and not (words and found[-1].words):
            last = found.pop()
            words, turning, doubtful = last.words | words, last.turning | turning, last.doubtful or doubtful
        found.append(_Part(words, turning, doubtful))
    return found


def _goes_on(joint: str, first: str) -> bool:
    if not joint.strip():
        return False
    return bool(_GOES_ON.fullmatch(joint)) or (bool(_ADDS.fullmatch(joint)) and first not in ACTIONS)


def _figures(text: str) -> Iterator[str]:
    """Each figure as it is written, with its sign, its unit and the word before that says how it is meant."""
    plain = unicodedata.normalize("NFC", text).lower().translate(_DASHES)
    for match in _FIGURE.finditer(plain):
        before = _tokens(plain[: match.start()])[-1:]
        nearing = before[0] if before and before[0] in NEARING else ""
        yield " ".join((nearing, *("".join((match[name] or "").split()) for name in ("sign", "n", "unit"))))


def _counts(tokens: Sequence[str]) -> Iterator[str]:
    """Each number that is spelled out, with what is counted and the word before that says how it is meant."""
    for at, token in enumerate(tokens):
        if token in NUMBERS:
            nearing = tokens[at - 1] if at and tokens[at - 1] in NEARING else ""
            yield f"{nearing} {token} {' '.join(map(stem, tokens[at + 1 : at + 2]))}"
