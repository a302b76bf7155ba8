"""Lines of a card: what the rules found, with the record and the sources it rests on."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from docgemma.drugs.rules.outcome import UNREVIEWED, Finding
from docgemma.orders.facts import Recorded
from docgemma.orders.model import Check, CheckOutcome

NOTE = "\n"
_PART = "; "
_LONGEST = 240


def line(name: str, outcome: CheckOutcome, detail: str, *basis: str, gap: str = "") -> Check:
    return Check(name=name, outcome=outcome, detail=" ".join(detail.split()), basis=resting_together(basis), gap=gap)


def merged(findings: Iterable[Finding]) -> list[Check]:
    """One line for each outcome: what two ingredients share is not said twice. Behind a `NOTE` stands what was read."""
    grouped: dict[tuple[str, CheckOutcome], list[Finding]] = {}
    for finding in findings:
        grouped.setdefault((finding.check, finding.outcome), []).append(finding)
    return [
        line(name, outcome, _said([each.text for each in of]), *(each.basis for each in of), gap=_gap(of))
        for (name, outcome), of in grouped.items()
    ]


def _gap(of: Sequence[Finding]) -> str:
    """Where nothing but rules is missing: for which ingredients."""
    parts = dict.fromkeys(each.unruled for each in of)
    return f"No rule for {' and '.join(parts)} in the shipped tables." if all(parts) else ""


def _said(texts: Sequence[str]) -> str:
    """All findings first, then each note once."""
    parts = [text.partition(NOTE) for text in texts]
    return " ".join(dict.fromkeys([*(found for found, _, _ in parts), *(note for _, _, note in parts if note)]))


def resting_together(bases: Iterable[str]) -> str:
    """Each once. That nobody reviewed it is said at the end, once."""
    parts = list(dict.fromkeys(part for basis in bases for part in basis.split(_PART) if part))
    if UNREVIEWED in parts:
        parts.remove(UNREVIEWED)
        parts.append(UNREVIEWED)
    return _PART.join(parts)


def in_record(entry: Recorded) -> str:
    """The entry itself, for whoever decides."""
    return f"In the record: {ended(entry.words)}"


def ended(text: str) -> str:
    """As a sentence; a quotation that ends one is enough."""
    return text if text.endswith((".", ".”")) else f"{text}."


def listed(names: Sequence[str]) -> str:
    """ "a, b and c"."""
    return f"{', '.join(names[:-1])} and {names[-1]}" if len(names) > 1 else "".join(names)


def quoted(names: Sequence[str]) -> str:
    return listed([f"“{name}”" for name in names])


def cut(text: str) -> str:
    """A quote as long as one reads on a card."""
    return text if len(text) <= _LONGEST else text[:_LONGEST].rsplit(" ", 1)[0] + " …"
