"""Asking: a question begins a run, the run tells its events, and whoever asked may stop it."""

from __future__ import annotations

import json
from typing import Annotated, Literal

from fastapi import APIRouter, Header, Query, Request
from pydantic import BaseModel, Field
from starlette.responses import HTMLResponse, JSONResponse, RedirectResponse, Response

from docgemma.accounts.model import Identity
from docgemma.agent.session import Question
from docgemma.clinical import GraphName
from docgemma.errors import BadInput, DocGemmaError
from docgemma.knowledge.entry import Language
from docgemma.server.context import Site, SiteDep, Who, own_talk
from docgemma.server.fields import told
from docgemma.server.identity.errors import Forbidden
from docgemma.server.identity.who import NOT_ALLOWED
from docgemma.server.pages.events import render_event
from docgemma.server.pages.templating import language_of, wants_page, wants_part
from docgemma.server.runs.model import RunEvent, RunInfo, State
from docgemma.server.runs.sse import EventStream, message, place_of
from docgemma.store.ids import unknown

router = APIRouter(tags=["runs"])

_ID = Field(default=None, min_length=1, max_length=128)
NO_IMAGE = "A consultation reads the knowledge base alone. Ask about an image without a role."
NO_GRAPH = "A consultation has a graph of its own. Choose one for a question without a role."
NO_SESSION = "Say in which session the last question is to be run again: give session_id."


class Asked(BaseModel):
    """A question; or `retry`, for the last one of a session, when it was cut off."""

    text: str = ""
    session_id: str | None = _ID
    run_id: str | None = _ID
    """Chosen by whoever asks: the same one sent twice is one run."""
    patient_id: str | None = Field(default=None, min_length=1, max_length=200)
    image_id: str | None = _ID
    role: str | None = Field(default=None, min_length=1, max_length=80)
    """Given: a question to the knowledge base in this role."""
    language: Language | None = None
    graph: GraphName | None = None
    """Which graph answers; the one that the server was started with, unless given."""
    retry: bool = False


class Run(BaseModel):
    run_id: str
    session_id: str
    state: State
    events: str
    page: str


_BODY = {
    "requestBody": {
        "required": True,
        "content": {
            kind: {"schema": Asked.model_json_schema()}
            for kind in ("application/json", "application/x-www-form-urlencoded")
        },
    }
}


@router.post("/runs", status_code=202, response_model=Run, openapi_extra=_BODY)
async def ask(request: Request, site: SiteDep, who: Who) -> Response:
    """Begin a turn. It goes on by itself; its events tell what it does and end with the answer."""
    asked = await told(request, Asked)
    if asked.retry:
        run, asked = await _again(site, who, asked)
    else:
        await _may_ask(site, who, asked)
        run = await site.runs.start(
            Question(
                asked.text,
                session_id=asked.session_id,
                patient_id=asked.patient_id,
                image_id=asked.image_id,
                owner=who.name,
                role=asked.role,
                language=asked.language,
                graph=asked.graph,
                turn_id=asked.run_id or "",
            )
        )
    page = page_of(run, asked.role)
    headers = {"X-Page": page, "X-Session": run.session_id}
    if wants_page(request):
        return RedirectResponse(page, 303)
    if not wants_part(request):
        return JSONResponse(_shown(run, page).model_dump(), 202, headers)
    session = await site.app.store.get_session(run.session_id)
    parts = {"run": run, "query": asked.text, "image_id": asked.image_id, "session": session}
    return site.pages.fragment(request, who, "part/running.html", status=202, headers=headers, **parts)


@router.get("/runs/{run_id}")
async def state(run_id: str, site: SiteDep, who: Who) -> Run:
    """Whether it still runs, and how it ended."""
    run, role = await _own(site, who, run_id)
    return _shown(run, page_of(run, role))


@router.post("/runs/{run_id}/stop", status_code=202, response_model=Run)
async def stop(run_id: str, request: Request, site: SiteDep, who: Who) -> Response:
    """End it. What it told stays; the question can be asked again."""
    _, role = await _own(site, who, run_id)
    run = await site.runs.stop(run_id, who.name)
    page = page_of(run, role)
    if wants_page(request):
        return RedirectResponse(page, 303)
    if wants_part(request):
        return HTMLResponse("", 202)  # the stream tells the rest
    return JSONResponse(_shown(run, page).model_dump(), 202)


@router.get("/runs/{run_id}/events", status_code=200, response_class=EventStream)
async def events(
    run_id: str,
    request: Request,
    site: SiteDep,
    who: Who,
    after: Annotated[int | None, Query(ge=0, le=10**15)] = None,
    form: Annotated[Literal["json", "html"], Query(alias="as")] = "json",
    last_event_id: Annotated[str | None, Header()] = None,
) -> Response:
    """What it tells, from the first event or after the last one that was seen, up to the answer."""
    run, role = await _own(site, who, run_id)
    place = place_of(last_event_id, after)
    if run.state not in ("running", "interrupted") and 0 < await site.runs.last_number(run_id) <= place:
        return Response(status_code=204)  # a browser that gets this does not come back
    lang = language_of(request)

    async def as_html(event: RunEvent) -> bytes:
        rendered = await render_event(site, lang, who, run, event)
        return message(*rendered, event.number) if rendered else b""

    async def still() -> bool:
        """Whether this reader may go on reading: a sign-in can end, and a role change, while an answer is written."""
        try:
            now = await site.guard.identify(request)
            return now is not None and now.name == who.name and await _reads(site, now, role)
        except DocGemmaError:
            return False

    return EventStream(site.runs.watching(run, place), as_html if form == "html" else _as_json, still)


async def _as_json(event: RunEvent) -> bytes:
    return message(event.kind, json.dumps(event.body, separators=(",", ":")), event.number)


async def _again(site: Site, who: Identity, asked: Asked) -> tuple[RunInfo, Asked]:
    """The run and the question as they were stored."""
    if asked.session_id is None:
        raise BadInput(NO_SESSION)
    await own_talk(site, who, asked.session_id)
    turn = await site.app.store.interrupted_turn(asked.session_id)
    if turn is not None and not await _reads(site, who, turn.role or None):
        raise Forbidden(NOT_ALLOWED)
    if turn is not None and turn.role and asked.graph is not None:
        raise BadInput(NO_GRAPH)
    run = await site.runs.retry(asked.session_id, who.name, graph=asked.graph)
    turn = await site.app.store.get_turn(run.id)
    return run, asked.model_copy(
        update={"text": turn.query, "image_id": turn.image_id, "role": turn.role or None},
    )


async def _own(site: Site, who: Identity, run_id: str) -> tuple[RunInfo, str | None]:
    """A run, and the role it was asked in. One that this person could not ask for any more is like one that never
    was: its events tell what the charts told."""
    run = await site.runs.info(run_id, who.name)
    role = (await site.app.store.get_turn(run_id)).role or None
    if not await _reads(site, who, role):
        raise unknown("run", run_id)
    return run, role


async def _may_ask(site: Site, who: Identity, asked: Asked) -> None:
    """The question itself, and the conversation that it would go on with. An image that nobody would look at is
    refused: whoever sent it would take the answer for one about it."""
    if asked.role is not None and asked.image_id is not None:
        raise BadInput(NO_IMAGE)
    if asked.role is not None and asked.graph is not None:
        raise BadInput(NO_GRAPH)
    if not await _reads(site, who, asked.role):
        raise Forbidden(NOT_ALLOWED)
    if asked.session_id is not None:
        await own_talk(site, who, asked.session_id)


async def _reads(site: Site, who: Identity, role: str | None) -> bool:
    """Charts and the agent are for clinicians; a patient reads what is written for patients."""
    if role is None:
        return who.can("ask")
    return who.role != "patient" or (await site.app.knowledge.role(role)).audience == "patient"


def page_of(run: RunInfo, role: str | None) -> str:
    """Where the conversation is shown."""
    return f"/{'consult' if role else 'sessions'}/{run.session_id}"


def _shown(run: RunInfo, page: str) -> Run:
    return Run(run_id=run.id, session_id=run.session_id, state=run.state, events=run.events, page=page)
