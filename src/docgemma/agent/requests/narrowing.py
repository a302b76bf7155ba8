"""The last search once more with one thing changed: "only completed ones", "just in children", "Texas only".

What a message says beyond the words that repeat or restrict decides: a status, a kind of paper, people, a place.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from docgemma.agent.requests.asks import Ask
from docgemma.agent.requests.earlier import Earlier
from docgemma.entities.searches.words import STATUS, status_value
from docgemma.entities.words import Word, word_set, words

_MARKERS = word_set(
    "same again only just restrict restricted limit limited narrow filter specifically particularly exclusively ones "
    "those repeat redo rerun scratch instead solely purely newer"
)
_REPEATS = word_set("same again repeat redo rerun")
_AROUND = _MARKERS | word_set(
    "but the one that them it this search look please pls plz thanks ok okay and now can could would you u i we want "
    "need show me us see give get have to down do run with which are is been has who if there any anything newer more "
    "recent latest else also too trials trial studies study papers results part still currently actively list find be "
    "were was what about how or of for my like i'd id let's lets go back keep drop remove status well as filter "
    "then kindly cheers doctor sir madam both either ignore without everything all "
    "sorry no not oops wait actually mean meant"
)
_KINDS = word_set(
    "review reviews systematic meta-analysis meta-analyses metaanalysis metaanalyses rct rcts randomised randomized "
    "meta analyses analysis controlled cochrane case reports report series cohort observational guidelines guideline "
    "prospective"
)
_NOT_NARROWER = re.compile(
    r"(?:in\scase|for\s(?:now|info|later|you|me)|at\s(?:the\smoment|present)"
    r"|in\s(?:time|general|a\s(?:sec|minute|bit)))(?!\w)",
    re.IGNORECASE,
)
_PREPOSITION = re.compile(
    r"(?P<link>in|for|with|during|near|after|on|at|before|post|under|over|without|among|from|since|versus|vs)\s",
    re.IGNORECASE,
)
_END = re.compile(r"(?<![\w-])(?P<link>in|for|with|during|near|after|at|among)\s", re.IGNORECASE)
_GROUP = re.compile(
    r"(?:in|for|among|with|at|to)?\s?(?:(?:the|those|very|only|pregnant|black|asian|white|south|older|young|younger|frail)\s){0,3}"
    r"(?:over[\s-]|under[\s-]|aged?(?!\w)|\d{1,3}|child|kid|infant|neonat|newborn|bab(?:y|ies)|toddler|teen|adolesc|paed|pediat"
    r"|adult|elder|old(?:er)?(?!\w)|octogen|nonagen|wom[ae]n|men(?!\w)|females?|males?|girls|boys|pregnan|breast-?feed|mothers"
    r"|mums|people|patients|pts|in-?patients|out-?patients|veterans|primary\scare|the\sicu|icu|ambulatory|premature|preterm)",
    re.IGNORECASE,
)
_PLACE = re.compile(
    r"(?:(?:in|near|around|at|from|to)\s)?(?:the\s)?(?:uk|us|usa|eu|nhs|europe|india|africa|asia|scotland|wales|england|ireland"
    r"|london|manchester|leeds|glasgow|boston|texas|california|florida|new\syork|chicago|ohio|canada|australia|new\szealand"
    r"|germany|france|italy|spain|china|japan|pakistan|bangladesh|nepal|sri\slanka|kenya|uganda|nigeria|ghana|tanzania|malawi"
    r"|south\safrica|ethiopia|brazil|mexico|delhi|mumbai|chennai|kerala|bangalore|our\sregion|this\s(?:country|region|area))(?!\w)",
    re.IGNORECASE,
)
_UNFIT = word_set(
    "her his their she he they your our not no don't dont why how when kidding joking checking wondering saying"
)
"""A phrase with one of these is about somebody, or is a sentence of its own."""

_OF_TRIALS = word_set("recruiting enrolling enroling accruing")
"""Said of papers, these ask for trials instead."""

_EITHER = re.compile(r"\s{0,2}(?:or|and|/|,|&)\s{0,2}", re.IGNORECASE)
_NOT = re.compile(r"(?<!\w)not(?!\w)", re.IGNORECASE)
_ANY_STATUS = re.compile(
    r"(?<!\w)(?:any|all|every|whatever|regardless\sof|ignore|no)\s(?:the\s)?status(?:es)?(?!\w)", re.IGNORECASE
)
_DROPPED = re.compile(
    r"(?<!\w)(?:drop|scratch|remove|ignore|without|forget|lose|not\sjust|not\sonly)(?!\w)", re.IGNORECASE
)
_PERIOD = re.compile(
    r"(?<!\w)(?:last|past|previous)\s(?:[\w-]{1,8}\s)?(?:years?|yrs?|months?|decade)(?!\w)|(?<!\w)(?:since|after)\s(?:19|20)\d\d",
    re.IGNORECASE,
)
"""A search has no dates: the newest come first anyway."""

_REFINE = re.compile(
    r"\W{0,3}(?:(?:ok|okay|now|and|please|pls|can|could|you|u|so|then|just)\W{1,3}){0,4}(?:narrow|refine|restrict|limit|focus|filter)"
    r"(?:\s(?:that|it|this|them|those|the\s(?:search|results)|down)){0,2}\s(?:to|on|by)\s(?P<what>[^\n]{3,160})",
    re.IGNORECASE,
)
_COMMA = re.compile(r"\s?,\s?|\scomma\s", re.IGNORECASE)
_OUTCOME = re.compile(
    r"\s(?:as\s(?:the|an?)\s(?:primary\s|main\s)?(?:outcome|endpoint)|please|pls|plz|only)(?!\w)", re.IGNORECASE
)
_LONGEST_PHRASE = 8


def search_again(search: Ask, topic: str) -> str:
    """The search in full about this topic, of the same status."""
    if search.tool == "search_medical_literature":
        return f"Find studies on {topic}"
    return _trials(topic, search.status.value if search.status else "")


def _trials(topic: str, status: str) -> str:
    return " ".join(f"Find {status} trials for {topic}".split())


def narrowed(message: str, before: Earlier) -> str | None:
    """The search that is narrowed or repeated; None when the message does neither."""
    search = before.search()
    said = [word for word in words(message) if word.low[0].isalnum()]
    marked, repeats = (any(word.low in kind for word in said) for kind in (_MARKERS, _REPEATS))
    if search is None or search.topic is None:
        return before.text if repeats and before.asked and not _beyond(said) else None
    topic = search.topic.value
    statuses = [*STATUS.finditer(message)]
    if search.tool == "search_medical_literature":
        statuses = [one for one in statuses if one.group().lower() in _OF_TRIALS]
    left = [word for word in _beyond(said) if not any(one.start() <= word.start < one.end() for one in statuses)]
    if (statuses or _ANY_STATUS.search(message)) and not left:
        value = _meant(message, statuses) if statuses else ""
        return _trials(topic, value)
    if not marked:
        return None
    if not left or _PERIOD.search(message):
        return search_again(search, topic) if left or repeats else None
    if all(word.low in _KINDS for word in left):
        return f"Find studies on {topic} {message[left[0].start : left[-1].end]}"
    phrase = message[_from(message, left[0].start) : left[-1].end]
    unfit = len(phrase.split()) > _LONGEST_PHRASE or any(word.low in _UNFIT for word in left)
    if said[-1].low == "instead" and not unfit:
        return about(search, phrase)
    found = "" if unfit else _narrower(topic, phrase, last=said[-1].low in _MARKERS, repeats=repeats)
    return search_again(search, found) if found else None


def refined(message: str, before: Earlier) -> str | None:
    """ "Narrow that to X versus Y, mortality as the outcome": what names the same more closely takes its place."""
    said, search = _REFINE.match(message), before.search()
    if said is None or search is None or search.topic is None or before.writes:
        return None
    topic = search.topic.value
    first, *rest = [piece.strip() for piece in _COMMA.split(_OUTCOME.sub("", said["what"].strip(" ?.!")))]
    end = _END.search(topic)
    shared = {word.low for word in words(topic)} & {word.low for word in words(first) if len(word.low) > 3}
    if shared and end and not _END.search(first):
        first += topic[end.start() - 1 :]
    return search_again(search, " ".join([first] if shared else [topic, first]) + "".join(f" {one}" for one in rest))


def _meant(message: str, statuses: Sequence[re.Match[str]]) -> str:
    """The status said last, as in "not the open ones, completed". Either of two, or one that is dropped, is none."""
    either = (
        len(statuses) > 1
        and not _NOT.search(message)
        and _EITHER.fullmatch(message, statuses[-2].end(), statuses[-1].start())
    )
    dropped = len(statuses) == 1 and _DROPPED.search(message[: statuses[0].start()])
    return "" if either or dropped else status_value(statuses[-1].group())


def says_nothing_else(message: str, spans: Sequence[tuple[int, int]]) -> bool:
    """Whether beside these places the message only repeats, restricts or is polite."""
    said = [word for word in words(message) if word.low[0].isalnum()]
    return all(any(start <= word.start < end for start, end in spans) for word in _beyond(said))


def _beyond(said: Sequence[Word]) -> list[Word]:
    return [word for word in said if word.low not in _AROUND]


def _from(message: str, start: int) -> int:
    """Back over the preposition that belongs to the first word that says something."""
    before = re.search(r"(?<!\w)(?:(?:with|for)\s)?(?:the\s)?$", message[:start], re.IGNORECASE)
    return before.start() if before else start


def _narrower(topic: str, phrase: str, *, last: bool, repeats: bool) -> str:
    """The topic with the phrase: in its place when it names the same thing more closely, else behind it.

    "The same for lupus" is not narrower: it is about something else.
    """
    link = _PREPOSITION.match(phrase)
    if _NOT_NARROWER.match(phrase) or (repeats and link and link["link"].lower() in {"for", "with", "on"}):
        return ""
    if link:
        return f"{topic} {phrase}"
    phrase = re.sub(r"^the\s", "", phrase, flags=re.IGNORECASE)
    if {word.low for word in words(topic)} & {word.low for word in words(phrase) if len(word.low) > 3}:
        return phrase
    if is_group_or_place(phrase):
        return f"{topic} in {phrase}"
    return f"{topic} {phrase}" if last else ""


def is_group_or_place(phrase: str) -> bool:
    """Whether the phrase says among whom or where, so that it can stand behind any topic."""
    return bool(_GROUP.match(phrase) or _PLACE.match(phrase))


def about(search: Ask, phrase: str, *, of_drug: bool = False) -> str:
    """The same search about this. Of "colchicine in pericarditis" only the end gives way when the new words begin as
    that end does; people and places give way to their like alone.

    `of_drug`: the topic begins with a drug, so that another condition takes the place of its end.
    """
    assert search.topic is not None
    topic, link = search.topic.value, _PREPOSITION.match(phrase)
    if link is None:
        placed = _END.search(topic) if of_drug else None
        return search_again(search, topic[: placed.end()] + phrase if placed else phrase)
    same = [match for match in _END.finditer(topic) if match["link"].lower() == link["link"].lower()]
    if same and is_group_or_place(phrase) <= is_group_or_place(topic[same[-1].start() :]):
        return search_again(search, topic[: same[-1].start()] + phrase)
    if link["link"].lower() in {"for", "on"} and not is_group_or_place(phrase):
        return search_again(search, phrase[link.end() :])
    return search_again(search, f"{topic} {phrase}")
