"""Which tools a message plainly asks for. Words and grammar decide, never a bare substring.

The answer is the union of all patterns, in the order in which one tool's result serves the next.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Collection, Sequence
from dataclasses import dataclass

from docgemma.agent.requests import phrases as say
from docgemma.agent.requests.asks import Ask, asks, own_words
from docgemma.agent.requests.chart_phrases import CHART_WORD
from docgemma.agent.requests.follow_ups import follow_up, repeats_no_order
from docgemma.agent.requests.people import PATIENT, is_sought, named_people
from docgemma.entities.model import Entities, WriteKind
from docgemma.entities.searches.words import heads
from docgemma.tools.registry import ToolName

__all__ = ["MOST_TOGETHER", "Need", "candidates", "follow_up", "left_over", "needs", "repeats_no_order"]

MOST_TOGETHER = 8
"""More drugs than this do not fit into one interaction check."""

SEARCHES: frozenset[ToolName] = frozenset({"search_medical_literature", "find_clinical_trials"})
"""What is asked of public services, about no person."""

_LONGEST_READ = 4000
"""How much of a message is weighed when no pattern fits."""

WRITE_TOOLS: dict[WriteKind, ToolName] = {
    "prescribe": "prescribe_medication",
    "allergy": "add_allergy",
    "note": "save_clinical_note",
}


@dataclass(frozen=True, slots=True)
class Need:
    """A tool that the message asks for, and about which drug, substance, person or topic when there are several."""

    tool: ToolName
    subject: str | None = None
    if_taken: bool = False  # a check of one drug with the chart's medicines: of no use where the chart lists none


def needs(message: str, entities: Entities, *, has_image: bool, patient_known: bool) -> tuple[Need, ...]:
    """Every tool the message asks for: people and charts first, then look-ups as they are asked for, writes last."""
    if entities.small_talk:
        return ()
    wanted = asks(message, entities, patient_known=patient_known)
    people = _patients(message, wanted, entities)
    others = [*_look_ups(wanted), *_writes(entities)]
    if _only_searched(wanted, others, message, entities):
        people = []
    if has_image and _asks_about_image(own_words(message, entities), alone=not (people or others)):
        people.append(Need("analyze_medical_image"))
    found = [*people, *others]
    named_only = bool(entities.patient_ids) and not (entities.undoable or has_image or say.ENTRY_REFUSED.match(message))
    if not found and named_only:
        found = _charts(list(dict.fromkeys(mention.value for mention in entities.patient_ids)))
    return tuple(dict.fromkeys(found))


def _only_searched(wanted: Sequence[Ask], others: Sequence[Need], message: str, entities: Entities) -> bool:
    """ "Any trials for Mrs X's gout?" needs her gout and nothing else of hers: she is not looked up for it."""
    searched = bool(others) and all(need.tool in SEARCHES for need in others) and all(ask.topic for ask in wanted)
    return searched and not is_sought(message, entities)


def left_over(message: str, entities: Entities, wanted: Sequence[Need]) -> tuple[str, ...]:
    """What the message asks for and no need covers: the drugs beyond the first eight of an interaction check."""
    if not any(need.tool == "check_drug_interactions" for need in wanted):
        return ()
    subjects = {need.subject for need in wanted}
    names = joint_drugs(asks(message, entities))
    return tuple(name for name in names[MOST_TOGETHER:] if name not in subjects)


def joint_drugs(wanted: Sequence[Ask]) -> list[str]:
    """All drugs whose interactions are asked for, each once: one check covers every pair."""
    found = (drug.value for ask in wanted if ask.tool == "check_drug_interactions" for drug in ask.drugs)
    return list(dict.fromkeys(found))


def candidates(
    message: str,
    entities: Entities,
    needs_left: Sequence[Need],
    *,
    has_image: bool,
    patient_known: bool,
    done: Collection[str] = (),
) -> tuple[ToolName, ...]:
    """What stage 1 may choose from, likeliest first: the next need alone, else every tool that could make sense."""
    if needs_left:
        return (needs_left[0].tool,)
    person = patient_known or bool(entities.patient_ids)
    open_tools: dict[ToolName, bool] = {
        "check_drug_safety": True,
        "check_drug_interactions": len(entities.drug_names()) != 1 or bool(say.INTERACTION.search(message)),
        "search_medical_literature": True,
        "find_clinical_trials": True,
        "search_patient": bool(entities.person_names) or bool(PATIENT.search(message)),
        "get_patient_chart": person,
        "analyze_medical_image": has_image,
        **{tool: any(write.kind == kind for write in entities.writes) for kind, tool in WRITE_TOOLS.items()},
    }
    left = [tool for tool, is_open in open_tools.items() if is_open and tool not in done]
    scores = _likelihood(message, entities, has_image=has_image, person=person)
    return tuple(sorted(left, key=lambda tool: -scores.get(tool, 0)))


def _patients(message: str, wanted: Sequence[Ask], entities: Entities) -> list[Need]:
    """Who is looked up and whose chart is read: one person after the other, each by name when there are several."""
    charts = [ask for ask in wanted if ask.tool == "get_patient_chart"]
    people = named_people(message, entities)
    if len(people) < 2:
        search = any(not is_id for is_id in people.values())
        return [*([Need("search_patient")] if search else []), *([Need("get_patient_chart")] if charts else [])]
    shown = _whose(charts, entities, people)
    found: list[Need] = []
    for who, is_id in people.items():
        found += [] if is_id else [Need("search_patient", who)]
        found += [Need("get_patient_chart", who)] if who in shown else []
    return found


def _whose(charts: Sequence[Ask], entities: Entities, people: Collection[str]) -> set[str]:
    """Whose charts are asked for: those named in the part that asks, else the last person named before it."""
    mentions = [item for item in (*entities.patient_ids, *entities.person_names) if item.value in people]
    mentions.sort(key=lambda item: item.start)
    starts = [item.start for item in mentions]
    shown: set[str] = set()
    for ask in charts:
        named = {item.value for item in ask.people if item.value in people}
        before = bisect_left(starts, ask.start)
        shown |= named or ({mentions[before - 1].value} if before else {*people})
    return shown


def _charts(ids: Sequence[str]) -> list[Need]:
    return [Need("get_patient_chart", one if len(ids) > 1 else None) for one in ids]


def _look_ups(wanted: Sequence[Ask]) -> list[Need]:
    """Checks and searches in the order in which they are asked for; a search names its topic only beside another."""
    topics: dict[ToolName, set[str]] = {}
    for ask in wanted:
        topics.setdefault(ask.tool, set()).update({ask.topic.value} if ask.topic else ())
    found: list[Need] = []
    for ask in wanted:
        if ask.tool == "check_drug_safety":
            found.append(Need(ask.tool, ask.drugs[0].value))
        elif ask.tool == "check_drug_interactions":
            found.append(Need(ask.tool, if_taken=_only_with_taken(wanted)))
        elif ask.tool != "get_patient_chart":
            found.append(Need(ask.tool, ask.topic.value if ask.topic and len(topics[ask.tool]) > 1 else None))
    return found


def _only_with_taken(wanted: Sequence[Ask]) -> bool:
    """ "Can she have X?", where the label of X is read as well, and no other question about drugs together."""
    together = [ask for ask in wanted if ask.tool == "check_drug_interactions"]
    names, read = joint_drugs(together), {ask.drugs[0].value for ask in wanted if ask.tool == "check_drug_safety"}
    return len(names) == 1 and names[0] in read and all(ask.with_taken for ask in together)


def _writes(entities: Entities) -> list[Need]:
    found: list[Need] = []
    for write in entities.writes:
        tool = WRITE_TOOLS[write.kind]
        inside = range(write.start, write.end)
        if write.kind == "allergy":
            subjects = [entry.substance.value for entry in entities.allergies if entry.substance.start in inside]
            found += [Need(tool, subject) for subject in subjects] or [Need(tool)]
        elif write.kind == "prescribe" and len(entities.orders) > 1:
            ordered = [order.drug.value for order in entities.orders if order.drug.start in inside]
            found += [Need(tool, drug) for drug in ordered]
        else:
            found.append(Need(tool))
    return found


def _asks_about_image(asked: str, *, alone: bool) -> bool:
    """A question beyond "what do you see": general findings are made for every image anyway."""
    if not alone and not say.IMAGE.search(asked):
        return False
    rest = say.GENERAL_LOOK.sub(" ", asked)
    return bool(re.search(r"[a-z]{3}", rest, re.IGNORECASE))


def _likelihood(message: str, entities: Entities, *, has_image: bool, person: bool) -> dict[ToolName, int]:
    drugs = len(entities.drug_names())
    searched = {kind for _, _, kind in heads(message[:_LONGEST_READ])}
    scores: dict[ToolName, int] = {
        "check_drug_safety": 3 * (drugs == 1) + 2 * (drugs > 1) + 2 * bool(say.SAFETY.search(message)),
        "check_drug_interactions": 3 * (drugs > 1) + 3 * bool(say.INTERACTION.search(message)),
        "search_medical_literature": 1 + 4 * ("literature" in searched),
        "find_clinical_trials": 4 * ("trials" in searched),
        "search_patient": 4 * bool(entities.person_names and not entities.patient_ids),
        "get_patient_chart": 4 * bool(entities.patient_ids) + 2 * (person and bool(CHART_WORD.search(message))),
        "analyze_medical_image": 5 * has_image,
    }
    return scores | {WRITE_TOOLS[write.kind]: 8 for write in entities.writes}
