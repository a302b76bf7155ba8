"""The suite `grounding`: criteria with known entities, through the same grounding that a run uses.

Nothing is kept: no run, no review decision and no output of anybody's is read or written. The terminology is the
user's own, because it is what is measured.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import AsyncIterator, Iterable, Mapping
from contextlib import asynccontextmanager
from functools import partial
from typing import Any

from docgemma.config import Settings
from docgemma.errors import DocGemmaError
from docgemma.evals.gold_criteria import ATTRIBUTES, Aspect, GoldCriterion, GoldEntity, Pair, Scored, score
from docgemma.evals.suite import RULES, Asked, Bench, CaseRecord, Difference, Outcome, Suite, Variant, metered
from docgemma.grounding.contract import Criterion, Entity, Grounded, Method
from docgemma.grounding.engines.contract import Ground
from docgemma.terminology.contract import ENTITY_TYPES

BY_MODEL: Method = "agentic_model"
_NOTHING = "nothing"

# ----------
# What one criterion adds to the sums, under names that a file of records keeps: `Condition.strict`, `concepts.there`.
#
# Shares of a whole run come from the sums over all criteria, not from the mean of their shares: a criterion with ten
# entities weighs ten times one with a single entity.


def counts_of(one: Scored) -> dict[str, float]:
    """Everything of one criterion that can be summed."""
    found: Counter[str] = Counter({"criteria": 1, "listed_by_code": one.listed_by_code})
    for entity in one.gold.entities:
        found[f"{entity.entity_type}.there"] += 1
        found["concepts.there"] += bool(entity.umls_cui)
    for other in () if one.line.error else one.line.entities:
        found[f"{other.entity_type}.found"] += 1
        found["expert"] += other.status == "expert_review"
        found["by_model.found"] += other.grounding_method == BY_MODEL
    for pair in one.pairs:
        _count_pair(found, pair)
    return {name: float(number) for name, number in found.items() if number}


def _count_pair(found: Counter[str], pair: Pair) -> None:
    kind = pair.gold.entity_type
    found[f"{kind}.relaxed"] += 1
    found[f"{kind}.strict"] += pair.strict
    found["by_model.right"] += pair.found.grounding_method == BY_MODEL
    for aspect in ATTRIBUTES:
        found[f"{aspect}.judged"] += aspect in pair.right
        found[f"{aspect}.right"] += pair.right.get(aspect, False)
    if pair.gold.umls_cui:
        right, grounded = pair.right["concept"], pair.found.status == "grounded"
        found["concepts.found"] += 1
        found["concepts.right"] += right
        found["concepts.grounded"] += grounded
        found["concepts.grounded_right"] += grounded and right
        found["concepts.proposed"] += pair.gold.umls_cui in {pair.found.umls_cui, *_proposed(pair.found)}


def invented(one: Scored) -> tuple[str, ...]:
    """Codes called grounded that no search had returned: there is no acceptable number of them but zero."""
    return tuple(
        f"{entity.text}: {entity.umls_cui}"
        for entity in one.line.entities
        if entity.status == "grounded" and entity.umls_cui not in _proposed(entity)
    )


def _proposed(entity: Entity) -> set[str | None]:
    return {each.cui for each in entity.candidates}


def scores_of(counts: Mapping[str, float], *, error: bool = False) -> dict[str, float]:
    """`attributes` are judged on what was found; `concepts` on all entities that have one, found or not.

    A criterion without a line (`error`) missed everything that is in it. Nothing found where nothing is there is right.
    """
    sums = added([counts])
    there, found, coded = _all(sums, "there"), _all(sums, "found"), sums["concepts.there"]
    judged, right = (sum(sums[f"{name}.{what}"] for name in ATTRIBUTES) for what in ("judged", "right"))
    if error:
        names = {"entities": True, "strict": True, "attributes": bool(there), "concepts": bool(coded)}
        return {name: 0.0 for name, asked in names.items() if asked}
    f1 = {name: 2 * _all(sums, name) / (found + there) if found + there else 1.0 for name in ("relaxed", "strict")}
    return {
        "entities": f1["relaxed"],
        "strict": f1["strict"],
        **({"attributes": right / judged} if judged else {}),
        **({"concepts": sums["concepts.right"] / coded} if coded else {}),
    }


# ----------
# Every miss in words.


def differences_of(one: Scored) -> tuple[Difference, ...]:
    """What is missing, what is too much, and what is wrong about what was found."""
    found = [Difference(column="entities", expected=_named(gold), got=_NOTHING) for gold in one.missing]
    found += [Difference(column="entities", expected=_NOTHING, got=_named(other)) for other in one.spurious]
    for pair in one.pairs:
        if not pair.strict:
            found.append(Difference(column="strict", expected=pair.gold.text, got=pair.found.text))
        for aspect in sorted(pair.wrong):
            column = "concepts" if aspect == "concept" else "attributes"
            expected = f"{pair.gold.text}: {_words(pair.gold, aspect)}"
            found.append(Difference(column=column, expected=expected, got=_words(pair.found, aspect)))
    return tuple(found)


def line_text(line: Grounded) -> str:
    """What came back, for whoever opens a case."""
    return "\n".join(f"{_named(each)}: {_concept(each)}" for each in line.entities) or _NOTHING


def _words(entity: GoldEntity | Entity, aspect: Aspect) -> str:
    match aspect:
        case "negated":
            return "negated" if entity.negated else "not negated"
        case "quantity":
            parts = (entity.comparator, entity.value, entity.upper, entity.unit)
            return " ".join(part for part in parts if part) or "no comparison"
        case "time":
            return entity.time.text if entity.time else "no time"
        case "concept":
            return _concept(entity) if isinstance(entity, Entity) else entity.umls_cui or "none"


def _concept(found: Entity) -> str:
    named = (found.preferred_term or "–", found.status, f"{found.grounding_confidence:.2f}")
    return f"{found.umls_cui or 'none'} ({', '.join(named)})"


def _named(entity: GoldEntity | Entity) -> str:
    return f"{entity.text} ({entity.entity_type})"


# ----------
# The numbers of a grounding eval, from the sums: entities by type, attributes, concepts, what went to an expert.


ALL = "all"

Figures = dict[str, Any]


def added(counts: Iterable[Mapping[str, float]]) -> Counter[str]:
    """The sums, whole numbers all of them."""
    found: Counter[str] = Counter()
    for each in counts:
        found.update({name: round(number) for name, number in each.items()})
    return found


def figures_of(counts: Iterable[Mapping[str, float]], *, model: str) -> Figures:
    """All of them in percent, over the counts of each criterion; None where there is nothing to divide by.

    `by_model`: the relaxed score of the entities that a model named itself. `listed_by_code`: criteria for which its
    answer was of no use, so that code listed the entities for an expert; their score is not the model's.
    `concepts`: of all entities that have one, of those found, of those called grounded, and (`proposed`) how often the
    right one is among the candidates that an expert is shown.
    """
    sums = added(counts)
    right, there, found = sums["concepts.right"], _all(sums, "there"), _all(sums, "found")
    return {
        "criteria": sums["criteria"],
        "strict": _by_type(sums, "strict"),
        "relaxed": _by_type(sums, "relaxed"),
        "attributes": {name: _accuracy(sums[f"{name}.right"], sums[f"{name}.judged"]) for name in ATTRIBUTES},
        "concepts": {
            "there": _accuracy(right, sums["concepts.there"]),
            "found": _accuracy(right, sums["concepts.found"]),
            "grounded": _accuracy(sums["concepts.grounded_right"], sums["concepts.grounded"]),
            "proposed": _accuracy(sums["concepts.proposed"], sums["concepts.found"]),
        },
        "expert_review": _accuracy(sums["expert"], found),
        "by_model": None if model == RULES else _finding(sums["by_model.right"], sums["by_model.found"], there),
        "listed_by_code": 0 if model == RULES else sums["listed_by_code"],
    }


def _by_type(sums: Counter[str], how: str) -> dict[str, Figures]:
    names = (how, "found", "there")
    rows = {kind: _finding(*(sums[f"{kind}.{name}"] for name in names)) for kind in ENTITY_TYPES}
    kept = {kind: row for kind, row in rows.items() if row["found"] or row["there"]}
    return kept | {ALL: _finding(*(_all(sums, name) for name in names))}


def _all(sums: Counter[str], name: str) -> int:
    return sum(sums[f"{kind}.{name}"] for kind in ENTITY_TYPES)


def _finding(right: int, found: int, there: int) -> Figures:
    shares = {"precision": (right, found), "recall": (right, there), "f1": (2 * right, found + there)}
    percents = {name: _percent(part, whole) for name, (part, whole) in shares.items()}
    return {"right": right, "found": found, "there": there} | percents


def _accuracy(right: int, judged: int) -> Figures:
    return {"right": right, "judged": judged, "percent": _percent(right, judged)}


def _percent(part: int, whole: int) -> float | None:
    return round(100 * part / whole, 2) if whole else None


_WARM_UP = Criterion(criterion_id="warm-up", text="asthma")


class Grounding(Suite[GoldCriterion]):
    """Which entities are found in eligibility criteria, what is read about them, and which concept they get."""

    name = "grounding"
    case = GoldCriterion

    @asynccontextmanager
    async def open(self, settings: Settings, variant: Variant) -> AsyncIterator[Bench[GoldCriterion]]:
        from docgemma.wiring.grounding import open_grounding

        async with open_grounding(self.configured(settings, variant)) as grounding:
            if grounding.model.name == RULES:
                await grounding.ground((_WARM_UP,), "warm-up")  # what the first use imports is no cost of a criterion
            version = f"{grounding.about.back_end} {grounding.about.version}" if grounding.about else "another server"
            yield Bench(grounding.model.name, partial(run_case, grounding.ground), {"terminology": version})

    def figures(self, records: tuple[CaseRecord, ...]) -> Mapping[str, Any]:
        return figures_of((record.counts for record in records), model=records[0].model)


async def run_case(ground: Ground, case: GoldCriterion) -> Outcome:
    """One criterion as a batch of its own: grounding reads each by itself in any case, and so its calls are its own."""
    with metered() as meter:
        try:
            (line,) = await ground((case.criterion(),), f"eval-{case.id}")
        except DocGemmaError as error:
            line = Grounded(criterion_id=case.id, text=case.text, error=str(error))
    return outcome(score(case, line), **meter.costs())


def outcome(one: Scored, llm_calls: int = 0, **costs: Any) -> Outcome:
    """What is kept of a compared criterion."""
    line, counts = one.line, counts_of(one)
    return Outcome(
        scores=scores_of(counts, error=bool(line.error)),
        differences=() if line.error else differences_of(one),
        alarms=invented(one),
        error=line.error,
        rule_instead=bool(llm_calls and line.entities) and one.listed_by_code,
        llm_calls=llm_calls,
        counts=counts,
        asked=(Asked(prompt=one.gold.text, text="", answer=line.error or line_text(line)),),
        **costs,
    )
