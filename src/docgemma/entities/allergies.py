"""What someone reacts to, how, and how badly. Whether it is to be written down is for `requests` to say."""

from __future__ import annotations

import re
from collections.abc import Sequence

from docgemma.entities.model import Mention
from docgemma.entities.words import Word, word_set

_ALLERGENS = word_set(
    "sulfa sulfas sulfonamide sulfonamides penicillins cephalosporin cephalosporins nsaid nsaids opioid "
    "opioids statins quinolone fluoroquinolone fluoroquinolones macrolide macrolides latex peanut peanuts "
    "nut nuts almond cashew walnut shellfish shrimp crab lobster fish egg eggs milk dairy soy wheat "
    "gluten sesame strawberry kiwi banana avocado mango corn chocolate bee wasp hornet pollen dust mold "
    "mould ragweed grass cat dog iodine contrast gadolinium nickel adhesive tape chlorhexidine lanolin "
    "sulfites sulfite msg aspartame dye"
)
_PAIRS = frozenset({"tree nuts", "tree nut", "bee stings", "bee venom", "wasp stings", "iv contrast", "contrast dye"})
_SINGULAR = {"eggs": "egg", "peanuts": "peanut", "nuts": "nut", "sulfas": "sulfa", "penicillins": "penicillin"}
CUES = word_set(
    "allergic allergy allergies allergen allergens intolerance intolerant intolerances anaphylactic hypersensitivity"
)
_BRIDGES = word_set(": to - – — is are the a an any known drug except of severe mild moderate")
_LINKS = word_set(", and or & / but also to +")
_REACTIONS = (
    "anaphylactic shock",
    "anaphylaxis",
    "angioedema",
    "hives",
    "urticaria",
    "rash",
    "itching",
    "itch",
    "pruritus",
    "swelling",
    "facial swelling",
    "wheezing",
    "bronchospasm",
    "shortness of breath",
    "dyspnea",
    "nausea",
    "vomiting",
    "diarrhea",
    "stomach upset",
    "gi upset",
    "headache",
    "dizziness",
    "hypotension",
    "flushing",
    "red man syndrome",
    "stevens-johnson syndrome",
    "sjs",
    "toxic epidermal necrolysis",
    "dress syndrome",
    "blistering",
    "throat swelling",
    "tongue swelling",
    "lip swelling",
    "cough",
    "fever",
    "confusion",
    "seizure",
    "qt prolongation",
    "myalgia",
    "muscle pain",
    "liver injury",
)
_REACTION = re.compile(
    r"(?<![\w-])(?:"
    + "|".join(name.replace(" ", r"\s{1,2}") for name in sorted(_REACTIONS, key=len, reverse=True))
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
    r"|(?:does|do|did)(?:\snot|n['’]t)\s(?:know|recall|remember)\s(?:the\s)?reaction)(?!\w)",
    re.IGNORECASE,
)
_SEVERITY = re.compile(
    r"(?<![\w-])(?:mild|moderate|severe|life[- ]threatening|fatal|high[- ]risk|low[- ]risk)(?![\w-])", re.IGNORECASE
)
_AROUND = word_set(
    "( ) [ ] : ; - – — = , and or / & with causing causes caused causes giving gives reaction reactions a an the"
)
"""What may stand between a substance and its reaction, or between a reaction and the next substance."""

_LONGEST_DETAIL = 16
_CAUSES = word_set("after from with to on following when taking given")
_NO_SUBSTANCE = word_set(
    "none nil nothing anything something it that this them him her me us work the a an my his their no "
    "not known any all for patient pt dr mr mrs ms drug drugs medication medications food foods to and or "
    "but is are was has with"
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
        elif index + 1 < len(tokens) and f"{word.low} {tokens[index + 1].low}" in _PAIRS:
            after = tokens[index + 1]
            size, name = 2, f"{word.low} {after.low}"
            known[index] = (2, Mention(f"{word.text} {after.text}", word.start, after.end, name))
        elif word.low in _ALLERGENS:
            known[index] = (1, Mention(word.text, word.start, word.end, _SINGULAR.get(word.low, word.low)))
        index += size
    return known


def find_substances(
    tokens: Sequence[Word], drugs: tuple[Mention, ...], details: Sequence[Mention] = ()
) -> tuple[Mention, ...]:
    """Substances named with an allergy or a reaction, negated or not, in order. `details` stand between them."""
    known = known_substances(tokens, drugs)
    within = _within(tokens, details)
    found: dict[int, Mention] = {}
    for index, word in enumerate(tokens):
        if word.low in CUES or (word.low in {"reaction", "reactions"} and _low(tokens, index + 1) == "to"):
            listed = _into_list(tokens, index, known, within) if word.low == "allergies" else []
            for mention in (*listed, *_before(tokens, index, known, within), *_after(tokens, index, known, within)):
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
    """ "add penicillin to her allergies"."""
    to = next((place for place in range(index - 1, max(-1, index - 4), -1) if _low(tokens, place) == "to"), None)
    return _before(tokens, to, known, within) if to is not None else []


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
    place = index + 1
    while place < index + 7 and place not in known and _low(tokens, place) in bridge:
        place += 1
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
