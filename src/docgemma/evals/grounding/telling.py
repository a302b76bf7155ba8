"""One compared criterion in the terms of every eval: scores between 0 and 1, and each difference in words."""

from __future__ import annotations

from docgemma.evals.contract import Difference
from docgemma.evals.grounding.counting import ATTRIBUTES
from docgemma.evals.grounding.gold import GoldCriterion, GoldEntity
from docgemma.evals.grounding.scoring import Aspect, Pair, Scored
from docgemma.grounding.contract import Entity, Grounded

_NOTHING = "nothing"


def scores_of(one: Scored) -> dict[str, float]:
    """`attributes` are judged on what was found; `concepts` on all entities that have one, found or not."""
    if one.line.error:
        return _missed(one.gold)
    there, found, pairs = len(one.gold.entities), len(one.line.entities), one.pairs
    scores = {
        "entities": _f1(len(pairs), found, there),
        "strict": _f1(sum(pair.strict for pair in pairs), found, there),
    }
    judged = [aspect not in pair.wrong for pair in pairs for aspect in ATTRIBUTES if aspect in pair.scored]
    if judged:
        scores["attributes"] = sum(judged) / len(judged)
    if coded := sum(bool(entity.umls_cui) for entity in one.gold.entities):
        scores["concepts"] = sum("concept" in pair.scored - pair.wrong for pair in pairs) / coded
    return scores


def _missed(gold: GoldCriterion) -> dict[str, float]:
    """A criterion without a line missed everything that is in it."""
    names = ["entities", "strict", *(["attributes"] if gold.entities else [])]
    return dict.fromkeys([*names, *(["concepts"] if any(each.umls_cui for each in gold.entities) else [])], 0.0)


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
            return _denied(gold.negated), _denied(found.negated)
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


def _denied(negated: bool) -> str:
    return "negated" if negated else "not negated"


def _named(entity: GoldEntity | Entity) -> str:
    return f"{entity.text} ({entity.entity_type})"


def _words(*parts: str | None) -> str:
    return " ".join(part for part in parts if part) or "no comparison"


def _f1(right: int, found: int, there: int) -> float:
    """Nothing found where nothing is there is right."""
    return 2 * right / (found + there) if found + there else 1.0
