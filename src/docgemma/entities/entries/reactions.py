"""How the body answered: known signs with their adjectives, and whatever else stands where a reaction is told.

The lists are short and a reaction can be anything, so a phrase is taken by its place: after the substance and a mark,
after "gave her", in brackets. What cannot be one (a request, a person, a drug, thanks, a moment) is left out.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Container, Iterator, Mapping, Sequence
from itertools import islice, pairwise

from docgemma.entities.entries.allergens import ALLERGENS, REACTIONS
from docgemma.entities.grammar.spelling import heard
from docgemma.entities.grammar.verbs import ACTIONS, base_form
from docgemma.entities.model import Mention
from docgemma.entities.words import Word, word_set, words

_BODY = r"(?:lips?|face|tongue|throat|eyes?|eyelids?|mouth|hands?|feet|skin|arms?|legs?|neck|airway|body|chest|fingers)"
_ONLY_BODY = re.compile(rf"(?:(?:her|his|their|the|both)\s){{0,2}}{_BODY}", re.IGNORECASE)
_WHERE = (
    rf"(?:swelling|swollen|redness|itching|itchiness|tingling|numbness|burning|peeling|blistering|puffiness|rash)\s"
    rf"(?:of|in|around|on|over)\s(?:(?:the|her|his|their|both)\s){{0,2}}{_BODY}(?:\s(?:and|&)\s(?:the\s)?{_BODY})?"
    rf"|(?:(?:her|his|their)\s)?{_BODY}\s(?:gets?|got|goes|went|felt|feels?|becomes?|became|is|was)\s(?:all\s)?"
    rf"(?:itchy|swollen|numb|tight|red|puffy|sore|tingly|blue|pale|hot|blistered)"
    rf"|(?:(?:her|his|their)\s)?{_BODY}\s(?:swelled|swells?|swelling|closed|closes|tingles?|tingled|tingling|itches|itched|burns|burned|peels?|peeled|blistered|puffed)(?:\sup)?"
    rf"|(?:swollen|puffy|itchy|watery|tingling|swelled|numb|red)\s{_BODY}(?:\s(?:and|&)\s{_BODY})?"
)
"""A sign and where it shows: "swelling of lips", "puffy eyes". The phrase stays as it was said."""

REACTION = re.compile(
    rf"(?<![\w-])(?:{_WHERE}|"
    + "|".join(name.replace(" ", r"\s{1,2}") for name in sorted(REACTIONS, key=len, reverse=True))
    + r")(?![\w-])",
    re.IGNORECASE,
)
_STATED = re.compile(
    r"(?<!\w)(?:reactions?|rxn)(?:\s(?:is|was|are|of))?[\s:=–-]{1,4}(?:an?\s|the\s)?(?P<what>[a-z][a-z -]{2,50})",
    re.IGNORECASE,
)
_STATED_END = re.compile(r"\s(?:to|for|when|from|after|in|on)\s|\s-\s")
_NOT_STATED = ("to ", "unknown", "not ", "unclear", "after ", "with ", "for ", "from ", "in ", "on ", "when ", "and ")
_UNKNOWN = re.compile(
    r"(?<!\w)(?:(?:unknown|unspecified|unclear)\sreaction|reaction(?:\s(?:is|was))?[\s:]{0,3}(?:unknown|not\sknown|unclear)"
    r"|(?:reaction|severity)?\s?(?:not\ssure|unsure|no\sidea|dunno)\s(?:what|how|of\s(?:the\s)?reaction)"
    r"(?:\s(?:happens?|happened|the\sreaction(?:\s(?:is|was))?|(?:she|he|they)\s(?:reacts?|reacted|gets?|got)))?"
    r"|reaction\snot\s(?:documented|recorded|sure|stated|specified)"
    r"|(?:does|do|did|can)(?:\snot|n['’]?t)\s(?:know|recall|remember)\s(?:the\s)?(?:reaction|what\shappen(?:s|ed)))(?!\w)",
    re.IGNORECASE,
)
_SEVERITY = re.compile(
    r"(?<![\w-])(?:mild|moderate|severe|life[- ]threatening|fatal|high[- ]risk|low[- ]risk)(?![\w-])", re.IGNORECASE
)
_FUNCTION = word_set(
    "a an the this that these those some any no not nor never without of to in on at by for from with w after before "
    "during since until over under and or but & n plus if when while because so as than then is are was were be been "
    "being am has have had having do does did will would can could should may might must i we you u he she it they me "
    "us him her them his its their my our your who which what there he's she's they're it's i'm gets get got getting "
    "goes go went came comes come broke breaks made makes make gave gives give giving given caused causes causing "
    "cause developed develops develop developing experienced reported reports noticed noted suffered suffers had "
    "showed shows produced triggers triggered led leads brought brings bring out up into turned turns became "
    "felt feels patient pt pts mr mrs ms dr also just only still again always reaction reactions allergy allergies "
    "allergic allergen intolerance intolerant hypersensitivity adr history hx known documented previous past new "
    "please pls plz kindly thanks ta cheers today yesterday tonight now once twice recently both drug tablet tablets "
    "possible suspected query ? like about around via per re called including says say said complains complaining "
    "using taking takes took take used last time think thinks thought maybe probably mild moderate severe "
    "fatal oh um er sorry "
    "mum gentleman lady man woman boy girl mother father dad baby child brother sister son daughter wife husband family"
)
_MOST_ADJECTIVES = 3
_NO_SIGN = word_set(
    "thanks thank cheers ta today yesterday tonight tomorrow now asap urgently noted confirmed ok okay yes sorry hi "
    "hello patient pt id mrn dob bed bay ward room theatre admission clinic morning evening afternoon last next week "
    "month year years months weeks days ago old male female gentleman lady man woman chart record records file list "
    "notes note allergy allergies allergic intolerance system entry adr above below following usual doctor dr nurse "
    "sister gp team mum mother father dad brother son daughter wife husband aware fyi before during who whose what "
    "when where why how if unless should would could can will may might must is are was were be been do does did "
    "don't not no never none nil nothing without her his their he she they him them it that this i we you my our your "
    "for to as also same both on in at of by from with need needs want wants take takes and or but so because "
    "since until including code number new known tablets tablet "
    "capsule injection iv im oral medication medicine brand generic"
)
"""Words that a sign does not begin with: people, moments, thanks, questions and what goes with the request."""

_LED = re.compile(
    r"(?:(?:and|which|that|who|it|she|he|they|her|his|pt|patient|the|a|an|some|him|them|had|has|have|having|gets?|got|getting|develop(?:s|ed)?"
    r"|gave|gives?|giving|caus(?:es|ed|ing|e)|made|makes?|making|came\s(?:out|up)\s(?:in|with)|comes?\s(?:out|up)\s(?:in|with)"
    r"|br(?:oke|eaks?)\s(?:out\s)?(?:in|with)|br(?:ings|ought)\s(?:her|him|them)\sout\sin|experienced|suffer(?:s|ed)|reactions?|rxn|was|is|with"
    r"|this|lady|gentleman|baby|child|resulting\sin|led\sto|leads?\sto|turns|oh|um|it's|its|just|like|think|i|documented|reported|reports)(?!\w)"
    r"[\s:=-]{0,3}){0,8}",
    re.IGNORECASE,
)
_ENDED = re.compile(
    r"\s(?:(?:that|which)\s(?:settled|resolved|cleared|went|needed|lasted|was|required|took|responded|improved)|when|whenever|while|each|every|last|if|since|because|as|after|before|during|from|w/|with\s(?:it|that|this|the)|on\s(?:it|this|that)"
    r"|in\s(?:the\spast|[0-9]{4}|childhood|recovery|theatre|ed|clinic)|for\s\S|to\s(?:it|that|this|\S{1,40}[0-9])|please|pls|plz|thanks|ta|today|yesterday|last|this\s(?:morning|evening|week)"
    r"|years?\sago|i\s(?:think|believe)|sorry|tbh|though|so\s(?:please|pls|can|could)|can\syou|could\syou|would\syou|patient|pt|id|mrn|came|came\son|19[0-9]{2}|20[0-9]{2})(?!\w)",
    re.IGNORECASE,
)
_PARTS = re.compile(r"\s{1,2}(?:and|&|n|\+|plus)\s{1,2}|\s?[/+]\s?", re.IGNORECASE)
_PIECES = re.compile(r"[,;.()\[\]\n:]|\s[-–—]{1,2}\s|\s[-–—](?=\w)")
_CAUSING = re.compile(
    r"\s{1,2}(?:allergy\s)?(?:(?:which|that|as|it)\s){0,2}(?:caus(?:es|ed|ing)|g[ai]v(?:es|e|ing)|ma(?:de|kes|king)|br(?:ings|ought)|led\sto|leads\sto)\s(?:[\w-]{0,20}[0-9]\s)?",
    re.IGNORECASE,
)
_CAUSED = re.compile(
    r"(?<!\w)(?:had|got|gets|developed|experienced|suffered|(?=(?:went|goes|blew|blows|turned|turns)\s)|came\s(?:out|up)\s(?:in|with)|broke\sout\s(?:in|with))\s?(?:an?\s)?"
    r"(?P<what>[a-z][a-z -]{2,50}?)\s(?:with|w/|after|from|to|following|on)\s"
    r"(?:(?:the|her|his|iv|im|inj\.?|oral|tab|taking|having)\s){0,2}$",
    re.IGNORECASE,
)
_STATES = re.compile(
    r"\s{0,3}(?:(?:and|but|as|because|since)\s)?(?:she|he|they|pt|patient|i|we|you|there|who)(?:['’]s|['’]re|['’]m|['’]ll|\s(?:is|was|are|were|has|have|will"
    r"|needs?|wants?|takes?|says?|said|lives?|knows?|can|could|would|should|am|does|did))(?!\w)",
    re.IGNORECASE,
)
"""Says something else of the patient: "she is on warfarin"."""

_NOWHERE = word_set(
    "allergy allergies allergic please pls add log record not no never don't doesn't didn't denies can could would "
    "should will you i we tolerates tolerated fine well okay ok"
)
_SPREAD = re.compile(
    rf"\s(?:all\sover(?:\s(?:(?:the|her|his|their)\s)?(?:{_BODY}))?|everywhere|sensation|attack|eruption"
    rf"|(?:on|over|around|of)\s(?:(?:the|her|his|their|both)\s){{0,2}}(?:{_BODY}|trunk|back|torso))(?![\w-])",
    re.IGNORECASE,
)
_LONGEST_SIGN = 6
_MOST_PLACED = 3
_MOST_KNOWN = 12
_WINDOW = 90
_LONGEST_REACH = 8
"""How many pieces after the substance may be looked at."""


def find_reactions(text: str, named: Sequence[Mention] = ()) -> tuple[Mention, ...]:
    """Known signs with their adjectives, "reaction: …" in the user's words, or an unknown that was said to be one.

    `named` are drugs and people: they are no adjectives.
    """
    tokens = words(text)
    taken = {place for mention in named for place in range(mention.start, mention.end)}
    at = {word.start: index for index, word in enumerate(tokens)}
    found = [_with_adjectives(text, match.start(), match.end(), tokens, at, taken) for match in REACTION.finditer(text)]
    led = {known.end for known, after in pairwise(found) if after.start <= known.start}  # "itchy" of "itchy welts"
    found += [Mention(m.group(), m.start(), m.end(), "unknown") for m in _UNKNOWN.finditer(text)]
    stated = [part for match in _STATED.finditer(text) for part in _stated(text, match)]
    starts = [part.start for part in stated]
    apart = [known for known in found if known.end not in led and not _inside(known, stated, starts)]
    return tuple(sorted((*apart, *stated), key=lambda mention: mention.start))


def _stated(text: str, match: re.Match[str]) -> Iterator[Mention]:
    """What follows "reaction:", to where something else begins."""
    start, end = match.span("what")
    if not text[start:end].lower().startswith(_NOT_STATED):
        cut = _STATED_END.search(text, start, end)
        yield from _signs(text, start, cut.start() if cut else end)


def _inside(known: Mention, stated: Sequence[Mention], starts: Sequence[int]) -> bool:
    place = bisect_right(starts, known.start) - 1
    return place >= 0 and known.start < stated[place].end


def find_severities(text: str) -> tuple[Mention, ...]:
    """Mild, moderate, severe and their like."""
    return tuple(Mention(m.group(), m.start(), m.end(), m.group().lower()) for m in _SEVERITY.finditer(text))


def placed_reactions(
    text: str, substance: Mention, known: Sequence[Mention], others: Sequence[Mention]
) -> tuple[Mention, ...]:
    """The known reactions and, where a reaction is told, what no list knows: joined to a known one, or in its place.

    `others` (people, drugs, substances, severities) are never a part of one.
    """
    taken = sorted((mention.start, mention.end) for mention in others)
    added = list(_joined_to(text, known, taken))
    if not known:
        added = list(islice(_in_place(text, substance, taken), _MOST_PLACED)) or list(_before(text, substance, taken))
    return tuple(sorted((*(with_spread(text, item) for item in known), *added), key=lambda mention: mention.start))


def joined_reactions(text: str, known: Sequence[Mention], others: Sequence[Mention]) -> Mention:
    """All signs of an answer as one: "went blue and collapsed"."""
    taken = sorted((mention.start, mention.end) for mention in others)
    signs = sorted((*known, *_joined_to(text, known, taken)), key=lambda mention: mention.start)
    value = ", ".join(dict.fromkeys(sign.value for sign in signs))
    return Mention(text[signs[0].start : signs[-1].end], signs[0].start, signs[-1].end, value)


def with_spread(text: str, known: Mention) -> Mention:
    """ "itchy all over", "burning sensation": a sign and how far it went."""
    match = _SPREAD.match(text, known.end) if known.value != "unknown" else None
    if match is None:
        return known
    said = text[known.start : match.end()]
    return Mention(said, known.start, match.end(), said.lower())


def _with_adjectives(
    text: str, start: int, end: int, tokens: Sequence[Word], at: Mapping[int, int], taken: Container[int]
) -> Mention:
    """ "widespread rash", "acute dystonia": words before a sign that are neither grammar, verb nor name."""
    place = at.get(start, 0)
    for index in range(place - 1, max(-1, place - 1 - _MOST_ADJECTIVES), -1):
        word = tokens[index]
        plain = word.low.replace("-", "").isalpha() and len(word.low) > 2 and word.start not in taken
        if not plain or word.low in _FUNCTION or word.low in ALLERGENS or base_form(word.low) in ACTIONS:
            break
        if not text[word.end : tokens[index + 1].start].isspace():
            break
        start = word.start
    said = text[start:end]
    return Mention(said, start, end, said.lower())


def _joined_to(text: str, known: Sequence[Mention], taken: Sequence[tuple[int, int]]) -> Iterator[Mention]:
    """ "giddiness and rash": what a plain "and" joins to a known sign inside the same piece."""
    seen: set[int] = set()
    for mention in known[:_MOST_KNOWN]:
        if mention.value == "unknown":
            continue
        start, end = _piece(text, mention)
        if start in seen:
            continue
        seen.add(start)
        for part in _signs(text, start, end):
            apart = all(other.end <= part.start or part.end <= other.start for other in known)
            if apart and not _overlaps(part, taken):
                yield part


def _piece(text: str, mention: Mention) -> tuple[int, int]:
    """The words around a sign up to the next marks."""
    begin = max(0, mention.start - _WINDOW)
    marks = list(_PIECES.finditer(text, begin, mention.start + 1))
    following = _PIECES.search(text, mention.end, mention.end + _WINDOW)
    return marks[-1].end() if marks else begin, following.start() if following else min(
        len(text), mention.end + _WINDOW
    )


def _in_place(text: str, substance: Mention, taken: Sequence[tuple[int, int]]) -> Iterator[Mention]:
    """The first piece behind the substance that says something: "- haloperidol, acute dystonia"."""
    end = min(len(text), substance.end + 4 * _WINDOW)
    marks = list(islice(_PIECES.finditer(text, substance.end, end), _LONGEST_REACH))
    starts = [substance.end, *(mark.end() for mark in marks)]
    ends = [*(mark.start() for mark in marks), end]
    for index, (start, stop) in enumerate(zip(starts, ends, strict=True)):
        if index == 0 and not _CAUSING.match(text, start, stop):
            continue
        begin = _CAUSING.match(text, start, stop).end() if index == 0 else start  # type: ignore[union-attr]
        signs = [sign for sign in _signs(text, begin, stop) if not _overlaps(sign, taken)]
        if signs:
            yield from signs
            return
        if not _may_be_passed(text, start, stop, taken):
            return


def _may_be_passed(text: str, start: int, stop: int, taken: Sequence[tuple[int, int]]) -> bool:
    """A piece that only names the patient, thanks or describes the request stands between a substance and its sign."""
    rest = [word for word in heard(words(text[start:stop])) if word.low.isalpha()]
    covered = [any(a <= start + word.start < b for a, b in taken) for word in rest]
    return all(
        known or word.low in _NO_SIGN or word.low in _FUNCTION for word, known in zip(rest, covered, strict=True)
    )


def _before(text: str, substance: Mention, taken: Sequence[tuple[int, int]]) -> Iterator[Mention]:
    """ "went bright red with vancomycin"."""
    match = _CAUSED.search(text, max(0, substance.start - _WINDOW), substance.start)
    if match:
        yield from (sign for sign in _signs(text, *match.span("what")) if not _overlaps(sign, taken))


def _signs(text: str, start: int, end: int) -> Iterator[Mention]:
    """The signs of a piece, without what leads to them and what follows them."""
    if _STATES.match(text, start, end):
        return
    led = _LED.match(text, start + len(text[start:end]) - len(text[start:end].lstrip()), end)
    begin = led.end() if led else start
    if cut := _ENDED.search(text, begin, end):
        end = cut.start()
    bounds = [begin, *(edge for joint in _PARTS.finditer(text, begin, end) for edge in joint.span()), end]
    for first, last in zip(bounds[::2], bounds[1::2], strict=True):
        led = _LED.match(text, first, last)
        said = text[led.end() if led else first : last].strip(" -–—+*'\"")
        if _is_sign(said):
            place = text.index(said, first)
            yield Mention(said, place, place + len(said), said.lower())


def _is_sign(said: str) -> bool:
    low = [word.low for word in heard(words(said))]
    if not 0 < len(low) <= _LONGEST_SIGN or not all(word.replace("-", "").replace("'", "").isalpha() for word in low):
        return False
    if low[0] in _NO_SIGN or low[0] in ACTIONS or len(said) < 3 or _ONLY_BODY.fullmatch(said):
        return False
    return _NOWHERE.isdisjoint(low) and not all(_SEVERITY.fullmatch(word) for word in low)


def _overlaps(mention: Mention, taken: Sequence[tuple[int, int]]) -> bool:
    return any(start < mention.end and mention.start < end for start, end in taken)
