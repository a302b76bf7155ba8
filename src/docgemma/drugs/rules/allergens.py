"""What an entry of an allergy list means: a medicine, a kind of medicine, something else, or nothing we can read.

An entry is somebody's free text. What is not recognised is told as not checked, never passed over.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cache

from docgemma.drugs.classes import classes, named_in
from docgemma.entities.drugs.abbreviations import meaning
from docgemma.entities.drugs.names import drugs_in, ingredients
from docgemma.entities.substances import ALLERGENS, PAIRS, REACTIONS
from docgemma.entities.words import word_set

_LONGEST = 300
_NONE = re.compile(
    r"(?:no|nil|none) (?:known |recorded )?(?:drug |medication |medicine )?allerg(?:y|ies)(?: known)?"
    r"|no known(?: drug| medication)? allerg(?:y|ies)|nkd?a|nkma|none(?: known)?|nil(?: known)?"
)
_DENIED = re.compile(
    r"\b(?:no|not|denie[sd]|without|tolerat(?:es|ed|ing)|refuted|never|ruled out|mother|father|sister|brother)\b"
)
_JOINT = re.compile(r"\s{0,3}(?:[,;/&+\n]|\band\b|\bor\b)\s{0,3}")
_KINDS = {
    "sulfonamide_antibiotic": ("sulfa", "sulfas", "sulpha", "sulphas"),
    "penicillin_group": ("pcn", "pcns", "cillins"),
    "iodinated_contrast": ("contrast", "dye"),
    "corticosteroid": ("steroids", "steroid", "cortisone"),
    "local_anaesthetic": ("caines", "anaesthetics", "anesthetics", "anaesthetic", "anesthetic"),
}
"""How allergy lists call a kind of medicine where no label would."""

_FILL = word_set(
    "allergy allergies allergic to reaction reactions drug drugs medication medications medicine medicines tablet "
    "tablets capsule capsules injection oral intolerance sensitivity hypersensitivity adverse substance finding "
    "disorder product products containing all any the a an of on in with after when given class group type related "
    "mild moderate severe mg mcg ml iv po im sc sodium potassium hydrochloride hcl sulfate sulphate maleate besylate "
    "tartrate succinate acetate phosphate mesylate fumarate antibiotic antibiotics childhood child adult causes caused"
)
"""Words that add nothing beside a name. Alone they say nothing at all, and then the entry is not read."""

_WORD = re.compile(r"[^\W\d_][^\W_]{0,40}")


@dataclass(frozen=True, slots=True)
class Allergen:
    """One entry as far as it is understood. `unread` is what is left over; `none` says that there is no allergy."""

    text: str
    ingredients: frozenset[str] = frozenset()
    classes: tuple[str, ...] = ()
    others: frozenset[str] = frozenset()
    unread: tuple[str, ...] = ()
    none: bool = False

    @property
    def is_known(self) -> bool:
        return bool(self.ingredients or self.classes or self.others)


def read_allergen(text: str) -> Allergen:
    """One entry. One that denies, tells of somebody else or goes on for long is left to a person."""
    shown = " ".join(text.split())
    plain = shown.lower().strip(" .")
    if _NONE.fullmatch(plain):
        return Allergen(shown, none=True)
    if not plain or len(plain) > _LONGEST or _DENIED.search(plain):
        return Allergen(shown, unread=(shown[:_LONGEST] or "an empty entry",))
    if whole := ingredients(plain):
        return Allergen(shown, frozenset(whole), _kinds(plain)[0])
    parts = [_part(part) for part in _JOINT.split(plain) if part.strip()]
    known = [part for part in parts if part.is_known]
    unread = [word for part in parts for word in part.unread if not (known and _only_reactions(word))]
    return Allergen(
        shown,
        frozenset(each for part in known for each in part.ingredients),
        tuple(dict.fromkeys(each for part in known for each in part.classes)),
        frozenset(each for part in known for each in part.others),
        tuple(unread) if known or unread else (shown,),
    )


def _part(text: str) -> Allergen:
    """What stands between two joints: names and kinds of medicines, other allergens, and words left over."""
    mentions = drugs_in(text)
    kinds, covered = _kinds(text)
    covered += [(mention.start, mention.end) for mention in mentions]
    parts = {part for mention in mentions for part in ingredients(mention.value)}
    parts |= {part for word in _WORD.findall(text) for part in ingredients(meaning(word))}
    words = list(_WORD.finditer(text))
    others = {match.group() for match in words} & ALLERGENS | {pair for pair in PAIRS if f" {pair} " in f" {text} "}
    left = [
        match.group()
        for match in words
        if not any(start <= match.start() < end for start, end in covered)
        and match.group() not in _FILL | _of_reactions() | others
        and len(match.group()) > 1
        and not meaning(match.group())
    ]
    if not (parts or kinds):
        return Allergen(text, others=frozenset(others), unread=() if others else (text,))
    return Allergen(text, frozenset(parts), kinds, frozenset(others), (" ".join(left),) if left else ())


def _kinds(text: str) -> tuple[tuple[str, ...], list[tuple[int, int]]]:
    """The classes of medicines that a text names, and where."""
    found: list[str] = []
    places: list[tuple[int, int]] = []
    for named in named_in(text):
        ids = [id_ for id_ in named.ids if classes()[id_].kind != "enzyme"]
        found += ids
        places += [(named.start, named.end)] if ids else []
    spaced = re.sub(r"[^\w]", " ", text)
    for id_, words in _KINDS.items():
        for word in words:
            if match := re.search(rf"(?<!\w){re.escape(word)}(?!\w)", spaced):
                found.append(id_)
                places.append(match.span())
    return tuple(dict.fromkeys(found)), places


def _only_reactions(text: str) -> bool:
    return all(word in _FILL | _of_reactions() for word in _WORD.findall(text))


@cache
def _of_reactions() -> frozenset[str]:
    return frozenset(word for phrase in REACTIONS for word in _WORD.findall(phrase))
