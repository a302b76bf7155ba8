"""Whether a message is about the patient at hand although it names nothing that a chart is known to keep.

With a patient known, a question that speaks of that patient ("can she have NSAIDs") and a few words that ask for
nothing else ("ECOG", "proteinuria?") ask for the chart: reading it for nothing costs little, and an answer that
leaves the patient out may cost much. Hand-written phrases; not reviewed by a clinician.
"""

from __future__ import annotations

import re

from docgemma.agent.requests import clause_phrases as clause
from docgemma.agent.requests import phrases as say
from docgemma.agent.requests.chart_phrases import KNOWN_HERE, RELATIVE, SEARCHED_ONLY, SOMEONE
from docgemma.agent.requests.phrases import pattern
from docgemma.agent.requests.question_mood import asks_something
from docgemma.entities.words import word_set

_SPOKEN_OF = pattern(
    rf"(?:she|he|him|hers|herself|himself|s/he|pt|patient|{SOMEONE}|(?:her|his)(?!\s(?:{RELATIVE})(?!\w)))(?:['’]s)?"
)
_ASKED_ANYWHERE = pattern(
    r"how\s(?:many|much|long|far|old)|since\swhen|(?:has|is|was|does|did|can|could|may|should)\s"
    rf"(?:he|she|{SOMEONE})"
)
_NAMED_TOLD = re.compile(
    rf"{SOMEONE}(?:['’]s|\s(?:is|was|has|had|needs|wants|came|looks|feels|says|denies|reports))(?!\w)", re.IGNORECASE
)
_EXPLAINED = pattern(
    r"(?:explain|translate|tell|counsel|advise|reassure|teach|convince|persuade|show)\s(?:\w{2,12}\s){0,4}?(?:to\s|for\s)?(?:her|him)"
    r"|do\syou\sthink|(?:your|my)\s(?:opinion|name)|(?:if|when|once)\s(?:she|he)(?!\w)"
    r"|(?:on|in)\s(?:the|our)\s(?:system|records?|books|database)"
)
"""What is to be said to the patient, what would be if, or whether they are known here: no chart tells that."""

_MAY_GIVE = pattern(
    r"(?:can|could|may|should|shall)\s(?:i|we)\s(?:\w{3,10}\s)?(?:give|start|use|prescribe|add|continue|restart|try|offer|switch|put|have|order|go)"
    r"|(?:ok|okay|safe|fine|alright)\sto\s(?:give|start|use|prescribe|add|continue|restart|take|try|have)"
)
_TO_BE_STOPPED = pattern(r"(?:stop|hold|pause|omit|withhold|skip|miss|wean|taper)(?:ping|ding|ing|s)?")
_ANY_REASON = pattern(
    r"any\s(?:known\s)?(?:contra-?\s?indications?|reasons?\s(?:not|against|why\snot)|objections?|problems?|issues?|concerns?)"
    r"\s(?:to|with|against|giving|starting|using)"
)
""" "Any contraindications to NSAIDs", with a patient at hand, is whether that patient has one."""

_JUDGED_ALONE = re.compile(
    r"\W{0,4}(?:(?:so|and|is|are|would|will|the)\s){0,3}(?:[\w-]{3,24}\s){1,3}(?:be\s)?(?:safe|ok|okay|fine|alright|allowed|contraindicated|possible)"
    r"(?:\s(?:here|now|today|then|to\sgive|to\suse|to\sstart))?\W{0,4}",
    re.IGNORECASE,
)
""" "Is penicillin ok", and for nobody else: for the patient at hand."""

_A_GROUP = pattern(
    r"patients|people|adults?|children|kids|women|men|someone|somebody|anyone|pregnancy|breast-?\s?feeding|lactation|elderly|infants?"
    r"|neonates?|babies|toddlers|teenagers|diabetics|asthmatics|a\s(?:\w{2,14}\s){0,3}?(?:patient|woman|man|child|person|lady|pt|girl|boy"
    r"|baby|adult|gentleman)|an\s(?:\w{2,14}\s){0,3}?(?:patient|woman|man|child|person|adult|infant)|in\s\w{3,20}"
)
_ALLERGY_ALONE = re.compile(
    r"\W{0,4}(?:(?:is|the|pt|patient|known|any|drug|and|or|[\w-]{3,20}\s?[,/&]?)\s){0,4}allerg(?:ic|y)(?:\sto\s(?:any\w{0,5}|what|which|something)(?:\s\w{3,14}){0,2})?"
    r"\W{0,4}",
    re.IGNORECASE,
)
_TOLD_ALLERGY = pattern(r"not|no|never|denies|non|un\w{3,12}")
_TAKEN_ALONE = re.compile(
    r"\W{0,4}(?:(?:is|he|she|pt|patient|still|already|currently|ever|now|been|has)\s){0,4}(?:on|taking|takes|had|prescribed|given|started(?:\son)?)"
    r"\s(?:(?:any|an?|the)\s)?[\w-]{3,24}(?:\s(?:or|and|/)\s[\w-]{3,24}){0,2}\W{0,4}",
    re.IGNORECASE,
)
_SUMMARY = re.compile(
    r"\W{0,4}(?:(?:please|pls|quick|quickly|can|could|you|u|just|ok|now|a|the|brief|short|give|me|do)\s){0,5}(?:summari[sz]e|summarisation"
    r"|recap|overview|sbar|handover|tl;?dr|one[\s-]?liner|snapshot|run-?down)(?:\s(?:please|pls|now|again|for\sme|this|it|all|everything)){0,3}\W{0,4}",
    re.IGNORECASE,
)
_WORD = re.compile(r"[\w'’/+%-]{1,40}")
_NOTHING = word_set(
    "what whats what's about and the other please pls for of is it ok okay thanks hi hello then now one this that a "
    "also or no yes sorry mr mrs ms in on to here there who how so but i meant mean"
)
"""Beside a name these ask for nothing."""

_WHICH_ONE = word_set(
    "bed room ward bay cubicle older younger elder male female man woman lady gentleman first second third last one "
    "mother father twin baby think probably maybe him her he she surname name born dob mrn years year old aged yo "
    "new registration registered registering walk-in arrived here waiting"
)
"""Beside a name these tell who is meant."""

_TALK = word_set(
    "i i'm im i'd i'll we we'll we're you you're u your my me us our mine let lets let's thanks thank thx cheers hello "
    "hi hey good great nice cool perfect brilliant lovely sorry bye welcome lol haha wow yes yeah yep no nope ok okay "
    "right sure fine wait stop cancel never nothing whatever goodnight tomorrow later weekend lunch coffee shift rota "
    "printer computer internet password login screen keyboard weather joke poem song story recipe capital president "
    "football happy birthday congratulations christmas easter film movie book today's hmm test testing wrong correct "
    "undo back again continue next skip done more help menu"
)
_REFERENCE = pattern(
    r"moa|mechanism\w{0,2}|pathophys\w{0,8}|pathogenesis|classification|stages|staging|grading|algorithm|steps?|pathway|ladder|bundle"
    r"|work-?\s?up|red\sflags?|epidemiology|prevalence|incidence|prognosis|complications|(?<!any\s)(?<!new\s)(?<!current\s)symptoms|types|presentation|features|investigation\sof"
    r"|half-?\s?life|pharmaco\w{4,9}|metabolism|receptors?|max(?:imum)?|min(?:imum)?|mg/kg|dosing|titration|conversion|equivalen\w{1,3}|(?:doses?|dosage|treatment|therapy|options"
    r"|drugs?|antibiotics?|diet|screening|prophylaxis|schedule|calendar|vaccines)\s(?:of|for|in)|schedule|calendar|trials?|stud(?:y|ies)|evidence"
    r"|papers?|literature|articles?|side\s?effects?|adverse\seffects?|brands?|cost|price|abbreviation|etymology|(?<!family\s)history\sof|overview\sof|review\sof"
    r"|inheritance|genetics|anatomy|physiology|embryology|normal|reference|meaning|stands?\sfor|in\s(?:general|adults|children|pregnancy)"
    r"|(?:versus|vs|or)\s\w{4,20}|scale|calculator|formula|mnemonic|uptodate|bnf|cochrane"
)
"""A subject of medicine, whoever is on screen."""

_SENTENCE = pattern(
    r"is|are|was|were|be|been|has|have|had|does|do|did|will|would|should|could|can|may|might|must|don['’]?t|isn['’]?t|it['’]?s|that['’]?s|[a-z]{4,16}ed"
)
"""A verb, or what was done: without a question mark it tells something."""
_OPENS_ELSEWHERE = re.compile(
    r"\W{0,4}(?:why|how(?!\s(?:many|much|long|far|old)(?!\w))|where|wh(?:o|at|ich)(?:['’]?s)?|explain|define|describe|tell|teach|list\s(?:the\s)?(?:causes|signs)|compare|difference"
    r"|write|draft|translate|remind|name|recommend|suggest|according|per)(?!\w)",
    re.IGNORECASE,
)
_IS_THERE = re.compile(
    r"\W{0,4}(?:(?:is|was)\sthere\sany\s(?!way|cure|antidote|point|use)[\w-]{3,20}(?:\s[\w-]{3,20})?|(?:what|which)\s[a-z]{4,20}s)\W{0,4}",
    re.IGNORECASE,
)
""" "Is there any asthma", "which inhalers"."""

_JUDGING = word_set("ok okay fine right good")
_CAUSE_OF_DEATH = re.compile(r"\W{0,4}(?:the\s)?cause\sof\sdeath\W{0,4}", re.IGNORECASE)
_AROUND_NAME, _AROUND_DRUG, _MOST_WORDS, _MOST_ASKED = 4, 3, 5, 8


def speaks_of_patient(named: str) -> bool:
    """A pronoun, "the patient", or a name; "her mother" is somebody else."""
    return bool(_SPOKEN_OF.search(named))


def is_for_patient(named: str) -> bool:
    """Whether a question about a drug is whether this patient may have it: then their allergies are needed too."""
    meant = _MAY_GIVE.search(named) or _ANY_REASON.search(named)
    meant = meant or _JUDGED_ALONE.fullmatch(named)
    return speaks_of_patient(named) or bool(meant and not _A_GROUP.search(named))


def is_to_be_given(named: str) -> bool:
    """Whether it is asked if this patient may have the drug, and not only what the drug does to them.

    Then it has to go with what they take already.
    """
    judged = any(words.search(named) for words in (say.MAY, say.SAFE, say.ISSUE, _MAY_GIVE, _ANY_REASON))
    return judged and is_for_patient(named) and not _TO_BE_STOPPED.search(named)


def asks_what_is_kept(named: str, mark: str) -> bool:
    """ "Penicillin allergic", "allergic to anything", "on insulin?", and nothing else: of a drug, but not about it."""
    if mark == "?" and _TAKEN_ALONE.fullmatch(named):
        return True
    return bool(_ALLERGY_ALONE.fullmatch(named)) and not _TOLD_ALLERGY.search(named)


def asks_of_patient(named: str, mark: str) -> bool:
    """For a part with its stand-ins that asks nothing else, with a patient at hand."""
    if _SUMMARY.fullmatch(named) or asks_what_is_kept(named, mark):
        return True
    if not speaks_of_patient(named) or _EXPLAINED.search(named) or KNOWN_HERE.search(named):
        return False
    if SOMEONE in named and (SEARCHED_ONLY.search(named) or not _says_more(named)):
        return False
    if _ASKED_ANYWHERE.search(named):
        return True
    opening = clause.LEAD.sub("", named, count=1)
    told = mark != "?" and (clause.SPEAKER.match(opening) or _NAMED_TOLD.match(opening))
    return not told and (asks_something(named, mark, ()) or _is_named_telegram(named))


def is_telegram(text: str, mark: str, *, drugs: int = 0) -> bool:
    """A few words that neither tell anything, nor make talk, nor name a subject of medicine.

    "Warfarin dose" is what the patient takes; more words beside a drug, or a second one, ask about the drug.
    """
    found = [word.lower().replace("’", "'") for word in _WORD.findall(text)]
    asked = mark == "?"
    said = [word for place, word in enumerate(found) if not (asked and place and word in _JUDGING)]
    if drugs > 1 or (drugs and len(found) > _AROUND_DRUG and not _ANY_REASON.search(text)):
        return False
    if not 0 < len(found) <= (_MOST_ASKED if asked else _MOST_WORDS) or not _TALK.isdisjoint(said):
        return False
    if _CAUSE_OF_DEATH.fullmatch(text):
        return True
    if any(words.search(text) for words in (_REFERENCE, clause.GENERAL, clause.VALUE)):
        return False
    if _IS_THERE.fullmatch(text):
        return True
    if _OPENS_ELSEWHERE.match(text):
        return False
    if asked:
        return True
    told = clause.TELLS.match(text) or clause.SPEAKER.match(text) or clause.LATER.search(text) or _SENTENCE.search(text)
    return not told and "," not in text and any(len(word) > 1 for word in found)


def _is_named_telegram(named: str) -> bool:
    """ "SOMEONE covid vaccine": what stands beside the name is neither who is meant nor something told."""
    rest = named.replace(SOMEONE, " ").strip(" ,:;-")
    found = {word.lower() for word in _WORD.findall(rest)}
    return 0 < len(found) <= _AROUND_NAME and found.isdisjoint(_WHICH_ONE | _NOTHING) and is_telegram(rest, "")


def _says_more(named: str) -> bool:
    found = {word.lower().replace("’", "'") for word in _WORD.findall(named.replace(SOMEONE, " "))}
    return not found <= _NOTHING | _WHICH_ONE
