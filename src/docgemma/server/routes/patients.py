"""Patients: finding one, and the chart beside the conversation. Every look is in the audit log with its reader."""

from __future__ import annotations

import re
from typing import Annotated

from fastapi import APIRouter, Query, Request
from starlette.responses import JSONResponse, Response

from docgemma.accounts.model import Identity
from docgemma.audit.entries import is_id
from docgemma.clinical import Purpose, acting
from docgemma.entities.printable import plain
from docgemma.errors import BadInput
from docgemma.server.context import Site, SiteDep, Who, own_session
from docgemma.server.pages.banner import ELSEWHERE, PATIENT_S, charts_here, read_panel
from docgemma.server.pages.sparkline import sparkline
from docgemma.server.pages.templating import wants_page, wants_part
from docgemma.store.ids import unknown
from docgemma.store.rows import Session
from docgemma.tools.arguments import PatientSearchCall
from docgemma.tools.results import PatientSearchResult

router = APIRouter(tags=["patients"])

LEAST = 2
_DATE = re.compile(r"\b(?:18|19|20)\d\d-\d\d-\d\d\b")

Words = Annotated[str, Query(max_length=120, description="A name, an id, a record number, a birth date")]


@router.get("/patients")
async def patients(request: Request, site: SiteDep, who: Who, q: Words = "") -> Response:
    """Who may be meant, with two identifiers each. Which of several it is, only the reader knows."""
    return await _hits(request, site, who, q, None)


@router.get("/sessions/{session_id}/patients", include_in_schema=False)
async def patients_for(request: Request, site: SiteDep, who: Who, session_id: str, q: Words = "") -> Response:
    """The same, to choose one for this conversation."""
    return await _hits(request, site, who, q, await own_session(site, who, session_id))


async def _hits(request: Request, site: Site, who: Identity, q: str, session: Session | None) -> Response:
    with acting(Purpose(who=who.name, why="page", session_id=session.id if session else "")):
        found = await search(site, q)
    if wants_part(request) or wants_page(request):
        elsewhere = session is not None and session.patient is not None and session.patient.confirmed
        return site.pages.fragment(request, who, "part/hits.html", found=found, session=session, elsewhere=elsewhere)
    if found is None:
        raise BadInput("Give at least two letters or digits to find a patient by.")
    return JSONResponse(found.model_dump(mode="json", include={"status", "message", "matches", "not_checked"}))


async def search(site: Site, text: str) -> PatientSearchResult | None:
    """By id or record number where it may be one, else by name and birth date. None: too little to search by."""
    words = " ".join(plain(text).split())
    if sum(letter.isalnum() for letter in words) < LEAST:
        return None
    if not charts_here(site.app.settings):
        return PatientSearchResult(status="unavailable", message=ELSEWHERE)
    born = _DATE.search(words)
    if born is None and any(letter.isdigit() for letter in words):
        found = await site.app.charts.who(words)
        if found.matches or found.status == "unavailable" or not any(letter.isalpha() for letter in words):
            return found
    name = " ".join(_DATE.sub(" ", words).split())
    try:
        found = await site.app.charts.search(PatientSearchCall(name=name, birth_date=born[0] if born else None))
        if found.status == "not_found" and " " in name and born is None:
            return await _half_typed(site, name) or found
    except BadInput as error:
        return PatientSearchResult(status="not_found", error_type="not_found", message=str(error))
    return found


async def _half_typed(site: Site, name: str) -> PatientSearchResult | None:
    """The record system knows whole words; of the last one somebody may have typed only the beginning."""
    before, _, begun = name.rpartition(" ")
    found = await site.app.charts.search(PatientSearchCall(name=before))
    kept = tuple(
        match.model_copy(update={"exact": False})
        for match in found.matches
        if any(word.casefold().startswith(begun.casefold()) for word in match.name.split())
    )
    return found.model_copy(update={"matches": kept}) if kept else None


@router.get("/patients/{patient_id}/panel")
async def panel(
    request: Request,
    site: SiteDep,
    who: Who,
    patient_id: str,
    session: Annotated[str, Query(max_length=128, description="The conversation that it is read for")] = "",
) -> Response:
    """What a reader needs beside a conversation: lists that are never cut, values with their course, gaps said."""
    if not is_id(patient_id):
        raise unknown("patient", patient_id)
    own = await own_session(site, who, session) if session else None
    found = await read_panel(site.app, patient_id, who.name, own.id if own else "", PATIENT_S)
    if found is not None and found.status == "not_found":
        raise unknown("patient", patient_id)
    if wants_part(request) or wants_page(request):
        return site.pages.fragment(
            request, who, "part/panel.html", panel=found, patient_id=patient_id, session=own, sparkline=sparkline
        )
    told = found.model_dump(mode="json") if found else {"status": "unavailable", "message": "No answer in time."}
    return JSONResponse(told, 200 if found and found.patient else 503)
