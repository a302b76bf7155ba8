"""The tools that a message needs, in the order in which one's result serves the next, and what is left to choose."""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from itertools import pairwise

from docgemma.entities.model import Ask, Entities, Mention, WriteKind
from docgemma.tools.registry import ToolName

MOST_TOGETHER = 8
"""More drugs than this do not fit into one interaction check."""

SEARCHES: frozenset[ToolName] = frozenset({"search_medical_literature", "find_clinical_trials"})
"""What is asked of public services, about no person."""

WRITE_TOOLS: dict[WriteKind, ToolName] = {
    "prescribe": "prescribe_medication",
    "allergy": "add_allergy",
    "note": "save_clinical_note",
}
_SAME_PERSON = re.compile(r"(?:mrn|no\.?|number|record|hosp\w{0,8}|id)[\s.:#]{0,4}$|[(/]\s{0,3}$", re.IGNORECASE)
_AND_NUMBER = re.compile(
    r"\s?(?:and|with)\s(?:(?:his|her|the)\s)?(?:mrn|record\s(?:no|number))[\s.:#]{0,3}", re.IGNORECASE
)
""" "Id X and MRN Y" are two numbers of one person."""

_JOINED = re.compile(r"(?<!\w)(?:and|&|plus|vs|or|both|then)(?!\w)", re.IGNORECASE)
_SOMEBODY = re.compile(
    r"(?<!\w)(?:s?he|her|hers|him|his|(?:th(?:is|e|at)|my|our)\s(?:patient|pt|lady|gentleman|woman|man|girl|boy|baby|child))(?!\w)",
    re.IGNORECASE,
)
"""A pronoun: the question is about somebody, and not about a drug in general."""


@dataclass(frozen=True, slots=True)
class Need:
    """A tool that the message asks for, and about which drug, substance, person or topic when there are several."""

    tool: ToolName
    subject: str | None = None
    if_taken: bool = False  # a check of one drug with the chart's medicines: of no use where the chart lists none
    if_alone: bool = False  # the drug itself, where the chart lists no other to check it with


def needs(entities: Entities, *, has_image: bool, patient_known: bool) -> tuple[Need, ...]:
    """Every tool the message asks for: people and charts first, then look-ups as they are asked for, writes last."""
    wanted = entities.asks
    for_somebody = _is_for_somebody(entities, patient_known=patient_known)
    found = _patients(entities, chart=for_somebody)
    if has_image and any(ask.tool == "analyze_medical_image" for ask in wanted):
        found.append(Need("analyze_medical_image"))
    found += _look_ups(wanted, for_somebody=for_somebody)
    found += _writes(entities)
    return tuple(dict.fromkeys(found))


def left_over(entities: Entities, wanted: Sequence[Need]) -> tuple[str, ...]:
    """The drugs beyond the first eight of an interaction check."""
    if not any(need.tool == "check_drug_interactions" for need in wanted):
        return ()
    subjects = {need.subject for need in wanted}
    return tuple(name for name in joint_drugs(entities.asks)[MOST_TOGETHER:] if name not in subjects)


def joint_drugs(wanted: Sequence[Ask]) -> list[str]:
    """All drugs whose interactions are asked for, each once: one check covers every pair."""
    found = (drug.value for ask in wanted if ask.tool == "check_drug_interactions" for drug in ask.drugs)
    return list(dict.fromkeys(found))


def candidates(
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
    drugs = len(entities.drug_names())
    open_tools: dict[ToolName, bool] = {
        "check_drug_safety": True,
        "check_drug_interactions": drugs != 1,
        "search_medical_literature": True,
        "find_clinical_trials": True,
        "search_patient": bool(entities.person_names),
        "get_patient_chart": person,
        "analyze_medical_image": has_image,
        **{tool: any(write.kind == kind for write in entities.writes) for kind, tool in WRITE_TOOLS.items()},
    }
    scores: dict[str, int] = {
        "check_drug_safety": 3 * (drugs == 1) + 2 * (drugs > 1),
        "check_drug_interactions": 3 * (drugs > 1),
        "search_medical_literature": 1,
        "search_patient": 4 * bool(entities.person_names and not entities.patient_ids),
        "get_patient_chart": 4 * bool(entities.patient_ids),
        "analyze_medical_image": 5 * has_image,
        **dict.fromkeys(entities.doubtful, 6),
        **{ask.tool: 7 for ask in entities.asks},
        **{WRITE_TOOLS[write.kind]: 8 for write in entities.writes},
    }
    left = [tool for tool, is_open in open_tools.items() if is_open and tool not in done]
    return tuple(sorted(left, key=lambda tool: -scores.get(tool, 0)))


def asks_for(entities: Entities, tool: str) -> list[Ask]:
    """The look-ups of one kind."""
    return [ask for ask in entities.asks if ask.tool == tool]


def _is_for_somebody(entities: Entities, *, patient_known: bool) -> bool:
    """A drug is asked about for one patient: what that patient has and takes belongs to the answer."""
    if not any(ask.tool in ("check_drug_safety", "check_drug_interactions") for ask in entities.asks):
        return False
    if any(ask.tool == "check_drug_interactions" and ask.with_taken for ask in entities.asks):
        return bool(patient_known or entities.person_names or entities.patient_ids)
    if entities.writes or any(ask.tool == "get_patient_chart" for ask in entities.asks):
        return False  # the patient belongs to the other request
    named = bool(entities.person_names or entities.patient_ids)
    return named or (patient_known and _SOMEBODY.search(entities.text) is not None)


def _patients(entities: Entities, *, chart: bool) -> list[Need]:
    """Who is looked up and whose chart is read: one person after the other, each by name when there are several."""
    charts = chart or any(ask.tool == "get_patient_chart" for ask in entities.asks)
    searched = any(ask.tool == "search_patient" for ask in entities.asks)
    if not (charts or searched or entities.writes):
        return []
    names = _each(entities.person_names)
    ids = _each(entities.patient_ids)
    if len(names) + len(ids) < 2 or (len(names) < 2 and (len(ids) == 1 or is_one_person(entities))):
        look = bool(names) and (not ids or (searched and not charts))
        return [*([Need("search_patient")] if look else []), *([Need("get_patient_chart")] if charts else [])]
    found: list[Need] = []
    for mention in sorted((*entities.person_names, *entities.patient_ids), key=lambda one: one.start):
        if mention.value in names:
            found.append(Need("search_patient", mention.value))
        if charts and (mention.value in ids or mention.value in names):
            found.append(Need("get_patient_chart", mention.value))
    return found


def is_one_person(entities: Entities) -> bool:
    """An id and a record number side by side are one person's; what "and" or a comma joins are several people's."""
    ids = sorted(entities.patient_ids, key=lambda one: one.start)
    gaps = [entities.text[one.end : other.start] for one, other in pairwise(ids)]
    return bool(gaps) and all(
        _AND_NUMBER.fullmatch(gap) or (_SAME_PERSON.search(gap) and not _JOINED.search(gap)) for gap in gaps
    )


def _each(mentions: Sequence[Mention]) -> list[str]:
    return list(dict.fromkeys(mention.value for mention in mentions))


def _look_ups(wanted: Sequence[Ask], *, for_somebody: bool) -> list[Need]:
    """Checks and searches in the order in which they are asked for; a search names its topic only beside another."""
    topics: dict[str, set[str]] = {}
    for ask in wanted:
        topics.setdefault(ask.tool, set()).update({ask.topic.value} if ask.topic else ())
    found: list[Need] = []
    beside = for_somebody and not any(ask.tool == "check_drug_interactions" for ask in wanted)
    for ask in wanted:
        if ask.tool == "check_drug_safety":
            if beside:
                found.append(Need("check_drug_interactions", if_taken=True))
            found.append(Need("check_drug_safety", ask.drugs[0].value if ask.drugs else None))
        elif ask.tool == "check_drug_interactions":
            alone = for_somebody and ask.with_taken and len(ask.drugs) == 1
            found.append(Need("check_drug_interactions", if_taken=alone))
            found += [Need("check_drug_safety", ask.drugs[0].value, if_alone=True)] if alone else []
        elif ask.tool in SEARCHES:
            subject = ask.topic.value if ask.topic and len(topics[ask.tool]) > 1 else None
            found.append(Need(ask.tool, subject))
    return found


def _writes(entities: Entities) -> list[Need]:
    """One need an entry: several drugs are several orders, several substances several allergies."""
    found: list[Need] = []
    for write in entities.writes:
        tool = WRITE_TOOLS[write.kind]
        subjects: list[str] = []
        if write.kind == "allergy" and len(entities.allergies) > 1:
            subjects = [entry.substance.value for entry in entities.allergies]
        elif write.kind == "prescribe" and len(entities.orders) > 1:
            subjects = [order.drug.value for order in entities.orders]
        found += [Need(tool, subject) for subject in subjects] or [Need(tool)]
    return found
