"""Where a drug's name in a label is about something else: an allergy, a comparison, a remedy, a kind of effect."""

from __future__ import annotations

from collections.abc import Sequence

from docgemma.drugs.interactions.cues import ADDS_UP, FORBIDS, TOGETHER, clause_start, either, near

_BEFORE = 200
_AFTER = 60

_ON = (
    r"(?:(?!concomit|co-?admin|concurren|receiving|potentiat|increas|respons|refractory|to treat|treatment of|interact)"
    r"[^.;])"
)
"""Any letter of the clause, as long as it does not turn to taking both."""

_REACTION = r"(?:asthma|urticaria|rhinitis|angioedema|bronchospasm)"
_ALLERGIC_TO = either(
    rf"(?:hypersensitiv|allerg|anaphyla|idiosyncra|intoleran|sensitiv(?:e|ity))"
    rf"{_ON}{{0,80}}\b(?:to|after|following|from|by|with (?:previous|prior))\b{_ON}{{0,120}}$",
    rf"(?:history|experienced|previous|prior|{_REACTION})[^.;]{{0,60}}(?:{_REACTION}|reactions?)"
    rf"{_ON}{{0,80}}\b(?:to|after|following|from|by|with (?:previous|prior))\b{_ON}{{0,120}}$",
    rf"cross-?\s?(?:react|sensitiv|resist|hypersens){_ON}{{0,140}}$",
)
_CAUSED = either(r"[\s-](?:induced|associated|related)\b")
_ALLERGY = either(r"[\s-]{1,2}(?:sensitiv|hypersensitiv|allerg|intoleran|induced asthma|triad|exacerbated resp)")
_COMPARED_WITH = either(
    r"(?:compared (?:with|to)|comparison (?:with|to|of)|versus|\bvs\.?|\bthan(?: with| that of| for)?"
    r"|(?:superior|inferior|relative|alternative) to|comparable to(?: that of)?|similar to (?:that|those) (?:of|with))"
    r"\s{0,3}(?:(?:in )?(?:those|patients) (?:receiving|treated with|on) |either |the |placebo or )?$"
)
_COMPARED = either(r"(?:[\s-]treated)?\s{0,2}(?:\(\d[^)]{0,20}\)\s)?(?:arm|group|control|comparator)s?\b")
_CONTAINS = either(
    r"\b(?:contains?|excipients?|inactive ingredients?|formulated with|preservatives?|prepared from)\b[^.;]{0,60}$"
)
_EMERGENCY = either(r"overdos|anaphyla|antidote|revers(?:al|ed?|ing)\b|emergency|supportive|resuscitat")
_GIVEN = either(
    r"(?:\badminister(?:ing|ed)?|\bgiv(?:e|ing|en)|\btreat(?:ment|ed)?\s(?:\w{1,20}\s){0,2}with"
    r"|\brevers\w{1,4}\s(?:\w{1,20}\s){0,3}(?:with|by)|antidote|\bdoses? of)\b[^.;]{0,60}$"
)
_REMEDY = either(
    r"\bbe (?:\w{1,20} )?(?:treated|managed|controlled|relieved|corrected|counteracted)"
    r" (?:\w{1,20} ){0,3}(?:with|by)\s[^.;]{0,60}$",
    r"(?:\bimprove\w{0,4} (?:with|on|after)|\brespon[ds]\w{0,5} to)\s[^.;]{0,60}$",
)
_FAILS = either(
    r"\bnot\b|unresponsive|refractory|less (?:effective|responsive)|resist|block|antagoni|avoid|diminish|attenuat"
)
_LEFT_OUT = either(
    r"(?:\bother than|\bexcept(?: for)?|\bexcluding|(?<!or )\bwithout|\bin the absence of|\brather than|\binstead of"
    r"|\bunlike)"
    r"\s{0,2}(?:\w{1,20}\s){0,2}$",
    r"(?<!or )\bnot (?:taking|receiving|using|on|treated with)\s(?:\w{1,20}\s){0,2}$",
    r"\bnon-?\s?$",
    r"\binstead,?\s[^.;]{0,80}$",
)
_SALT = either(r"(?:azole|silver|thiamine)\s$")
_DESCRIBED = either(
    r"\b(?:is|are|was|were|acts? as|belongs? to)\s(?:also\s|both\s|not\s|neither\s)?(?:an?\s|the\s|in\s|members? of\s)?"
    r"(?:(?!\w{1,20}(?:ing|ed|en)\b|with\b|on\b|to\b|by\b|for\b)[\w-]{1,20}\s){0,3}$"
)
_OF_OTHERS = either(
    r"\b(?:drugs|agents|medic\w{1,9}|products|compounds|those|examples?|these|following|such|inhibitors|inducers)\b[^.;]{0,60}$"
)
_APPOSED = either(r",\s(?:which is\s)?(?:also\s)?an?\s(?:[\w-]{1,20}\s){0,3}$")
_OF_EFFECT = either(
    r"[\s-](?:toxicity|effects?|activity|propert|syndrome|symptoms?|side|actions?|withdrawal|dependence|abuse|addiction)",
    r"[\s-](?:use disorder|overdos|poisoning|crisis)",
)
_CONDITION = either(r"[\s-](?:malignant\b|deficien)", r"\s(?:production|synthesis|secretion)\b")
_OF_THE_BODY = either(r"\b(?:endogenous|adrenal|gonadal)\s$")
_STOPPED = either(
    r"\b(?:sudden|abrupt)(?:ly)?\s(?:or\s\w{1,20}\s)?"
    r"(?:withdraw\w{0,3}|discontinu\w{1,5}|cessation|stop(?:ping|ped)?)(?:\s(?:of|from))?\s[^.;:]{0,120}$"
)
_MEMBER_OF = either(r"\s(?:\w{1,12}\s){0,2}of\s(?:\w{1,12}\s){0,2}$")
_ITS_OWN = either(
    r"[\s-](?:(?:plasma|serum|blood)\s)?(?:levels?|concentrations?|exposure|effects?|activity|actions?|response)\b"
)
_IN_USE = either(r"\b(?:receiving|taking|treated with|while on|patients on|given)\b")
_OF_MORE = either(r"\b(?:other|another|any|drugs|agents|medic\w{1,9}|products|those)\b")


def about_something_else(text: str, start: int, end: int) -> bool:
    """Whether a name stands in an allergy, a harm of its own, a comparison, a list of contents or a remedy."""
    before = text[max(0, start - _BEFORE) : start]
    after = text[end : end + _AFTER]
    if _LEFT_OUT.search(before) or _ALLERGY.match(after) or _ALLERGIC_TO.search(before):
        return True
    if text[start:end].lower().startswith("nitrate") and _SALT.search(before):
        return True
    around = near(text, start, end)
    if TOGETHER.search(around) or FORBIDS.search(around):
        return False
    if _COMPARED_WITH.search(before) or _COMPARED.match(after) or _CAUSED.match(after) or _CONTAINS.search(before):
        return True
    given = _REMEDY.search(before) or (_EMERGENCY.search(around) and _GIVEN.search(before))
    return given is not None and _FAILS.search(around) is None


def opens(text: str, start: int, end: int) -> bool:
    """Whether a name opens an entry of a list: "Digoxin: watch its levels"."""
    return start < _AFTER and not text[:start].strip(" -•·") and text[end : end + 1] == ":"


def names_an_effect(text: str, start: int, end: int) -> bool:
    """Whether a class word only tells the kind of an effect: "central anticholinergic toxicity"."""
    around = near(text, start, end)
    return _OF_EFFECT.match(text, end) is not None and not (TOGETHER.search(around) or ADDS_UP.search(around))


def names_a_condition(text: str, start: int, end: int) -> bool:
    """Whether a class word is part of the name of an illness or of what the body makes: "neuroleptic malignant"."""
    return (
        _CONDITION.match(text, end) is not None or _OF_THE_BODY.search(text[max(0, start - _AFTER) : start]) is not None
    )


def stopped(text: str, start: int, end: int) -> bool:
    """Whether what is meant is that the class was stopped: "sudden withdrawal of alcohol or benzodiazepines"."""
    before = text[max(0, start - _BEFORE) : start]
    around = near(text, start, end)
    return _STOPPED.search(before) is not None and not (TOGETHER.search(around) or _IN_USE.search(around))


def told_of_one(text: str, start: int, end: int, members: Sequence[tuple[int, int]]) -> bool:
    """Whether a class word tells what one named drug does: "Clopidogrel: less antiplatelet effect" means no other.

    `members`: where the text names drugs of this class.
    """
    its = _ITS_OWN.match(text, end)
    if its is None:
        return False
    first = clause_start(text, start)
    for at, to in members:
        if first <= at < start and not _OF_MORE.search(text, to, start):
            return True
        if its.end() < at <= its.end() + _AFTER and _MEMBER_OF.fullmatch(text, its.end(), at):
            return True
    return False


def describes(text: str, start: int) -> bool:
    """Whether a class is said of a drug, not of what is taken with it: "X is a strong CYP3A4 inhibitor"."""
    before = text[max(0, start - _BEFORE) : start]
    said = _DESCRIBED.search(before)
    return said is not None and _OF_OTHERS.search(before[: said.start()]) is None


def follows_a_name(text: str, start: int) -> bool:
    """Whether a class explains what was named before it: "ritonavir, a strong CYP3A4 inhibitor"."""
    return _APPOSED.search(text[max(0, start - _BEFORE) : start]) is not None
