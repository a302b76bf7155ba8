"""Conversations: the page to ask on, the list, the title, the patient a conversation is about, and its export."""

from __future__ import annotations

from typing import Annotated, Any

from fastapi import APIRouter, Query, Request
from pydantic import BaseModel, ConfigDict, Field, field_validator
from starlette.responses import JSONResponse, RedirectResponse, Response

from docgemma.accounts.model import Identity
from docgemma.clinical import Patient, Purpose, acting
from docgemma.entities.printable import plain
from docgemma.server.context import Site, SiteDep, Who, own_session
from docgemma.server.fields import told
from docgemma.server.pages.banner import PATIENT_S, QUICK_S, banner_of, read_panel
from docgemma.server.pages.conversation import conversation, listed, rows_of, utc_now
from docgemma.server.pages.export import Format, as_data, as_markdown, file_name
from docgemma.server.pages.sparkline import sparkline
from docgemma.server.pages.templating import wants_page, wants_part
from docgemma.store.rows import Session

router = APIRouter(tags=["sessions"])

LONGEST_TITLE = 120
Before = Annotated[str, Query(max_length=40, description="The time of the last conversation that was seen")]
PatientId = Annotated[str, Field(min_length=1, max_length=64)]


class NewSession(BaseModel):
    model_config = ConfigDict(extra="forbid")

    patient_id: PatientId | None = None


class Choice(BaseModel):
    model_config = ConfigDict(extra="forbid")

    patient_id: PatientId


class Title(BaseModel):
    model_config = ConfigDict(extra="forbid")

    title: str = Field(min_length=1, max_length=LONGEST_TITLE)

    @field_validator("title")
    @classmethod
    def _readable(cls, given: str) -> str:
        words = " ".join(plain(given).split())
        if not words:
            raise ValueError("it should have at least one letter")
        return words


@router.get("/ask", include_in_schema=False)
async def ask(
    request: Request, site: SiteDep, who: Who, patient: Annotated[str, Query(max_length=64)] = ""
) -> Response:
    """A new conversation. It is stored with its first question, and with the patient that is asked for here."""
    chosen = await site.app.sessions.confirmed(patient, who.name) if patient else None
    return await _page(request, site, who, None, chosen)


@router.get("/sessions/{session_id}")
async def one(request: Request, site: SiteDep, who: Who, session_id: str) -> Response:
    """The whole conversation, as it is stored. One with the knowledge base alone is shown where it goes on as such."""
    session = await own_session(site, who, session_id)
    turns = await site.app.store.turns(session.id)
    if wants_page(request):
        roles = [turn.role for turn in turns if turn.by == "agent"]
        if roles and all(roles):
            return RedirectResponse(f"/consult/{session.id}", 303)
        return await _page(request, site, who, session, session.patient)
    return JSONResponse(as_data(session, turns, await rows_of(turns, site.app.orders), utc_now()))


async def _page(
    request: Request, site: Site, who: Identity, session: Session | None, patient: Patient | None
) -> Response:
    app = site.app
    shown = await conversation(session, app.store, app.orders, site.runs) if session else None
    panel = None
    if patient is not None:
        panel = await read_panel(app, patient.id, who.name, session.id if session else "", QUICK_S)
    return site.pages.page(
        request,
        who,
        "ask.html",
        session=session,
        turns=shown.turns if shown else (),
        running=shown.running if shown else None,
        patient=patient,
        patient_id=patient.id if patient else "",
        banner=banner_of(patient, panel) if patient else None,
        panel=panel,
        refresh_panel=False,
        sessions=await listed(who.name, app.store, app.orders),
        sparkline=sparkline,
        settings=app.settings,
    )


@router.get("/sessions/{session_id}/banner", include_in_schema=False)
async def banner(request: Request, site: SiteDep, who: Who, session_id: str) -> Response:
    """Whom the conversation is about now: a turn or a decision may have changed that, or the allergies."""
    session = await own_session(site, who, session_id)
    patient = session.patient
    panel = await read_panel(site.app, patient.id, who.name, session.id, PATIENT_S) if patient else None
    shown = banner_of(patient, panel) if patient else None
    return site.pages.fragment(
        request, who, "part/banner.html", banner=shown, session=session, patient=patient, refresh_panel=True
    )


@router.get("/sessions")
async def many(request: Request, site: SiteDep, who: Who, before: Before = "") -> Response:
    """The reader's own conversations, the last used first, fifty at a time."""
    found = await listed(who.name, site.app.store, site.app.orders, before=before)
    if wants_page(request):
        return site.pages.page(request, who, "sessions.html", sessions=found, session=None)
    if wants_part(request):
        return site.pages.fragment(
            request, who, "part/sessions.html", sessions=found, session=None, current=_current(request)
        )
    items = [
        {"id": each.id, "title": each.title, "patient": each.patient, "used": each.used, "waiting": each.waiting}
        for each in found.items
    ]
    return JSONResponse({"sessions": items, "before": found.before or None})


def _current(request: Request) -> str:
    """The conversation of the page that asks for the list, as the browser tells it."""
    return request.headers.get("referer", "").rpartition("/sessions/")[2]


@router.post("/sessions", status_code=201)
async def create(request: Request, site: SiteDep, who: Who) -> Response:
    """Open a conversation, with `patient_id` about this patient."""
    given = await told(request, NewSession)
    patient = await site.app.sessions.confirmed(given.patient_id, who.name) if given.patient_id else None
    return _opened(request, (await site.app.store.create_session(who.name, patient=patient)).id)


@router.post("/sessions/{session_id}/patient")
async def choose(request: Request, site: SiteDep, who: Who, session_id: str) -> Response:
    """Say whom the conversation is about. One that is about somebody else stays so: a new one is opened."""
    session = await own_session(site, who, session_id)
    given = await told(request, Choice)
    patient = await site.app.sessions.confirmed(given.patient_id, who.name)
    here = session.patient
    if here is not None and here.confirmed and here.id != patient.id:
        return _opened(request, (await site.app.store.create_session(who.name, patient=patient)).id)
    await site.app.store.pin_patient(session.id, patient)
    with acting(Purpose(who=who.name, why="patient", session_id=session.id)):
        await site.app.orders.withdraw_others(session.id, patient.id)
    return _opened(request, session.id, 200)


def _opened(request: Request, session_id: str, status: int = 201) -> Response:
    page = f"/sessions/{session_id}"
    if wants_page(request):
        return RedirectResponse(page, 303)
    return JSONResponse({"id": session_id, "page": page}, status)


@router.patch("/sessions/{session_id}")
async def rename(request: Request, site: SiteDep, who: Who, session_id: str) -> Response:
    """Give it another title, of at most 120 characters."""
    session = await _renamed(request, site, who, session_id)
    if wants_part(request):
        return site.pages.fragment(request, who, "part/session_title.html", session=session)
    return JSONResponse({"id": session.id, "title": session.title})


@router.get("/sessions/{session_id}/head", include_in_schema=False)
async def head(request: Request, site: SiteDep, who: Who, session_id: str) -> Response:
    """The title as it is now: the first question gave it one."""
    session = await own_session(site, who, session_id)
    return site.pages.fragment(request, who, "part/session_head.html", session=session)


@router.post("/sessions/{session_id}/title", include_in_schema=False)
async def rename_by_form(request: Request, site: SiteDep, who: Who, session_id: str) -> Response:
    """For a browser without scripts, whose forms know no PATCH."""
    return RedirectResponse(f"/sessions/{(await _renamed(request, site, who, session_id)).id}", 303)


async def _renamed(request: Request, site: Site, who: Identity, session_id: str) -> Session:
    session = await own_session(site, who, session_id)
    await site.app.store.rename_session(session.id, (await told(request, Title)).title)
    return await site.app.store.get_session(session.id)


@router.get("/sessions/{session_id}/export")
async def export(
    site: SiteDep,
    who: Who,
    session_id: str,
    kind: Annotated[Format, Query(alias="format")] = "json",
) -> Response:
    """The conversation as a file. Its name tells nothing about the patient."""
    session = await own_session(site, who, session_id)
    turns = await site.app.store.turns(session.id)
    rows, now = await rows_of(turns, site.app.orders), utc_now()
    headers = {"Content-Disposition": f'attachment; filename="{file_name(session.id, kind)}"'}
    if kind == "json":
        data: dict[str, Any] = as_data(session, turns, rows, now)
        return JSONResponse(data, headers=headers)
    return Response(as_markdown(session, turns, rows, now), media_type="text/markdown; charset=utf-8", headers=headers)
