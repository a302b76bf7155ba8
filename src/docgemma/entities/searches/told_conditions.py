"""The condition somebody is said to have, where trials are asked for without one: "lady with MND, any trials for it?".

Three ways of telling it: "… with motor neurone disease asked if", "sickle cell pt wants to know", and the bare name
before the question, "pancreatic cancer any trial is there".
"""

from __future__ import annotations

import re

from docgemma.entities.model import Mention
from docgemma.entities.searches.phrases import clean
from docgemma.entities.words import word_set

_PEOPLE = (
    r"(?:pts?|patients?|lady|ladies|gentleman|gent|man|men|woman|women|teenager|teen|child|children|boy|girl|lad|lass"
    r"|chap|guy|bloke|kid|kids|baby|infant|mum|mom|mother|father|dad|client|fella|student|person|people|case)"
)
_STOP = (
    r"asked|asking|asks|ask|wants?|wanted|wanting|wondering|wonders|who|and|but|keen|any|anything|what|which|would|told"
    r"|came|come|says?|said|if|in|is|are|was|were|on|at|looking|interested|enquir\w{2,4}|inquir\w{2,4}|since|for|after|has"
    r"|have|had|here|now|whose|whos|hoping|hopes|we|i|they|she|he|her|his|their|family|find|check|show|can|could|do|does"
    r"|there|theres|seeking|needs?|so|with|where|rn|atm|pls|please|got|sent|refused|declined|failing|not"
    r"|tomorrow|tmrw|today|tonight|yesterday|next|this|despite|presenting"
)
_NAME = rf"(?P<what>(?!(?:{_STOP})(?!\w))[\w'’/-]{{2,30}}(?:\s(?!(?:{_STOP})(?!\w))[\w'’/-]{{1,30}}){{0,5}})"
_HAVING = re.compile(
    rf"(?<!\w)(?:with|w/|has|have|having|got|suffers?\sfrom|suffering\sfrom|diagnosed\swith|living\swith"
    rf"|(?:for|of|despite)(?=\s(?:her|his|their)\s)"
    rf"|(?:case|diagnosis|history|talk|teaching|session|presentation|seminar|briefing|essay|poster|lecture|assignment|leaflet|dissertation)\s(?:of|on|about))\s"
    rf"(?!(?:any|some|every)(?:one|body)(?!\w))(?!\w{{2,20}}ed\s(?:on|to|in|with|through|after|by|from|for|at|all|every|both|the|her|his|our|two|three)(?!\w))"
    rf"(?:(?:a|an|his|her|their|known|new|newly|recently|diagnosed|confirmed|proven|likely|probable)\s){{0,3}}{_NAME}",
    re.IGNORECASE,
)
_DESCRIBED = re.compile(
    rf"(?:^|(?<=[.;:,!?\n]\s)|(?<!\w)(?:my|a|an|the|this|our|another|one|got|have)\s)"
    rf"(?:\d{{1,3}}\s?(?:yo|y/o|yrs?|year[\s-]old)?\s?[mf]?\s)?(?!(?:my|our|the|this|a|an|another)\s){_NAME}\s{_PEOPLE}(?!\w)",
    re.IGNORECASE,
)
_AGED = re.compile(
    rf"(?<!\w)(?:{_PEOPLE}\s)?\d{{1,3}}\s?(?:yo|y/o|yrs?|year[\s-]old)\s?(?:[mf]\s|(?:male|female)\s)?{_NAME}",
    re.IGNORECASE,
)
""" "Pt 70yo f ipf": behind an age stands what somebody has."""

_BEFORE = re.compile(rf"(?:^|(?<=[.;:,!?\n]\s)){_NAME}[\s,:-]{{1,4}}$", re.IGNORECASE)
_ASKING_WORDS = re.compile(
    r"(?:(?<!\w)(?:any|some|what|which|is|are|there|theres|there['’]s|if|whether|a|an|the|clinical|drug|recruiting|open|ongoing"
    r"|active|new|current|other|more|can|you|u|find|show|me|please|pls|do|we|have|got|know|of)[\s,:-]{1,4}){1,8}$",
    re.IGNORECASE,
)
_NOBODY = word_set(
    "question patient patients lady gentleman man woman one new query time look idea doubt chance problem thing things "
    "old young elderly poor lovely nice keen same other another next pt family daughter son wife husband clinic bed "
    "room bay ward side follow-up review hi hello hey ok okay thanks please morning doc me her him them us it that "
    "this mum mom mother dad father sister brother"
)
"""What somebody may have, or be, that is no condition."""

_LONGEST = 240
_SOMEBODY = re.compile(rf"(?<!\w)(?:{_PEOPLE}|\d{{1,3}}\s?(?:yo\s?|y/o\s?)?[mf])\s$", re.IGNORECASE)


def told_condition(text: str, end: int, *, of_somebody: bool = False) -> Mention | None:
    """The last condition that is told before this place, else None. Reads a bounded stretch.

    `of_somebody`: only what somebody is said to have; what stands after a bare "with" may as well be a drug.
    """
    start = max(0, end - _LONGEST)
    told = text[start:end]
    found = [match for pattern in (_HAVING, _DESCRIBED, _AGED) for match in pattern.finditer(told)]
    if of_somebody:
        found = [match for match in found if _is_somebodys(told, match)]
    asking = _ASKING_WORDS.search(told)
    bare = _BEFORE.search(told[: asking.start()] if asking else told)
    found += [bare] if bare else []
    for match in sorted(found, key=lambda match: -match.start("what")):
        mention = clean(text, start + match.start("what"), start + match.end("what"))
        words = mention.text.lower().split() if mention else []
        if words and _NOBODY.isdisjoint((words[0], words[-1])):
            return mention
    return None


def _is_somebodys(told: str, match: re.Match[str]) -> bool:
    bare = match.group().lower().startswith(("with ", "w/", "have ", "got "))
    return not bare or bool(_SOMEBODY.search(told[: match.start()]))
