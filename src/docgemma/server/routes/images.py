"""Images that go with a question. Each is decoded in a process of its own; only the pixels of the file are kept."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Query, Request
from starlette.responses import JSONResponse, Response

from docgemma.errors import BadInput
from docgemma.imaging import inspect, to_stored, window
from docgemma.server.context import Site, SiteDep, Who, own_image, own_session, own_turn
from docgemma.server.pages.picture import boxes_of, chosen, facts_of, picture, typed
from docgemma.server.pages.templating import wants_part
from docgemma.store.rows import StoredImage

router = APIRouter(tags=["images"])

Number = Annotated[float | None, Query(ge=-1e9, le=1e9, allow_inf_nan=False)]


@router.post("/images", status_code=201)
async def attach_first(
    request: Request, site: SiteDep, who: Who, patient_id: Annotated[str, Query(max_length=200)] = ""
) -> Response:
    """An image before the first question: it opens a conversation, about the patient on the screen if there is one.

    The body is the file itself.
    """
    return await _attached(request, site, who, None, patient_id)


@router.post("/sessions/{session_id}/images", status_code=201)
async def attach(request: Request, site: SiteDep, who: Who, session_id: str) -> Response:
    """A PNG, JPEG or DICOM image of at most 20 MB, to go with the next question."""
    return await _attached(request, site, who, (await own_session(site, who, session_id)).id)


async def _attached(request: Request, site: Site, who: Who, session_id: str | None, patient_id: str = "") -> Response:
    data = await request.body()
    if not data:
        raise BadInput("No image was sent. Send the file itself as the request's body.")
    found = await inspect(data)
    if session_id is None:  # only now: a file that is no image leaves no empty conversation behind
        patient = await site.app.sessions.confirmed(patient_id, who.name) if patient_id else None
        session_id = (await site.app.store.create_session(who.name, patient=patient)).id
    image_id = await site.app.store.put_image(
        session_id,
        found.media_type,
        found.data,
        **to_stored(found),
    )
    shown = picture(await site.app.store.get_image(image_id))
    page = f"/sessions/{session_id}"
    headers = {"X-Page": page, "X-Session": session_id}
    if wants_part(request):
        return site.pages.fragment(
            request, who, "part/image.html", status=201, headers=headers, picture=shown, attach=True
        )
    told = {"id": image_id, "session_id": session_id, "page": page, "width": found.width, "height": found.height}
    told |= {"media_type": found.media_type, "dicom": found.dicom.as_dict() if found.dicom else None}
    told["windows"] = [each.name for each in shown.presets]
    told["frames"] = list(shown.drawn)
    return JSONResponse(told, 201, headers)


@router.get("/images/{image_id}")
async def image(site: SiteDep, who: Who, image_id: str) -> Response:
    """The image as it came, its pixels alone."""
    return _pixels(await own_image(site, who, image_id))


@router.get("/images/{image_id}/view")
async def view(
    request: Request,
    site: SiteDep,
    who: Who,
    image_id: str,
    window_name: Annotated[str, Query(alias="window", max_length=80)] = "",
    centre: Number = None,
    width: Number = None,
) -> Response:
    """The same values in another window, as a PNG."""
    stored = await own_image(site, who, image_id)
    wanted, facts = chosen(stored, window_name, centre, width), facts_of(stored)
    if wanted is None or facts is None or stored.depth is None:
        return _pixels(stored)
    drawn = await window(stored.depth, facts, centre=wanted.centre, width=wanted.width)
    return Response(drawn, media_type="image/png")


@router.get("/images/{image_id}/frame", include_in_schema=False)
async def frame(
    request: Request,
    site: SiteDep,
    who: Who,
    image_id: str,
    window_name: Annotated[str, Query(alias="window", max_length=80)] = "",
    q: Annotated[str, Query(max_length=40, description="Centre and width as typed, such as 40/400")] = "",
    turn: Annotated[str, Query(max_length=128, description="Whose findings are drawn on it")] = "",
) -> Response:
    """The image in a window, as a part of the page. A window typed half shows the image as it came, with a hint."""
    stored = await own_image(site, who, image_id)
    boxes = boxes_of((await own_turn(site, who, turn)).record, image_id) if turn else ()
    hint, centre, width = "", None, None
    if q.strip() and not window_name:
        try:
            centre, width = typed(q)
        except BadInput as error:
            hint = str(error)
    shown = picture(stored, chosen(stored, window_name, centre, width), boxes)
    return site.pages.fragment(request, who, "part/picture.html", picture=shown, hint=hint)


def _pixels(stored: StoredImage) -> Response:
    return Response(stored.data, media_type=stored.media_type)
