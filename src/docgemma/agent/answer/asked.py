"""What a question about a drug asks for in particular, and the findings in that order.

Whoever asks about pregnancy reads that first; and where nothing that was found speaks of it, that is said. A report
that is silent on what was asked would pass for a harmless one.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from docgemma.clinical import ToolResult
from docgemma.tools.results import DrugSafetyReport


@dataclass(frozen=True, slots=True)
class _Topic:
    asks: re.Pattern[str]
    speaks: re.Pattern[str]


def _topic(asks: str, speaks: str = "") -> _Topic:
    """`asks` is how a question puts it; `speaks` what a finding says besides."""
    told = f"{asks}|{speaks}" if speaks else asks
    return _Topic(
        re.compile(rf"\b(?:{asks})", re.IGNORECASE),
        re.compile(rf"\b(?:{told})", re.IGNORECASE),
    )


_TOPICS: Mapping[str, _Topic] = {
    "boxed warnings": _topic(r"black[\s-]?box|boxed|bbw\b"),
    "contraindications": _topic(r"contra-?indicat"),
    "pregnancy": _topic(
        r"pregnan|trimester|gestation|conceiv|childbearing|f(?:o)?et(?:us|al)|teratogen|unborn",
        "malformation|birth defect|embryo|newborn|neonat|ductus",
    ),
    "breastfeeding": _topic(r"breast-?\s?f(?:eed|ed)|lactat|nursing\s(?:mother|wom)|breast\s?milk", "nursing|nursed"),
    "the kidneys": _topic(r"renal|kidneys?\b|ckd\b|esrd\b|aki\b|dialysis|e?gfr\b|creatinine|crcl\b", "anuri|oliguri"),
    "the liver": _topic(r"hepat|liver|cirrho|child-?pugh", "jaundice"),
    "children": _topic(
        r"child(?:ren)?\b|kids?\b|infants?\b|neonat|newborn|bab(?:y|ies)\b|p(?:a)?ediatric|toddler|teenager|adolescen",
        r"under \d+ years|reye",
    ),
    "older people": _topic(
        r"elderly|geriatric|beers\b|frail|old(?:er)?\s(?:people|adults?|patients?|age)",
        r"older\b(?! (?:stud|label|drug|data|form))|aged 65",
    ),
    "alcohol": _topic(r"alcohol|drink(?:ing|s)?\b|booze|beer\b|wine\b|whisky|vodka|ethanol"),
    "grapefruit": _topic("grapefruit"),
    "food": _topic(
        r"foods?\b|meals?\b|milk\b|dairy|cheese|chocolate|tyramine|coffee|caffeine",
        "vegetables",
    ),
    "vaccines": _topic(r"vaccin|immuni[sz]ation|mmr\b|bcg\b"),
    "asthma": _topic(r"asthma|copd\b|bronchospas"),
    "seizures": _topic(r"epilep|seizure|convuls"),
    "the QT interval": _topic(r"qtc?\b|torsade", "arrhythmia"),
    "heart failure": _topic(r"heart\sfailure|hfr?ef\b|chf\b", "cardiac failure|ventricular dysfunction"),
    "glaucoma": _topic("glaucoma"),
    "myasthenia": _topic("myastheni"),
    "G6PD deficiency": _topic(r"g-?6-?pd"),
    "porphyria": _topic("porphyria"),
    "pancreatitis": _topic("pancreatit"),
    "contrast media": _topic(r"contrast\b|iodinated"),
    "surgery": _topic(r"surg(?:ery|ical)|operation\b|an(?:a)?esthesia"),
    "allergy": _topic(r"allerg", "hypersensitiv|anaphyla"),
}


OF_ONE_DRUG = (
    "pregnancy",
    "breastfeeding",
    "the kidneys",
    "the liver",
    "children",
    "older people",
    "alcohol",
    "grapefruit",
    "food",
    "vaccines",
)
"""What is found in the label of each drug, and not by comparing two."""


def topics(question: str) -> tuple[str, ...]:
    """What the question asks about besides the drug, in the words an answer uses."""
    return tuple(name for name, topic in _TOPICS.items() if topic.asks.search(question))


def speaks_of(name: str, text: str) -> bool:
    return _TOPICS[name].speaks.search(text) is not None


def told(result: ToolResult, question: str) -> str:
    """The findings as a clinician would read them: what was asked about first, or that nothing speaks of it."""
    wanted = topics(question) if isinstance(result, DrugSafetyReport) and result.status == "found" else ()
    if not wanted:
        return result.text()
    first, *lines = result.text().splitlines()
    return "\n".join([first, *silent(result, question), *_sorted(lines, wanted)])


def silent(result: ToolResult, question: str) -> tuple[str, ...]:
    """For each topic of the question that no finding of this report speaks of, a line that says so."""
    if not isinstance(result, DrugSafetyReport) or result.status != "found":
        return ()
    lines, drug = result.text().splitlines()[1:], result.drug.partition(" (")[0]
    return tuple(
        f"On {name}: nothing that was found on {drug} speaks of it. That does not make it safe."
        for name in topics(question)
        if not any(speaks_of(name, line) for line in lines)
    )


def _sorted(lines: Sequence[str], wanted: Sequence[str]) -> Iterator[str]:
    """Each line once, under the first topic that it speaks of; then the rest."""
    left = list(lines)
    for name in wanted:
        here = [line for line in left if speaks_of(name, line)]
        if here:
            left = [line for line in left if line not in here]
            yield from (f"On {name}:", *here)
    if left:
        yield from ("Besides:", *left) if len(left) < len(lines) else left
