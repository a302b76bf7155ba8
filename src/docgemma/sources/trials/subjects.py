"""What a trial is about, taken apart: the condition, the treatment that is studied, and what stands beside them.

A phrase may hold more than the condition: "adults with sickle cell disease", "pembrolizumab in melanoma", "myeloma
after lenalidomide". Searched for as it is, no record has all of it.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass, replace
from functools import cache
from importlib.resources import files

from docgemma.entities.drugs.names import drugs_in
from docgemma.sources.literature.naming import is_known

_MADE_UP = (
    r"[a-z]{3,}(?:mab|nib|ciclib|parib|tide|vir|gliflozin|gliptin|cept|leucel|gene|rsen|siran|rasib|lisib|zomib|toclax"
    r"|tecan|dotin|tansine|ticase)"
)
"""A drug too new for our dictionary has the ending that its class is given."""

_CLASSES = (
    r"(?:glp-?1|sglt-?2|pd-?l?1|parp|jak|btk|kras|cdk4/6|her2|egfr|il-?\d+)\s(?:agonists?|inhibitors?|antibod(?:y|ies)|blockers?)"
    r"|[\w-]+\sradioligands?(?:\stherapy)?"
)
_CODE = r"[A-Z]{2,5}-?\d{3,7}"
_JOINT = r"\s?(?:/|\+|,|\s(?:vs?\.?|versus|and|or|plus|with|compared\s(?:to|with)|against)(?!\w))\s?"
_LINK = re.compile(
    r"\s+(?:for|in|against|to\streat|in\sthe\streatment\sof|on)\s+"
    r"(?:(?:patients|people|adults|those)\s(?:with|who\shave)\s)?",
    re.IGNORECASE,
)
_PEOPLE = (
    r"(?:patients?|pts?|people|persons?|adults?|child(?:ren)?|kids?|infants?|bab(?:y|ies)|wom[ae]n|m[ae]n|females?|males?"
    r"|lad(?:y|ies)|gentlem[ae]n|boys?|girls?|teen(?:ager)?s?|adolescents?|newborns?|seniors|participants?|volunteers?"
    r"|someone|anyone|individuals|cases?|elderly|mothers?|mums)"
)
_OLD = r"\d{1,3}[\s-]?\w{1,6}[\s-]?olds?"
_HAVING = re.compile(
    rf"^.{{0,80}}?(?<!\w)(?:{_PEOPLE}|{_OLD})\s(?:[^.;?!]{{0,40}}?\s)??"
    r"(?:with|who\shas|who\shave|having|suffering\sfrom|living\swith|diagnosed\swith)\s(?:an?\s|the\s)?",
    re.IGNORECASE,
)
_TRAILING = re.compile(
    rf"\s(?:for|in|among|of|on)\s(?:(?:an?|the|my|our|this|these|elderly|older|younger|young|adult|p(?:a)?ediatric|female|male"
    rf"|pregnant|{_OLD})\s){{0,4}}{_PEOPLE}(?!\w).*$",
    re.IGNORECASE,
)
_OF_PATIENTS = re.compile(r"\s(?:patients|pts|people)(?=\s(?:in|with|on)\s)", re.IGNORECASE)
_AFTERWARDS = re.compile(
    rf"[\s,]+(?:(?:after|following|post)(?=\s(?:[\w-]+\s){{0,3}}?(?:{_MADE_UP}|platinum|chemo|radiation|progression|failure|relapse"
    r"|treatment|[\w-]*therapy|lines?|prior|surgery|[\w-]+\stransplant\w*"
    r"|[a-z]{3,}(?:taxel|platin|rubicin|terone|lutamide|tabine|trexed|mide|zole|xate|cycline)|inhibitors?))"
    r"|despite|failing|(?:who|that)\s(?:has|have|had)?\s?(?:failed|progressed)|progress(?:ing|ed)\son"
    r"|(?:refractory|resistant)\sto|intolerant\s(?:of|to)|previously\streated\swith|pre-?treated\swith|who\scannot|without)\s.{3,}$",
    re.IGNORECASE,
)
"""What somebody had before. "Depression after stroke" is a disease of its own."""

_SETTING = re.compile(
    r"(?<![\w-])(?:(?:first|second|third|1st|2nd|3rd|front)[\s-]?line|[123]L|(?:neo-?)?adjuvant|maintenance)(?![\w-])[\s,]?",
    re.IGNORECASE,
)
"""Where in a course of treatment: trials are not registered by it."""

_WHATEVER = re.compile(
    r"^(?:(?:new|newer|novel|better|other)\s)*(?:drugs?|medicines?|medications?|treatments?|therapies|cures?)\s(?:for|against)\s+",
    re.IGNORECASE,
)
""" "New drugs for lupus" names no treatment."""

_GRAMMAR = r"trials?|stud(?:y|ies)|patients?|people|with|for|of|in|on|recruiting|enroll?ing|the"
_EDGES = re.compile(
    rf"^(?:(?:an?|any|some|about|clinical|suspected|known|{_GRAMMAR})\s+)+"
    rf"|\s+(?:(?:pts?|please|at|near|and|or|aged?|who|{_GRAMMAR})\s*)+$",
    re.IGNORECASE,
)
_DISEASE = re.compile(
    r"(?:[A-Z][A-Z0-9/-]{1,6}|(?i:(?:[\w-]+\s){0,3}(?:cancers?|carcinoma|disease|syndrome|diabetes|obesity|failure|lupus|asthma"
    r"|stroke|shock|arrest|injury|infections?|fever|pain|malaria|dengue|tuberculosis|sepsis|hypertension|depression|dementia"
    r"|epilepsy|migraine|eczema|psoriasis|disorder|fibrosis|allerg(?:y|ies)|tumou?rs?|leuk(?:a)?emia|[a-z]+(?:itis|oma|osis|emia|aemia|pathy|sclerosis))))"
)
_BESIDE = re.compile(r"\s(?:with|using|treated\swith|testing|by)\s$", re.IGNORECASE)
_GENERAL = re.compile(
    r"(?:surgery|exercise|dialysis|steroids?|antibiotics?|yoga|biologics?|.*transplants?|.*transplantation|lvads?)",
    re.IGNORECASE,
)
_DRUGS_FAULT = re.compile(
    r"(?:resist|toxic|overdos|poison|intoler|allerg|use|abus|depend|withdraw|induc|refract|deficien|failure|naive|associat"
    r"|relat|treated|addict|discontin|hypersens|exposed)",
    re.IGNORECASE,
)
"""What follows a drug's name in the name of a disease."""

_OF_A_DRUG = re.compile(
    r"(?:pumps?|dos(?:e|es|ing|age)|monotherapy|combinations?|inhalers?|injections?|tablets?|infusions?|levels?|implants?"
    r"|patch(?:es)?|spray|cream|biosimilars?|generics?|arm|safety|prophylaxis|prevention|maintenance"
    r"|in|for|with|of|and|or|on|vs|versus|plus|after|to|high|low|oral|alone|therapy|treatment|use|users?|response|[\d.]+"
    r"|[A-Za-z]{2,5}-?\d{3,7})",
    re.IGNORECASE,
)
"""What is said of a drug, and no disease that it is given for."""

_MOST_WORDS = 3


@dataclass(frozen=True, slots=True)
class Subject:
    """`left_out`: a phrase that narrows the search and that no field of the register is searched by."""

    condition: str = ""
    intervention: str = ""
    left_out: str = ""


def subject_of(phrase: str) -> Subject:
    """A phrase taken apart, without whom it is about."""
    left_out = _AFTERWARDS.search(phrase)
    if left_out:
        phrase = phrase[: left_out.start()]
    beside = [" ".join(left_out.group().strip(" ,").split())] if left_out else []
    beside += [found.group().strip(" ,") for found in _SETTING.finditer(phrase)]
    phrase = _SETTING.sub(" ", phrase)
    phrase = _OF_PATIENTS.sub("", _TRAILING.sub("", _HAVING.sub("", phrase)))
    found = _apart(_WHATEVER.sub("", trimmed(phrase)))
    return replace(found, left_out=", ".join(beside))


def trimmed(phrase: str) -> str:
    """Without grammar at either end."""
    before = None
    phrase = " ".join(phrase.split()).strip(" ,.;:?!-–")
    while before != phrase:
        before = phrase
        phrase = _EDGES.sub("", phrase).strip(" ,.;:?!-–")
    return phrase


def blanked(text: str, spans: Iterable[tuple[int, int]]) -> str:
    for start, end in spans:
        text = text[:start] + " " * (end - start) + text[end:]
    return text


def _apart(phrase: str) -> Subject:
    spans = _treatments(phrase)
    if not spans:
        return Subject(phrase)
    if spans[0][0] == 0:
        treatment, rest = phrase[: spans[0][1]], phrase[spans[0][1] :]
        link = _LINK.match(rest)
        if link or not rest.strip() or _is_disease(rest):
            return Subject(trimmed(rest[link.end() :] if link else rest), _spoken(treatment))
        return Subject(phrase)
    return _studied_at_end(phrase, spans[-1]) or Subject(phrase)


def _studied_at_end(phrase: str, span: tuple[int, int]) -> Subject | None:
    """ "AML with magrolimab", "septic shock vasopressin": a disease, and behind it what is tried against it.

    "Low testosterone" and "hip surgery" are one thing, and so is what a drug stands first in.
    """
    start, end = span
    if end != len(phrase):
        return None
    linked = _BESIDE.search(phrase[:start])
    before = trimmed(phrase[: linked.start()] if linked else phrase[:start])
    if not before or _GENERAL.fullmatch(phrase[start:]) or not (_is_condition(before) or (linked and len(before) > 2)):
        return None
    return Subject(before, _spoken(phrase[start:]))


def _is_condition(words: str) -> bool:
    """By its name, or by what its last word says."""
    return is_known(words) or is_known(words.split()[-1]) or _DISEASE.fullmatch(words) is not None


def _is_disease(rest: str) -> bool:
    """ "Pembrolizumab NSCLC" is a drug and a disease; "methotrexate toxicity" is a disease."""
    named = rest.strip()
    words = named.split()
    others = 0 < len(words) <= _MOST_WORDS and len(named) > 4 and not any(map(_OF_A_DRUG.fullmatch, words))
    disease = _DISEASE.fullmatch(named) is not None or is_known(named) or others
    return rest[:1] == " " and disease and not any(map(_DRUGS_FAULT.match, words))


def _spoken(treatment: str) -> str:
    return " ".join(re.sub(rf"{_JOINT}", " ", treatment).split())


def _treatments(text: str) -> list[tuple[int, int]]:
    """Drugs and therapies in order; names that are joined by "and" or "versus" as one."""
    spans = [(drug.start, drug.end) for drug in drugs_in(text) if not _inside_word(text, drug.start, drug.end)]
    spans += [found.span() for found in _named().finditer(text)]
    joined: list[tuple[int, int]] = []
    for start, end in sorted(spans):
        between = text[joined[-1][1] : start] if joined else ""
        if joined and (start < joined[-1][1] or between == " " or re.fullmatch(_JOINT, between, re.IGNORECASE)):
            joined[-1] = (joined[-1][0], max(end, joined[-1][1]))
        else:
            joined.append((start, end))
    return joined


@cache
def _named() -> re.Pattern[str]:
    """Every treatment of the table, and what is written like one."""
    lines = files("docgemma.sources.trials").joinpath("data/treatments.txt").read_text(encoding="utf-8").splitlines()
    listed = sorted((line for line in lines if not line.startswith("#")), key=len, reverse=True)
    words = "|".join(r"[\s-]?".join(map(re.escape, re.split(r"[\s-]", line))) + "s?" for line in listed)
    plural = words.replace("therapys?", "therap(?:y|ies)")
    return re.compile(rf"(?<![\w-])(?:{_CLASSES}|{plural}|{_MADE_UP}|{_CODE})(?![\w-])", re.IGNORECASE)


def _inside_word(text: str, start: int, end: int) -> bool:
    """ "Trastuzumab-resistant" is a disease's."""
    return text[end : end + 1] == "-" or (start > 0 and text[start - 1] == "-")
