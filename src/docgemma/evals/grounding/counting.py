"""What one criterion adds to the sums, under names that a file of records keeps: `Condition.strict`, `concepts.there`.

Shares of a whole run come from the sums over all criteria, not from the mean of their shares: a criterion with ten
entities weighs ten times one with a single entity.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping

from docgemma.evals.grounding.scoring import Aspect, Pair, Scored
from docgemma.grounding.contract import Entity, Method

BY_MODEL: Method = "agentic_model"
ATTRIBUTES: tuple[Aspect, ...] = ("negated", "quantity", "time")


def counts_of(one: Scored) -> dict[str, float]:
    """Everything of one criterion that can be summed."""
    found: Counter[str] = Counter({"criteria": 1})
    seen = () if one.line.error else one.line.entities
    for entity in one.gold.entities:
        found[f"{entity.entity_type}.there"] += 1
        found["concepts.there"] += bool(entity.umls_cui)
    for other in seen:
        found[f"{other.entity_type}.found"] += 1
        found["expert"] += other.status == "expert_review"
        found["by_model.found"] += other.grounding_method == BY_MODEL
    for pair in one.pairs:
        _count_pair(found, pair)
    found["listed_by_code"] = int(listed_by_code(one))
    return {name: float(number) for name, number in found.items() if number}


def added(counts: Iterable[Mapping[str, float]]) -> Counter[str]:
    """The sums, whole numbers all of them."""
    found: Counter[str] = Counter()
    for each in counts:
        found.update({name: round(number) for name, number in each.items()})
    return found


def invented(one: Scored) -> tuple[str, ...]:
    """Codes called grounded that no search had returned: there is no acceptable number of them but zero."""
    return tuple(
        f"{entity.text}: {entity.umls_cui}"
        for entity in one.line.entities
        if entity.status == "grounded" and entity.umls_cui not in _proposed(entity)
    )


def _count_pair(found: Counter[str], pair: Pair) -> None:
    kind = pair.gold.entity_type
    found[f"{kind}.relaxed"] += 1
    found[f"{kind}.strict"] += pair.strict
    found["by_model.right"] += pair.found.grounding_method == BY_MODEL
    for aspect in ATTRIBUTES:
        found[f"{aspect}.judged"] += aspect in pair.scored
        found[f"{aspect}.right"] += aspect in pair.scored - pair.wrong
    if not pair.gold.umls_cui:
        return
    right, grounded = "concept" not in pair.wrong, pair.found.status == "grounded"
    found["concepts.found"] += 1
    found["concepts.right"] += right
    found["concepts.grounded"] += grounded
    found["concepts.grounded_right"] += grounded and right
    found["concepts.proposed"] += pair.gold.umls_cui in {pair.found.umls_cui, *_proposed(pair.found)}


def _proposed(entity: Entity) -> set[str | None]:
    return {each.cui for each in entity.candidates}


def listed_by_code(one: Scored) -> bool:
    """Whether a model's answer was of no use, so that code listed the entities for an expert."""
    return any((step.get("action"), step.get("by")) == ("extract", "code") for step in one.line.iteration_history)
