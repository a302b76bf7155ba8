"""What the sentences of a label name, and where that is a drug we look for: by its name, its class or its role."""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Sequence, Set
from dataclasses import dataclass, replace
from typing import TypeVar

from docgemma.drugs.classes import Kind, Named, Words, classes, named_in, shipped_words
from docgemma.drugs.interactions.cues import NEAR
from docgemma.drugs.interactions.elsewhere import follows_a_name, told_of_one
from docgemma.drugs.interactions.enzymes import Played, fits, roles_in
from docgemma.drugs.interactions.left_out import elided, pointed_at
from docgemma.drugs.interactions.sought import Sought, called, role_of
from docgemma.drugs.labels.statements import statements
from docgemma.drugs.model import Drug, Statement
from docgemma.entities.drugs.matcher import find as names_in
from docgemma.entities.drugs.names import names
from docgemma.sources.contract import Label

_JOINT = re.compile(r"\b(?:combined|dual|both)\b", re.IGNORECASE)
"""Who is meant does both: "combined P-gp and strong CYP3A4 inhibitors". The class is named, not its halves."""

_EXAMPLE = re.compile(r"\b(?:including|such as|like|e\.g\.)\s?,?\s?$", re.IGNORECASE)
_EXAMPLE_WITHIN = 40
_GAP = 2
_LOOKED_BACK = 600
"""Letters of the sentence before, where "these isoenzymes" have their names."""


_Span = TypeVar("_Span", Named, Played)


@dataclass(frozen=True, slots=True)
class Contents:
    """All that a text names."""

    text: str
    drugs: tuple[tuple[tuple[str, ...], int, int], ...]
    classes: tuple[Named, ...]
    roles: tuple[Played, ...]


@dataclass(frozen=True, slots=True)
class Line:
    """A statement with what it and its heading name. Read once, asked for many drugs."""

    statement: Statement
    of_label: int
    text: Contents
    heading: Contents


@dataclass(frozen=True, slots=True)
class Mention:
    """A place where a statement, or the heading above it, names the drug.

    `own`: the label's drug is named by the same words. `exemplified`: it follows as the example of the class.
    `apposed`: the class tells what one drug beside it is: "ritonavir, a strong CYP3A4 inhibitor".
    """

    text: str
    start: int
    end: int
    by_name: bool
    via: str
    own: bool
    kind: Kind = "therapeutic"
    exemplified: bool = False
    apposed: bool = False
    in_heading: bool = False


def read(labels: Sequence[Label]) -> tuple[Line, ...]:
    """Every statement of these labels."""
    headings: dict[str, Contents] = {}
    found: list[Line] = []
    for place, label in enumerate(labels):
        last: Statement | None = None
        for each in statements(label):
            if each.heading not in headings:
                headings[each.heading] = _contents(each.heading)
            before = last.text[-_LOOKED_BACK:] if last and last.field == each.field else ""
            found.append(Line(each, place, _contents(each.text, before), headings[each.heading]))
            last = each
    return tuple(found)


def _contents(text: str, before: str = "") -> Contents:
    drugs = tuple((names()[name], start, end) for name, start, end in names_in(text))
    named = named_in(text)
    named = (*named, *elided(text, named, shipped_words().keys))
    joint = [each for each in named if _JOINT.search(text, each.start, each.end)]
    roles = _outside((*roles_in(text), *pointed_at(text, before)), joint, len(text))
    whole: list[Named] = []
    read_as_role: list[Named] = []
    for each in named:
        (whole if all(role_of(id_) is None for id_ in each.ids) else read_as_role).append(each)
    return Contents(text, drugs, (*whole, *_outside(read_as_role, roles, len(text))), roles)


def _outside(spans: Sequence[_Span], taken: Sequence[Named | Played], length: int) -> tuple[_Span, ...]:
    """Those that touch nothing of what is taken."""
    if not taken:
        return tuple(spans)
    covered = bytearray(length)
    for each in taken:
        covered[each.start : each.end] = b"\x01" * (each.end - each.start)
    return tuple(span for span in spans if not any(covered[span.start : span.end]))


def mentions(line: Line, of: Sought, label_of: Sought) -> tuple[Mention, ...]:
    """Every place where the statement names the drug; where it does not, those where its heading does.

    Under a class as heading, a sentence on one drug is about that drug.
    """
    found = tuple(_mentions(line.text, of, label_of))
    if found or not line.heading.text:
        return found
    named = (*line.text.drugs, *line.heading.drugs)
    others = any(label_of.ingredients.isdisjoint(parts) for parts, _, _ in named)
    above = _mentions(line.heading, of, label_of)
    return tuple(replace(each, in_heading=True) for each in above if each.by_name or not others)


def _mentions(said: Contents, of: Sought, label_of: Sought) -> Iterator[Mention]:
    text = said.text
    both = of.classes.keys() & label_of.classes.keys()
    plural = sorted((each for each in said.classes if text[each.start : each.end].endswith(("s", "S"))), key=_start)
    for parts, start, end in said.drugs:
        named = sorted((each in label_of.ingredients, each) for each in of.ingredients if _names(parts, each))
        if named and not _own_class(plural, (start, end), both):
            own, ingredient = named[0]
            yield Mention(text, start, end, True, _is_named(of.drug, ingredient), own)
    if of.told.keys and _may_name(text, of.told):
        for found in named_in(text, of.told):
            via = of.told_via[found.ids[0]]
            yield Mention(text, found.start, found.end, not via, via, found.ids[0] in label_of.told.keys)
    for found in said.classes:
        id_ = next((each for each in found.ids if each in of.classes), None)
        if id_ and not _of_one_member(said, found, id_):
            whole = classes()[id_]
            own = any(each in label_of.classes for each in found.ids)
            shown = own and _example_after(said, found.end, label_of)
            via = f"{called(of.drug, of.classes[id_])} is {whole.is_}"
            beside = _one_drug_beside(said, found)
            yield Mention(text, found.start, found.end, False, via, own, whole.kind, shown, beside)
    for played in said.roles:
        role = next((each for each in of.roles if fits(played.role, each)), None)
        if role:
            part, is_ = of.roles[role]
            own = any(fits(played.role, each) for each in label_of.roles)
            via = f"{called(of.drug, part)} is {is_}"
            beside = _one_drug_beside(said, played)
            yield Mention(text, played.start, played.end, False, via, own, "enzyme", apposed=beside)


def _names(parts: tuple[str, ...], wanted: str) -> bool:
    """Whether a name stands for this ingredient or a form of it: "insulin" and "insulin glargine"."""
    return any(said == wanted or said.startswith(f"{wanted} ") or wanted.startswith(f"{said} ") for said in parts)


def _start(span: Named) -> int:
    return span.start


def _own_class(plural: Sequence[Named], name: tuple[int, int], both: Set[str]) -> bool:
    """Whether a name in the plural is the class of both: "penicillins" in the label of amoxicillin."""
    if not both:
        return False
    last = bisect_right(plural, name[0], key=lambda each: each.start)
    return any(name[1] <= each.end and not both.isdisjoint(each.ids) for each in plural[max(0, last - 2) : last])


def _of_one_member(said: Contents, found: Named, id_: str) -> bool:
    members = classes()[id_].members
    first = bisect_left(said.drugs, found.start - NEAR, key=lambda named: named[1])
    last = bisect_left(said.drugs, found.end + NEAR, key=lambda named: named[1])
    at = [(start, end) for parts, start, end in said.drugs[first:last] if not members.isdisjoint(parts)]
    return bool(at) and told_of_one(said.text, found.start, found.end, at)


def _is_named(drug: Drug, ingredient: str) -> str:
    if drug.name.lower() == ingredient:
        return ""
    return f"{drug.name} {'contains' if len(drug.ingredients) > 1 else 'is'} {ingredient}"


def _example_after(said: Contents, end: int, label_of: Sought) -> bool:
    """Whether the label's drug follows as an example: "antipsychotics, including haloperidol"."""
    first = bisect_left(said.drugs, end, key=lambda named: named[1])
    return any(
        start - end <= _EXAMPLE_WITHIN
        and not label_of.ingredients.isdisjoint(parts)
        and _EXAMPLE.search(said.text, end, start) is not None
        for parts, start, _ in said.drugs[first : first + 3]
    )


def _one_drug_beside(said: Contents, found: Named | Played) -> bool:
    """Whether a class in the singular only tells what a drug is that stands right before or after it."""
    if said.text[found.start : found.end].endswith(("s", "S")):
        return False
    following = bisect_left(said.drugs, found.end, key=lambda named: named[1])
    after = said.drugs[following : following + 1]
    return follows_a_name(said.text, found.start) or any(start - found.end <= _GAP for _, start, _ in after)


def _may_name(text: str, words: Words) -> bool:
    """A quick look, so that most statements are passed over."""
    run = "".join(character for character in text.lower() if character.isalnum())
    return any(key[:5] in run for key in words.keys)
