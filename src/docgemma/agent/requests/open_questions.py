"""Questions about drugs without a word that says so: "would sitagliptin be a no?", "does X bump up Y levels?".

They are told by what they are not. A question with a drug in it that is about no dose, mechanism, indication, class,
name, price or choice is one about what the drug may do to somebody; with two drugs, about what one does to the other.
Hand-written phrases; not reviewed by a clinician.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import pairwise

from docgemma.agent.requests import phrases as say
from docgemma.agent.requests.drug_questions import POINTING, Around, Asked, distinct, with_context
from docgemma.agent.requests.phrases import pattern
from docgemma.agent.requests.question_mood import asking_piece, asks_within, proposes
from docgemma.entities.model import Mention
from docgemma.entities.words import word_set

_KNOWLEDGE = pattern(
    r"used(?!\swith)|use\s(?:for|in|to)|uses|works?|working|treats?|treated|helps?|helpful|covers?|coverage|effective(?:ly)?|efficacy"
    r"|enough|sufficient|(?<!not\s)good\sfor|useful|any\s(?:use|good)|benefits?|cures?|licen[sc]ed|approved|choice|option|options"
    r"|names?|named|called|brands?|stands?\sfor|means?|meaning|definition|belong|contains?|ingredients?|made\sof"
    r"|available|stock|formulary|over\sthe\scounter|otc|prescription[\s-]only|controlled\sdrug|schedule\s\w{1,3}"
    r"|cheap\w{0,4}|expensive|costs?|price|funded|covered|comes?\s(?:in|as)|liquid|suspension|form|forms|formulations?"
    r"|strengths?|stor(?:e|ed|age)|fridge|refrigerat\w{1,5}|expir\w{1,3}|shelf"
    r"|absor\w{2,6}|excret\w{1,4}|metaboli\w{2,5}|eliminat\w{1,4}|peaks?|troughs?|aim\sfor|given\s(?:once|twice|daily|weekly|monthly)|therapeutic\srange|clearance"
    r"|steady\sstate|prodrug|receptors?|guidelines?|guidance|nice|protocols?|recommended|recommend|second[\s-]line"
    r"|third[\s-]line|step\s\d|gold\sstandard|invented|discovered|mg/kg|units?/kg|infusion\srate|target"
    r"|kick\sin|last\s(?:for|in)|take\seffect|start\sworking|monitored|taper\w{0,3}|wean\w{0,3}|dilut\w{1,4}"
    r"|reconstitut\w{1,4}|antibiotics?|dose|how\smany|bioavailab\w{2,5}|(?<!heart\s)(?<!pulse\s)rate|learn|teach|exam|quiz|shortages?|supply\sproblem|worth\s\w{3,10}|invent\w{1,3}"
    r"|still\suse|in\suse|anymore|derived|extracted|synthe\w{3,6}|origin\w{0,5}|plants?|yours|(?:our|your)\s(?:trust|hospital|unit|place|ward)"
    r"|(?:did|do|have)\s(?:you|u)\s(?:hear|heard|think(?!\W{0,3}$)|know|see|seen|remember|like)"
)
"""General knowledge of a drug, beside what `NOT_ABOUT_SAFETY` says."""

_UNWANTED = (
    r"(?:the\s|her\s|his\s|your\s|their\s)?(?:seizure|fit|platelets?|neutrophils?|white|wbc|wcc|sodium|potassium|magnesium"
    r"|calcium|fertility|libido|sperm|milk|bone|sats|gcs|consciousness|h(?:a)?emoglobin|hb|immunity|hearing|vision|breathing)(?!\w)"
)
_WANTED = re.compile(
    r"\s(?:also\s|still\s|actually\s)?(?:work|treat|help|cover|come|need|require|contain|expire|count|last|kick"
    rf"|(?:lower|reduce)(?!s?\s{_UNWANTED})|improve|prevent|kill|act|penetrate|differ|target|bind|belong|mean|exist|cost|look|taste|have|from"
    r"|bring|control|clear|settle|ease|relieve|fix|cure|levels?)s?(?!\w)",
    re.IGNORECASE,
)
"""Right after the drug: what it is given for, or what is no effect of it."""

_CHOICE = pattern(
    r"vs\.?|versus|better|best|stronger|superior|inferior|non-?inferior|compar(?:e|ed|ing|ison)|differ(?:s|ence|ent|ently)?"
    r"|equivalen(?:t|ce|ts)|switch(?:ing|ed)?|swap(?:ping|ped)?|chang(?:e|ing)\s[^.!\n]{1,40}?\sto|same\s(?:as|thing|drug"
    r"|class|family)|the\ssame|more\s(?:effective|potent)|(?:less|more)\slikely|prefer(?:red|able)?|which\s(?:one|of)|either|instead\sof"
    r"|rather\sthan|alternatives?|replace[ds]?|substitut\w{1,4}|choose|choosing|pick|torn|toss-?up|decid(?:e|ing)"
)
_OR = re.compile(r"\s{0,2}(?:,\s)?(?:or|vs\.?|/)\s(?:the\s)?", re.IGNORECASE)
_ONE_DOSE = re.compile(
    r"(?<!\w)(?:stat|single|one|first|last|missed|one-off|an?|next|extra)\sdoses?(?!\w)|at\sthe\ssame\stime",
    re.IGNORECASE,
)
"""A dose that is told, not asked for."""

_WHICH = re.compile(
    r"\W{0,4}(?:(?:and|but|so|also|then|or|hi|hello|hey|please|pls|well|ok|okay|quick\sone)\W{1,3}){0,3}(?:(?:can|could)\s"
    r"(?:you|u)\s(?:explain|describe|teach|define|give|remind|list)|tell\sme|explain|describe|define|what|whats|what['’]s|which"
    r"|who|whos|when|where|how|hows|why|remind|list|teach|name|give\sme)(?!\w)",
    re.IGNORECASE,
)
_KIND = re.compile(
    r"\s(?:(?:also|really|actually|just)\s)?(?P<which>an?|the|both|all|one\sof\sthe)\s(?P<what>[\w-]{2,20})",
    re.IGNORECASE,
)
_TROUBLE = word_set(
    "no no-no nono no-go nogo problem problems risk danger concern worry issue issues bad big huge real serious major "
    "mistake hazard trigger cause culprit reason blame poor contraindication killer terrible good disaster worse hard "
    "firm definite definitely safe threat recipe gamble massive possible likely common known never"
)
_MAY_ASK_WITHIN = pattern(
    r"(?:is|was)\s(?:it|this|that)|(?:can|could|should|may|shall|will)\s(?:i|we|she|he|they|it)|(?:ok|okay|safe)\sto"
    r"|any\s(?:\w{3,12}\s)?(?:danger|dangers|risks?|harm|issues?|problems?|trouble|concerns?|objections?|worries)"
    r"|yes\sor\sno|or\snot|y/n|good\sor\sbad"
)
_VERDICT = pattern(
    r"sell|supply|dispense|issue|hand\sit\sout|go\sahead|proceed|yes\sor\sno|or\s(?:not|no)|y/n|thoughts|surely|allow(?:ed)?|refuse"
    r"|worry|worried|problem|problems|danger(?:ous)?|risky|bad|advice|advise|green\slight|good\sto\sgo|agree|happy|ring"
    r"|hold(?:\soff)?|continue|carry\son|acceptable|match|clash|ok|okay|safe|fine|alright|true|matters?|related|linked|connected|to\sblame|coincidence"
    r"|the\s(?:reason|cause|culprit)|could\s(?:that|it|this)\sbe|due\sto|because\sof|can['’]?t|cannot|shouldn['’]?t"
)
_TAKEN = pattern(
    r"(?:she|he|they|patient|pt|X{2,80})(?:['’]s)?\s(?:(?:is|still|already|currently|now|ever|also|been|be|to)\s){0,3}(?:on"
    r"|taking|takes?|had|have|given|prescribed|allergic|using|receiving|started|getting)"
)
"""About two drugs this asks whether somebody takes them: the chart knows."""

_CHARTED = pattern(
    r"charts?|charted|list|listed|records?|recorded|prescribed|given|stopped|started|due|signed|file|notes?|meds"
)
_ACTING = re.compile(
    r"\W{0,4}(?:(?:and|but|so|also|or)\W{1,3})?(?:is|are|will|would|could|can|might|does|do)\s(?:the\s|her\s|his\s)?",
    re.IGNORECASE,
)
"""Right before a drug this makes it the one that does something."""

_SHOULD_I = re.compile(
    r"\W{0,4}(?:so\s|and\s|but\s)?(?:should|do|must|shall|am|can|could)\s(?:i|we)\s(?:be\s|need\sto\s|have\sto\s|to\s)?"
    r"(?:worry|worried|phon|ring|call|contact|query|querying|stop|hold|refus|intervene|bothered|concerned|give|giving|ok|okay)",
    re.IGNORECASE,
)
_DO_I = re.compile(
    r"\W{0,4}(?:(?:so|and|but)\s)?(?:should|do|must|shall|can|could)\s(?:i|we)\s(?:need\sto\s|have\sto\s)?(?!check|repeat|order|send|refer"
    r"|discharge|admit|measure|book|arrange|scan|do\s|get|see|find|read)[a-z]{3}",
    re.IGNORECASE,
)
"""Right after two drugs were told, what the asker is to do is about the two of them."""

_MAY_SHE = re.compile(
    r"\W{0,4}(?:(?:so|and|but)\s)?(?:(?:can|could|may|should|will|would|shall)\s(?:i|we|she|he|they|it|this|that)(?:\s(?:be|have|take"
    r"|swallow|get|use|go|drink|(?:have|take|use|get|give|do)\s(?:it|that|this|them|both)|still|continue|stop|start|safely)){0,2}"
    r"|(?:is|are)\s(?:it\s|this\s|that\s|these\s|they\s|both\s)?(?:possible|allowed|permitted|good|bad|correct|right|wrong|wise|sensible))"
    r"(?:\s(?:or\snot|yes|no|now|then|please|pls))?\W{0,3}",
    re.IGNORECASE,
)
""" "She takes X and Y, can she?": nothing is left to be judged but the drugs told before."""

_ABOUT_THAT = re.compile(
    r"\W{0,4}(?:(?:so|and|but)\s)?(?:is|was|are|were|will|would|should|could|can|does|do)\s(?:that|this|it|they|these|those|both)(?!\w)",
    re.IGNORECASE,
)
"""Right after two drugs were told, "that" is the two of them."""

_ACTED_ON = re.compile(
    r"\s(?!(?:treat|cover|contain|help|work|come|mean|belong|replace|need|have|count|compare|equal|beat)s?\s)"
    r"(?:[a-z'-]{2,14}\s){1,4}$",
    re.IGNORECASE,
)
_THIS_OR_THAT = re.compile(r"^\W{0,4}(?:\w{2,12}\s){1,2}or\s\w{2,12}(?:\s\w{2,12})?\W{0,3}$")
""" "Yay or nay", "give or hold off": nothing else is said in it."""

_IS_RIGHT = re.compile(
    r"\W{0,4}(?:(?:and|so|but)\s)?(?:is|was|are|am)\s(?:she|he|they|i|that|this|it)\s(?:right|correct|wrong|true|mistaken)(?:\sthere)?\W{0,3}",
    re.IGNORECASE,
)
_ANY_OF_IT = re.compile(r"\W{0,4}(?:(?:and|so|but)\s)?any\s(?!other|more|better|update|news)[a-z]{4}", re.IGNORECASE)
""" "…, any qualms", "…, any truth in it": no data and no papers, so it is about the drugs told before."""

_IS_IT = re.compile(r"\W{0,4}(?:is|was|isn['’]?t)\s(?:it|that|this)\s", re.IGNORECASE)
""" "Which one covers it, is it X?" asks for a name; "is it the X?" for a culprit."""

_LONGEST_VERDICT = 8


def open_question(text: str, mark: str, own: Sequence[Mention], around: Around) -> Asked | None:
    """What a part asks about drugs when no phrase says it. For a part that does not ask for a chart."""
    within = bool(_MAY_ASK_WITHIN.search(text)) or asks_within(text, own)
    asking = within or mark == "?" or bool(say.ASKING.match(text))
    if not asking or (say.STATED.match(_last_piece(text, own)) and not within):
        return None
    if not own:
        return _verdict(text, around)
    text = _ONE_DOSE.sub(lambda match: " " * len(match.group()), text)
    meant = with_context(text, own, around, asking=True)
    if len(meant) > 1 and _acts_on(text, own):
        return Asked("together", meant)
    if any(words.search(text) for words in (_KNOWLEDGE, say.NOT_ABOUT_SAFETY)) or _WANTED.match(text, own[0].end):
        return None
    if len(meant) > 1:
        chosen = _CHOICE.search(text) or _one_or_other(text, own) or _is_a_kind(text, own[:1])
        return None if chosen else Asked("together", meant)
    if _CHOICE.search(text) or _is_a_kind(text, own) or _IS_IT.fullmatch(text, 0, own[0].start):
        return None
    if not _about_drug(text, own):
        return None
    if _WHICH.search(text) and not say.HARM.search(text):
        return None
    return Asked("safety", meant) if _says_more(text, own) else None


def about_drugs_first(text: str, mark: str, own: Sequence[Mention], around: Around) -> Asked | None:
    """What is asked about drugs although somebody's data are named, and not whether somebody takes them.

    Two drugs in one question, or one that does something: "is prednisolone going to send his sugars up?".
    """
    if not own:
        return _verdict(text, around) if _IS_RIGHT.fullmatch(text) else None
    if _TAKEN.search(text) or _CHARTED.search(text):
        return None
    if len(distinct(own)) > 1 or _ACTING.fullmatch(text[: own[0].start]):
        return open_question(text, mark, own, around)
    return None


def _acts_on(text: str, own: Sequence[Mention]) -> bool:
    """ "Does X push up Y levels enough to matter": one is the subject, the other what it does something to."""
    if len(distinct(own)) != 2 or _CHOICE.search(text) or not _ACTING.fullmatch(text[: own[0].start]):
        return False
    between = text[own[0].end : own[1].start]
    return not text.lower().startswith(("is", "are")) and _ACTED_ON.fullmatch(between) is not None


def _about_drug(text: str, own: Sequence[Mention]) -> bool:
    """Whether the piece that asks is about the drug that was named: "on X, wants to fly, which gate?" is not."""
    start, end = asking_piece(text, own)
    if any(start <= drug.start < end for drug in own) or proposes(text, own):
        return True
    piece = text[start:end]
    return any(words.search(piece) for words in (POINTING, _VERDICT, _THIS_OR_THAT, say.HARM))


def _verdict(text: str, around: Around) -> Asked | None:
    """ "She takes X and wants Y. Sell or not?": what was told is what is judged."""
    told = distinct(around.told)
    if any(words.search(text) for words in (_KNOWLEDGE, say.NOT_ABOUT_SAFETY, say.OTHER_ACT)):
        return None
    both = len(told) > 1 and (_ABOUT_THAT.match(text) or _DO_I.match(text))
    judged = both or _IS_RIGHT.fullmatch(text) or (_ANY_OF_IT.match(text) and not _CHOICE.search(text))
    judged = (
        judged or _VERDICT.search(text) or say.HARM.search(text) or _SHOULD_I.match(text) or _MAY_SHE.fullmatch(text)
    )
    if not told or len(text.split()) > _LONGEST_VERDICT or not judged:
        return None
    return Asked("together" if len(told) > 1 else "safety", told)


def _is_a_kind(text: str, own: Sequence[Mention]) -> bool:
    """ "Is aspirin an NSAID?" asks what it is; "is aspirin a problem?" does not."""
    kind = _KIND.match(text, own[-1].end)
    if kind and kind["which"].lower() == "the" and not _ACTING.fullmatch(text[: own[0].start]):
        return False
    return kind is not None and kind["what"].lower() not in _TROUBLE


def _says_more(text: str, own: Sequence[Mention]) -> bool:
    """A name and a question mark alone could ask anything."""
    return bool(re.search(r"\w{2}", text[: own[0].start] + text[own[-1].end :]))


def _last_piece(text: str, own: Sequence[Mention]) -> str:
    """ "Pt is G6PD deficient, nitrofurantoin a bad idea": what is told before the comma is not what is asked."""
    return text[text.rfind(",", 0, own[-1].start) + 1 :] if own else text


def _one_or_other(text: str, own: Sequence[Mention]) -> bool:
    """ "X or Y for nerve pain?" is a choice."""
    return any(_OR.fullmatch(text, one.end, other.start) for one, other in pairwise(own))
