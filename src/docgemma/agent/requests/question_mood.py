"""Whether a part of a message asks something, wherever in it the question stands and with or without its mark.

On a phone the mark is left out, and the question comes last: "72F, AF, on apixaban, wants ibuprofen, am i ok giving
that". Mood shows in the order of the words (a verb before its subject), in a question word, in a verb of asking, or in
a tag at the end. Hand-written phrases; not reviewed by a clinician.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from docgemma.agent.requests import phrases as say
from docgemma.agent.requests.phrases import pattern
from docgemma.entities.model import Mention

_INVERTED = pattern(
    r"(?:am|is|are|was|were|does|did|can|could|should|would|will|may|might|shall|isn['’]?t|aren['’]?t|doesn['’]?t|can['’]?t"
    r"|shouldn['’]?t|won['’]?t|wouldn['’]?t)\s(?:i|we|he|she|it|they|there|anyone|anybody|somebody|someone)"
    r"|(?:do|have)\s(?:i|we|you|they|people)|(?:has|had)\s(?:he|she|it|anyone|anybody|someone|there)|(?:is|can|could|will|would|should)\s(?:this|that|these|those)"
)
"""A verb before its subject."""

_WORD = pattern(
    r"(?:what|whats|what['’]s|how|why|which|whom)\s(?:not|to|if|else|all|bad|is|are|was|were|does|do|did|can|could|should"
    r"|would|will|may|might|must|people|patients|pts|group|groups|ones?|conditions?|problems?|risks?|harm|happens)"
    r"|(?:who|what)(?=\W{0,3}$)|whom|whether|how\s[a-z]{3,14}\s(?:is|are|would)"
)
_TOLD_TO = re.compile(
    r"\W{0,4}(?:(?:please|pls|kindly|just|ok|and|so)\s){0,3}(?:(?:can|could)\s(?:you|u)\s)?(?:tell\sme|give\sme|list|name|remind\sme|let\sme\sknow"
    r"|outline|any(?:one|body)|every(?:one|body))\s",
    re.IGNORECASE,
)
_ASKED = pattern(
    r"(?:like|want|wants|wanted|need|needs|needed|grateful|good|keen|curious|useful|helpful|nice|got|get)\s(?:\w{2,6}\s)?(?:to\s)?"
    r"(?:know|hear|understand|find\sout|be\ssure|make\ssure)|wondering|i\swonder|(?:ask|asks|asked|asking)\s(?:\w{2,10}\s)?(?:if|whether"
    r"|will|can|is|does|would|should|which|who|what|how|why)|not\s(?:too\s|so\s|quite\s)?sure|unsure|query|question"
    r"|(?:i['’]?m|i\sam|i|we['’]re|we\sare)\s(?:\w{2,7}\s)?(?:worried|afraid|concerned|nervous|not\shappy|unhappy|uneasy)"
    r"|i\s(?:imagine|suppose|think|reckon|guess|presume|assume|take\sit)\s[^.\n]{0,60}?(?:unwise|bad|wrong|danger|dangerous|unsafe"
    r"|risky|ok|okay|safe|fine|mistake|contraindicated)"
)
"""A verb of asking, or an opinion that waits to be confirmed."""

_OPENING = re.compile(
    r"[,;:.(–—-]\s{1,2}(?:(?:so|and|but|also|please|pls|just)\s)?(?:am|does|can|could|should|would|will|may|any|anything"
    r"|what|whats|what['’]s|why|how|hows|allowed|worth|worried|possible|is|are)\s\w"
    r"|[,;:.(–—-]\s{1,2}(?:so\s|and\s)?(?:ok|okay|safe|fine|alright)\s(?:to\s(?:give|start|use|add|take|have|continue|restart|prescribe|combine|mix)"
    r"|with|for|in|if|that|this|giving|adding|or)(?!\w)",
    re.IGNORECASE,
)
_NOT_OPENING = re.compile(
    r"[,;:.(–—-]\s{1,2}(?:(?:so|and|but|also)\s)?(?:is|are|can|will|does)\s(?:(?:now|currently|also|still"
    r"|otherwise|well|not|very|so|in|at|a|an|and|have|be|get|go|with|today|under|known|due|been|being|awaiting)(?!\w)"
    r"|on\s|\w{3,12}ing(?!\w)|\w{3,12}ed(?!\w))",
    re.IGNORECASE,
)
""" "72F, AF, is on apixaban": the subject was left out, nothing is asked."""

_TAG = re.compile(
    r"(?:,\s?|(?<!\w)(?:not|thats|that['’]s|that\sis|its|it['’]s|too)\s[^,.\n]{2,40}\s)(?:yes|no|true|right|correct|yeah|innit|is\sit|isn['’]?t\sit)\W{0,3}$"
    r"|(?<!\w)(?:or\s(?:not|what|no|nah|never|refuse|swap|stop|wait|leave|hold|avoid|else)|y/n|yay\sor\snay|surely\s(?:not|no)|surely|no\sway"
    r"|\w{2,12}\sor\sno|(?:ok|okay|fine|safe|allowed|possible|acceptable|good|bad|wrong|right)\s(?:that|this|it|yes|no)"
    r"|(?:is|not)\s(?:possible|allowed|permitted|permissible|advisable)|allowed|possible|permissible)\W{0,3}$",
    re.IGNORECASE,
)
_VERBLESS = re.compile(
    r"(?:^|[,;:–—-]\s{1,2})(?:(?:an?|any|very|too|really|bit|such|that|good|bad|dumb|stupid|silly|terrible|poor|daft|big|major|huge|high|low|the)\s)"
    r"{0,3}(?:move|idea|combo|combination|mistake|risks?|risky|dangers?|dangerous|harm|reasons?|problems?|issues?|concerns?|cautions?|daft"
    r"|unwise|overkill|safe|ok|okay|fine|allowed|trouble|advisable|contraindicated|shout|plan|thoughts|objections?|worth\sit|connected|related|linked|coincidence|to\sblame)"
    r"(?:\s(?:to|not|with|that|this|here|or|fine|ok|okay|bad|good|for|in|him|her)){0,3}\W{0,3}$",
    re.IGNORECASE,
)
"""A judgement alone after a comma or dash at the end: "X in Y, dumb move", "X in Y, reasons not to"."""

_AFTER_DRUG = re.compile(
    r"\s(?:\d{1,4}\s?(?:mg|mcg|g|ml)?\s)?(?:,\s)?(?:(?:what|who|whom|which|how|why|when)\s|(?:can|could|may|should)\s(?:i|we|she|he|they|give"
    r"|take|use|have|start|be\s(?:given|taken|used|started))(?!\w)"
    r"|(?:ok|okay|safe|fine|alright|allowed|risky|contraindicated)\s(?:with|in|for|to|if|at|after|on|during)\s)",
    re.IGNORECASE,
)
""" "Dapsone what problem it makes", "Dolo can give in dengue": the drug first, then the question."""

_PROPOSED = re.compile(
    r"\s(?:\w{2,12}\s)?(?:for|in|and|at|post|after|before|while|during|to)\s[^.\n]{2,120},\s(?!no\s|nil|not\s|now|well|better|since|review|will|and"
    r"|all\s|then|settled|stable|good\seffect|see|has|had|is|on\s)(?!(?:\w{1,12}\s){0,3}?(?!thing)\w{2,12}(?:ing|ed|ly)(?!\w))"
    r"[a-z]{2,12}(?:\s[a-z]{2,12}){0,3}\W{0,3}$",
    re.IGNORECASE,
)
_HAPPENED = pattern(
    r"given|started|stopped|taken|prescribed|continued?|held|restarted|increased|reduced|changed|tolerat\w{2,3}|refused|worked|helped|due|was|were|is|are"
    r"|has|had|have|gave|took|got|daily|bd|tds|od|nocte"
)
""" "X for her lupus, wise", "X and breathlessness, known thing": a drug is proposed, and a few words ask for a verdict.

Where anything happened already, it is a report.
"""

_BEFORE_DRUG = re.compile(
    r"(?<![\w-])(?:will|would|could|can|might|does|should|may|shall)\s(?:(?:the|a|an|her|his|some|more|adding|giving|using|taking"
    r"|starting|tab|inj|oral|iv|implant)\s){0,2}$|(?:^|[,;:.(–—-]\s{0,2}|(?<!\w)(?:and|but|so|because|asking|asks|wondering"
    r"|know|sure|check|confirm|um|uh|er|erm|hmm)\s)(?:is|are)\s(?:the\s|her\s|his\s)?$",
    re.IGNORECASE,
)
_BACK = 40
_PIECE = re.compile(r"(?:[^,;:.–—\n]|[,:.](?=\d)){1,400}")


def asks_something(text: str, mark: str, drugs: Sequence[Mention]) -> bool:
    """Whether anything is asked. Places of the drugs are those in `text`."""
    if mark == "?" or say.ASKING.match(text) or say.JUDGED_LAST.search(text):
        return True
    return asks_within(text, drugs)


def asking_piece(text: str, drugs: Sequence[Mention]) -> tuple[int, int]:
    """From where to where the question stands, between two marks: the last piece that asks, else the last of all."""
    pieces = [(piece.start(), piece.end()) for piece in _PIECE.finditer(text)] or [(0, len(text))]
    for start, end in reversed(pieces):
        inside = [
            Mention(drug.text, drug.start - start, drug.end - start, drug.value)
            for drug in drugs
            if start <= drug.start and drug.end <= end
        ]
        if asks_something(text[start:end], "", inside):
            return start, end
    return pieces[-1]


def proposes(text: str, drugs: Sequence[Mention]) -> bool:
    """Whether the part is nothing but a drug, what it is for, and a few words that want a verdict."""
    first = bool(drugs) and not text[: drugs[0].start].strip()
    return first and _PROPOSED.match(text, drugs[0].end) is not None and not _HAPPENED.search(text)


def asks_within(text: str, drugs: Sequence[Mention]) -> bool:
    """Whether something is asked in the midst of a part that tells something as well."""
    if _TOLD_TO.match(text) or any(words.search(text) for words in (_INVERTED, _WORD, _ASKED, _TAG, _VERBLESS)):
        return True
    if any(not _NOT_OPENING.match(text, opening.start()) for opening in _OPENING.finditer(text)):
        return True
    first = bool(drugs) and not text[: drugs[0].start].strip()
    if (first and _AFTER_DRUG.match(text, drugs[0].end)) or proposes(text, drugs):
        return True
    return any(_BEFORE_DRUG.search(text[max(0, drug.start - _BACK) : drug.start]) for drug in drugs)
