"""Finds two drugs in each other's labels and quotes the sentence.

Nothing found means that the statements given do not name the pair, by name, class or role; whether that is enough to
say "none" is for who knows how much was read.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from docgemma.drugs.interactions.cues import FORBIDDEN, clause, says_none
from docgemma.drugs.interactions.deciding import ORDER, Setting, advice, counts, likeness, place_of, setting
from docgemma.drugs.interactions.mentions import Line, Mention, mentions, read
from docgemma.drugs.interactions.pairs import curated, graver
from docgemma.drugs.interactions.sought import Sought, sought
from docgemma.drugs.model import Drug, Interaction, Severity
from docgemma.sources.contract import Label

MOST = 10
"""Sentences that are given for one pair; the ones after these repeat them."""

_MOST_MENTIONS = 60
"""Places in one statement that are weighed. Where more name the drug, the statement is about it."""

_Rank = tuple[int, int, int, int, int, int, str]


@dataclass(frozen=True, slots=True)
class _Hit:
    rank: _Rank
    key: str
    interaction: Interaction


def find(
    one: Drug, other: Drug, labels_of_one: Sequence[Label], labels_of_other: Sequence[Label]
) -> tuple[Interaction, ...]:
    """What the labels of two drugs say of the pair, the weightiest sentence first."""
    return find_in(one, other, read(labels_of_one), read(labels_of_other))


def find_in(
    one: Drug, other: Drug, lines_of_one: Sequence[Line], lines_of_other: Sequence[Line]
) -> tuple[Interaction, ...]:
    """The same for labels that were read before: with many drugs each label is read once."""
    of_one, of_other = sought(one), sought(other)
    drugs = (one.name, other.name)
    hits = [*_hits(lines_of_one, of_other, of_one, drugs), *_hits(lines_of_other, of_one, of_other, drugs)]
    found: dict[str, Interaction] = {}
    for hit in sorted(hits, key=lambda each: each.rank):
        found.setdefault(hit.key, hit.interaction)
    known = next(iter(curated(one, other)), None)
    return tuple(_weighed(each, known) for each in list(found.values())[:MOST])


def _hits(lines: Sequence[Line], wanted: Sought, label_of: Sought, drugs: tuple[str, str]) -> Iterator[_Hit]:
    for index, line in enumerate(lines):
        named = mentions(line, wanted, label_of)
        if not named:
            continue
        around = setting(lines, index)
        kept = [mention for mention in named[:_MOST_MENTIONS] if counts(line, mention, around)]
        if len(named) > _MOST_MENTIONS:
            kept = kept or [named[0]]
        if kept:
            yield _hit(line, kept, around, drugs)


def _hit(line: Line, kept: Sequence[Mention], around: Setting, drugs: tuple[str, str]) -> _Hit:
    statement = line.statement
    mention = min(kept, key=likeness)
    none = all(says_none(_said(statement.text, each)) for each in kept)
    place = place_of(statement.field)
    rank = (
        int(none),
        ORDER.index(place),
        likeness(mention),
        advice(statement.text),
        len(statement.text),
        line.of_label,
        f"{statement.text}\n{statement.label.title}\n{mention.via}",
    )
    forbidden = place == "forbids" and not none and _forbids(mention, around)
    severity: Severity | None = "contraindicated" if forbidden else None
    return _Hit(rank, _key(statement.text), Interaction(drugs, statement, mention.via, severity, no_effect=none))


def _said(text: str, mention: Mention) -> str:
    """What is said at a mention: under a heading with the name, the whole statement."""
    return text if mention.in_heading else clause(mention.text, mention.start, mention.end)


def _forbids(mention: Mention, around: Setting) -> bool:
    """Whether it is this drug that may not be given: its clause says so, or what the list opens with."""
    opening = mention.text[: mention.text.find(":") + 1]
    return FORBIDDEN.search(f"{clause(mention.text, mention.start, mention.end)} {opening} {around.above}") is not None


def _weighed(found: Interaction, known: Interaction | None) -> Interaction:
    """With what the shipped table knows of the pair. A sentence that saw no effect stays as it is."""
    if known is None or found.no_effect:
        return found
    return replace(
        found,
        severity=graver(found.severity, known.severity),
        mechanism=known.mechanism,
        meaning=known.meaning,
        basis=known.basis,
    )


def _key(text: str) -> str:
    return "".join(character for character in text.lower() if character.isalnum())
