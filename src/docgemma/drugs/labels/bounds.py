"""How much of a label is read. Far more than any real one has; a source may send more than any real one has."""

from __future__ import annotations

from dataclasses import replace

from docgemma.drugs.labels.wording import SECTIONS, TABLE
from docgemma.sources.contract import Label

SECTION = 400_000
"""Letters of one section, or of its tables. A whole label has up to about 270,000."""
WHOLE = 1_000_000
"""Letters of all sections that safety rests on."""


def bounded(label: Label) -> Label:
    """The label itself; one that is longer than this is cut at a blank and no longer full: there is more to it."""
    left = WHOLE
    sections = dict(label.sections)
    for field in SECTIONS:
        for name in (field, field + TABLE):
            texts = sections.get(name, ())
            if texts:
                kept = _cut(texts, min(SECTION, left))
                left -= sum(map(len, kept))
                sections[name] = kept
    if all(sections[name] is texts for name, texts in label.sections.items()):
        return label
    return replace(label, sections=sections, full=False)


def _cut(texts: tuple[str, ...], letters: int) -> tuple[str, ...]:
    """As many of the texts as fit, the last of them in part."""
    if sum(map(len, texts)) <= letters:
        return texts
    kept: list[str] = []
    for text in texts:
        if len(text) > letters:
            return (*kept, text[:letters].rpartition(" ")[0] or text[:letters])
        kept.append(text)
        letters -= len(text)
    return tuple(kept)
