"""How well a recorded name fits the one that was asked for. Pure, and strict about the word `exact`.

Exact means: each word that was given is a word of the name, and the given and the family name are both whole. Whatever
needs a guess (an initial, a short form, another spelling, an earlier name, a part left out) finds, but is near.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from docgemma.ehr.patients.names import PARTICLES, Name, Reading, is_east_asian, is_initial
from docgemma.ehr.patients.short_forms import short_forms

PART = "only part of the name was given"
INITIAL = "an initial was given for a name, or is recorded for one"
SHORT = "recorded under another form of the name"
SPELT = "spelt differently"
JOINED = "written as one word or two"
EXTRA = "one word that was given is not in the recorded name"
EARLIER = "an earlier name of this patient"
NICKNAME = "a nickname of this patient"
GENERATION = "Jr, Sr or the number after the name differs"

_MOST_PIECES = 6
"""Beyond that nobody runs words together, and trying all ways would take its time."""

Left = list[tuple[int, str]]
"""Words that are not accounted for yet, each with its place."""


@dataclass(slots=True)
class Fit:
    """How a name fits: the lower the cost the better; the notes say why it is not exact."""

    cost: int = 0
    notes: list[str] = field(default_factory=list)

    @property
    def exact(self) -> bool:
        return not self.notes

    def note(self, why: str, cost: int) -> None:
        self.cost += cost
        if why not in self.notes:
            self.notes.append(why)


def best_fit(asked: Sequence[Reading], names: Sequence[Name]) -> Fit | None:
    """The best of all ways to read what was asked and of all names on record; None when no name fits."""
    fits = [fit for name in names for reading in asked if (fit := fit_of(reading, name)) is not None]
    return min(fits, key=lambda fit: (not fit.exact, fit.cost), default=None)


def fit_of(reading: Reading, name: Name) -> Fit | None:
    known: Left = [*enumerate((*name.core, *name.middle))]
    left: Left = []
    for place, word in enumerate(reading.folded):
        hit = next((entry for entry in known if entry[1] == word), None)
        if hit is None:
            left.append((place, word))
        else:
            known.remove(hit)
    fit = Fit()
    if left:
        if len(left) > 3 and len(left) == len(reading.words):
            return None
        _join(left, known, fit)
        _join(known, left, fit)
    unsure = {place for place, _ in left}
    certain = sum(place not in unsure and not is_initial(word) for place, word in enumerate(reading.folded))
    if left and not _guess(left, known, fit, certain=certain, core=len(name.core)):
        return None
    if not left and not certain:
        return None
    _judge(fit, reading, name, missing=sum(place < len(name.core) for place, _ in known))
    return fit


def _judge(fit: Fit, reading: Reading, name: Name, *, missing: int) -> None:
    """What makes even a name with all its words no exact one."""
    if missing:
        fit.note(PART, min(missing, 3))
    elif not _is_whole(name.core):
        fit.note(PART, 1)
    if name.initialled:
        fit.note(INITIAL, 1)
    if reading.generation and reading.generation != name.generation:
        fit.note(GENERATION, 3 if name.generation else 1)
    if name.use != "current":
        fit.note(*((EARLIER, 2) if name.use == "earlier" else (NICKNAME, 1)))


def _is_whole(core: Sequence[str]) -> bool:
    """One word alone is never somebody's whole name, but where family and given name are written as one."""
    return len(core) > 1 or (is_east_asian(core[0]) and len(core[0]) > 1)


def _join(pieces: Left, wholes: Left, fit: Fit) -> None:
    """Take out what is written apart on one side and together on the other: "Mc Donald", "Delacruz"."""
    if len(pieces) > _MOST_PIECES:
        return
    for whole in list(wholes):
        run = _run(pieces, whole[1])
        if len(run) > 1:
            wholes.remove(whole)
            for piece in run:
                pieces.remove(piece)
            habit = len(run[-1][1]) > 2 and all(word in PARTICLES for _, word in run[:-1])
            if not habit and not is_east_asian(whole[1]):
                fit.note(JOINED, 2)


def _run(pieces: Left, whole: str) -> Left:
    """The pieces that make up the whole, in the order in which they do."""
    for piece in pieces:
        if piece[1] == whole:
            return [piece]
        if whole.startswith(piece[1]):
            rest = _run([other for other in pieces if other is not piece], whole.removeprefix(piece[1]))
            if rest:
                return [piece, *rest]
    return []


def _guess(left: Left, known: Left, fit: Fit, *, certain: int, core: int) -> bool:
    """Account for the rest by initials, short forms and spelling. False when too much would be a guess."""
    initials = unknown = 0
    for entry in left:
        best = min(((*_likeness(entry[1], word), place) for place, word in known), default=None)
        if best is None or best[0] > _FARTHEST:
            unknown += 1
            continue
        cost, why, place = best
        known[:] = [kept for kept in known if kept[0] != place]
        initials += why == INITIAL
        fit.note(why, cost)
    missing = any(place < core for place, _ in known)
    if unknown:
        fit.note(EXTRA, 3)
        return unknown == 1 and certain >= 2 and not missing and unknown == len(left)
    if certain:
        return True
    alone = len(left) == 1
    return not initials and (not missing or (alone and len(left[0][1]) > 3))


_FARTHEST = 9
_UNLIKE = (_FARTHEST + 1, "")


def _likeness(asked: str, known: str) -> tuple[int, str]:
    """What it costs to take one word for the other, and what kind of guess that is."""
    if is_initial(asked) or is_initial(known):
        return (2, INITIAL) if asked[0] == known[0] else _UNLIKE
    if known in short_forms(asked):
        return 3, SHORT
    distance = misspelling(asked, known)
    return (3 + distance, SPELT) if distance else _UNLIKE


def misspelling(one: str, other: str) -> int:
    """How many letters are wrong, missing, added or swapped; 0 when too many for the length, or none."""
    short, long = sorted((len(one), len(other)))
    most = 0 if short < 3 else 1 if short < 8 else 2
    if long - short > most or (short < 5 and one[0] != other[0]) or one == other:
        return 0
    from rapidfuzz.distance import OSA  # costs time to load, and few searches come this far

    distance = OSA.distance(one, other)  # two swapped neighbours are one mistake
    return distance if distance <= most else 0
