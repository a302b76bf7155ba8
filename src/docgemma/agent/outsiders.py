"""Whom a turn is about, for the guard that keeps it from public services."""

from __future__ import annotations

import re
from collections.abc import Iterator

from docgemma.agent.state import State, on_screen
from docgemma.clinical import Patient, People
from docgemma.entities.model import Entities, Mention
from docgemma.tools.results import PatientChart, PatientMatch, PatientSearchResult, match_in

_OWNED = re.compile(r"['’]s(?!\w)")


def people_of(state: State) -> People:
    """Everybody who is on screen, was named, or was found in this turn."""
    entities = state["entities"]
    matches = list(_met(state))
    return People(
        names=_each([*(match.name for match in matches), *(mention.text for mention in entities.person_names)]),
        ids=_each([*(match.patient_id for match in matches), *(mention.text for mention in entities.patient_ids)]),
        birth_dates=_each(
            [*(match.birth_date or "" for match in matches), *(mention.value for mention in entities.birth_dates)]
        ),
    )


def unnamed(text: str, entities: Entities, start: int = 0, end: int | None = None) -> str:
    """The text, or this part of it, without the people in it: what a search is told needs none of them."""
    text, kept, done = text[:end], "", start
    for item in sorted((*entities.person_names, *entities.patient_ids, *entities.birth_dates), key=_place):
        if text[item.start : item.end] == item.text:  # a name given in answer to a question stands elsewhere
            owned = _OWNED.match(text, item.end)
            kept += text[done : item.start] + " "
            done = max(done, owned.end() if owned else item.end)
    return " ".join((kept + text[done:]).split())


def _place(item: Mention) -> int:
    return item.start


def _met(state: State) -> Iterator[PatientMatch]:
    known: tuple[Patient | None, ...] = (
        on_screen(state),
        state.get("pinned"),
        state.get("bound"),
        state.get("recent"),
        state.get("looked_up"),
    )
    for patient in known:
        if patient is not None:
            yield match_in(patient.banner, patient.id)
    summary = state.get("summary")
    if summary is not None and summary.banner:
        yield match_in(summary.banner, summary.patient_id)
    for run in state.get("runs", ()):
        if isinstance(run.result, PatientSearchResult):
            yield from run.result.matches
        if isinstance(run.result, PatientChart) and run.result.banner:
            yield match_in(run.result.banner, run.result.patient_id)


def _each(values: list[str]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(value for value in values if value))
