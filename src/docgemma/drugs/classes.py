"""Drug classes: which ingredients belong to one, and how a label writes it.

A label says "nitrates", seldom "isosorbide mononitrate". The table that ships says who belongs where; it is an
engineering proposal, not reviewed by a clinician.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import Literal, cast, get_args

from docgemma.drugs.model import Drug
from docgemma.entities.words import word_set

Kind = Literal["therapeutic", "family", "effect", "enzyme"]


@dataclass(frozen=True, slots=True)
class DrugClass:
    """One class. `is_` completes "X is …"; `words` are how labels write it; `members` are ingredients."""

    id: str
    kind: Kind
    is_: str
    words: tuple[str, ...]
    members: frozenset[str]
    basis: str


@dataclass(frozen=True, slots=True)
class Named:
    """Words of a text that name classes: all classes that are written this way, and the place."""

    ids: tuple[str, ...]
    start: int
    end: int


def parsed(text: str) -> tuple[DrugClass, ...]:
    """The table: id, kind, is, words, members, basis, divided by tabs. A row that does not fit is a fault of ours."""
    found: list[DrugClass] = []
    for line in text.splitlines():
        cells = line.rstrip("\n").split("\t")
        if not line.strip() or line.startswith("#") or cells[0] == "id":
            continue
        if len(cells) != 6 or cells[1] not in get_args(Kind):
            raise ValueError(f"The class table has a row that does not fit: {cells[0]}.")
        id_, kind, is_, words, members, basis = (cell.strip() for cell in cells)
        found.append(
            DrugClass(id_, cast(Kind, kind), is_, _listed(words, "|"), frozenset(_listed(members, ",")), basis)
        )
    return tuple(found)


def _listed(cell: str, sign: str) -> tuple[str, ...]:
    return tuple(part for each in cell.split(sign) if (part := each.strip()))


@cache
def classes() -> Mapping[str, DrugClass]:
    """The shipped table by id."""
    text = files("docgemma.drugs").joinpath("data/classes.tsv").read_text(encoding="utf-8")
    return {each.id: each for each in parsed(text)}


@cache
def _by_member() -> Mapping[str, tuple[DrugClass, ...]]:
    found: dict[str, list[DrugClass]] = {}
    for each in classes().values():
        for member in each.members:
            found.setdefault(member, []).append(each)
    return {member: tuple(of) for member, of in found.items()}


def classes_of(ingredient: str) -> tuple[DrugClass, ...]:
    """The classes that the shipped table puts an ingredient in, in the table's order."""
    return _by_member().get(ingredient, ())


def memberships(drug: Drug) -> dict[str, str]:
    """Class id → the ingredient that belongs to it, by the shipped table and by what others call its classes."""
    found: dict[str, str] = {}
    for ingredient in drug.ingredients:
        for each in classes_of(ingredient):
            found.setdefault(each.id, ingredient)
    for name in told_classes(drug):
        for id_ in shipped_words().keys.get(folded(name), ()):
            found.setdefault(id_, drug.name)
    return found


_GENERAL = word_set(
    "drug drugs agent agents inhibitor inhibitors enzyme chemical chemicals ingredient ingredients other various "
    "interaction interactions activity compound compounds pharmaceutical preparation preparations product products "
    "therapeutic miscellaneous acid acids organic protein proteins antagonist antagonists agonist agonists "
    "receptor receptors blocker blockers"
)
_NOTE = re.compile(r"\[([^\]]{0,40})\]|\([^)]{0,40}\)")
_CLINICAL = frozenset({"epc", "moa", ""})
"""Kinds of class that a label may mean. Chemistry ("[CS]") and bodily effects ("[PE]") are none: olanzapine is no
benzodiazepine for a clinician."""


def told_classes(drug: Drug) -> tuple[str, ...]:
    """What others call the drug's classes, without names so general or so chemical that they would fit anything.

    A single word without a note may be chemistry too; it counts only for a drug that the table does not know.
    """
    known = bool(drug.ingredients) and all(classes_of(part) for part in drug.ingredients)
    found = []
    for name in drug.classes:
        note = _NOTE.search(name)
        kind = (note.group(1) or "").lower() if note else ""
        words = re.findall(r"[a-z0-9]{2,40}", _NOTE.sub(" ", name).lower())
        alone = len(words) < 2 and not kind
        if kind in _CLINICAL and not (alone and known) and any(word not in _GENERAL for word in words):
            found.append(" ".join(_NOTE.sub(" ", name).split()))
    return tuple(dict.fromkeys(found))


# How words are compared: without case, plural, hyphens and blanks, and with one word for "drug".

_TOKEN = re.compile(r"[^\W_]{1,60}")
_SAME = dict.fromkeys(
    ["agent", "medication", "medicine", "preparation", "product", "compound", "medicament", "substance", "treatment"],
    "drug",
)
_FILLERS = word_set("that which known to may can the are is also have has potential interval of a an its type")
"""What may stand inside a class name without changing it: "drugs known to prolong the QT interval"."""

_BLANKS = re.compile(r"[\s\-/\u2010\u2011\u2013'’®™]{1,9}")
_ASIDE = re.compile(r"\s{0,3}\([\w-]{1,12}\)")
_MOST_WORDS = 12


@dataclass(frozen=True, slots=True)
class Words:
    """Class names as they are compared: run together, with every beginning, so that a text is walked once."""

    keys: Mapping[str, tuple[str, ...]]
    beginnings: frozenset[str]


def words_of(names: Iterable[tuple[str, str]]) -> Words:
    """From pairs of a name and the id it stands for."""
    keys: dict[str, tuple[str, ...]] = {}
    for name, id_ in names:
        key = folded(name)
        if key and id_ not in keys.get(key, ()):
            keys[key] = (*keys.get(key, ()), id_)
    return Words(keys, frozenset(key[:end] for key in keys for end in range(1, len(key) + 1)))


@cache
def shipped_words() -> Words:
    """The words of the whole table: a longer name hides a shorter one, whichever classes they belong to."""
    return words_of((word, each.id) for each in classes().values() for word in each.words)


def folded(name: str) -> str:
    """A class name as it is compared."""
    words = [_form(word.group()) for word in _TOKEN.finditer(name)]
    kept = [word for place, word in enumerate(words) if place in (0, len(words) - 1) or word not in _FILLERS]
    return "".join(kept)


def _form(word: str) -> str:
    """Without the plural. A last "s" goes wherever it stands, in names and texts alike: "SSRIs" is "SSRI"."""
    low = word.lower()
    if len(low) > 3:
        low = low[:-3] + "y" if low.endswith("ies") else low.removesuffix("s")
    return _SAME.get(low, low)


def named_in(text: str, words: Words | None = None) -> tuple[Named, ...]:
    """Every class that a text names, the longest name at each place."""
    known = words or shipped_words()
    tokens = [(_form(word.group()), word.start(), word.end()) for word in _TOKEN.finditer(text)]
    found: list[Named] = []
    done = 0
    for place, (form, start, _) in enumerate(tokens):
        if start >= done and form in known.beginnings:
            best = None
            for best in _matches(text, tokens, place, known):
                done = best.end
            if best:
                found.append(best)
    return tuple(found)


def _matches(text: str, tokens: list[tuple[str, int, int]], place: int, known: Words) -> Iterator[Named]:
    """The names that begin at a word, a longer one after a shorter one. A filler may belong to a name or stand in it.

    An abbreviation in brackets is passed over: "monoamine oxidase (MAO) inhibitors".
    """
    form, begin, end = tokens[place]
    runs = {form}
    if form in known.keys:
        yield Named(known.keys[form], begin, end)
    for form, start, stop in tokens[place + 1 : place + _MOST_WORDS]:
        if start < end:
            continue
        aside = _ASIDE.match(text, end) if "(" in text[end:start] else None
        if aside:
            end = aside.end()
            continue
        if not _BLANKS.fullmatch(text, end, start):
            return
        longer = {run + form for run in runs} & known.beginnings
        runs = longer | runs if form in _FILLERS else longer
        if not runs:
            return
        end = stop
        for key in sorted(longer & known.keys.keys()):
            yield Named(known.keys[key], begin, stop)
