"""Drugs that no list knows, told by where they stand in a question: "does X interact with warfarin".

The list of drugs finds such a word after "interact with" and "warnings for"; here it is the subject, or a supplement
that people call by its plant or oil. They are passed on as written: a source may know them, and one that does not says
so. Hand-written names; not reviewed by a clinician.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from docgemma.agent.requests import phrases as say
from docgemma.entities.model import Mention
from docgemma.entities.words import word_set

_SUBJECT = re.compile(
    r"(?<!\w)(?:does|do|will|would|could|can|might|did|if|whether|that|may)\s(?:the\s|taking\s|giving\s|starting\s)?"
    r"(?P<name>[^\W\d_][\w-]{4,29})\s(?:also\s|still\s|really\s|actually\s)?"
    r"(?:interacts?|clash(?:es)?|mix(?:es)?|combines?|conflicts?|interferes?)\swith\s",
    re.IGNORECASE,
)
_BETWEEN = re.compile(
    r"(?<!\w)(?:interactions?|ddis?)\s(?:of|between|for)\s(?P<name>[^\W\d_][\w-]{4,29})\s(?:and|with|&)\s",
    re.IGNORECASE,
)
_SUPPLEMENT = re.compile(
    r"(?<![\w-])(?:(?:cod\sliver|fish|krill|evening\sprimrose|flax(?:\s?seed)?|black\sseed|peppermint|cbd|hemp)\soil"
    r"|(?:green\stea|grape\sseed|garlic|milk\sthistle|saw\spalmetto)\s(?:extract|capsules?|tablets?)|omega[\s-]?3s?"
    r"|milk\sthistle|saw\spalmetto|red\syeast\srice|dong\squai|devil['’]s\sclaw|black\scohosh)(?![\w-])",
    re.IGNORECASE,
)
_NO_DRUG = word_set(
    "anything something everything nothing these those which there their other others either neither both patient "
    "patients smoking exercise surgery alcohol caffeine tobacco nicotine another medication medications medicine "
    "medicines drugs tablets things foods people anyone someone being having taking giving"
)
"""In the subject's place, and no drug."""

_ENDINGS = ("ing", "ly")

_CLASS = (
    r"(?:nsaids?|ace[\s-]?inhibitors?|acei|arbs?|(?:beta|alpha|calcium(?:\schannel)?)[\s-]?blockers?|ccbs?|statins?|ssris?|snris?"
    r"|maois?|mao\sinhibitors?|tcas?|tricyclics?|antidepressants?|antipsychotics?|ppis?|doacs?|noacs?|anticoagulants?|antiplatelets?"
    r"|opioids?|opiates?|benzodiazepines?|benzos?|gabapentinoids?|triptans?|nitrates|(?:loop\s|thiazide\s)?diuretics?|thiazides?"
    r"|macrolides?|(?:fluoro)?quinolones?|tetracyclines?|azoles?|rifamycins?|(?:cortico)?steroids?|sulfonylureas?|gliptins?|gliflozins?"
    r"|sglt2\sinhibitors?|pde-?5\sinhibitors?|antacids?|antihistamines?|contraceptives?)"
)
_JOINED = (
    r"\s(?:(?:(?:ok|okay|safe|fine|used|given|interact\w{0,3}|interactions?|combined?|clash|mix|mixed)\s)?(?:with|alongside)|on\stop\sof|plus|\+)"
    r"\s(?:an?\s|the\s)?"
)
_TWO_CLASSES = re.compile(rf"(?<![\w-]){_CLASS}{_JOINED}{_CLASS}(?![\w-])", re.IGNORECASE)
_ONLY_CLASSES = re.compile(
    rf"\W{{0,3}}(?:(?:interactions?|ddis?)\s(?:of|between)\s)?{_CLASS}\s(?:and|&)\s{_CLASS}"
    rf"(?:\s(?:interactions?|together|ok|okay|safe))?\W{{0,3}}",
    re.IGNORECASE,
)


def asks_of_classes(text: str) -> bool:
    """ "NSAIDs with ACE inhibitors": how two classes go together. No source has that; two drugs have to be named."""
    return bool(_TWO_CLASSES.search(text) or _ONLY_CLASSES.fullmatch(text))


def strange_drugs(text: str, known: Sequence[Mention], people: Sequence[Mention]) -> list[Mention]:
    """Names in a drug's place that no list knows, in order. A verb's subject counts only beside a known drug."""
    found = [Mention(match.group(), match.start(), match.end()) for match in _SUPPLEMENT.finditer(text)]
    if known:
        for match in (*_SUBJECT.finditer(text), *_BETWEEN.finditer(text)):
            start, end = match.span("name")
            if _may_be_drug(match["name"]):
                found.append(Mention(match["name"], start, end))
    taken = [*known, *people]
    free = (item for item in found if not any(item.start < other.end and other.start < item.end for other in taken))
    return sorted(free, key=lambda item: item.start)


def _may_be_drug(name: str) -> bool:
    low = name.lower()
    if low in _NO_DRUG or low.endswith(_ENDINGS):
        return False
    return not any(words.search(name) for words in (say.FOOD, say.ANOTHER_TREATMENT, say.SETTING))
