"""Problems: conditions that are active now, each diagnosis once with how often it was recorded, and what is over."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from docgemma.ehr.chart.gaps import with_gaps
from docgemma.ehr.chart.model import Entry, Part
from docgemma.ehr.chart.recorded.codeable import concept, first_concept, full_concept, statuses
from docgemma.ehr.chart.recorded.fields import Node, identity, joined, node, plain
from docgemma.ehr.chart.recorded.when import day, in_words, instant, is_past, shown, when
from docgemma.ehr.chart.view import View

NONE_RECORDED = "No active problem is recorded."
_VOID = frozenset({"refuted", "entered-in-error"})
_OVER = frozenset({"inactive", "remission", "resolved"})
_CLINICAL = {"active": "", "recurrence": "recurrence", "relapse": "relapse"}
_VERIFIED = {
    "confirmed": "",
    "unconfirmed": "unconfirmed",
    "provisional": "provisional diagnosis",
    "differential": "differential diagnosis",
}


@dataclass(frozen=True, slots=True)
class Problem:
    """A condition that stands. `over` once it is resolved, inactive or in remission."""

    resource: Node
    name: str
    marks: str
    over: bool

    @property
    def since(self) -> str:
        """When it began, else when it was written down."""
        recorded = self.resource.get("recordedDate")
        return when(self.resource, "onset") or (recorded if isinstance(recorded, str) and instant(recorded) else "")


def standing(view: View) -> list[Problem]:
    """Every condition that was not withdrawn."""
    return [found for resource in view.record.of("Condition") if (found := _read(resource, view))]


def problems(view: View) -> Part:
    """Always whole. The same diagnosis of many encounters is one line."""
    active = [problem for problem in standing(view) if not problem.over]
    entries = with_gaps(_entries(active, view), view.record, "Condition", nothing=NONE_RECORDED)
    void = sum(1 for one in view.record.of("Condition") if _is_void(one))
    left_out = (f"Problems: {void} refuted or entered in error, not shown.",) if void else ()
    return Part("problems", entries, len(entries), left_out=left_out)


def past_problems(view: View) -> Part:
    """Newest first, those that the question names before all others; unless the past is asked for, only those."""
    over = [problem for problem in standing(view) if problem.over]
    over.sort(key=lambda problem: (instant(problem.since), identity(problem.resource)), reverse=True)
    named = [problem for problem in over if view.ask.names(problem.name)]
    rest = [problem for problem in over if problem not in named] if view.ask.wants("past_problems") else []
    entries = _entries((*named, *rest), view)
    total = len(entries) + len(over) - len(named) - len(rest)
    return Part("past_problems", entries, total)


def _is_void(resource: Node) -> bool:
    verified = statuses(resource.get("verificationStatus"))
    return bool(verified) and all(one in _VOID for one in verified)


def _read(resource: Node, view: View) -> Problem | None:
    if _is_void(resource):
        return None
    name = full_concept(resource.get("code"))
    site = first_concept(resource.get("bodySite"), 60)
    if name and site and site.casefold() not in name.casefold():
        name = f"{name} ({site})"
    clinical = statuses(resource.get("clinicalStatus"))
    ended = when(resource, "abatement")
    over = all(one in _OVER for one in clinical) if clinical else is_past(ended, view.today)
    return Problem(
        resource,
        name or f"A problem entry that cannot be read ({identity(resource) or 'without an id'})",
        joined(*_marks(resource, clinical, ended, over, view)),
        over,
    )


def _marks(resource: Node, clinical: list[str], ended: str, over: bool, view: View) -> Iterable[str]:
    status = clinical[0] if clinical else ""
    yield _CLINICAL.get(status, plain(status, 20) or "clinical status not recorded")
    verified = [one for one in statuses(resource.get("verificationStatus")) if one not in _VOID]
    yield _VERIFIED.get(verified[0], plain(verified[0], 20)) if verified else "verification not recorded"
    yield concept(resource.get("severity"), 40)
    yield concept(node(resource.get("stage")).get("summary"), 60)
    if over and ended:
        yield f"ended {day(ended)}"
    elif is_past(ended, view.today):
        yield f"recorded as ended {day(ended)}, yet not as resolved"


def _entries(listed: Iterable[Problem], view: View) -> list[Entry]:
    """One line for each name with the same marks, in the order they come."""
    grouped: dict[tuple[str, str], list[Problem]] = {}
    for problem in listed:
        grouped.setdefault((problem.name.casefold(), problem.marks), []).append(problem)
    return [_entry(group, view) for group in grouped.values()]


def _entry(group: list[Problem], view: View) -> Entry:
    newest = max(group, key=lambda problem: (instant(problem.since), identity(problem.resource)))
    first = min(group, key=lambda problem: (instant(problem.since), identity(problem.resource)))
    onset = in_words(first.resource, "onset")
    dated = f"since {onset}" if onset[:1].isdigit() else f"onset {onset}" if onset else ""
    if not dated:
        dated = f"recorded {shown(first.since, view.today)}" if first.since else "undated"
    times = f"recorded {len(group)} times, last {shown(newest.since, view.today)}" if len(group) > 1 else ""
    text = joined(newest.name, newest.marks, dated, times)
    marks = f" ({newest.marks})" if newest.marks else ""
    return Entry(text, day(newest.since), identity(newest.resource), f"{newest.name}{marks}")
