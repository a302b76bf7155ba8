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
from docgemma.agent.requests.drug_questions import Around, Asked, distinct, with_context
from docgemma.agent.requests.phrases import pattern
from docgemma.entities.model import Mention
from docgemma.entities.words import word_set

_KNOWLEDGE = pattern(
    r"used(?!\swith)|use\s(?:for|in|to)|uses|works?|working|treats?|treated|helps?|helpful|covers?|coverage|effective(?:ly)?|efficacy"
    r"|enough|sufficient|good\sfor|useful|any\s(?:use|good)|benefits?|cures?|licen[sc]ed|approved|choice|option|options"
    r"|names?|named|called|brands?|stands?\sfor|means?|meaning|definition|belong|contains?|ingredients?|made\sof"
    r"|available|stock|formulary|over\sthe\scounter|otc|prescription[\s-]only|controlled\sdrug|schedule\s\w{1,3}"
    r"|cheap\w{0,4}|expensive|costs?|price|funded|covered|comes?\s(?:in|as)|liquid|suspension|form|forms|formulations?"
    r"|strengths?|stor(?:e|ed|age)|fridge|refrigerat\w{1,5}|expir\w{1,3}|shelf"
    r"|absor\w{2,6}|excret\w{1,4}|metaboli\w{2,5}|eliminat\w{1,4}|peaks?|troughs?|therapeutic\srange|clearance"
    r"|steady\sstate|prodrug|receptors?|guidelines?|guidance|nice|protocols?|recommended|recommend|second[\s-]line"
    r"|third[\s-]line|step\s\d|gold\sstandard|invented|discovered|mg/kg|units?/kg|infusion\srate|target"
    r"|kick\sin|last\s(?:for|in)|take\seffect|start\sworking|monitored|taper\w{0,3}|wean\w{0,3}|dilut\w{1,4}"
    r"|reconstitut\w{1,4}|antibiotics?|dose|how\smany|bioavailab\w{2,5}|rate|learn|teach|exam|quiz|shortages?|supply\sproblem|worth\s\w{3,10}|invent\w{1,3}"
    r"|(?:did|do|have)\s(?:you|u)\s(?:hear|heard|think|know|see|seen|remember|like)"
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
    r"|class|family)|the\ssame|more\s(?:effective|potent)|prefer(?:red|able)?|which\s(?:one|of)|either|instead\sof"
    r"|rather\sthan|alternatives?|replace[ds]?|substitut\w{1,4}|choose|choosing|pick|between"
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
    r"\s(?:(?:also|really|actually|just)\s)?(?:an?|both|all|one\sof\sthe)\s(?P<what>[\w-]{2,20})", re.IGNORECASE
)
_TROUBLE = word_set(
    "no no-no nono no-go nogo problem problems risk danger concern worry issue issues bad big huge real serious major "
    "mistake hazard trigger cause culprit poor contraindication killer terrible good disaster worse hard firm definite "
    "definitely safe threat recipe gamble massive possible likely common known never"
)
_MAY_ASK_WITHIN = pattern(
    r"(?:is|was)\s(?:it|this|that)|(?:can|could|should|may|shall|will)\s(?:i|we|she|he|they|it)|(?:ok|okay|safe)\sto"
    r"|any\s(?:\w{3,12}\s)?(?:danger|dangers|risks?|harm|issues?|problems?|trouble|concerns?|objections?|worries)"
    r"|yes\sor\sno|or\snot|y/n|good\sor\sbad"
)
_VERDICT = pattern(
    r"sell|supply|dispense|issue|hand\sit\sout|go\sahead|proceed|yes\sor\sno|or\s(?:not|no)|y/n|thoughts|allow(?:ed)?|refuse"
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

_LONGEST_VERDICT = 7


def open_question(text: str, mark: str, own: Sequence[Mention], around: Around) -> Asked | None:
    """What a part asks about drugs when no phrase says it. For a part that does not ask for a chart."""
    asking = mark == "?" or bool(say.ASKING.match(text)) or bool(_MAY_ASK_WITHIN.search(text))
    if not asking or (say.STATED.match(_last_piece(text, own)) and not _MAY_ASK_WITHIN.search(text)):
        return None
    if not own:
        return _verdict(text, around)
    text = _ONE_DOSE.sub(lambda match: " " * len(match.group()), text)
    if any(words.search(text) for words in (_KNOWLEDGE, say.NOT_ABOUT_SAFETY)) or _WANTED.match(text, own[0].end):
        return None
    meant = with_context(text, own, around, asking=True)
    if len(meant) > 1:
        return None if _CHOICE.search(text) or _one_or_other(text, own) else Asked("together", meant)
    if _WHICH.match(text) or _CHOICE.search(text) or _is_a_kind(text, own):
        return None
    return Asked("safety", meant) if _says_more(text, own) else None


def about_drugs_first(text: str, mark: str, own: Sequence[Mention], around: Around) -> Asked | None:
    """What is asked about drugs although somebody's data are named, and not whether somebody takes them.

    Two drugs in one question, or one that does something: "is prednisolone going to send his sugars up?".
    """
    if not own or _TAKEN.search(text) or _CHARTED.search(text):
        return None
    if len(distinct(own)) > 1 or _ACTING.fullmatch(text[: own[0].start]):
        return open_question(text, mark, own, around)
    return None


def _verdict(text: str, around: Around) -> Asked | None:
    """ "She takes X and wants Y. Sell or not?": what was told is what is judged."""
    told = distinct(around.told)
    if not told or len(text.split()) > _LONGEST_VERDICT or not _VERDICT.search(text):
        return None
    return Asked("together" if len(told) > 1 else "safety", told)


def _is_a_kind(text: str, own: Sequence[Mention]) -> bool:
    """ "Is aspirin an NSAID?" asks what it is; "is aspirin a problem?" does not."""
    kind = _KIND.match(text, own[-1].end)
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
