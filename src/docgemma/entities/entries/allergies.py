"""What someone reacts to, how, and how badly. Whether it is to be written down is for `requests` to say."""

from __future__ import annotations

from collections.abc import Sequence

from docgemma.entities.entries.allergen_names import known_substances, phrase
from docgemma.entities.entries.reactions import REACTION
from docgemma.entities.grammar.spelling import heard
from docgemma.entities.grammar.verbs import ACTIONS, RECORDING, base_form
from docgemma.entities.model import Mention
from docgemma.entities.words import Word, word_set

__all__ = ["CUES", "find_substances", "known_substances", "named_around"]

CUES = word_set(
    "allergic allergy allergies allergen allergens intolerance intolerant intolerances anaphylactic hypersensitivity "
    "hypersensitive"
)
_ENTRIES = CUES | {"adr"}
"""Words that name such an entry. "ADR" alone states no allergy: it may as well head a list of side effects."""

_BRIDGES = word_set(
    ": to - – — is are the a an any known drug except of severe mild moderate with entry update list record rxn its "
    "it's inj tab tabs cap caps syp syrup iv im oral injection tablet tablets ."
)
_LINKS = word_set(", and or & / but also to +")
_AROUND = word_set(
    "( ) [ ] : ; - – — = , and or / & with causing causes caused giving gives reaction reactions a an the"
)
"""What may stand between a substance and its reaction, or between a reaction and the next substance."""

_POINTERS = word_set("it this that them both")
_SENTENCE_ENDS = frozenset(".?!;")
_NEAR_POINTER = 7
_FAR = 40
"""How far before "log it as an allergy" its substance may stand, in words."""

_LONGEST_DETAIL = 16
_LONGEST_HEADING = 10
_ENDS = frozenset(".?!;(")
_CAUSES = word_set("after from with to on following when taking given")
_NO_SUBSTANCE = word_set(
    "none nil nothing anything something everything it that this them him her me us work the a an my his their our "
    "your no not never known any all for patient pt pts dr mr mrs ms drug drugs medication medications medicine "
    "medicines food foods to and or but is are was were be been has have had having with without after before during "
    "since from by on in at of as if when while because which who whose what how why where so also just only really "
    "very more most severe mild moderate gets get got gives gave causes caused causing made makes came comes please "
    "pls plz kindly thanks thank ta cheers today yesterday tonight last next reaction reactions new old previous past "
    "possible suspected true he she they we i you can could would should will may might must do does did don't need "
    "needs needed entry list record records chart file notes note id mrn adr allergen went broke out over down up "
    "says said tells told reacts reacted then than now again there here some same other others another "
    "one ones two both each "
    "every mondays wants clinic gp ward nurse team family mum unknown seasonal contact multiple several history"
)
_KINDS = word_set("drug food seasonal skin contact nasal known new severe first family nurse doctor")
"""Before "allergy" these say which kind, not to what."""

_ONTO = word_set("to as in into on onto under")
_PARTICLES = word_set("down on in up over")
_FORMS = word_set(
    "eye ear nasal drops spray tablets cream patch patches injection infusion inhaler syrup gel ointment jab"
)
_NEEDING = word_set("need needs wants")
_TO_LIST = word_set("to on onto as in a an the her his their please")
_ENTERING = RECORDING | {"key", "type"}
_FILES = word_set("file chart record records notes")
_DETERMINERS = word_set("a an the her his their new this , :")
_DASHES = frozenset("-–—,")
_HEADING = word_set(
    "for please pls to be adding added logging logged recording recorded entering entered documenting needed needs "
    "entry required on in patient pt her his their the this my chart record file list mr mrs ms for me now urgently "
    "putting put update would could can you drug"
)
"""Between "an allergy" and the mark before its substance."""

_GAVE = word_set("gave gives caused causes made makes brought brings")
_NEAR_LIST = 5
_LONGEST_NAME = 3


def find_substances(
    tokens: Sequence[Word], drugs: tuple[Mention, ...], details: Sequence[Mention] = ()
) -> tuple[Mention, ...]:
    """Substances named with an allergy or a reaction, negated or not, in order. `details` stand between them."""
    tokens = heard(tokens)
    known = known_substances(tokens, drugs)
    within = _within(tokens, details)
    found: dict[int, Mention] = {}
    for index, word in enumerate(tokens):
        if word.low in _ENTRIES or _names_reaction(tokens, index):
            listed = _into_list(tokens, index, known, within)
            named = (*listed, *_before(tokens, index, known, within), *_after(tokens, index, known, within))
            for mention in named or _meant(tokens, index, known, within):
                found[mention.start] = mention
        elif word.low in {"reaction", "rxn"} and _low(tokens, index + 1) in {":", "unknown", "unclear"}:
            for mention in _named_before(tokens, index, known, 1):
                found[mention.start] = mention
        elif REACTION.fullmatch(word.low) and _low(tokens, index + 1) in _CAUSES:
            for mention in _after(tokens, index + 1, known, within, bridge=_CAUSES | _BRIDGES):
                found[mention.start] = mention
    return tuple(found[start] for start in sorted(found))


def named_around(tokens: Sequence[Word], known: Mention, details: Sequence[Mention]) -> Mention:
    """A known substance with the words before it that belong to its name, as in an answer: "iodinated contrast"."""
    within = _within(tokens, details)
    end = next((index for index, word in enumerate(tokens) if word.start == known.start), 0)
    start = end
    while start > max(0, end - 2) and _may_name(tokens[start - 1]) and tokens[start - 1].start not in within:
        start -= 1
    if start == end or any(letter.isupper() for letter in known.value):
        return known
    text = " ".join((*(word.text for word in tokens[start:end]), known.text))
    return Mention(text, tokens[start].start, known.end, text.lower())


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
    """ "add penicillin to her allergies", "put penicillin down as an allergy", "get it on her allergy list"."""
    words = _ONTO if tokens[index].low.startswith("allerg") else frozenset({"as"})
    near = range(index - 1, max(-1, index - _NEAR_LIST), -1)
    to = next((place for place in near if _low(tokens, place) in words), None)
    if to is None:
        return []
    while _low(tokens, to - 1) in _FORMS or _is_of_request(tokens, to - 1):
        to -= 1
    return _before(tokens, to, known, within)


def _pointed_at(tokens: Sequence[Word], index: int, known: dict[int, tuple[int, Mention]]) -> list[Mention]:
    """ "The cefazolin made him wheeze. Log it as an allergy": the one substance of the words before the pointer."""
    near = range(index - 1, max(-1, index - _NEAR_POINTER), -1)
    place = next((place for place in near if _low(tokens, place) in _POINTERS), None)
    if place is None:  # "please record as an allergy", "add to her allergies"
        first = next((place for place in near if _low(tokens, place) not in _TO_LIST), 0)
        place = first if index - first > 1 and _low(tokens, first) in _ENTERING else None
    if place is None and _low(tokens, index - 1) in {"the", "this"} and _low(tokens, index - 2) in _PARTICLES:
        place = index - 2  # "key in the allergy"
    if place is None:
        return []
    return _named_before(tokens, place, known, 2 if _low(tokens, place) == "both" else 1)


def _named_before(
    tokens: Sequence[Word], place: int, known: dict[int, tuple[int, Mention]], count: int
) -> list[Mention]:
    """The substances of this and the last sentence, when there are as many as were meant."""
    ends = 0
    named: dict[str, Mention] = {}
    for before in range(place - 1, max(-1, place - _FAR), -1):
        ends += tokens[before].text in _SENTENCE_ENDS
        if ends > 1 or (ends and named and tokens[before].text in _SENTENCE_ENDS):
            break
        if before in known:
            named[known[before][1].value] = known[before][1]
    return list(named.values()) if len(named) == count else []


def _after(
    tokens: Sequence[Word],
    index: int,
    known: dict[int, tuple[int, Mention]],
    within: frozenset[int],
    bridge: frozenset[str] = _BRIDGES,
) -> list[Mention]:
    """ "allergic to penicillin, sulfa and latex", "allergy: penicillin"."""
    place = _place_after(tokens, index, known, bridge)
    found: list[Mention] = []
    for _ in range(12):
        if place not in known:
            break
        size, mention = known[place]
        found.append(mention)
        place = _past_details(tokens, place + size, within, 1)
        while _low(tokens, place) in _LINKS and place < index + 40:
            place += 1
    return found


def _place_after(
    tokens: Sequence[Word], index: int, known: dict[int, tuple[int, Mention]], bridge: frozenset[str]
) -> int:
    """Where a substance would stand behind the cue."""
    place = _past(tokens, index + 1, known, bridge)
    if place not in known and tokens[index].low in _ENTRIES and (begins := _list_begins(tokens, index, index + 1)):
        while begins < min(index + _FAR // 2, len(tokens)) and begins not in known and _is_between(tokens, begins):
            begins += 1
        return _past(tokens, begins, known, bridge)
    return place


def _is_between(tokens: Sequence[Word], place: int) -> bool:
    """Whose allergy it is, courtesy and marks, before the substance."""
    return _low(tokens, place) in _HEADING | _DASHES | {":"} or _is_number(tokens, place)


def _past(tokens: Sequence[Word], place: int, known: dict[int, tuple[int, Mention]], bridge: frozenset[str]) -> int:
    limit = place + 6
    while place < limit and place not in known and (_low(tokens, place) in bridge or _is_number(tokens, place)):
        place += 1
    return place


def _is_number(tokens: Sequence[Word], place: int) -> bool:
    """Whose allergy it is: "allergy update 402 penicillin", "allergy abc-123 latex"."""
    low = _low(tokens, place)
    return any(letter.isdigit() for letter in low) and not (low[0] == "e" and len(low) == 4)


def _list_begins(tokens: Sequence[Word], cue: int, place: int) -> int | None:
    """ "allergies for abc-123: …", "an allergy adding please - …", "update the allergy list … with …": where the
    substances follow. Behind a dash or a comma only where nothing but the request stands before it."""
    updated = any(_low(tokens, before) == "update" for before in range(cue - 3, cue))
    plain = True
    owner = _past_owner(tokens, place)
    for here in range(place, min(place + _LONGEST_HEADING, len(tokens))):
        word = tokens[here]
        if here < owner:
            continue
        if word.text == ":" or (updated and word.low == "with") or (plain and word.text in _DASHES):
            return here + 1
        if word.text in _ENDS or word.low in _ENTRIES or word.low.startswith("reaction"):
            return None
        known = word.low in _HEADING or base_form(word.low) in RECORDING or _is_number(tokens, here)
        plain = plain and (known or _names_owner(tokens, here))
    return None


def _names_owner(tokens: Sequence[Word], place: int) -> bool:
    """ "An allergy for Anne-Marie Lefèvre - …": capitals right behind "for" or a title, or behind such a name."""
    before = tokens[place - 1]
    return tokens[place].capital and (before.low in {"for", "mr", "mrs", "ms", "miss"} or before.capital)


def _past_owner(tokens: Sequence[Word], place: int) -> int:
    """Past "in priya raghunathan file": a name no mark sets apart, between a preposition and what is hers."""
    if _low(tokens, place) not in {"in", "on", "to", "onto"}:
        return place
    for here in range(place + 2, min(place + 5, len(tokens))):
        if _low(tokens, here) in _FILES:
            return here
        if not tokens[here].low.isalpha():
            break
    return place


def _meant(
    tokens: Sequence[Word], cue: int, known: dict[int, tuple[int, Mention]], within: frozenset[int]
) -> list[Mention]:
    """No listed substance stands with the cue: one named before it, or a phrase where a substance must stand."""
    place = _place_after(tokens, cue, known, _BRIDGES)
    last = _low(tokens, place - 1)
    ahead = _guess(tokens, place, within) if tokens[cue].low in _ENTRIES and place < len(tokens) else []
    if last == "to" or (last in {"the", "a", "an", ":"} and ahead):
        return ahead or _pointed_at(tokens, cue, known)
    return _pointed_at(tokens, cue, known) or _unlisted(tokens, cue, within) or (ahead if last in _DASHES else [])


def _guess(tokens: Sequence[Word], place: int, within: frozenset[int]) -> list[Mention]:
    """A phrase in the substance's place that no list knows, unless it is plainly none: "the flu vaccine"."""
    end = place
    while end < min(place + _LONGEST_NAME, len(tokens)) and _may_name(tokens[end]) and tokens[end].start not in within:
        end += 1
    owned = _low(tokens, end).endswith("'s")
    return [phrase(tokens[place:end])] if end > place and not owned else []


def _unlisted(tokens: Sequence[Word], cue: int, within: frozenset[int]) -> list[Mention]:
    """What no list knows before the cue: "log entonox allergy", "put kinesio tape down as an allergy", or as the
    subject of what happened: "anti-D gave her hives, put that on as an allergy"."""
    near = range(cue - 1, max(-1, cue - _NEAR_LIST), -1)
    to = next((place for place in near if _low(tokens, place) in _ONTO), cue)
    end = to
    while _is_of_request(tokens, end - 1):
        end -= 1
    if end > 2 and tokens[end - 1].text == ")":  # "tartrazine (E102) allergy"
        end = next((place for place in range(end - 2, max(0, end - 6), -1) if tokens[place].text == "("), end)
    start = end
    while (
        start > max(0, end - _LONGEST_NAME) and _may_name(tokens[start - 1]) and tokens[start - 1].start not in within
    ):
        start -= 1
    bounded = start > 0 and (base_form(_low(tokens, start - 1)) in RECORDING or _low(tokens, start - 1) in _DETERMINERS)
    bounded = bounded or start == 0 or _is_number(tokens, start - 1)
    if start < end and bounded and tokens[start].low not in _KINDS:
        return [phrase(tokens[start:end])]
    if to == cue and not any(_low(tokens, place) in _POINTERS for place in near):
        return []
    cause = [place for place in range(max(1, cue - _FAR), cue - 1) if _low(tokens, place) in {"with", "after", "from"}]
    if len(cause) == 1 and (blamed := _guess(tokens, cause[0] + 1, within)):
        return blamed
    gave = next((place for place in range(max(1, cue - _FAR), cue) if _low(tokens, place) in _GAVE), None)
    begin = gave or 0
    while begin > max(0, (gave or 0) - _LONGEST_NAME) and _may_name(tokens[begin - 1]):
        begin -= 1
    return [phrase(tokens[begin:gave])] if gave is not None and begin < gave else []


def _is_of_request(tokens: Sequence[Word], place: int) -> bool:
    """ "I want penicillin recorded as an allergy", "kiwi needs adding to her allergies", "… to be put on as …"."""
    low, following = _low(tokens, place), _low(tokens, place + 1)
    if low in _PARTICLES | {"be", "go"} or (low != base_form(low) and base_form(low) in RECORDING):
        return True
    done = following != base_form(following) and base_form(following) in RECORDING
    return (low == "to" and following in {"be", "go"}) or (low in _NEEDING and (done or following == "to"))


def _names_reaction(tokens: Sequence[Word], index: int) -> bool:
    """ "reaction to …", "adverse reaction": a reaction that is named with its cause, not told."""
    if tokens[index].low in {"reacts", "reacted"}:
        return _low(tokens, index + 1) == "to"
    if tokens[index].low not in {"reaction", "reactions", "rxn"}:
        return False
    return _low(tokens, index + 1) == "to" or _low(tokens, index - 1) in {"adverse", "allergic"}


def _may_name(word: Word) -> bool:
    """Whether the word may be part of a substance's name: anything that is no grammar, verb, person or amount."""
    low = word.low
    if low[0] == "e" and low[1:].isdigit() and len(low) == 4:  # food additives: "E211"
        return True
    plain = len(low) > 1 and low[0].isalpha() and (low.isalpha() or "-" in low) and not low[-1].isdigit()
    plain = plain and not (low.endswith("'s") and any(letter.isdigit() for letter in low))
    return plain and low not in _NO_SUBSTANCE and base_form(low) not in ACTIONS and low not in CUES
