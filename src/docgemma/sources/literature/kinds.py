"""What sort of evidence an article is, from its publication types and its title."""

from __future__ import annotations

import re

from docgemma.sources.literature.contract import Kind, Paper

_TYPES: tuple[tuple[Kind, frozenset[str]], ...] = (
    ("guideline", frozenset({"guideline", "practice guideline", "consensus development conference"})),
    ("meta_analysis", frozenset({"meta-analysis", "network meta-analysis"})),
    ("systematic_review", frozenset({"systematic review", "systematic-review"})),
    (
        "randomised_trial",
        frozenset({"randomized controlled trial", "pragmatic clinical trial", "equivalence trial"}),
    ),
    ("review", frozenset({"review", "review-article", "scoping review"})),
    ("case_report", frozenset({"case reports", "case-report", "case report"})),
    ("observational", frozenset({"observational study", "twin study"})),
)
_TRIAL = "clinical trial"
_NO_STUDY = frozenset(
    {"comment", "letter", "editorial", "news", "published erratum", "correction", "biography", "interview", "abstract"}
    | {"retraction of publication", "clinical trial protocol", "study-protocol", "patient education handout"}
)
_PROTOCOL = re.compile(r"\bprotocol\b|\brationale and design\b|\bstudy design\b", re.IGNORECASE)
_TITLES: tuple[tuple[Kind, re.Pattern[str]], ...] = (
    ("meta_analysis", re.compile(r"\bmeta-?\s?analys[ei]s\b", re.IGNORECASE)),
    ("systematic_review", re.compile(r"\b(?:systematic|umbrella)\s(?:literature\s)?review", re.IGNORECASE)),
    (
        "guideline",
        re.compile(
            r"\bpractice guidelines?\b|\bguidelines? (?:for|on) the\b|\bposition statement\b|\bguideline:"
            r"|\bconsensus (?:statement|guidelines?|recommendations)",
            re.IGNORECASE,
        ),
    ),
    (
        "randomised_trial",
        re.compile(
            r"\brandomi[sz]ed\b.{0,80}\b(?:trial|study)\b|\brandomi[sz]ed,? (?:placebo-)?controlled", re.IGNORECASE
        ),
    ),
    ("review", re.compile(r"\b(?:narrative|scoping|literature|comprehensive) review\b|: a review\b", re.IGNORECASE)),
    ("case_report", re.compile(r"\bcase (?:report|series)\b", re.IGNORECASE)),
    (
        "observational",
        re.compile(r"\bcohort (?:study|analysis)\b|\bcase-control\b|\bcross-sectional\b|\bregistry\b", re.IGNORECASE),
    ),
)


def kind_of(paper: Paper) -> Kind:
    """The strongest kind that its types name; else what its title says. A protocol or a comment is no study."""
    types = {kind.lower() for kind in paper.types}
    if types & _NO_STUDY or _PROTOCOL.search(paper.title):
        return "other"
    said = {kind for kind, words in _TITLES if words.search(paper.title)}
    if "guideline" in said and not types & _TYPES[0][1] and said & {"meta_analysis", "systematic_review"}:
        said.discard("guideline")
    for kind, names in _TYPES:
        if types & names or kind in said:
            return "systematic_review" if kind == "review" and "systematic_review" in said else kind
        if kind == "randomised_trial" and any(name.startswith(_TRIAL) or name.endswith(_TRIAL) for name in types):
            return "trial"
    return "other"
