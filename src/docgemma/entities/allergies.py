"""What someone reacts to, how, and how badly. Whether it is to be written down is for `requests` to say."""

from __future__ import annotations

import re
from collections.abc import Sequence

from docgemma.entities.allergens import ALLERGENS, PAIRS, REACTIONS, SINGULAR
from docgemma.entities.model import Mention
from docgemma.entities.spelling import heard
from docgemma.entities.words import Word, word_set

CUES = word_set(
    "allergic allergy allergies allergen allergens intolerance intolerant intolerances anaphylactic hypersensitivity "
    "hypersensitive"
)
_BRIDGES = word_set(
    ": to - – — is are the a an any known drug except of severe mild moderate with entry update list record"
)
_LINKS = word_set(", and or & / but also to +")
_BODY = r"(?:lips?|face|tongue|throat|eyes?|eyelids?|mouth|hands?|feet|skin|arms?|legs?|neck|airway|body|chest|fingers)"
_WHERE = (
    rf"(?:swelling|swollen|redness|itching|itchiness|tingling|numbness|burning|peeling|blistering|puffiness|rash)\s"
    rf"(?:of|in|around|on|over)\s(?:(?:the|her|his|their|both)\s){{0,2}}{_BODY}(?:\s(?:and|&)\s(?:the\s)?{_BODY})?"
    rf"|(?:swollen|puffy|itchy|watery|tingling|swelled|numb|red)\s{_BODY}(?:\s(?:and|&)\s{_BODY})?"
)
"""A sign and where it shows: "swelling of lips", "puffy eyes". The phrase stays as it was said."""

_REACTION = re.compile(
    rf"(?<![\w-])(?:{_WHERE}|"
    + "|".join(name.replace(" ", r"\s{1,2}") for name in sorted(REACTIONS, key=len, reverse=True))
    + r")(?![\w-])",
    re.IGNORECASE,
)
_STATED = re.compile(
    r"(?<!\w)reactions?(?:\s(?:is|was|are|of))?[\s:]{1,3}(?:an?\s|the\s)?(?P<what>[a-z][a-z -]{2,40})", re.IGNORECASE
)
_STATED_END = re.compile(r"\s(?:to|and|for|when|with|from|after|in|on)\s|\s-\s")
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
_AROUND = word_set(
    "( ) [ ] : ; - – — = , and or / & with causing causes caused giving gives reaction reactions a an the"
)
"""What may stand between a substance and its reaction, or between a reaction and the next substance."""

_POINTERS = word_set("it this that them")
_SENTENCE_ENDS = frozenset(".?!;")
_NEAR_POINTER = 7
_FAR = 40
"""How far before "log it as an allergy" its substance may stand, in words."""

_LONGEST_DETAIL = 16
_LONGEST_HEADING = 8
_ENDS = frozenset(".?!;(")
_CAUSES = word_set("after from with to on following when taking given")
_NO_SUBSTANCE = word_set(
    "none nil nothing anything something it that this them him her me us work the a an my his their no not known any "
    "all for patient pt dr mr mrs ms drug drugs medication medications food foods to and or but is are was has with"
)


def known_substances(tokens: Sequence[Word], drugs: tuple[Mention, ...]) -> dict[int, tuple[int, Mention]]:
    """Token index → (how many tokens, what) for everything a person may react to."""
    by_start = {drug.start: drug for drug in drugs}
    known: dict[int, tuple[int, Mention]] = {}
    index = 0
    while index < len(tokens):
        word, size = tokens[index], 1
        if drug := by_start.get(word.start):
            while index + size < len(tokens) and tokens[index + size].start < drug.end:
                size += 1
            known[index] = (size, drug)
        elif index + 1 < len(tokens) and f"{word.low} {tokens[index + 1].low}" in PAIRS:
            after = tokens[index + 1]
            size, name = 2, f"{word.low} {after.low}"
            known[index] = (2, Mention(f"{word.text} {after.text}", word.start, after.end, name))
        elif word.low in ALLERGENS:
            known[index] = (1, Mention(word.text, word.start, word.end, SINGULAR.get(word.low, word.low)))
        index += size
    return known


def find_substances(
    tokens: Sequence[Word], drugs: tuple[Mention, ...], details: Sequence[Mention] = ()
) -> tuple[Mention, ...]:
    """Substances named with an allergy or a reaction, negated or not, in order. `details` stand between them."""
    tokens = heard(tokens)
    known = known_substances(tokens, drugs)
    within = _within(tokens, details)
    found: dict[int, Mention] = {}
    for index, word in enumerate(tokens):
        if word.low in CUES or (word.low in {"reaction", "reactions"} and _low(tokens, index + 1) == "to"):
            listed = _into_list(tokens, index, known, within)
            named = (*listed, *_before(tokens, index, known, within), *_after(tokens, index, known, within))
            for mention in named or _pointed_at(tokens, index, known):
                found[mention.start] = mention
        elif _REACTION.fullmatch(word.low) and _low(tokens, index + 1) in _CAUSES:
            for mention in _after(tokens, index + 1, known, within, bridge=_CAUSES | _BRIDGES, guess=False):
                found[mention.start] = mention
    return tuple(found[start] for start in sorted(found))


def _within(tokens: Sequence[Word], details: Sequence[Mention]) -> frozenset[int]:
    """Where the words of the details begin; both come in order, so one walk is enough."""
    starts: set[int] = set()
    index = 0
    for word in tokens:
        while index < len(details) and details[index].end <= word.start:
            index += 1
        if index < len(details) and details[index].start <= word.start:
            starts.add(word.start)
    return frozenset(starts)


def _past_details(tokens: Sequence[Word], place: int, within: frozenset[int], step: int) -> int:
    """Past "(rash)" or "- severe hives", forwards or backwards: only where a reaction really stands there."""
    here, seen = place, False
    while 0 <= here < len(tokens) and abs(here - place) < _LONGEST_DETAIL:
        if tokens[here].start not in within and tokens[here].low not in _AROUND:
            break
        seen = seen or tokens[here].start in within
        here += step
    return here if seen else place


def _low(tokens: Sequence[Word], index: int) -> str:
    return tokens[index].low if 0 <= index < len(tokens) else ""


def _before(
    tokens: Sequence[Word], index: int, known: dict[int, tuple[int, Mention]], within: frozenset[int]
) -> list[Mention]:
    """ "penicillin allergy", "penicillin and sulfa allergies", "penicillin (rash) and sulfa (hives) allergies"."""
    found: list[Mention] = []
    place = _past_details(tokens, index - 1, within, -1)
    for _ in range(8):
        hit = next(
            (known[i] for i in (place, place - 1, place - 2) if i in known and i + known[i][0] == place + 1), None
        )
        if hit is None:
            break
        found.append(hit[1])
        place -= hit[0]
        if _low(tokens, place) not in _LINKS:
            break
        place = _past_details(tokens, place - 1, within, -1)
    return found[::-1]


def _into_list(
    tokens: Sequence[Word], index: int, known: dict[int, tuple[int, Mention]], within: frozenset[int]
) -> list[Mention]:
    """ "add penicillin to her allergies", "list penicillin as an allergy"."""
    words = {"to", "as", "in", "into"} if tokens[index].low.startswith("allerg") else {"as"}
    to = next((place for place in range(index - 1, max(-1, index - 4), -1) if _low(tokens, place) in words), None)
    return _before(tokens, to, known, within) if to is not None else []


def _pointed_at(tokens: Sequence[Word], index: int, known: dict[int, tuple[int, Mention]]) -> list[Mention]:
    """ "The cefazolin made him wheeze. Log it as an allergy": the one substance of the words before the pointer."""
    near = range(index - 1, max(-1, index - _NEAR_POINTER), -1)
    place = next((place for place in near if _low(tokens, place) in _POINTERS), None)
    if place is None:
        return []
    ends = 0
    named: dict[str, Mention] = {}
    for before in range(place - 1, max(-1, place - _FAR), -1):
        ends += tokens[before].text in _SENTENCE_ENDS
        if ends > 1 or (ends and named and tokens[before].text in _SENTENCE_ENDS):
            break
        if before in known:
            named[known[before][1].value] = known[before][1]
    return list(named.values()) if len(named) == 1 else []


def _after(
    tokens: Sequence[Word],
    index: int,
    known: dict[int, tuple[int, Mention]],
    within: frozenset[int],
    *,
    bridge: frozenset[str] = _BRIDGES,
    guess: bool = True,
) -> list[Mention]:
    """ "allergic to penicillin, sulfa and latex", "allergy: penicillin"; after a clear cue also an unlisted word."""
    place = _past(tokens, index + 1, known, bridge)
    if place not in known and tokens[index].low in CUES and (colon := _list_begins(tokens, index, place)):
        place = _past(tokens, colon, known, bridge)
    found: list[Mention] = []
    if place not in known:
        return _guess(tokens, place) if guess and _low(tokens, place - 1) in {"to", ":"} else []
    for _ in range(12):
        if place not in known:
            break
        size, mention = known[place]
        found.append(mention)
        place = _past_details(tokens, place + size, within, 1)
        while _low(tokens, place) in _LINKS and place < index + 40:
            place += 1
    return found


def _past(tokens: Sequence[Word], place: int, known: dict[int, tuple[int, Mention]], bridge: frozenset[str]) -> int:
    limit = place + 6
    while place < limit and place not in known and (_low(tokens, place) in bridge or _is_number(tokens, place)):
        place += 1
    return place


def _is_number(tokens: Sequence[Word], place: int) -> bool:
    """Whose allergy it is: "allergy update 402 penicillin", "allergy abc-123 latex"."""
    return any(letter.isdigit() for letter in _low(tokens, place))


def _list_begins(tokens: Sequence[Word], cue: int, place: int) -> int | None:
    """ "allergies for abc-123: …", "update the allergy list for abc-123 with …": where the substances follow."""
    updated = any(_low(tokens, before) == "update" for before in range(cue - 3, cue))
    for here in range(place, min(place + _LONGEST_HEADING, len(tokens))):
        if tokens[here].text == ":" or (updated and tokens[here].low == "with"):
            return here
        if tokens[here].text in _ENDS or tokens[here].low in CUES or tokens[here].low.startswith("reaction"):
            return None
    return None


def _guess(tokens: Sequence[Word], place: int) -> list[Mention]:
    """One word after "allergic to" that no list knows, unless it is plainly no substance."""
    word = tokens[place] if place < len(tokens) else None
    following = _low(tokens, place + 1)
    if word is None or word.low in _NO_SUBSTANCE or not word.low.isalpha() or len(word.low) < 3:
        return []
    return [] if following.endswith("'s") else [Mention(word.text, word.start, word.end, word.low)]


def find_reactions(text: str) -> tuple[Mention, ...]:
    """How the body answered: known words, "reaction: …" in the user's words, or an unknown that was said to be one."""
    found = [Mention(m.group(), m.start(), m.end(), m.group().lower()) for m in _REACTION.finditer(text)]
    found += [Mention(m.group(), m.start(), m.end(), "unknown") for m in _UNKNOWN.finditer(text)]
    for match in _STATED.finditer(text):
        stated = _STATED_END.split(match["what"])[0].rstrip()
        if not _REACTION.search(stated) and not stated.lower().startswith(_NOT_STATED):
            start = match.start("what")
            found.append(Mention(stated, start, start + len(stated), stated.lower()))
    return tuple(sorted(found, key=lambda mention: mention.start))


def find_severities(text: str) -> tuple[Mention, ...]:
    """Mild, moderate, severe and their like."""
    return tuple(Mention(m.group(), m.start(), m.end(), m.group().lower()) for m in _SEVERITY.finditer(text))
