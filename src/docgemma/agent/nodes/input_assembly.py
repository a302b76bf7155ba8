"""Prepare what all later nodes need: entities, the answer to an open question, image findings, needed look-ups."""

from __future__ import annotations

import asyncio
from dataclasses import replace

from docgemma.agent.arguments import Sourced
from docgemma.agent.asking import Live
from docgemma.agent.paging import goes_on, next_page
from docgemma.agent.patients import about_this_patient
from docgemma.agent.questions import OFFERS, offer
from docgemma.agent.state import Services, State, step, today_of
from docgemma.agent.understanding.answers import answer, continued, with_name
from docgemma.agent.understanding.card_changes import CARD
from docgemma.agent.understanding.identity import relatives_beside
from docgemma.agent.understanding.needs import Need, needs
from docgemma.agent.understanding.reading import REMEMBERED, open_question, read, read_earlier
from docgemma.agent.vision.turn_image import image_in_answer, look_at_image, needs_of_image
from docgemma.clinical import Patient
from docgemma.entities.drugs.spelling import look_alikes
from docgemma.entities.model import Ask, Entities
from docgemma.reader.contract import Reader
from docgemma.tools.results import PatientSummary, match_in

READ_AHEAD_S = 5.0
ANSWERED = frozenset({"resumed", "picked", "named", "clarification", "said"})
"""Where one of these is set, the message answered a question and is no request of its own."""

BEST_ALREADY = (
    "A literature search shows the articles that fit best, and none were held back for another page. For others, ask "
    "again more narrowly: a group of people, a kind of study, a comparison, or years."
)


async def input_assembly(state: State, runtime: Live) -> State:
    """Read the message, and see whether it answers what was asked before."""
    reader = runtime.context.reader
    update = image_in_answer(state) or answer(state, reader)
    if not (ANSWERED | {"request"}) & update.keys():
        update |= _turned(state)
    earlier = tuple(state.get("earlier", ()))
    update["request"] = update.get("request", state["message"])
    entities = _read_request(state, update, reader)
    update |= {
        "entities": with_name(entities, update.get("named")),
        "read_before": read_earlier(reader, earlier[-REMEMBERED:]),
        "needs": continued(_needs(state, update, entities), update, settled=state.get("pinned") is not None),
        "runs": update.get("runs", ()),
        "steps": 0,
        "retries": 0,
        "total_retries": 0,
    }
    update["timeline"] = [*update.get("timeline", []), *step("input_assembly", "Reading the question", _seen(update))]
    update["notices"] = [*update.get("notices", []), *_read_as(entities), *_beware(entities)]
    about = _on_screen(state, update) or state.get("bound")
    if about is not None and not entities.small_talk:
        await _read_ahead(update, about, runtime.context)
    if not (update["needs"] or ANSWERED & update.keys()):
        _offer(update, entities)
    await look_at_image(update, state, runtime.context)
    return update


def _on_screen(state: State, update: State) -> Patient | None:
    return update.get("picked") or state.get("pinned")


def _read_request(state: State, update: State, reader: Reader) -> Entities:
    """The request as it is read, with what the answer to a question tells of a person besides."""
    known = (_on_screen(state, update) or state.get("recent")) is not None
    earlier, agreed = tuple(state.get("earlier", ())), update.get("agreed", ())
    pending = state.get("pending")
    waits = pending is not None and pending.pending is not None and pending.reason != CARD
    own = waits and update["request"] == state["message"]
    asked = open_question(pending) if own and pending is not None else None  # "maybe" goes on with nothing
    entities = read(reader, update["request"], earlier=earlier, on_screen=known, agreed=agreed, asked=asked)
    entities = replace(entities, has_image=state.get("image") is not None)
    here = _on_screen(state, update)
    if here is not None and entities.relatives:
        others = relatives_beside(entities, match_in(here.banner, here.id), today_of(state))
        entities = replace(entities, relatives=others)
    heard = update.get("heard")
    return entities if heard is None else _with_answer(entities, heard)


def _needs(state: State, update: State, entities: Entities) -> tuple[Need, ...]:
    """The look-ups and entries that the request asks for, before what an answered question goes on with."""
    if "page" in update:
        return (Need("find_clinical_trials"),)
    if update.get("said") == BEST_ALREADY:
        return ()
    here, with_image = _on_screen(state, update), state.get("image") is not None
    known = (here or state.get("recent")) is not None
    wanted = needs(entities, has_image=with_image, patient_known=known)
    wanted = needs_of_image(wanted, update["request"], entities) if with_image else wanted
    return about_this_patient(wanted, entities, here)


def _with_answer(entities: Entities, heard: Entities) -> Entities:
    """The request with what its answer tells of the patient, and with the look-ups that the answer asks for besides."""
    own = len(entities.text) - len(heard.text)
    more = tuple(replace(ask, start=ask.start + own, end=ask.end + own) for ask in heard.asks)
    return replace(
        entities,
        birth_dates=(*entities.birth_dates, *heard.birth_dates),
        asks=_once((*entities.asks, *more)),
        unaccounted=(),
    )


def _once(asks: tuple[Ask, ...]) -> tuple[Ask, ...]:
    kept: dict[tuple[str, tuple[str, ...], str], Ask] = {}
    for ask in asks:
        topic = ask.topic.value.casefold() if ask.topic else ""
        kept.setdefault((ask.tool, tuple(drug.value.casefold() for drug in ask.drugs), topic), ask)
    return tuple(kept.values())


def _offer(update: State, entities: Entities) -> None:
    """What the message may have asked for is offered, one thing at a time; a write never happens without."""
    tool = next((tool for tool in entities.doubtful if tool in OFFERS), None)
    if tool is None or entities.undoable or entities.small_talk:
        return
    update["clarification"] = offer(tool, update["request"])
    update["timeline"] += step("input_assembly", "Understanding the request", "asks whether it was asked for")


async def _read_ahead(update: State, patient: Patient, services: Services) -> None:
    """Allergies, medications and problems of the patient on screen, for every later node. A gap is said, not hidden."""
    if services.charts is None:
        return
    try:
        async with asyncio.timeout(READ_AHEAD_S):
            summary = await services.charts.summary(patient.id)
    except TimeoutError:
        summary = PatientSummary(status="unavailable", error_type="timeout")
    if summary.status == "found":
        update["summary"] = summary
        read = f"{len(summary.allergies)} allergies, {len(summary.medications)} medications"
        gaps = [f"The patient's summary is incomplete: {what}" for what in summary.not_checked]
    else:
        read = summary.status
        gaps = [f"The patient's allergies, medications and problems were not read. {summary.message}".strip()]
    update["timeline"] += step("input_assembly", "Reading the patient's summary", read, by="tool")
    update["notices"] = [*update["notices"], *gaps]


def _read_as(entities: Entities) -> list[str]:
    """A name in look-alike or invisible characters is read as what it looks like, and never silently."""
    taken = {drug.start for drug in entities.drugs}
    return [
        f"“{drug.text}” is written with look-alike or invisible characters and was read as {drug.value}."
        for drug in entities.disguised_drugs
        if drug.start in taken
    ]


def _beware(entities: Entities) -> list[str]:
    """What is error-prone in an order and was still read: the person who approves it sees how."""
    orders = [write for write in entities.writes if write.kind == "prescribe"]
    inside = [trap for trap in entities.traps if any(order.start <= trap.start < order.end for order in orders)]
    alike = {order.drug.value: look_alikes(order.drug.value) for order in entities.orders}
    return [
        *(trap.question for trap in inside if trap.severity == "warn"),
        *(
            f"Check the name: {drug} is easily taken for {' or '.join(names)}."
            for drug, names in alike.items()
            if names
        ),
    ]


def _turned(state: State) -> State:
    """ "More" after a trial search is that search with all it was told, one page further on. Articles have no pages."""
    before = state.get("searched")
    if before is None or state.get("image"):
        return {}
    if before.kind == "literature":
        asked = before.ended == "found" and goes_on(state["message"])
        return {"said": BEST_ALREADY, "timeline": step("input_assembly", "More of the same search")} if asked else {}
    page = next_page(state["message"], before)
    if page is None:
        return {}
    told = {"condition": Sourced(before.condition, "earlier")}
    told |= {"status": Sourced(before.status, "earlier")} if before.status else {}
    return {"request": before.question, "page": page, "resumed": ("find_clinical_trials", told)}


def _seen(update: State) -> str:
    """What was noticed, by kind and number only: the timeline repeats no patient data."""
    entities = update["entities"]
    kinds = {
        "drug": len(entities.drug_names()),
        "patient id": len(entities.patient_ids),
        "name": len(entities.person_names),
    }
    return ", ".join(f"{count} {kind}{'s' if count > 1 else ''}" for kind, count in kinds.items() if count)
