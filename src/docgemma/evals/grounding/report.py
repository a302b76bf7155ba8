"""The numbers of a grounding eval: entities by type, attributes, concepts, what went to an expert, and what it cost."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Literal

from docgemma.clinical import Frozen
from docgemma.evals.grounding.gold import GoldEntity
from docgemma.evals.grounding.scoring import Pair, Scored, agreed
from docgemma.grounding.contract import Entity, Method
from docgemma.terminology.contract import ENTITY_TYPES, EntityType

ALL = "all"
RULES = "rules"
BY_MODEL: Method = "agentic_model"


class Finding(Frozen):
    """Precision, recall and F1 of entities, in percent. None where there is nothing to divide by."""

    right: int
    found: int
    there: int
    precision: float | None
    recall: float | None
    f1: float | None


class Accuracy(Frozen):
    """How many of the judged are right, in percent."""

    right: int
    judged: int
    percent: float | None


class Difference(Frozen):
    """One thing that is not as expected."""

    what: Literal["missing", "spurious", "span", "negated", "quantity", "time", "concept", "error"]
    expected: str
    got: str


class Miss(Frozen):
    """A criterion that did not come out as expected."""

    id: str
    type: str
    text: str
    differences: tuple[Difference, ...]


class GroundingReport(Frozen):
    """What `--json` prints: one object.

    `by_model`: the relaxed score of the entities that a model named itself. `listed_by_code`: criteria for which its
    answer was of no use, so that code listed the entities for an expert; their score is not the model's.
    """

    suite: str = "grounding"
    model: str
    terminology: str
    criteria: int
    strict: dict[str, Finding]
    relaxed: dict[str, Finding]
    attributes: dict[str, Accuracy]
    concepts: dict[str, Accuracy]
    expert_review: Accuracy
    by_model: Finding | None
    listed_by_code: int
    errors: int
    model_calls: int
    model_calls_per_criterion: float
    cpu_ms_per_criterion: float
    seconds: float
    misses: tuple[Miss, ...]

    def below(self, percent: float) -> list[str]:
        """What keeps the run from passing at this mark: relaxed F1, or the accuracy of what was called grounded."""
        marks = {"relaxed F1": self.relaxed[ALL].f1, "grounded concepts": self.concepts["grounded"].percent}
        low = [f"{name} {value:.1f} %" for name, value in marks.items() if value is not None and value < percent]
        return [*low, *([f"{self.errors} criteria with an error"] if self.errors else [])]


def summarize_grounding(
    scored: Sequence[Scored], *, model: str, terminology: str, calls: int, cpu_ms: float, seconds: float
) -> GroundingReport:
    """All numbers of a run."""
    found = [entity for one in scored for entity in one.line.entities if not one.line.error]
    waiting = sum(entity.status == "expert_review" for entity in found)
    count = max(1, len(scored))
    return GroundingReport(
        model=model,
        terminology=terminology,
        criteria=len(scored),
        strict=_by_type(scored, lambda pair: pair.strict),
        relaxed=_by_type(scored, lambda pair: True),
        attributes={
            "negated": _accuracy(*agreed(scored, "negated")),
            "quantity": _accuracy(*agreed(scored, "quantity")),
            "time": _accuracy(*agreed(scored, "time")),
        },
        concepts=_concepts(scored),
        expert_review=_accuracy(waiting, len(found)),
        by_model=None if model == RULES else _finding(scored, _named_by_model, None, by_model=True),
        listed_by_code=0 if model == RULES else sum(_listed_by_code(one) for one in scored),
        errors=sum(bool(one.line.error) for one in scored),
        model_calls=calls,
        model_calls_per_criterion=round(calls / count, 2),
        cpu_ms_per_criterion=round(cpu_ms / count, 2),
        seconds=round(seconds, 1),
        misses=tuple(_miss(one) for one in scored if one.missed),
    )


def _by_type(scored: Sequence[Scored], counts: Callable[[Pair], bool]) -> dict[str, Finding]:
    rows = {kind: _finding(scored, counts, kind) for kind in ENTITY_TYPES}
    return {kind: row for kind, row in rows.items() if row.found or row.there} | {ALL: _finding(scored, counts, None)}


def _finding(
    scored: Sequence[Scored], counts: Callable[[Pair], bool], kind: EntityType | None, *, by_model: bool = False
) -> Finding:
    def fits(entity: GoldEntity | Entity) -> bool:
        return kind is None or entity.entity_type == kind

    seen = [entity for one in scored for entity in one.line.entities if not one.line.error]
    right = sum(counts(pair) and fits(pair.gold) for one in scored for pair in one.pairs)
    found = sum(fits(entity) and (not by_model or entity.grounding_method == BY_MODEL) for entity in seen)
    there = sum(fits(entity) for one in scored for entity in one.gold.entities)
    f1 = _percent(2 * right, found + there)
    return Finding(
        right=right, found=found, there=there, precision=_percent(right, found), recall=_percent(right, there), f1=f1
    )


def _named_by_model(pair: Pair) -> bool:
    return pair.found.grounding_method == BY_MODEL


def _listed_by_code(one: Scored) -> bool:
    return any((step.get("action"), step.get("by")) == ("extract", "code") for step in one.line.iteration_history)


def _concepts(scored: Sequence[Scored]) -> dict[str, Accuracy]:
    """Of entities whose concept is known: of all that are there, of those found, and of those called grounded.

    `proposed`: the right concept is among the candidates that an expert is shown.
    """
    known = [pair for one in scored for pair in one.pairs if pair.gold.umls_cui]
    there = sum(bool(entity.umls_cui) for one in scored for entity in one.gold.entities)
    right = [pair for pair in known if "concept" not in pair.wrong]
    grounded = [pair for pair in known if pair.found.status == "grounded"]
    proposed = [
        pair
        for pair in known
        if pair.gold.umls_cui in {pair.found.umls_cui, *(one.cui for one in pair.found.candidates)}
    ]
    return {
        "there": _accuracy(len(right), there),
        "found": _accuracy(len(right), len(known)),
        "grounded": _accuracy(sum("concept" not in pair.wrong for pair in grounded), len(grounded)),
        "proposed": _accuracy(len(proposed), len(known)),
    }


def _miss(one: Scored) -> Miss:
    differences = [Difference(what="error", expected="", got=one.line.error)] if one.line.error else []
    differences += [Difference(what="missing", expected=_gold(gold), got="") for gold in one.missing]
    differences += [Difference(what="spurious", expected="", got=_found(found)) for found in one.spurious]
    for pair in one.pairs:
        if not pair.strict:
            differences.append(Difference(what="span", expected=pair.gold.text, got=pair.found.text))
        for aspect in sorted(pair.wrong):
            expected, got = _told(pair, aspect)
            differences.append(Difference(what=aspect, expected=f"{pair.gold.text}: {expected}", got=got))
    return Miss(id=one.gold.id, type=one.gold.type, text=one.gold.text, differences=tuple(differences))


def _told(pair: Pair, aspect: str) -> tuple[str, str]:
    gold, found = pair.gold, pair.found
    if aspect == "negated":
        return str(gold.negated).lower(), str(found.negated).lower()
    if aspect == "quantity":
        return _words(gold.comparator, gold.value, gold.upper, gold.unit), _words(
            found.comparator, found.value, found.upper, found.unit
        )
    if aspect == "time":
        return gold.time.text if gold.time else "none", found.time.text if found.time else "none"
    told = (
        f"{found.umls_cui or 'none'} ({found.preferred_term or '–'}, {found.status}, {found.grounding_confidence:.2f})"
    )
    return gold.umls_cui or "none", told


def _gold(entity: GoldEntity) -> str:
    return f"{entity.text} ({entity.entity_type})"


def _found(entity: Entity) -> str:
    return f"{entity.text} ({entity.entity_type})"


def _words(*parts: str | None) -> str:
    return " ".join(part for part in parts if part) or "none"


def _accuracy(right: int, judged: int) -> Accuracy:
    return Accuracy(right=right, judged=judged, percent=_percent(right, judged))


def _percent(part: int, whole: int) -> float | None:
    return round(100 * part / whole, 2) if whole else None
