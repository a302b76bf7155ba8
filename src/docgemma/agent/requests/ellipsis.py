"""A message that leaves out what the one before said: "and with amlodipine?", "in pregnancy?", "any trials for it?"."""

from __future__ import annotations

import re
from collections.abc import Sequence

from docgemma.agent.requests import phrases as say
from docgemma.agent.requests.asks import Ask, asks
from docgemma.agent.requests.drug_questions import mentioned_drugs
from docgemma.agent.requests.earlier import Earlier, names
from docgemma.agent.requests.exchange import FILLERS, OPENING, OTHER_ACT, PRONOUN, with_drug, words_beside
from docgemma.agent.requests.narrowing import about, is_group_or_place, narrowed, refined, says_nothing_else
from docgemma.entities.model import Entities, Mention
from docgemma.entities.searches.words import heads, told_status
from docgemma.entities.words import replaced, word_set

_PLACED = re.compile(r"\W{0,3}(?:in|during|for|on|with|while|after|if|when|near|at)(?!\w)", re.IGNORECASE)
_RELATIONS = word_set(
    "husband wife mum mother dad father son daughter brother sister neighbour partner patient pt mr mrs ms room bed "
    "next"
)
_TITLE = re.compile(r"(?<!\w)(?:mr|mrs|ms|miss|mx|master|smt|shri|sri)\.?\s{1,2}$", re.IGNORECASE)
_SUPPOSED = re.compile(
    r"\W{0,3}(?:and|but|ok|so|or)?\W{0,3}(?:what\s)?if\s(?P<rest>(?:she|he|they|(?:the|my|this)\s(?:patient"
    r"|pt))(?:['’]s|['’]re|\sis|\shas|\swas|\swere|\sare|\shave)\s)",
    re.IGNORECASE,
)
_POINTED_AT = re.compile(
    r"\s(?:[\w-]{1,12}\s){0,4}?(?:for|on|of|about|in|into|behind|regarding|around|with|supporting)\s(?:it|that|this|them|these"
    r"|those)(?![\w'’-])(?!\s(?:drug|drugs|condition|one|two|lot))(?P<tail>\s(?:in|for|during|with|after|as|among|near|vs)"
    r"\s[^?.!,;\n]{2,60}"
    r"|(?:\s?,|\scomma)\s(?:(?:especially|particularly|specifically|mainly|mostly)\s[^?.!,;\n]{2,60}"
    r"|[^?.!,;\n]{2,60}?\s(?:especially|particularly|specifically|mainly|mostly)))?",
    re.IGNORECASE,
)
_ASPECT = re.compile(
    r"^(?:\s?,|\scomma)\s|\s?(?<!\w)(?:especially|particularly|specifically|mainly|mostly)(?!\w)\s?", re.IGNORECASE
)
_SAFETY_ALONE = re.compile(
    r"\W{0,3}(?:(?:and|any|the|what|about|whats|what['’]s|ok|okay|main|common|major|serious|known|its|so|also)\s){0,4}"
    r"(?P<asked>(?:black[\s-]box|boxed)(?:\swarnings?)?|bbw|side[\s-]?effects?|s/e|adverse\s(?:effects?|events?|reactions?)|adrs?|warnings?|contra-?indications?|cautions?"
    r"|precautions?|safety)(?:\s(?:then|please|pls|plz|too|also|as\swell|though|tho)){0,2}\W{0,3}",
    re.IGNORECASE,
)
_DOSED_FOR = re.compile(
    r"\W{0,3}(?:(?:and|any|the|what|about|whats|what['’]s|ok|okay|is|there|a|needs?|so|also)\s){0,4}"
    r"(?:(?P<organ>renal|kidney|hepatic|liver)\s(?:dos(?:e|es|ing|age)(?:\s(?:adjust\w{2,6}|reduction|change))?|adjust\w{2,6})"
    rf"|(?:dos(?:e|es|ing|age)\s)?(?:adjust\w{{2,6}}|reduction|dos(?:e|es|ing|age))\s(?:in|for|with)\s(?P<where>{say.SETTING.pattern}))"
    r"(?:\s(?:then|please|pls|plz|too|also|as\swell|needed|though|tho)){0,2}\W{0,3}",
    re.IGNORECASE,
)
_ANYTHING = re.compile(
    r"\W{0,3}(?:(?:and|but|ok|okay|so|hmm)\s){0,2}(?:is\sthere\s)?(?:anything|something|any\sdata|much)\s(?:specific(?:ally)?\s)?"
    r"(?=(?:in|among|for|on|about)\s)",
    re.IGNORECASE,
)
_OWNED = re.compile(r"(?<!\w)(?:her|his|their|she|he|you|your|my|our|we|i)(?!\w)", re.IGNORECASE)
_AFTERTHOUGHT = re.compile(
    r"(?:[\s,]{1,3}(?:then|please|pls|plz|thanks|instead|too|also|as\swell|though|tho|doctor|sir|(?:you\s|u\s)?(?:look|check|see)))"
    r"{1,4}$",
    re.IGNORECASE,
)
_GIVEN_FOR = re.compile(r"\sfor\s(?:the\s)?(?:treatment\sof\s)?(?=\w)", re.IGNORECASE)
_LONGEST_PHRASE = 7


def continued(message: str, found: Entities, before: Earlier) -> str | None:
    """The message with what it leaves out. None when it stands for itself, or when the earlier one gives nothing."""
    people = sorted((*found.patient_ids, *found.person_names), key=lambda item: item.start)
    drugs = mentioned_drugs(found)
    if people:
        return _of_person(message, people, before) if not drugs else None
    if drugs:
        return with_drug(message, drugs, before) or refined(message, before)
    asked = asks(message, found)
    stands_alone = before.writes or any(ask.topic or not _is_search(ask) for ask in asked)
    return (
        _pointed_search(message, before)
        or _for_pronoun(message, before)
        or (None if stands_alone else narrowed(message, before))
        or refined(message, before)
        or _safety_alone(message, before)
        or _dosed_for(message, before)
        or _searched(message, asked, before)
        or _in_setting(message, before)
        or _on_topic(message, before)
    )


def _is_search(ask: Ask) -> bool:
    return ask.tool in ("find_clinical_trials", "search_medical_literature")


def _of_person(message: str, people: Sequence[Mention], before: Earlier) -> str | None:
    """ "What about Mr Okafor?" after a look into a chart asks for his."""
    if not before.asked_for("get_patient_chart") or before.writes or before.about_drugs():
        return None
    rest = words_beside(message, people)
    title = _TITLE.search(message[: people[0].start])
    who = message[title.start() if title else people[0].start : people[-1].end]
    return f"Show me the chart of {who}" if rest <= FILLERS | _RELATIONS else None


def _for_pronoun(message: str, before: Earlier) -> str | None:
    """ "Is it safe in pregnancy?": "it" is what the last question was about, all of it."""
    pronoun = PRONOUN.search(message)
    drugs = before.drugs()
    question = any(
        asked.search(message) for asked in (say.SAFE, say.SAFETY, say.INTERACTION, say.CAUSES, say.MAY, say.ISSUE)
    )
    if pronoun is None or not drugs or not question or OTHER_ACT.search(message):
        return None
    return replaced(message, [(pronoun.start(), pronoun.end(), names(drugs))])


def _pointed_search(message: str, before: Earlier) -> str | None:
    """ "Papers on it in pregnancy", "trials for that pls": what is pointed at is what the last question was about."""
    found = heads(message)
    pointed = _POINTED_AT.match(message, found[-1][1]) if found else None
    subject = before.subject(placed=not (pointed and pointed["tail"]))
    if pointed is None or not subject:
        return None
    tail = _ASPECT.sub(" ", pointed["tail"] or "").rstrip()
    if found[-1][2] == "literature":
        return f"Find studies on {subject}{tail}"
    about = _condition(before) + tail
    return f"Find {told_status(message)} trials for {about}".replace("  ", " ")


def _searched(message: str, asked: Sequence[Ask], before: Earlier) -> str | None:
    """ "Any trials for that?", "what about studies?": a search without a topic has the last question's."""
    named = heads(message)
    alone = says_nothing_else(message, [(start, end) for start, end, _ in named])
    kinds = {kind for _, _, kind in (named if alone else heads(_phrase(message)))}
    if not asked and len(kinds) == 1 and before.subject():
        return (
            f"Find studies on {before.subject()}" if "literature" in kinds else f"Find trials for {_condition(before)}"
        )
    open_searches = [ask for ask in asked if _is_search(ask) and not ask.topic]
    subject = before.subject()
    if len(open_searches) != 1 or len(asked) != 1 or not subject:
        return None
    ask = open_searches[0]
    if ask.tool == "search_medical_literature":
        return f"Find studies on {subject}"
    return f"Find {ask.status.value + ' ' if ask.status else ''}trials for {_condition(before)}"


def _condition(before: Earlier) -> str:
    """What a search for trials is about after one for papers: of "psilocybin for depression" the condition alone."""
    search, subject = before.search(), before.subject()
    given = _GIVEN_FOR.search(subject) if search and search.tool == "search_medical_literature" else None
    condition = subject[given.end() :] if given else ""
    return condition if condition and not is_group_or_place(condition) else subject


def _safety_alone(message: str, before: Earlier) -> str | None:
    """ "Side effects?" after a question about one drug."""
    asked, drugs = _SAFETY_ALONE.fullmatch(message), before.drugs()
    one = len({drug.value for drug in drugs}) == 1 and not before.writes
    one = one and (before.about_drugs() or not before.people())
    return f"{asked['asked']} of {drugs[0].text}?" if asked and one else None


def _dosed_for(message: str, before: Earlier) -> str | None:
    """ "Renal dosing?", "dose in liver failure?": what the label says of the drug there. No dose is worked out."""
    dosed = _DOSED_FOR.fullmatch(message)
    if dosed is None or before.writes or not before.about_one_or_more():
        return None
    organ = dosed["organ"]
    return f"Is {names(before.drugs())} safe in {f'{organ} impairment' if organ else dosed['where']}?"


def _in_setting(message: str, before: Earlier) -> str | None:
    """ "And in renal failure?": the safety of the same drugs there."""
    phrase = _phrase(message) or _supposed(message)
    if not phrase or before.writes or not before.about_one_or_more():
        return None
    setting = say.SETTING.search(phrase) or re.match(
        r"(?:in|during|for|if|while|at|after|before|post)\s", phrase, re.IGNORECASE
    )
    if not setting or say.NOT_ABOUT_SAFETY.search(phrase):
        return None
    placed = (
        phrase
        if re.match(r"(?:in|during|for|with|while|after|if|when|at|before|post)\s", phrase, re.IGNORECASE)
        else f"in {phrase}"
    )
    return f"Is {names(before.drugs())} safe {placed}?"


def _supposed(message: str) -> str:
    """ "What if she's pregnant": a setting although a person is in it."""
    supposed = _SUPPOSED.match(message)
    rest = message[supposed.start("rest") :].strip(" ?.!") if supposed else ""
    return f"if {rest}" if supposed and say.SETTING.search(rest) else ""


def _on_topic(message: str, before: Earlier) -> str | None:
    """ "And for lung cancer?", "what about pseudogout?": the same search about that."""
    search, phrase = before.search(), _phrase(message) or _among(message)
    if search is None or search.topic is None or not phrase:
        return None
    of_drug = any(drug.start == search.topic.start for drug in before.drugs())
    return about(search, phrase, of_drug=of_drug)


def _among(message: str) -> str:
    """ "Anything in pregnant women tho": the same search among them."""
    opening = _ANYTHING.match(message)
    rest = _AFTERTHOUGHT.sub("", message[opening.end() :].strip(" ?.!,")) if opening else ""
    return rest if is_group_or_place(rest) and not _OWNED.search(rest) else ""


def _phrase(message: str) -> str:
    """What is left of a short message once its opening is gone; empty when it neither opens nor begins so."""
    opening = OPENING.match(message)
    rest = message[opening.end() if opening else 0 :].strip(" ?.!,")
    rest = _AFTERTHOUGHT.sub("", rest)
    if not (opening or _PLACED.match(rest)) or not 0 < len(rest.split()) <= _LONGEST_PHRASE or _OWNED.search(rest):
        return ""
    return (
        ""
        if re.match(
            r"(?:what|why|how|when|who|where|is|are|does|do|did|can|could|should|if\snot)(?!\w)", rest, re.IGNORECASE
        )
        else rest
    )
