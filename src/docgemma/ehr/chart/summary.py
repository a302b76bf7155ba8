"""What every step must know of the patient on screen: allergies, medications and problems, in few words."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date

from docgemma.ehr.chart.gaps import not_read, record_warnings
from docgemma.ehr.chart.model import Part
from docgemma.ehr.chart.projection import cost
from docgemma.ehr.chart.sections.allergies import allergies
from docgemma.ehr.chart.sections.medications import medications
from docgemma.ehr.chart.sections.problems import problems
from docgemma.ehr.chart.view import View
from docgemma.ehr.contract import VITAL, Record

LIMIT = 400


@dataclass(frozen=True, slots=True)
class Brief:
    """One list in short words, for when there is no room for the whole lines."""

    title: str
    lines: tuple[str, ...]
    short: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Summary:
    """The lines as the chart shows them, and the same in short words for a prompt that has little room."""

    allergies: tuple[str, ...]
    medications: tuple[str, ...]
    problems: tuple[str, ...]
    not_checked: tuple[str, ...] = ()
    warnings: tuple[str, ...] = ()
    briefs: tuple[Brief, ...] = ()

    def text(self, limit: int = LIMIT) -> str:
        """At most about `limit` tokens: whole lines, else short words. Allergies are never cut; where the other lists
        must be, they say how much is missing.
        """
        full = "\n".join(f"{brief.title}: {'; '.join(brief.lines)}" for brief in self.briefs)
        if cost(full) <= limit:
            return full
        said: list[str] = []
        left = limit
        for brief in self.briefs:
            line = _fitted(brief, left if said else None)
            left -= cost(line)
            said.append(line)
        return "\n".join(said)


def summarise(record: Record, *, today: date) -> Summary:
    """Reads only what is always shown; the rest of the record may be missing."""
    view = View(record, today)
    parts = (allergies(view), medications(view), problems(view))
    allergic, taken, ill = map(_brief, ("Allergies", "Active medications", "Active problems"), parts)
    return Summary(
        allergic.lines,
        taken.lines,
        ill.lines,
        not_checked=not_read(record, *VITAL),
        warnings=(*record_warnings(record), *(warning for part in parts for warning in part.warnings)),
        briefs=(allergic, taken, ill),
    )


def _brief(title: str, part: Part) -> Brief:
    entries = tuple(part.entries)
    return Brief(title, tuple(entry.text for entry in entries), tuple(entry.short for entry in entries))


def _fitted(brief: Brief, room: int | None) -> str:
    """In short words; without room for all of them as many as fit, and how many there are more."""
    listed = list(dict.fromkeys(brief.short))
    line = f"{brief.title}: {'; '.join(listed)}"
    if room is None or cost(line) <= room:
        return line
    kept = len(listed)
    while kept and cost(line) > room:
        kept -= 1
        more = len(listed) - kept
        line = f"{brief.title}: {'; '.join([*listed[:kept], f'{more} more NOT LISTED HERE: read the chart for them'])}"
    return line
