"""What `docgemma ground` shows. What others wrote is cleaned of anything a terminal obeys."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from docgemma.cli.render import counted, moment, one_line, table

if TYPE_CHECKING:
    from docgemma.grounding.contract import Entity, Grounded
    from docgemma.grounding.review.decision import Choice, Decision, Example, Item
    from docgemma.grounding.runs.tally import Tally
    from docgemma.terminology.contract import About, Candidate

TYPES = ("Condition", "Medication", "Procedure", "Lab_Value", "Demographic", "Biomarker")
_TEXT = 160


def tally_facts(tally: Tally) -> dict[str, Any]:
    return {
        "criteria": tally.criteria,
        "grounded_now": tally.now,
        "from_before": tally.before,
        "failed": tally.failed,
        "broken_lines": tally.broken,
        "without_entities": tally.without_entities,
        "entities": tally.entities,
        "expert_review": tally.expert_review,
        "decided_by_experts": tally.by_person,
    }


def tally_lines(tally: Tally, facts: Mapping[str, Any]) -> Iterator[str]:
    """For example: 120 criteria: 100 grounded now, 20 from before. 340 entities, 41 of them for an expert."""
    parts = [f"{tally.now:,} grounded now", f"{tally.before:,} from before"]
    parts += [f"{tally.failed:,} failed"] if tally.failed else []
    yield f"{counted(tally.criteria, 'criterion', 'criteria')}: {', '.join(parts)}."
    if not tally.criteria and not tally.broken:
        yield "The input holds no criteria."
    if tally.broken:
        yield f"{counted(tally.broken, 'line')} of the input could not be read."
    yield (
        f"{counted(tally.entities, 'entity', 'entities')}: {tally.entities - tally.expert_review:,} grounded, "
        f"{tally.expert_review:,} not; {counted(tally.without_entities, 'criterion', 'criteria')} without any."
    )
    if facts.get("items_waiting"):
        yield f"{counted(facts['items_waiting'], 'item')} to review: docgemma ground review list"
    if tally.failed:
        yield "The same command tries again what failed."


def protocols_lines(known: Sequence[tuple[str, int]]) -> Iterator[str]:
    if not known:
        yield "Nothing was grounded yet. `docgemma ground FILE --out OUT` does."
        return
    yield from table([("protocol", "criteria"), *((one_line(name), f"{count:,}") for name, count in known)])


def protocol_lines(lines: Sequence[Grounded]) -> Iterator[str]:
    for number, line in enumerate(lines):
        yield from [""] if number else []
        yield f"{one_line(line.criterion_id)} ({line.type}): {one_line(line.text)}"
        if line.error is not None:
            yield f"  ! {one_line(line.error)}"
        elif not line.entities:
            yield "  no entities"
        for entity in line.entities:
            yield f"  {_entity(entity)}"


def _entity(entity: Entity) -> str:
    """For example: HbA1c, Lab_Value: C0019018, 43396009 Hemoglobin A1c; >= 7.5 %; grounded 0.95 by rules."""
    codes = _codes(entity.umls_cui, entity.snomed_code, entity.preferred_term)
    compared = " ".join(part for part in (entity.comparator, entity.value, entity.unit) if part)
    if entity.comparator == "between":
        compared = f"{entity.value} to {entity.upper} {entity.unit or ''}".rstrip()
    told = [f"not {entity.text}" if entity.negated else entity.text]
    parts = [f"{told[0]}, {entity.entity_type}: {codes}", compared, entity.time.text if entity.time else ""]
    parts.append(f"{entity.status} {entity.grounding_confidence:.2f} by {entity.grounding_method}")
    parts.append(entity.reason)
    return one_line("; ".join(part for part in parts if part))


def _codes(cui: str | None, snomed: str | None, name: str | None) -> str:
    return " ".join(part for part in (cui, f"SNOMED {snomed}" if snomed else "", name) if part) or "no concept"


def choice_text(choice: Choice) -> str:
    return _codes(choice.umls_cui, choice.snomed_code, choice.preferred_term)


def item_rows(items: Sequence[Item]) -> Iterator[str]:
    if not items:
        yield "Nothing waits for an expert."
        return
    rows = [("item", "criteria", "type", "text", "first candidate")]
    for each in items:
        first = candidate_text(each.candidates[0]) if each.candidates else "none"
        decided = f"{each.decision.action}: {choice_text(each.decision.after)}" if each.decision else first
        rows.append((each.item, f"{each.waiting:,}", each.entity_type, one_line(each.text, 40), one_line(decided, 70)))
    yield from table(rows)


def candidate_text(candidate: Candidate) -> str:
    codes = _codes(candidate.cui, candidate.snomed_code, candidate.display)
    return f"{codes} ({candidate.ontology}, {candidate.confidence:.2f})"


def item_lines(item: Item, examples: Sequence[Example]) -> Iterator[str]:
    seen = counted(item.waiting, "criterion", "criteria")
    yield f"{one_line(item.text)} ({item.entity_type}), item {item.item}: {seen} wait for it"
    if item.reason:
        yield one_line(item.reason)
    yield f"Found: {one_line(choice_text(item.found))}"
    yield "Candidates" if item.candidates else "No candidates: give the concept with `change --cui`."
    for number, each in enumerate(item.candidates, 1):
        yield f"  {number}. {one_line(candidate_text(each))}"
    yield from ["Stands in"] if examples else []
    for example in examples:
        yield f"  {one_line(example.protocol_id)} {one_line(example.criterion_id)}: {one_line(example.text, _TEXT)}"
    if item.decision:
        yield f"Decided: {decision_line(item.decision)}"


def decision_line(decision: Decision) -> str:
    """For example: 2026-03-01 10:20 UTC ann change C1 → C2 (reason)."""
    text = f"{moment(decision.at)} {decision.who} {decision.action}: {choice_text(decision.before)}"
    text += f" → {'undecided' if decision.action == 'undo' else choice_text(decision.after)}"
    text += f" ({decision.reason})" if decision.reason else ""
    text += "" if decision.known else "; the terminology in use does not know this concept"
    return one_line(text)


def about_lines(about: About, *, where: str) -> Iterator[str]:
    yield f"Back end: {about.back_end} ({where})"
    yield f"Version: {about.version}"
    if about.concepts:
        yield f"{about.concepts:,} concepts with {about.names:,} names"
    if about.sources:
        yield f"Sources: {one_line(', '.join(about.sources))}"
    for notice in about.notices:
        yield one_line(notice)


def candidate_rows(candidates: Sequence[Candidate]) -> Iterator[str]:
    if not candidates:
        yield "No concept fits."
        return
    rows = [("confidence", "cui", "snomed", "type", "name", "from")]
    for each in candidates:
        name = one_line(each.display, 60)
        if each.matched and each.matched.casefold() != each.display.casefold():
            name += f" (as {one_line(each.matched, 40)})"
        codes = (each.cui or "-", each.snomed_code or "-", each.type or "-")
        rows.append((f"{each.confidence:.2f}", *codes, name, each.ontology))
    yield from table(rows)
