"""What is searched for, in words that a person reads beside the results."""

from __future__ import annotations

from docgemma.sources.literature.concepts import fold, is_short_form, key
from docgemma.sources.literature.contract import Kind, Sought

KIND_WORDS: dict[Kind, str] = {
    "guideline": "guidelines",
    "meta_analysis": "meta-analyses",
    "systematic_review": "systematic reviews",
    "randomised_trial": "randomised trials",
    "trial": "clinical trials",
    "review": "reviews",
    "observational": "observational studies",
    "case_report": "case reports",
    "other": "other articles",
}

KIND_NAMES: dict[Kind, str] = {
    "guideline": "guideline",
    "meta_analysis": "meta-analysis",
    "systematic_review": "systematic review",
    "randomised_trial": "randomised trial",
    "trial": "clinical trial",
    "review": "review",
    "observational": "observational study",
    "case_report": "case report",
}


def in_words(sought: Sought) -> str:
    """What is searched for, as a person reads it."""
    if sought.by_number:
        return f"PMID {sought.pmid}" if sought.pmid else f"DOI {sought.doi}"
    concepts = " and ".join(map(_shown, sought.concepts))
    kinds = " or ".join(KIND_WORDS[kind] for kind in sought.kinds)
    return ", ".join(part for part in (concepts, _years(sought), kinds and f"only {kinds}") if part)


def left_out(narrow: Sought, wide: Sought) -> str:
    """What the wider search does without, as a person reads it."""
    kept = {key(name) for concept in wide.concepts for name in concept}
    whole = [concept[0] for concept in narrow.concepts if kept.isdisjoint(map(key, concept))]
    gone = [name for name in whole if not all(key(word) in kept for word in name.split())]
    kinds = [] if wide.kinds == narrow.kinds else [f"only {' or '.join(KIND_WORDS[kind] for kind in narrow.kinds)}"]
    years = [] if _years(wide) == _years(narrow) else [_years(narrow)]
    phrases = ["the exact wording"] if len(gone) < len(whole) else []
    return ", ".join([*gone, *years, *kinds, *phrases])


def _shown(concept: tuple[str, ...]) -> str:
    """The first phrasing, and a second one where it is another word and not the same in another spelling."""
    start = fold(concept[0])[:4]
    other = [name for name in concept[1:2] if fold(name)[:4] != start and not is_short_form(name)]
    return f"{concept[0]} (or {other[0]})" if other else concept[0]


def _years(sought: Sought) -> str:
    since, until = sought.since, sought.until
    if since and since == until:
        return f"published in {since}"
    if since and until:
        return f"published from {since} to {until}"
    return f"published from {since} on" if since else f"published up to {until}" if until else ""
