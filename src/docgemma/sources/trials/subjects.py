"""What a trial is about, taken apart: the condition, the treatment that is studied, and what stands beside them.

A phrase as it comes from a sentence holds more than the condition: "64-year-old woman with lung cancer in Hanoi",
"pembrolizumab in melanoma". Searched for as it is, no record has all of it.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass

from docgemma.entities.drugs.names import drugs_in

_THERAPY = (
    r"car[\s-]?t(?:[\s-]cells?)?(?:\stherapy)?|(?:gene|cell|stem[\s-]cell|hormone|radiation|proton|phage|immuno|chemo|radio|cell"
    r"|targeted|ketogenic|enzyme\sreplacement|psycho|music|physical|cognitive\sbehaviou?ral|photodynamic|light|oxygen)"
    r"[\s-]?therap(?:y|ies)|(?:mrna\s)?vaccin(?:es?|ation)|radiotherapy|chemotherapy|immunotherapy|physiotherapy"
    r"|psychotherapy|(?:stem[\s-]cell|bone\smarrow|f(?:a)?ecal\smicrobiota|kidney|liver|heart|lung|islet)\stransplant(?:s|ation)?"
    r"|fmt|deep\sbrain\sstimulation|dbs|tavi|tavr|ecmo|acupuncture|yoga|exercise|probiotics?|psilocybin|ketamine"
    r"|cannabidiol|cbd|cannabis|mdma|bariatric\ssurgery|surgery|dialysis|plasma\sexchange|biologics?|checkpoint\sinhibitors?"
    r"|(?:glp-?1|sglt-?2|pd-?l?1|parp|jak|btk|kras|cdk4/6|her2|egfr|il-?\d+)\s(?:agonists?|inhibitors?|antibod(?:y|ies)|blockers?)"
    r"|antisense(?:\soligonucleotides?)?|crispr|monoclonal\santibod(?:y|ies)|statins?|steroids?|antibiotics?"
)
_MADE_UP = (
    r"[a-z]{3,}(?:mab|nib|ciclib|parib|tide|vir|gliflozin|gliptin|cept|leucel|gene|rsen|siran|rasib|lisib|zomib|toclax)"
)
"""A drug too new for our dictionary has the ending that its class is given."""

_TREATMENT = re.compile(rf"(?:{_THERAPY}|{_MADE_UP}|[A-Z]{{2,5}}-?\d{{3,7}})", re.IGNORECASE)
_JOINT = r"\s?(?:/|\+|,|\s(?:vs?\.?|versus|and|or|plus|with|compared\s(?:to|with)|against)(?!\w))\s?"
_LINK = re.compile(
    r"\s+(?:for|in|against|to\streat|in\sthe\streatment\sof|on)\s+"
    r"(?:(?:patients|people|adults|those)\s(?:with|who\shave)\s)?",
    re.IGNORECASE,
)
_STUDYING = re.compile(
    r"(?<!\w)(?:trials?|stud(?:y|ies))\s(?:(?:that|which|are|is|currently|recruiting|open|ongoing|completed|looking)\s){0,4}"
    r"(?:of|with|using|testing|test|involving|evaluating|investigating|at|for|on|combining|comparing)\s(?:the\s|a\s)?$",
    re.IGNORECASE,
)
_PEOPLE = (
    r"(?:patients?|pts?|people|persons?|adults?|child(?:ren)?|kids?|infants?|bab(?:y|ies)|wom[ae]n|m[ae]n|females?|males?"
    r"|lad(?:y|ies)|gentlem[ae]n|boys?|girls?|teen(?:ager)?s?|adolescents?|newborns?|seniors|participants?|volunteers?"
    r"|someone|anyone|individuals|cases?|elderly)"
)
_HAVING = re.compile(
    rf"^.{{0,80}}?(?<!\w)(?:{_PEOPLE}|\d{{1,3}}[\s-]?\w{{1,6}}[\s-]olds?)\s(?:[^.;?!]{{0,40}}?\s)??"
    r"(?:with|who\shas|who\shave|having|suffering\sfrom|living\swith|diagnosed\swith)\s(?:an?\s|the\s)?",
    re.IGNORECASE,
)
_TRAILING = re.compile(
    rf"\s(?:for|in|among|of|on)\s(?:(?:an?|the|my|our|this|these|elderly|older|younger|young|adult|p(?:a)?ediatric|female|male"
    rf"|pregnant|\d{{1,3}}[\s-]?\w{{1,6}}[\s-]?olds?)\s){{0,4}}{_PEOPLE}(?!\w).*$",
    re.IGNORECASE,
)
_LEADING = re.compile(
    rf"^(?:(?:an?|the|my|our|any|elderly|older|young|adult|p(?:a)?ediatric)\s){{0,4}}{_PEOPLE}\s(?:over|under|aged)\s.*$",
    re.IGNORECASE,
)
_AFTERWARDS = re.compile(
    r"[\s,]+(?:after|following|despite|failing|(?:who|that)\s(?:has|have|had)?\s?(?:failed|progressed)|progress(?:ing|ed)\son"
    r"|(?:refractory|resistant)\sto|intolerant\s(?:of|to)|previously\streated\swith|pre-?treated\swith|who\scannot|without)\s.{3,}$",
    re.IGNORECASE,
)
_EDGES = re.compile(
    r"^(?:(?:an?|the|any|some|with|for|of|in|on|about|patients?|people|clinical|trials?|stud(?:y|ies)|recruiting|open|new"
    r"|suspected|known|condition)\s+)+|\s+(?:(?:trials?|stud(?:y|ies)|patients?|people|pts?|please|with|for|of|in|on|at|near|and|or|the|an?"
    r"|aged?|who|recruiting|open)\s*)+$",
    re.IGNORECASE,
)
_OF_PATIENTS = re.compile(r"\s(?:patients|pts|people)(?=\s(?:in|with|on)\s)", re.IGNORECASE)
_DISEASE = re.compile(
    r"(?:[A-Z][A-Z0-9/-]{1,6}|(?i:(?:[\w-]+\s){0,3}(?:cancers?|carcinoma|disease|syndrome|diabetes|obesity|failure|lupus|asthma"
    r"|stroke|[a-z]+(?:itis|oma|osis|emia|aemia|pathy|sclerosis))))"
)
_DRUGS_FAULT = re.compile(
    r"(?:resist|toxic|overdos|poison|intoler|allerg|use|abus|depend|withdraw|induc|refract|deficien|failure|naive|associat"
    r"|relat|treated|addict|discontin|hypersens|exposed)",
    re.IGNORECASE,
)
"""What follows a drug's name in the name of a disease."""


@dataclass(frozen=True, slots=True)
class Subject:
    """`left_out`: a phrase that narrows the search and that no field of the register is searched by."""

    condition: str = ""
    intervention: str = ""
    left_out: str = ""


def subject_of(phrase: str, spans: Iterable[tuple[int, int]] = ()) -> Subject:
    """A phrase without its place, phase and status (`spans`), without whom it is about, taken apart."""
    phrase = blanked(phrase, spans)
    left_out = _AFTERWARDS.search(phrase)
    if left_out:
        phrase = phrase[: left_out.start()]
    phrase = _OF_PATIENTS.sub("", _TRAILING.sub("", _HAVING.sub("", phrase)))
    phrase = trimmed(_LEADING.sub("", phrase))
    treatment = treatment_at_start(phrase)
    rest = phrase[len(treatment) :]
    link = _LINK.match(rest)
    beside = " ".join(left_out.group().strip(" ,").split()) if left_out else ""
    if treatment and link:
        return Subject(trimmed(rest[link.end() :]), _spoken(treatment), beside)
    if treatment and (not rest.strip() or _is_disease(rest)):
        return Subject(trimmed(rest), _spoken(treatment), beside)
    return Subject(phrase, "", beside)


def studied_in(question: str, condition: str) -> str:
    """The treatment that a question ties to its trials: "trials of X", "X trials", "X for <condition>"; else nothing.

    A drug that somebody takes is not what is studied.
    """
    for start, end in _treatments(question):
        behind = question[end:]
        link = _LINK.match(behind)
        about = bool(link and condition and behind[link.end() :].lower().startswith(condition.lower()))
        named = re.match(r"\s(?:clinical\s)?(?:trials?|stud(?:y|ies))(?!\w)", behind, re.IGNORECASE)
        if about or named or _STUDYING.search(question[:start]):
            return _spoken(question[start:end])
    return ""


def treatment_at_start(phrase: str) -> str:
    """The drugs or therapies that a phrase begins with, as they stand there."""
    end = 0
    for start, stop in _treatments(phrase):
        if start != end and not re.fullmatch(_JOINT, phrase[end:start], re.IGNORECASE):
            break
        if start and not end:
            break
        end = stop
    return phrase[:end]


def ends_with_treatment(text: str) -> bool:
    """ "Trials of pembrolizumab": what follows with "in" is what it is given for."""
    spans = _treatments(text.rstrip())
    return bool(spans) and spans[-1][1] == len(text.rstrip())


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


def _is_disease(rest: str) -> bool:
    """ "Pembrolizumab NSCLC" is a drug and a disease; "methotrexate toxicity" is a disease."""
    return rest[:1] == " " and _DISEASE.fullmatch(rest.strip()) is not None and not _DRUGS_FAULT.match(rest.strip())


def _spoken(treatment: str) -> str:
    return " ".join(re.sub(rf"{_JOINT}", " ", treatment).split())


def _treatments(text: str) -> list[tuple[int, int]]:
    """Drugs and therapies in order; names that are joined by "and" or "versus" as one."""
    whole = re.compile(rf"(?<![\w-])(?:{_TREATMENT.pattern})(?![\w-])", re.IGNORECASE)
    spans = [(drug.start, drug.end) for drug in drugs_in(text) if not _inside_word(text, drug.start, drug.end)]
    spans += [found.span() for found in whole.finditer(text)]
    joined: list[tuple[int, int]] = []
    for start, end in sorted(spans):
        if joined and (start < joined[-1][1] or re.fullmatch(_JOINT, text[joined[-1][1] : start], re.IGNORECASE)):
            joined[-1] = (joined[-1][0], max(end, joined[-1][1]))
        else:
            joined.append((start, end))
    return joined


def _inside_word(text: str, start: int, end: int) -> bool:
    """ "Trastuzumab-resistant" is a disease's."""
    return text[end : end + 1] == "-" or (start > 0 and text[start - 1] == "-")
