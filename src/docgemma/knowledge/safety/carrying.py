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
_LINK = re.compile(r"^\W*(?:(?:then|after that|sau đó)\b|(?:no|không),)", re.IGNORECASE)
_COUNT, _TURN = "#", "!"
_MOST_PARTS = 3
_APART = 5
_BESIDE = 2


@dataclass(frozen=True, slots=True)
class _Part:
    """A clause: what it is about, figures among it, and which way it points.

    `doubtful`: a denial before it may hold for it as well.
    """

    order: tuple[str, ...]
    turning: tuple[str, ...]
    doubtful: bool

    @property
    def words(self) -> frozenset[str]:
        return frozenset(word for word in self.order if not word.startswith(_TURN))


@dataclass(frozen=True, slots=True)
class Carrier:
    """A sentence as it is held against another one. `about`: words that its pronouns may stand for."""

    parts: tuple[_Part, ...]
    figures: frozenset[str]
    counts: frozenset[str]
    about: frozenset[str]
    in_turn: bool
    segments: int

    @staticmethod
    def of(text: str, about: frozenset[str] = frozenset(), *, points: bool = False) -> Carrier:
        text = _LINK.sub("", text)
        tokens = _tokens(text)
        return Carrier(
            parts=tuple(_parts(text)),
            figures=frozenset(_figures(text)),
            counts=frozenset(_counts(tokens)),
            about=about if points or _POINTS.intersection(tokens) else frozenset(),
            in_turn=_in_turn(tokens),
            segments=1 + len(re.findall(r";|:(?=.*:)|\b(?:otherwise|whereas|còn)\b", text.lower())),
        )

    def carries(self, said: Carrier, topic: frozenset[str]) -> bool:
        """`topic`: what the entry's question names, which a sentence may name as well."""
        lent = topic | self.about
        if not said.matter <= self.matter | lent:
            return False
        if not (said.figures <= self.figures and said.counts <= self.counts):
            return False
        if (self.turning & BINDING) - said.turning or not said.matter & self.matter:
            return False
        return self._in_order(said) and self._in_place(said, lent)

    @property
    def matter(self) -> frozenset[str]:
        return frozenset(word for part in self.parts for word in part.words)

    @property
    def turning(self) -> frozenset[str]:
        return frozenset(kind for part in self.parts for kind in part.turning)

    def _in_place(self, said: Carrier, lent: frozenset[str]) -> bool:
        """Each clause has its place. Where a sentence holds one case against another, the places follow each other."""
        places: list[int] = []
        for part in said.parts:
            found = self._place(part, lent, places[-1] if places else -1)
            if found is None:
                return False
            places.extend(found)
        if all(0 <= later - before <= 1 for before, later in pairwise(places)):
            return True
        together = len(frozenset(places)) == max(places) - min(places) + 1
        return self._cases() < 2 and ((together and self._cases() == 1) or not self._repeats(lent))

    def _cases(self) -> int:
        return sum("if" in part.turning for part in self.parts) + 2 * (self.segments > 1)

    def _repeats(self, lent: frozenset[str]) -> bool:
        """Whether two clauses share a word, as those do that hold one case against another."""
        words = [word for part in self.parts for word in part.words - lent]
        return len(words) > len(frozenset(words))

    def _place(self, part: _Part, lent: frozenset[str], last: int) -> tuple[int, ...] | None:
        """The clause that has the words of this one and points the same way, or clauses that are all taken over.

        `last`: the place before; the one that follows it comes first.
        """
        needed = part.words - lent
        if not needed:
            return () if frozenset(part.turning) <= {"if"} else None
        useful = [at for at, each in enumerate(self.parts) if each.words & needed]
        useful.sort(key=lambda at: (not last <= at <= last + 1, at))
        for many in range(1, _MOST_PARTS + 1):
            for group in combinations(useful, many):
                parts = [self.parts[at] for at in group]
                if _covers(parts, needed, part.words | lent) and _same_way(parts, part):
                    return tuple(sorted(group))
        return None

    def _in_order(self, said: Carrier) -> bool:
        """Words keep their order and stay near each other, but for whole clauses and one jump.

        Where a sentence says what comes before what, nothing changes places.
        """
        places: dict[str, list[int]] = {}
        for at, word in enumerate(word for part in self.parts for word in part.order):
            places.setdefault(word, []).append(at)
        known = [[word for word in part.order if word in places] for part in said.parts]
        if said.in_turn or self.in_turn:
            return _rises([places[word] for part in known for word in part])
        inside = [pair for part in known for pair in pairwise(part)]
        between = [(one[-1], other[0]) for one, other in pairwise(part for part in known if part)]
        jumps = [pair for pair in (*inside, *between) if not _near(places[pair[0]], places[pair[1]])]
        within = [pair for pair in jumps if pair in inside]
        return len(within) <= 1 and all(_may_jump(pair, places) for pair in within)


def root(word: str) -> str:
    """The stem at full length: "hypertension" is not "hyperthyroidism"."""
    return stem(word, len(word))


def matter(text: str) -> frozenset[str]:
    """What a question is about: its words, but nothing that somebody does."""
    return frozenset(root(token) for token in _tokens(text) if _is_matter(token) and token not in ACTIONS | NUMBERS)


def _near(one: Sequence[int], other: Sequence[int]) -> bool:
    return any(0 < later - before <= _APART for before in one for later in other)


def _may_jump(pair: tuple[str, str], places: dict[str, list[int]]) -> bool:
    """Not a figure; a denial only by a word or two, as from "avoid it" to "it is avoided"."""
    if any(word.startswith(_COUNT) for word in pair):
        return False
    close = any(abs(one - other) <= _BESIDE for one in places[pair[0]] for other in places[pair[1]])
    return close or not any(word.startswith(_TURN) for word in pair)


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


def _covers(group: Sequence[_Part], needed: frozenset[str], known: frozenset[str]) -> bool:
    """Clauses are only put together whole: half of one and half of another would say something new."""
    words = frozenset(word for part in group for word in part.words)
    return needed <= words and (len(group) == 1 or words <= known)


def _same_way(group: Sequence[_Part], part: _Part) -> bool:
    """A condition may be added, as in "when lows come back", and that somebody is asked first; none is left out."""
    there = sorted(kind for each in group for kind in each.turning)
    added = [{"if"}, {"before", "first"} if "who" in there else set()]
    same = any(there == sorted(kind for kind in part.turning if kind not in more) for more in (set(), *added))
    return same and (part.doubtful or not any(each.doubtful for each in group))


def _tokens(text: str) -> list[str]:
    bare = unicodedata.normalize("NFC", text).translate(_APOSTROPHES)
    return [folded(word) for word in _WORD.findall(bare)]


def _order(text: str) -> tuple[str, ...]:
    """The words that have a matter, and the figures, as they follow each other."""
    bare = unicodedata.normalize("NFC", text).lower().translate(_APOSTROPHES).translate(_DASHES)
    found = [(match.start("n"), f"{_COUNT}{''.join(match['n'].split())}") for match in _FIGURE.finditer(bare)]
    for match in _WORD.finditer(bare):
        token = folded(match.group())
        if TURNING.get(token) == "not":
            found.append((match.start(), f"{_TURN}not"))
        elif _is_matter(token):
            found.append((match.start(), f"{_COUNT}{token}" if token in NUMBERS else root(token)))
    return tuple(word for _, word in sorted(found))


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
        words = _order(pieces[at])
        turning = tuple(TURNING[token] for token in tokens if token in TURNING)
        doubtful = denied and "not" not in turning and _goes_on(pieces[at - 1] if at else ";", tokens[0])
        denied = ("not" in turning and "if" not in turning) or doubtful
        if found and not (words and found[-1].order):
            last = found.pop()
            words, turning, doubtful = last.order + words, last.turning + turning, last.doubtful or doubtful
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
            yield f"{nearing} {token} {' '.join(map(root, tokens[at + 1 : at + 2]))}"
