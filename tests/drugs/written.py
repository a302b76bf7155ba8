"""Labels for tests: small ones in words of our own, and real ones of the past where they lie beside the checkout."""

from __future__ import annotations

import re
from typing import Any

from docgemma.drugs.labels.statements import statements
from docgemma.sources.contract import Label
from docgemma.sources.openfda.record import label_of
from tests.support.labels import derived

_WORD = re.compile(r"[^\W\d_]{2,}")
_REFERENCE = re.compile(r"\[ ?see[^\]]*\]|\(see[^()]*(?:\([^()]*\)[^()]*)*\)", re.IGNORECASE)


def label(
    *, about: str = "sildenafil", full: bool = True, facts: dict[str, Any] | None = None, **sections: str
) -> Label:
    """A label with these texts as sections."""
    texts = {field: (text,) for field, text in sections.items()}
    return Label(title=about, sections=texts, generics=(about,), substances=(about,), full=full, **(facts or {}))


def real(name: str) -> Label:
    """A label that was published once. Skips the test where it is not there."""
    return label_of(derived(name))


def texts(of: Label, field: str) -> list[str]:
    return [each.text for each in statements(of) if each.field == field]


def lost(of: Label, text: str) -> set[str]:
    """Words of a section that no statement has, whether in text, heading or name of the section."""
    said = " ".join(f"{each.text} {each.heading} {each.section}" for each in statements(of))
    return {word.casefold() for word in _WORD.findall(_REFERENCE.sub(" ", text))} - {
        word.casefold() for word in _WORD.findall(said)
    }
