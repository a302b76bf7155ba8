"""The suite `grounding`: criteria with known entities, through the same grounding that a run uses.

Nothing is kept: no run, no review decision and no output of anybody's is read or written. The terminology is the
user's own, because it is what is measured.
"""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import AsyncIterator, Iterable, Mapping
from contextlib import asynccontextmanager
from functools import partial
from typing import Any

from docgemma.agent.record import Tokens
from docgemma.clinical import holding
from docgemma.config import Settings
from docgemma.errors import DocGemmaError
from docgemma.evals.grounding.cases import (
    ATTRIBUTES,
    Aspect,
    GoldCriterion,
    GoldEntity,
    Pair,
    Scored,
    added,
    counts_of,
    invented,
    listed_by_code,
    score,
)
from docgemma.evals.statistics import mean
from docgemma.evals.suite import Asked, Bench, CaseRecord, Difference, Outcome, Suite, Variant
from docgemma.grounding.contract import Criterion, Entity, Grounded
from docgemma.grounding.engines.contract import Ground
from docgemma.llm.contract import Usage, usage
from docgemma.terminology.contract import ENTITY_TYPES

_NOTHING = "nothing"


def scores_of(one: Scored) -> dict[str, float]:
    """`attributes` are judged on what was found; `concepts` on all entities that have one, found or not.

    A criterion without a line missed everything that is in it.
    """
    there, found, pairs = len(one.gold.entities), len(one.line.entities), one.pairs
    coded = sum(bool(entity.umls_cui) for entity in one.gold.entities)
    if one.line.error:
        names = {"entities": True, "strict": True, "attributes": bool(there), "concepts": bool(coded)}
        return {name: 0.0 for name, asked in names.items() if asked}
    scores = {
        "entities": _f1(len(pairs), found, there),
        "strict": _f1(sum(pair.strict for pair in pairs), found, there),
    }
    if judged := [aspect not in pair.wrong for pair in pairs for aspect in ATTRIBUTES if aspect in pair.scored]:
        scores["attributes"] = mean(judged)
    if coded:
        scores["concepts"] = sum("concept" in pair.scored - pair.wrong for pair in pairs) / coded
    return scores


def differences_of(one: Scored) -> tuple[Difference, ...]:
    """What is missing, what is too much, and what is wrong about what was found."""
    told = [Difference(column="entities", expected=_named(gold), got=_NOTHING) for gold in one.missing]
    told += [Difference(column="entities", expected=_NOTHING, got=_named(found)) for found in one.spurious]
    for pair in one.pairs:
        if not pair.strict:
            told.append(Difference(column="strict", expected=pair.gold.text, got=pair.found.text))
        for aspect in sorted(pair.wrong):
            expected, got = _told(pair, aspect)
            column = "concepts" if aspect == "concept" else "attributes"
            told.append(Difference(column=column, expected=f"{pair.gold.text}: {expected}", got=got))
    return tuple(told)


def line_text(line: Grounded) -> str:
    """What came back, for whoever opens a case."""
    return "\n".join(f"{_named(each)}: {_concept(each)}" for each in line.entities) or _NOTHING


def _told(pair: Pair, aspect: Aspect) -> tuple[str, str]:
    gold, found = pair.gold, pair.found
    match aspect:
        case "negated":
            told = ("not negated", "negated")
            return told[gold.negated], told[found.negated]
        case "quantity":
            there = _words(gold.comparator, gold.value, gold.upper, gold.unit)
            return there, _words(found.comparator, found.value, found.upper, found.unit)
        case "time":
            return gold.time.text if gold.time else "no time", found.time.text if found.time else "no time"
        case "concept":
            return gold.umls_cui or "none", _concept(found)


def _concept(found: Entity) -> str:
    return (
        f"{found.umls_cui or 'none'} ({found.preferred_term or '–'}, {found.status}, {found.grounding_confidence:.2f})"
    )


def _named(entity: GoldEntity | Entity) -> str:
    return f"{entity.text} ({entity.entity_type})"


def _words(*parts: str | None) -> str:
    return " ".join(part for part in parts if part) or "no comparison"


def _f1(right: int, found: int, there: int) -> float:
    """Nothing found where nothing is there is right."""
    return 2 * right / (found + there) if found + there else 1.0


# ----------
# The numbers of a grounding eval, from the sums: entities by type, attributes, concepts, what went to an expert.


ALL = "all"
RULES = "rules"


Figures = dict[str, Any]


def figures_of(counts: Iterable[Mapping[str, float]], *, model: str) -> Figures:
    """All of them in percent, over the counts of each criterion; None where there is nothing to divide by.

    `by_model`: the relaxed score of the entities that a model named itself. `listed_by_code`: criteria for which its
    answer was of no use, so that code listed the entities for an expert; their score is not the model's.
    `concepts`: of all entities that have one, of those found, of those called grounded, and (`proposed`) how often the
    right one is among the candidates that an expert is shown.
    """
    sums = added(counts)
    right, there, found = sums["concepts.right"], _all(sums, "there"), _all(sums, "found")
    alone = model == RULES
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
        "by_model": None if alone else _finding(sums["by_model.right"], sums["by_model.found"], there),
        "listed_by_code": 0 if alone else sums["listed_by_code"],
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
    told = {name: _percent(part, whole) for name, (part, whole) in shares.items()}
    return {"right": right, "found": found, "there": there} | told


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
    spent, began = Usage(), time.perf_counter()
    try:
        with holding(usage, spent):
            (line,) = await ground((case.criterion(),), f"eval-{case.id}")
    except DocGemmaError as error:
        line = Grounded(criterion_id=case.id, text=case.text, error=str(error))
    return outcome(score(case, line), spent, (time.perf_counter() - began) * 1000)


def outcome(one: Scored, spent: Usage, duration_ms: float = 0) -> Outcome:
    """What is kept of a compared criterion."""
    line = one.line
    return Outcome(
        scores=scores_of(one),
        differences=() if line.error else differences_of(one),
        alarms=invented(one),
        error=line.error,
        rule_instead=bool(spent.calls and line.entities) and listed_by_code(one),
        llm_calls=spent.calls,
        tokens=Tokens(prompt=spent.prompt_tokens, completion=spent.completion_tokens),
        duration_ms=duration_ms,
        counts=counts_of(one),
        asked=(Asked(prompt=one.gold.text, text="", answer=line.error or line_text(line)),),
    )
