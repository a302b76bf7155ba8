"""The phrase that says what a search is about, cut cleanly at both ends."""

from __future__ import annotations

import re

from docgemma.entities.model import Mention
from docgemma.entities.words import word_set

_BETWEEN = (
    r"(?:says?|saying|shows?|showing|tells?\sus|available|open|opened|recruiting|enroll?ing|accruing|currently|now|not"
    r"|yet|she|he|they|we"
    r"|could|can|might|would|may|join|joining|be|at|that|are|is|there|out|done|published|from|suitable|eligible|recent"
    r"|articles?|papers"
    r"|i|have|exist|going|running|underway|active|completed|search|review|database|databases|clinicaltrials\.gov"
    r"|pubmed|base|to|po|lah|ji|abeg|wey|dey|(?:taking|accepting)(?:\son)?\s(?:patients|people|pts|women|men|adults|children|kids|babies|volunteers)(?:\son)?"
    r"|haven['’]?t|hasn['’]?t|aren['’]?t|begun|started|opened|(?:on|in)\sthe\sregistry"
    r"|enter|get\sinto|recruitment|anywhere|nearby|locally|recently|which|actively|still|looking|please|near\s[\w'-]{2,20}|my\spatient|the\spatient"
    r"|patient|results?"
    r"|(?:terminated|suspended|withdrawn|finished|stopped|halted)(?:\searly)?|recruit|exists?|lately|like|been|were|was|gets?|got|finish|back(?:ing)?(?:\sup)?|supports?|backs?|underpins?"
    r"|in\spubmed|on\spubmed|on\sclinicaltrials\.gov|in\sthe\sliterature|by\sinvitation|atm|rn|right\snow|at\sthe\smoment|pls|plz|today)"
)
_LINK = re.compile(
    rf"[\s:,-]{{0,4}}(?:{_BETWEEN}[\s,:]{{1,3}}){{0,6}}(?:for\s(?=in\s))?(?P<link>for|4|in|on|about|regarding|concerning|of|that|whether"
    rf"|comparing|behind"
    r"|supporting|against|into|with|around|studying|investigating|testing|involving|targeting|evaluating|to\ssupport"
    r"|looking\s(?:at|into)"
    r"|re|treating|linking|showing|suggesting|proving)(?!\w)[\s:]{1,3}",
    re.IGNORECASE,
)
_BARE = re.compile(rf"[\s:,-]{{1,4}}(?:{_BETWEEN}[\s,:]{{1,3}}){{0,4}}", re.IGNORECASE)
_VERB = re.compile(
    r"(?:was|were|is|are|has|have|had|do|does|did|will|should|went|must|seems?|looks?|work|works)(?!\w)", re.IGNORECASE
)
_TOLD_OF = re.compile(
    r"\s(?:that\s|which\s)?(?:are|is|were|was|have|has|she|he|they|we|i|my|could|can|might|would)(?!\w)", re.IGNORECASE
)
"""Right after "trials" these say something of the trials: what they are about stands before."""

_APART = re.compile(r",|\s-\s")
_OTHER_CLAUSE = re.compile(
    r"(?:i|she|he|we|they|you|it|this|that)(?:['’]\w{1,2})?\s|(?:im|ive|not|no|curious|keen|before|because|since|as|so)\s"
    r"|(?:(?:my|her|his|the|our)\s)?(?:pt|patient|boss|family|mum|lady|consultant|registrar|wife|husband|daughter|son)\s",
    re.IGNORECASE,
)
"""Behind a comma: a reason, or somebody who does something."""

_LONGEST = 200

_POSSESSED = (
    r"(?:a|an|the|my|our|any|his|her|their|this|that|some|such|['’]s)\s{1,3}"
    r"|(?:the\suse\sof|use\sof|recent|on|about|for|of|how|it|clinicaltrials\.gov|pubmed)\s{1,3}(?:that\s)?"
)
_LEAD = re.compile(
    rf"(?:(?:the\s)?(?:condition|diagnosis|disease)\s(?:is|being)\s)?(?:[\s,]{{0,9}}(?:{_POSSESSED})){{0,4}}",
    re.IGNORECASE,
)
_LITERATURE_LEAD = re.compile(
    r"[\s,]{0,200}(?:(?:the\s)?(?:published\s)?(?:evidence|literature|research|studies|papers|data)\s(?:behind|on|for|about|around)\s)?(?:(?:on|about|for|of|patients?|pt|the\suse\sof|my|our|the|his|her|their|['’]s)\s{1,99}){0,3}",
    re.IGNORECASE,
)
_PEOPLE = re.compile(
    r"(?:(?:my|our|a|an|the|any|this)\s)?(?:(?:\d{1,3}[\s-]{0,2}(?:yo|y/o|year[\s-]old)s?\s)?(?:patients?|pts?|people"
    r"|adults?|children|kids|women|men|someone|person|anyone|mothers?|mums|babies|infants|teenagers)\s)"
    r"(?:with|w/?|who\shave|who\shas|having|that\shave|suffering\sfrom)\s{1,3}"
    r"|[\s,]{0,60}\d{1,3}(?:\s?(?:yo|y/o|years?(?:\sold)?))?(?:\s?[mf])?,\s(?=[^\W\d])",
    re.IGNORECASE,
)
_END = re.compile(
    r"\s(?:i|she|he|we|they|you)\s(?:could|can|might|may|would|should|will|am|are|is|was)(?!\w)"
    r"|,\s(?:papers|studies|trials|literature|articles|evidence|research)(?!\w)|"
    r"\s(?:haven|hasn|aren|isn)['’]?t(?!\w)|\s(?:have\s|are\s)?yet\sto\s|"
    r"[?!;:\n()]|\.(?!\d)|\s(?:that|which|who)['’]?s(?!\w)|\s(?:that|which|who)\s(?:are|is|she|he|they|i|we|might|could|can|my|have|(?:people|patients|pts|families|anyone)\s(?:can|could|may|might))(?!\w)"
    r"|\s(?:please|pls|plz|thanks|thank\syou|thx|asap|cheers|currently|right\snow|at\sthe\smoment|at\spresent"
    r"|these\sdays)(?!\w)"
    r"|\s(?:since|from|in|over|within)\s(?:the\s)?(?:last|past|previous)\s(?!\w{3,20}\s(?:for|with)(?!\w))|\s(?:since"
    r"|after|from)\s(?:19|20)\d\d"
    r"|\s(?:for|in|with)\s(?:my|her|him|this|the|our|a)\s(?:patient|pt|lady|gentleman|man|woman|child|client)(?!\w)"
    r"|\sfor\s(?:her|him|us|me)(?!\w)"
    r"|,\s(?:please|pls|thanks|if|as|because|so|since|he|she|my|her|his|they|i|we|it|(?:the\s)?(?:patient|pt|family|mum)"
    r"|recruiting\sor|whether|for\s(?:my|our|tomorrow|today|tonight|next))(?!\w)|\sif\s(?:you|possible|there|any)(?!\w)",
    re.IGNORECASE,
)
_TAIL = re.compile(
    r"[\s,]{1,9}(?:(?:on|in|from)\s(?:pubmed|medline|clinicaltrials\.gov|the\sliterature)|please|pls|thanks|for|in"
    r"|with|of|on|about|and|or|the|a"
    r"|patients?|pt|join|enter|could|can|might|would|be|he|she|they|we|i|is|are|eligible|qualify|available|recruiting"
    r"|enroll?ing|open|now|currently|too|also|then|yet|lately|recently|ongoing|active|completed"
    r"|out\sthere|trials?|anywhere|today|doc|mate|btw|again|instead|as\swell|at\sall|lol|near\sme|nearby|near\shere"
    r"|rn|atm|plz|plse|tho|though|right\snow|at\sthe\smoment|kindly|u\sknow|there|here|locally|go\sinto|go\son|get\son"
    r"|to|not|but|(?:a)?round\s(?:here|us)|near\sus|close\sby|doctor|dr|sir|madam|ma['’]?am|only|(?:also\s|you\s|u\s)?(?:check|look|see)"
    r"|it|them|terminated|suspended|withdrawn|stopped|halted|finished|gets?|got|been|being|was|were"
    r"|early|prematurely|at\sthe\sminute|tomorrow|tmrw|tonight)$",
    re.IGNORECASE,
)
_AMONG = re.compile(r"\s(?:in|among)\s(?:[\w-]{3,20}\s){1,2}(?:patients|pts)$", re.IGNORECASE)
""" "In ventilated patients" says among whom; after a condition "patients" says nothing."""

_ASIDE = re.compile(r",\s(?:in|at|near|around|age|aged|not|who)\s", re.IGNORECASE)
""" "Carcinoma, in Ghana or Nigeria": where and for whom is no second condition."""

_LONGEST_TAIL = 6
_GENERIC = word_set(
    "patient patients it this that them these those her him me us treatment trials trial they one ones both same "
    "condition disease topic there studies general particular humans pt pts lady gentleman chap lad girl boy guy man "
    "woman client child kid mum mother son daughter husband wife family someone somebody anyone person people rn atm "
    "join joining enter go into going running happening around exist options option on terminated suspended withdrawn "
    "finished stopped halted early prematurely well only just done recruit newer else ones specifically "
    "at moment present minute properly pending awaited two registry database dey wey po lah ji abeg recruits "
    "recruitment yet"
)
_LEADING = word_set(
    "a an the any some all find search show list get me are there is what which for of on look up recruiting active "
    "ongoing open completed enrolling clinical current new latest recent please pls can you u could do does have we "
    "i'm i looking her his their my our available currently see check need want good more relevant phase 1 2 3 4 ii "
    "iii iv and or also got give pull about in anyone who has been ever systematic published randomised randomized "
    "controlled observational cohort terminated suspended withdrawn finished whats what's tell how many if whether "
    "experimental case research journal fetch run did was were would should let's lets us out other such ok okay then "
    "wants wanted asks asked asking needs seeking joining pt lady gentleman woman man chap lad teenager "
    "registered few couple handful kindly share send "
    "now plus maybe only just restrict limit same again read something anything "
    "there's theres got "
    "hi hello hey landmark big major key pubmed as by with from to that this it"
)
_ADJECTIVE = re.compile(r"(?:ed|ic|ive|al|ous|ent|ant|early|late|stage|non|severe|mild|moderate|\d)$", re.IGNORECASE)


def after_head(text: str, end: int, *, trials: bool, bare: bool, over_marks: bool) -> Mention | None:
    """The words after "trials for", "studies on", "pubmed:"; nothing when they only point ("trials for that").

    `bare`: the preposition may be missing ("search trials heart failure"). `over_marks`: then also behind a comma,
    unless another clause begins there.
    """
    linked = _LINK.match(text, end)
    place = linked or (_BARE.match(text, end) if bare and not _TOLD_OF.match(text, end) else None)
    if place is None or _VERB.match(text, place.end()):
        return None
    if not linked and place.group().lower().endswith(" not "):  # "articles not blogs"
        return None
    if not linked and _APART.search(place.group()) and (not over_marks or _OTHER_CLAUSE.match(text, place.end())):
        return None
    stop = _END.search(text, place.end(), place.end() + _LONGEST)
    start, finish = place.end(), stop.start() if stop else min(len(text), place.end() + _LONGEST)
    for skipped in (_PEOPLE, _LEAD, _PEOPLE) if trials else (_LITERATURE_LEAD,):
        passed = skipped.match(text, start, finish)
        start = passed.end() if passed else start
    return clean(text, start, finish)


def before_head(text: str, end: int) -> Mention | None:
    """The words right before "trials", back to the first word that only asks."""
    chunk = re.split(r"[.?!;:,\n]", text[max(0, end - 80) : end])[-1]
    start = end
    for word in reversed([*re.finditer(r"\S+", chunk)]):
        if word.group().lower() in _LEADING:
            break
        start = end - len(chunk) + word.start()
    return clean(text, start, end) if start < end else None


def listed(text: str, about: Mention, *, trials: bool) -> list[Mention]:
    """ "Melanoma, lung cancer and lymphoma" are three conditions, "head and neck cancer" is one; a topic stays whole.

    The preposition again makes two of either: "on delirium and on falls".
    """
    links = "for|on|about|in" if trials else "for|on|about"
    again = re.split(rf",?\s(?:and|or|plus)\s(?:also\s)?(?:{links})\s", about.text, flags=re.IGNORECASE)
    pieces = again
    apart = _ASIDE.search(about.text) if trials else None
    if apart:
        return [kept] if (kept := clean(text, about.start, about.start + apart.start())) else []
    if trials and len(again) == 1 and _is_list(about.text):
        pieces = re.split(r"\s{0,2},\s{0,2}(?:and\s|or\s)?|\s(?:and|or)\s", about.text, flags=re.IGNORECASE)
    elif trials:
        pieces = [piece if _ADJECTIVE.search(piece.split(",")[0]) else piece.split(",")[0] for piece in again]
    found: list[Mention] = []
    place = about.start
    for piece in pieces:
        place = text.index(piece, place) if piece else place
        if mention := clean(text, place, place + len(piece)):
            found.append(mention)
        place += len(piece)
    return found


def _is_list(words: str) -> bool:
    """Commas and a last "and", and no piece that only describes the next: "metastatic, hormone-sensitive cancer"."""
    pieces = [piece.strip() for piece in words.split(",")]
    last = re.match(r"(?:and|or)\s", pieces[-1], re.IGNORECASE) or re.search(
        r"\s(?:and|or)\s", pieces[-1], re.IGNORECASE
    )
    return (
        len(pieces) > 1 and bool(last or len(pieces) > 2) and not any(_ADJECTIVE.search(piece) for piece in pieces[:-1])
    )


def clean(text: str, start: int, end: int) -> Mention | None:
    """This stretch without what is no topic at either end; nothing when nothing is left."""
    words = _trimmed(text[start:end])
    start += len(words) - len(words.lstrip(" \t,:-\"'"))
    words = words.lstrip(" \t,:-\"'")
    if len(words) < 2 or not any(_says_something(word, text) for word in words.split()):
        return None
    return Mention(words, start, start + len(words), " ".join(words.split()))


def _says_something(word: str, text: str) -> bool:
    """ "AS" and "IT" in capitals are no words of grammar, unless everything is in capitals."""
    low = word.lower()
    return (low not in _GENERIC and low not in _LEADING) or (word.isupper() and len(word) > 1 and not text.isupper())


def _is_short_form(word: str, words: str) -> bool:
    """ "In HE" is an encephalopathy, unless everything is in capitals."""
    return len(word) > 1 and word.isalpha() and word.isupper() and not words.isupper()


def _trimmed(words: str) -> str:
    """Without the words at the end that are no topic."""
    for _ in range(_LONGEST_TAIL):
        words = words.rstrip(" \t,.?!:-\n")
        tail = _TAIL.search(words[-40:])
        if tail is None or _AMONG.search(words[-60:]) or _is_short_form(tail.group().split()[-1], words):
            break
        words = words[: len(words) - len(words[-40:]) + tail.start()]
    return words
