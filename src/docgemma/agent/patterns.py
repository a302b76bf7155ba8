"""Which tools a message plainly asks for. Words and grammar decide, never a bare substring.

The answer is the union of all patterns, in the order in which one tool's result serves the next.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from itertools import pairwise

from docgemma.agent import phrases as say
from docgemma.entities.model import Entities, Mention, WriteKind, WriteRequest
from docgemma.entities.words import replaced, without_quotes
from docgemma.tools.registry import ToolName

MAX_SUBJECTS = 4
"""A turn has four steps: more drugs than that cannot each be looked up."""

WRITE_TOOLS: dict[WriteKind, ToolName] = {
    "prescribe": "prescribe_medication",
    "allergy": "add_allergy",
    "note": "save_clinical_note",
}


@dataclass(frozen=True, slots=True)
class Need:
    """A tool that the message asks for, and about which drug or substance when there are several."""

    tool: ToolName
    subject: str | None = None


def needs(message: str, entities: Entities, *, has_image: bool, patient_known: bool) -> tuple[Need, ...]:
    """Every tool the message asks for: people first, then the chart, checks, searches, and writes last."""
    if entities.small_talk:
        return ()
    asked = _asked(message, entities.writes)
    found = [
        *_patient(asked, entities, patient_known=patient_known),
        *_drug_checks(asked, entities),
        *_searches(asked),
        *_writes(entities),
    ]
    if has_image and _asks_about_image(asked, alone=not found):
        people = sum(need.tool in {"search_patient", "get_patient_chart"} for need in found)
        found.insert(people, Need("analyze_medical_image"))
    if not found and entities.patient_ids and not has_image:
        found.append(Need("get_patient_chart"))
    return tuple(dict.fromkeys(found))


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


def _asked(message: str, writes: Sequence[WriteRequest]) -> str:
    """What is left to look up, place for place: no quotation, no refusal ("don't check"), no write request.

    "Add it to her chart" does not ask to read the chart.
    """
    text = say.REFUSED.sub(lambda match: " " * len(match.group()), without_quotes(message))
    return replaced(text, ((write.start, write.end, " " * (write.end - write.start)) for write in writes))


def _patient(asked: str, entities: Entities, *, patient_known: bool) -> list[Need]:
    found: list[Need] = []
    if entities.person_names and not entities.patient_ids:
        found.append(Need("search_patient"))
    if _asks_for_chart(asked, entities, patient_known=patient_known):
        found.append(Need("get_patient_chart"))
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


def _drug_checks(asked: str, entities: Entities) -> list[Need]:
    listed = [drug for drug in entities.drugs if asked[drug.start : drug.end].strip()]
    others = [drug for drug in entities.unlisted_drugs if asked[drug.start : drug.end].strip()]
    drugs = list(dict.fromkeys(drug.value for drug in (*listed, *others)))
    together = bool(say.INTERACTION.search(asked)) or (len(drugs) > 1 and _paired(asked, listed))
    found: list[Need] = []
    if say.SAFETY.search(asked) or (say.SAFE.search(asked) and not together):
        found += [Need("check_drug_safety", drug) for drug in drugs[:MAX_SUBJECTS]]
    elif not together:
        found += [Need("check_drug_safety", drug) for drug in drugs[:MAX_SUBJECTS] if _checks(asked, drug)]
    if together and (drugs or say.CHECKING.search(asked)):
        found.append(Need("check_drug_interactions"))
    return found


def _paired(asked: str, drugs: Sequence[Mention]) -> bool:
    """Two drugs asked about together: "safe with", "can she take … and …", or simply "X with Y"."""
    if say.TOGETHER.search(asked):
        return True
    return any(say.JOINED.fullmatch(asked, one.end, other.start) for one, other in pairwise(drugs))


def _checks(asked: str, drug: str) -> bool:
    """ "Check warfarin", "amoxicillin info": the drug itself is what is looked up."""
    name = re.escape(drug).replace(r"\ ", r"\s+")
    return bool(
        re.search(
            rf"{say.LOOK}\s+(?:(?:up|on|the|about)\s+)*{name}s?(?!\w)(?!\s{{1,2}}{say.NOT_SAFETY})",
            asked,
            re.IGNORECASE,
        )
        or re.search(rf"(?<!\w){name}\s(?:info|information|label|monograph|precautions)(?!\w)", asked, re.IGNORECASE)
        or re.search(rf"(?<!\w)(?:info|information|label)\s(?:on|for|about|of)\s{name}(?!\w)", asked, re.IGNORECASE)
    )


def _searches(asked: str) -> list[Need]:
    found: list[Need] = []
    if say.LITERATURE.search(asked):
        found.append(Need("search_medical_literature"))
    if say.TRIALS.search(asked):
        found.append(Need("find_clinical_trials"))
    return found


def _writes(entities: Entities) -> list[Need]:
    found: list[Need] = []
    for write in entities.writes:
        subjects: list[str] = []
        if write.kind == "allergy":
            subjects = [item.value for item in entities.substances if write.start <= item.start < write.end]
        several = list(dict.fromkeys(subjects))
        found += [Need(WRITE_TOOLS[write.kind], subject) for subject in several] or [Need(WRITE_TOOLS[write.kind])]
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
