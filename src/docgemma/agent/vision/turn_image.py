"""The image of a turn, before anything else is decided: looked at once, or remembered, or said not to be seen."""

from __future__ import annotations

import re

from docgemma.agent.state import AttachedImage, Services, State, step
from docgemma.agent.understanding.needs import Need
from docgemma.agent.vision.looking import look_at
from docgemma.agent.vision.requests import asks_to_compare, asks_where, refers_to_image
from docgemma.agent.vision.seen import Seen, is_specific
from docgemma.clinical import By
from docgemma.entities.model import Entities
from docgemma.llm.contract import current_usage

LABEL = "Looking at the image"
EARLIER = "This is about the image that was sent earlier in this conversation ({facts})."
NO_MODEL = "The attached image was not looked at: no vision model is available."
NO_ANSWER = "The attached image was not looked at: no vision model answered."
NOT_FOLLOWED = "What was read in the image holds an instruction to a program. It was not followed."
NEED = Need("analyze_medical_image")

_QUESTION = re.compile(r"\?|\b(?:is|are|any|what|which|how|does|describe|read|look|check)\b", re.IGNORECASE)


def needs_of_image(wanted: tuple[Need, ...], request: str, entities: Entities) -> tuple[Need, ...]:
    """What is asked of the image and not of the chart: "has the effusion improved?" with two films on the screen."""
    if refers_to_image(request, entities) == "no":
        return wanted
    others = tuple(need for need in wanted if need.tool not in ("get_patient_chart", NEED.tool))
    return (*((NEED,) if is_specific(request) else ()), *others)


async def look_at_image(update: State, state: State, services: Services) -> None:
    """Put what the image shows into the state, for every later node."""
    image, prior = state.get("image"), state.get("prior")
    if image is None:
        if note := state.get("image_note"):  # one was asked for that must not be used: it has to be sent again
            update["notices"] = [*update["notices"], note]
            update["needs"] = update["needs"] or (NEED,)
        elif not update["needs"] and refers_to_image(update["request"], update["entities"]) == "this":
            update["needs"] = (NEED,)  # "this film", and none came along: it is asked for
        return
    request = update["request"]
    seen, by = await _seen(request, image, prior, services)
    update["image_findings"] = seen
    update["timeline"] += step("input_assembly", LABEL, _detail(image, prior, seen, remembered=by == "code"), by=by)
    note = state.get("image_note", "")
    told = [note] if note else []
    if image.earlier:
        told.append(EARLIER.format(facts=image.facts[0] if image.facts else image.id))
    if note and asks_to_compare(request):  # the model that writes must know it, too
        update["errors"] = [note]
    if seen is None:
        told.append(NO_ANSWER if image.pictures else NO_MODEL)
    else:
        told += [*seen.warnings, *([NOT_FOLLOWED] if seen.flagged else [])]
    update["notices"] = [*update["notices"], *told]


def image_in_answer(state: State) -> State:
    """The image that was asked for: the request that waited for it goes on, unless the message asks something."""
    pending, image = state.get("pending"), state.get("image")
    call = pending.pending if pending else None
    if call is None or "image" not in call.missing or image is None or image.earlier:
        return {}
    message = state["message"]
    own = _QUESTION.search(message) or asks_where(message) or asks_to_compare(message)
    return {
        "request": message if own else call.message,
        "timeline": step("input_assembly", "The image that was asked for", by="person"),
    }


async def _seen(
    request: str, image: AttachedImage, prior: AttachedImage | None, services: Services
) -> tuple[Seen | None, By]:
    """From memory where there is one."""
    if image.known is not None:
        return image.known.for_another(request), "code"
    seen = await look_at(services.llm, image, request, prior=prior)
    if seen is not None and services.seen is not None:
        await services.seen.keep(seen)
    return seen, "model" if seen and current_usage().answered_by == "model" else "code"


def _detail(image: AttachedImage, prior: AttachedImage | None, seen: Seen | None, *, remembered: bool) -> str:
    if seen is None:
        return "not readable without a vision model"
    which = "sent earlier; " if image.earlier else ""
    how = ", remembered" if remembered else ""
    pair = ", compared with the one before" if prior is not None and seen.compared else ""
    return f"{which}{seen.modality}: {len(seen.findings)} finding(s){pair}{how}"
