"""What a trial is about, taken apart: the condition, the treatment that is studied, and what stands beside them.

A phrase as it comes from a sentence holds more than the condition: "64-year-old woman with lung cancer in Hanoi",
"pembrolizumab in melanoma". Searched for as it is, no record has all of it.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass, replace

from docgemma.entities.drugs.names import drugs_in
from docgemma.sources.literature.naming import is_known

_THERAPY = (
    r"car[\s-]?t(?:[\s-]cells?)?(?:\stherapy)?|(?:(?:oral|sublingual|adoptive|intensity-modulated)\s)?(?:gene|cell|stem[\s-]cell|hormone|radiation|proton|phage|immuno|chemo|radio|cell"
    r"|targeted|ketogenic|enzyme\sreplacement|psycho|music|physical|cognitive\sbehaviou?ral|photodynamic|light|oxygen)"
    r"[\s-]?therap(?:y|ies)|(?:mrna\s)?vaccin(?:es?|ation)|radiotherapy|chemotherapy|immunotherapy|physiotherapy"
    r"|psychotherapy|(?:stem[\s-]cell|bone\smarrow|f(?:a)?ecal\smicrobiota|kidney|liver|heart|lung|islet)\stransplant(?:s|ation)?"
    r"|fmt|deep\sbrain\sstimulation|dbs|tavi|tavr|ecmo|acupuncture|yoga|exercise|probiotics?|psilocybin|ketamine"
    r"|cannabidiol|cbd|cannabis|mdma|bariatric\ssurgery|surgery|dialysis|plasma\sexchange|biologics?|checkpoint\sinhibitors?"
    r"|(?:glp-?1|sglt-?2|pd-?l?1|parp|jak|btk|kras|cdk4/6|her2|egfr|il-?\d+)\s(?:agonists?|inhibitors?|antibod(?:y|ies)|blockers?)"
    r"|focused\sultrasound|renal\sdenervation|thrombectomy|(?:gene|base)\sediting|(?:[\w-]+\s)?radioligands?(?:\stherapy)?|lvads?"
    r"|antisense(?:\soligonucleotides?)?|crispr|monoclonal\santibod(?:y|ies)|statins?|steroids?|antibiotics?"
)
_MADE_UP = (
    r"[a-z]{3,}(?:mab|nib|ciclib|parib|tide|vir|gliflozin|gliptin|cept|leucel|gene|rsen|siran|rasib|lisib|zomib|toclax"
    r"|tecan|dotin|tansine|ticase)"
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
    r"|someone|anyone|individuals|cases?|elderly|mothers?|mums)"
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
_PRIOR = (
    rf"(?:[\w-]+\s){{0,3}}?(?:{_THERAPY}|{_MADE_UP}|platinum|chemo|radiation|progression|failure|relapse|treatment|therapy"
    r"|lines?|prior|[a-z]{3,}(?:taxel|platin|rubicin|terone|lutamide|tabine|trexed|tinib|mide|zole|xate|cycline)|inhibitors?)"
)
"""What somebody had before. "Depression after stroke" is a disease of its own."""

_AFTERWARDS = re.compile(
    rf"[\s,]+(?:(?:after|following|post)(?=\s{_PRIOR})|despite|failing|(?:who|that)\s(?:has|have|had)?\s?(?:failed|progressed)|progress(?:ing|ed)\son"
    r"|(?:refractory|resistant)\sto|intolerant\s(?:of|to)|previously\streated\swith|pre-?treated\swith|who\scannot|without)\s.{3,}$",
    re.IGNORECASE,
)
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

_EDGES = re.compile(
    r"^(?:(?:an?|the|any|some|with|for|of|in|on|about|patients?|people|clinical|trials?|stud(?:y|ies)|recruiting|open|new"
    r"|suspected|known|condition)\s+)+|\s+(?:(?:trials?|stud(?:y|ies)|patients?|people|pts?|please|with|for|of|in|on|at|near|and|or|the|an?"
    r"|aged?|who|recruiting|open)\s*)+$",
    re.IGNORECASE,
)
_OF_PATIENTS = re.compile(r"\s(?:patients|pts|people)(?=\s(?:in|with|on)\s)", re.IGNORECASE)
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


def subject_of(phrase: str, spans: Iterable[tuple[int, int]] = ()) -> Subject:
    """A phrase without its place, phase and status (`spans`), without whom it is about, taken apart."""
    phrase = blanked(phrase, spans)
    left_out = _AFTERWARDS.search(phrase)
    if left_out:
        phrase = phrase[: left_out.start()]
    beside = [" ".join(left_out.group().strip(" ,").split())] if left_out else []
    beside += [found.group().strip(" ,") for found in _SETTING.finditer(phrase)]
    phrase = _SETTING.sub(" ", phrase)
    phrase = _OF_PATIENTS.sub("", _TRAILING.sub("", _HAVING.sub("", phrase)))
    phrase = _WHATEVER.sub("", trimmed(_LEADING.sub("", phrase)))
    studied = _studied_at_end(phrase)
    if studied is not None:
        return replace(studied, left_out=", ".join(beside))
    treatment = treatment_at_start(phrase)
    rest = phrase[len(treatment) :]
    link = _LINK.match(rest)
    if treatment and link:
        return Subject(trimmed(rest[link.end() :]), _spoken(treatment), ", ".join(beside))
    if treatment and (not rest.strip() or _is_disease(rest)):
        return Subject(trimmed(rest), _spoken(treatment), ", ".join(beside))
    return Subject(phrase, "", ", ".join(beside))


def _studied_at_end(phrase: str) -> Subject | None:
    """ "AML with magrolimab", "septic shock vasopressin": a disease, and behind it what is tried against it.

    "Low testosterone" and "hip surgery" are one thing, and so is what a drug stands first in.
    """
    spans = _treatments(phrase)
    if not spans or spans[-1][1] != len(phrase) or spans[-1][0] == 0 or treatment_at_start(phrase):
        return None
    start = spans[-1][0]
    linked = _BESIDE.search(phrase[:start])
    before = trimmed(phrase[: linked.start()] if linked else phrase[:start])
    if not before or _GENERAL.fullmatch(phrase[start:]) or not (_is_condition(before) or (linked and len(before) > 2)):
        return None
    return Subject(before, _spoken(phrase[start:]))


def _is_condition(words: str) -> bool:
    """By its name, or by what its last word says."""
    last = words.split()[-1]
    return is_known(words) or is_known(last) or _DISEASE.fullmatch(words) is not None


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
    named = rest.strip()
    words = named.split()
    others = 0 < len(words) <= _MOST_WORDS and len(named) > 4 and not any(map(_OF_A_DRUG.fullmatch, words))
    disease = _DISEASE.fullmatch(named) is not None or is_known(named) or others
    return rest[:1] == " " and disease and not any(map(_DRUGS_FAULT.match, words))


def _spoken(treatment: str) -> str:
    return " ".join(re.sub(rf"{_JOINT}", " ", treatment).split())


def _treatments(text: str) -> list[tuple[int, int]]:
    """Drugs and therapies in order; names that are joined by "and" or "versus" as one."""
    whole = re.compile(rf"(?<![\w-])(?:{_TREATMENT.pattern})(?![\w-])", re.IGNORECASE)
    spans = [(drug.start, drug.end) for drug in drugs_in(text) if not _inside_word(text, drug.start, drug.end)]
    spans += [found.span() for found in whole.finditer(text)]
    joined: list[tuple[int, int]] = []
    for start, end in sorted(spans):
        between = text[joined[-1][1] : start] if joined else ""
        if joined and (start < joined[-1][1] or between == " " or re.fullmatch(_JOINT, between, re.IGNORECASE)):
            joined[-1] = (joined[-1][0], max(end, joined[-1][1]))
        else:
            joined.append((start, end))
    return joined


def _inside_word(text: str, start: int, end: int) -> bool:
    """ "Trastuzumab-resistant" is a disease's."""
    return text[end : end + 1] == "-" or (start > 0 and text[start - 1] == "-")
