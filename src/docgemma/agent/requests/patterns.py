"""Which tools a message plainly asks for. Words and grammar decide, never a bare substring.

The answer is the union of all patterns, in the order in which one tool's result serves the next.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence
from dataclasses import dataclass

from docgemma.agent.requests import phrases as say
from docgemma.agent.requests.drug_questions import asked_drugs, goes_together, safety_subjects
from docgemma.agent.requests.follow_ups import follow_up
from docgemma.agent.requests.people import named_people
from docgemma.entities.model import Entities, WriteKind
from docgemma.entities.topics import find_topics, names_article, names_trial
from docgemma.entities.words import replaced, without_quotes
from docgemma.tools.registry import ToolName

__all__ = ["MOST_TOGETHER", "Need", "candidates", "follow_up", "left_over", "needs"]

MOST_TOGETHER = 8
"""More drugs than this do not fit into one interaction check."""

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


def needs(message: str, entities: Entities, *, has_image: bool, patient_known: bool) -> tuple[Need, ...]:
    """Every tool the message asks for: people first, then the chart, checks, searches, and writes last."""
    if entities.small_talk:
        return ()
    asked = _asked(message, entities)
    found = [
        *_patients(message, asked, entities, patient_known=patient_known),
        *_drug_checks(asked, entities),
        *_searches(asked, entities),
        *_writes(entities),
    ]
    if has_image and _asks_about_image(asked, alone=not found):
        people = sum(need.tool in {"search_patient", "get_patient_chart"} for need in found)
        found.insert(people, Need("analyze_medical_image"))
    if not found and entities.patient_ids and not entities.undoable and not has_image:
        found = _charts(list(dict.fromkeys(mention.value for mention in entities.patient_ids)))
    return tuple(dict.fromkeys(found))


def left_over(message: str, entities: Entities, wanted: Sequence[Need]) -> tuple[str, ...]:
    """What the message asks for and no need covers: the drugs beyond the first eight of an interaction check."""
    if not any(need.tool == "check_drug_interactions" for need in wanted):
        return ()
    subjects = {need.subject for need in wanted}
    drugs = sorted((*entities.drugs, *entities.unlisted_drugs), key=lambda drug: drug.start)
    names = list(dict.fromkeys(drug.value for drug in drugs))
    return tuple(name for name in names[MOST_TOGETHER:] if name not in subjects)


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
        "search_patient": bool(entities.person_names) or bool(say.PATIENT.search(message)),
        "get_patient_chart": person,
        "analyze_medical_image": has_image,
        **{tool: any(write.kind == kind for write in entities.writes) for kind, tool in WRITE_TOOLS.items()},
    }
    left = [tool for tool, is_open in open_tools.items() if is_open and tool not in done]
    scores = _likelihood(message, entities, has_image=has_image, person=person)
    return tuple(sorted(left, key=lambda tool: -scores.get(tool, 0)))


def _asked(message: str, entities: Entities) -> str:
    """What is left to look up, place for place: no quotation, no refusal ("don't check"), nothing to be done.

    "Add it to her chart" does not ask to read the chart, and neither does "stop it".
    """
    text = say.REFUSED.sub(lambda match: " " * len(match.group()), without_quotes(message))
    writes = [(write.start, write.end) for write in entities.writes]
    spans = sorted([*writes, *((told.start, told.end) for told in entities.undoable)])
    return replaced(text, ((start, end, " " * (end - start)) for start, end in spans))


def _patients(message: str, asked: str, entities: Entities, *, patient_known: bool) -> list[Need]:
    """Who is looked up and whose chart is read: one person after the other, each by name when there are several."""
    chart = _asks_for_chart(asked, entities, patient_known=patient_known)
    people = named_people(message, entities)
    if len(people) < 2:
        search = any(not is_id for is_id in people.values())
        return [*([Need("search_patient")] if search else []), *([Need("get_patient_chart")] if chart else [])]
    mentions = (*entities.patient_ids, *entities.person_names)
    shown = {item.value for item in mentions if asked[item.start : item.end].strip()} & {*people} or {*people}
    found: list[Need] = []
    for who, is_id in people.items():
        found += [] if is_id else [Need("search_patient", who)]
        found += [Need("get_patient_chart", who)] if chart and who in shown else []
    return found


def _asks_for_chart(asked: str, entities: Entities, *, patient_known: bool) -> bool:
    named = _with_people(asked, entities)
    if say.CHART_OF.search(named) or say.CHART_FOR.search(named):
        return True
    if say.ABOUT_PERSON.search(named) and not (say.SAFETY.search(named) and entities.drugs):
        return True
    return patient_known and bool(say.CHART_COMMAND.search(named))


def _with_people(asked: str, entities: Entities) -> str:
    """Names and ids replaced by one stand-in, so that patterns need not know any of them."""
    people = sorted((*entities.patient_ids, *entities.person_names), key=lambda mention: mention.start)
    here = (mention for mention in people if asked[mention.start : mention.end].strip())
    return replaced(asked, ((mention.start, mention.end, say.SOMEONE) for mention in here))


def _charts(ids: Sequence[str]) -> list[Need]:
    return [Need("get_patient_chart", one if len(ids) > 1 else None) for one in ids]


def _drug_checks(asked: str, entities: Entities) -> list[Need]:
    drugs = asked_drugs(asked, entities)
    found = [Need("check_drug_safety", drug) for drug in safety_subjects(asked, drugs)]
    if goes_together(asked, drugs) and (drugs or say.CHECKING.search(asked)):
        found.append(Need("check_drug_interactions"))
    return found


def _searches(asked: str, entities: Entities) -> list[Need]:
    found: list[Need] = []
    if say.LITERATURE.search(asked) or names_article(asked):
        topics = find_topics(asked, (*entities.patient_ids, *entities.person_names))
        found += _each("search_medical_literature", [topic.value for topic in topics])
    if say.TRIALS.search(asked) or names_trial(asked):
        found += _each("find_clinical_trials", [condition.value for condition in entities.conditions])
    return found


def _each(tool: ToolName, subjects: Sequence[str]) -> list[Need]:
    """One need for each subject; a single one needs no name."""
    several = list(dict.fromkeys(subjects))
    return [Need(tool, subject) for subject in several] if len(several) > 1 else [Need(tool)]


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
    scores: dict[ToolName, int] = {
        "check_drug_safety": 3 * (drugs == 1) + 2 * (drugs > 1) + 2 * bool(say.SAFETY.search(message)),
        "check_drug_interactions": 3 * (drugs > 1) + 3 * bool(say.INTERACTION.search(message)),
        "search_medical_literature": 1 + 4 * bool(say.LITERATURE.search(message)),
        "find_clinical_trials": 4 * bool(say.TRIALS.search(message)),
        "search_patient": 4 * bool(entities.person_names and not entities.patient_ids),
        "get_patient_chart": 4 * bool(entities.patient_ids) + 2 * (person and bool(say.CHART_WORD.search(message))),
        "analyze_medical_image": 5 * has_image,
    }
    return scores | {WRITE_TOOLS[write.kind]: 8 for write in entities.writes}
