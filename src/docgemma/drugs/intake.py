"""What a label says about alcohol, grapefruit, food and vaccines: they are asked about, and no name of a drug."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from docgemma.drugs.labels.gravity import advice, gravity
from docgemma.drugs.labels.statements import statements
from docgemma.drugs.model import Statement
from docgemma.sources.contract import Label

_FIELDS = (
    "boxed_warning",
    "contraindications",
    "do_not_use",
    "drug_interactions",
    "interactions",
    "ask_doctor_or_pharmacist",
    "ask_doctor",
    "when_using",
    "warnings_and_cautions",
    "warnings",
    "general_precautions",
    "precautions",
    "information_for_patients",
)
"""Where it is advice. Under dosage and pharmacokinetics every label speaks of food."""


def _words(pattern: str) -> re.Pattern[str]:
    return re.compile(rf"\b(?:{pattern})", re.IGNORECASE)


_KINDS: dict[str, re.Pattern[str]] = {
    "Alcohol": re.compile(r"(?<!benzyl )(?<!stearyl )(?<!cetyl )\balcohol(?!ism)\b|\bethanol\b", re.IGNORECASE),
    "Grapefruit": _words("grapefruit"),
    "Food": _words(
        r"foods?\b(?! and drug)|meals?\b|dairy|tyramine|caffeine|(?:green|leafy) vegetables|licorice|liquorice"
    ),
    "Vaccines": _words(r"vaccin|immuni[sz]ations?\b"),
}


def intake(labels: Sequence[Label]) -> tuple[tuple[str, Statement], ...]:
    """One statement for each kind that the labels give advice on: the clearest of the first label that has any."""
    read = [[each for each in statements(label) if each.field in _FIELDS] for label in labels]
    return tuple(_found(read))


def _found(read: Sequence[Sequence[Statement]]) -> Iterator[tuple[str, Statement]]:
    for kind, words in _KINDS.items():
        pools = ([each for each in said if words.search(each.text)] for said in read)
        pool = next(filter(None, pools), None)
        if pool:
            yield kind, max(pool, key=lambda each: (advice(each.text), gravity(each.text)))
