"""Finds two drugs in each other's labels and quotes the sentence.

Nothing found means that the statements given do not name the pair, by name, class or role; whether that is enough to
say "none" is for who knows how much was read.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from docgemma.drugs.interactions.cues import FORBIDDEN, FORBIDS, NEAR, WANTED, clause, says_none
from docgemma.drugs.interactions.deciding import ORDER, Setting, advice, counts, likeness, place_of, setting
from docgemma.drugs.interactions.mentions import Line, Mention, mentions, read
from docgemma.drugs.interactions.pairs import curated, graver
from docgemma.drugs.interactions.sought import Sought, sought
from docgemma.drugs.model import Drug, Interaction, Severity
from docgemma.entities.words import word_set
from docgemma.sources.contract import Label

MOST = 10
"""Sentences that are given for one pair; the ones after these repeat them."""

_MOST_MENTIONS = 60
"""Places in one statement that are weighed. Where more name the drug, the statement is about it."""

_STEM = 5
_LONG_WORD = re.compile(rf"[^\W\d_]{{{_STEM},40}}")
_ANYWHERE = frozenset(
    word[:_STEM]
    for word in word_set(
        "effect lower lowest higher highest raise raised increase decrease reduce level levels other drugs patient "
        "check watch monitor avoid combination combined together interaction about above added adds after before where "
        "which while their there these those start short shortest longer until least under first strong stronger "
        "weaker should treatment likely rather without within dosage doses doubled small large change"
    )
)
"""Words that say nothing of what happens."""

_Rank = tuple[int, int, int, int, int, int, int, str]


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
    known = next(iter(curated(one, other)), None)
    about = _stems(f"{known.mechanism} {known.meaning}") - _stems(_names(one, other)) if known else frozenset()
    hits = [
        *_hits(lines_of_one, of_other, of_one, drugs, about),
        *_hits(lines_of_other, of_one, of_other, drugs, about),
    ]
    found: dict[str, Interaction] = {}
    for hit in sorted(hits, key=lambda each: each.rank):
        found.setdefault(hit.key, hit.interaction)
    return tuple(_weighed(each, known) for each in list(found.values())[:MOST])


def _hits(
    lines: Sequence[Line], wanted: Sought, label_of: Sought, drugs: tuple[str, str], about: frozenset[str]
) -> Iterator[_Hit]:
    for index, line in enumerate(lines):
        named = mentions(line, wanted, label_of)
        if not named:
            continue
        around = setting(lines, index)
        kept = [mention for mention in named[:_MOST_MENTIONS] if counts(line, mention, around)]
        if len(named) > _MOST_MENTIONS:
            kept = kept or [named[0]]
        if kept:
            yield _hit(line, kept, around, drugs, about)


def _hit(line: Line, kept: Sequence[Mention], around: Setting, drugs: tuple[str, str], about: frozenset[str]) -> _Hit:
    statement = line.statement
    mention = min(kept, key=likeness)
    none = all(says_none(_said(statement.text, each)) for each in kept)
    place = place_of(statement.field)
    rank = (
        int(none),
        ORDER.index(place),
        likeness(mention),
        _beside_the_grade(_said(statement.text, mention), about),
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
    if WANTED.search(mention.text[max(0, mention.start - NEAR) : mention.start]):
        return False
    opening = mention.text[: mention.text.find(":") + 1]
    return FORBIDDEN.search(f"{clause(mention.text, mention.start, mention.end)} {opening} {around.above}") is not None


def _beside_the_grade(said: str, about: frozenset[str]) -> int:
    """Whether a sentence tells of something else than the table's grade; one that forbids is never put behind."""
    return int(about.isdisjoint(_stems(said)) and FORBIDS.search(said) is None)


def _names(*drugs: Drug) -> str:
    return " ".join(name for drug in drugs for name in (drug.name, *drug.ingredients, *drug.brands))


def _stems(text: str) -> frozenset[str]:
    """What a text is about, by the beginnings of its longer words: a quote should tell of what the grade is for."""
    return frozenset(word[:_STEM].lower() for word in _LONG_WORD.findall(text)) - _ANYWHERE


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
