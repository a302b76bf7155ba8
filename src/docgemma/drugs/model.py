"""The values that reading labels and comparing drugs work with."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from docgemma.sources.contract import Label

Severity = Literal["contraindicated", "major", "moderate", "minor"]


@dataclass(frozen=True, slots=True)
class Statement:
    """One sentence, bullet or table row of a label, and the section it stands in.

    `text` is the source's own words in one line; `field` is openFDA's name of the section, `section` what a clinician
    calls it; `heading` is the sub-heading it stands under, where the text shows one.
    """

    text: str
    field: str
    section: str
    label: Label
    heading: str = ""


@dataclass(frozen=True, slots=True)
class Drug:
    """One drug as the user named it, and what it stands for: lower-case ingredients as our dictionary spells them.

    `classes` are names that a live service gave for its classes, besides those of the shipped table.
    """

    name: str
    ingredients: tuple[str, ...]
    brands: tuple[str, ...] = ()
    classes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Safety:
    """What one drug's labels say that nobody may overlook, the gravest first, each sentence once."""

    boxed: tuple[Statement, ...] = ()
    contraindications: tuple[Statement, ...] = ()
    warnings: tuple[Statement, ...] = ()
    populations: tuple[Statement, ...] = ()
    more: int = 0
    """Sentences of these sections that were left out for length."""


@dataclass(frozen=True, slots=True)
class Interaction:
    """Two drugs that a source or the shipped table says something about.

    `via` says how the pair was recognised when not by name: "isosorbide mononitrate is a nitrate". `statement` is the
    sentence of a label, where one was read; `basis` is what severity, mechanism and meaning rest on, where they come
    from the shipped table. `no_effect`: the sentence says that no relevant effect was seen.
    """

    drugs: tuple[str, str]
    statement: Statement | None = None
    via: str = ""
    severity: Severity | None = None
    mechanism: str = ""
    meaning: str = ""
    basis: str = ""
    no_effect: bool = False
