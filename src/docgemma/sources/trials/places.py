"""Where a trial should take place, as a sentence says it: "in Vietnam", "near Boston", "at Mayo".

"In situ", "in children" and "in Crohn's disease" are no places. A word on the list of places is one behind any of these
prepositions; another needs its capital, and behind a bare "in" also a place in the sentence that no disease could have.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from docgemma.entities.drugs.names import is_drug
from docgemma.entities.people.kinds import is_eponym, kind
from docgemma.entities.words import word_set
from docgemma.sources.trials.place_names import LISTED, LONGEST_NAME

_BEFORE = re.compile(
    r"(?<![\w-])(?P<how>in\sor\snear|in\sand\saround|near(?:\sto)?|nearby|close\sto|around|within\sreach\sof|based\sin"
    r"|located\sin|from|across|throughout|in|at)\s(?:the\s(?:city|state|region|area|province)\sof\s|the\s)?",
    re.IGNORECASE,
)
_WORD = re.compile(r"[^\W\d_][\w.'’&-]*")
_NEAR = frozenset({"near", "near to", "close to", "around", "nearby", "within reach of", "based in", "located in"})
_NO_PLACE = re.compile(
    r"(?:me|us|here|him|her|them|my|our|term|future|misses?|fatal|normal|drowning|syncope|infrared|vision|total|home|risk"
    r"|least|most|all|present|baseline|once|night|diagnosis|birth|any|that|this|moment|last|first|which|high|low|one|age"
    r"|the|hospital|clinic|town)(?!\w)",
    re.IGNORECASE,
)
HERE = re.compile(
    r"(?<!\w)(?:near|close\sto|around)\s(?:me|us|here|home|my\s\w+|our\s\w+)(?!\w)|(?<!\w)(?:nearby|locally)(?!\w)",
    re.IGNORECASE,
)
"""A place that only the one who asks knows."""

_MEDICAL_NEXT = re.compile(
    r"['’]s|\s(?:syndrome|disease|disorder|lymphoma|sarcoma|tumou?r|cancer|carcinoma|anemia|anaemia|fever|virus|score"
    r"|scale|coma|criteria|classification|disorders|dystrophy|palsy|ataxia|cells?|body|bodies|staging|grade|thyroiditis"
    r"|contracture|syndromes|diseases|esophagus|oesophagus|infection|encephalitis|macroglobulinemia)(?!\w)",
    re.IGNORECASE,
)
_ENDING = re.compile(
    r"\s*(?:$|[.,;:?!)]|(?:for|that|which|who|with|please|pls|and|or|now|currently|are|is|if|aged?|recruiting|open)(?!\w))",
    re.IGNORECASE,
)
_ALONE = re.compile(
    r",\s|(?<!\w)(?:trials?|stud(?:y|ies)|recruiting|enroll?ing|open|ongoing|wom[ae]n|m[ae]n|males?|females?|patients?|pts?|old|yo)\s"
    r"|\s(?=[^\W\d][\w.'’-]*(?:\s[^\W\d][\w.'’-]*){0,3}\W{0,3}$)",
    re.IGNORECASE,
)
_CLOSED = re.compile(
    r"\s*(?:$|[.,;:?!)])|\s(?:or|and|recruiting|open|enroll?ing|ongoing|completed|for|with|please|pls|only|phase|aged?|not|now|currently)(?!\w)",
    re.IGNORECASE,
)
_NAMES_TOO = word_set("hue lima chad jordan turkey guinea victoria phoenix charlotte florence sofia valencia yale us")
"""Names that a word alone may stand for otherwise."""

_HOUSES = word_set(
    "College Hospital University Institute Clinic Center Centre Medical Royal General Infirmary School Health "
    "Children's"
)
_MOST_WORDS = 4


@dataclass(frozen=True, slots=True)
class Place:
    """A place as the register is asked for it, and which letters say it, with their preposition.

    `words` is the place as written. Not `sure`: it may be the disease after all.
    """

    name: str
    start: int
    end: int
    words: str = ""
    sure: bool = True
    listed: bool = False


def place_in(text: str) -> Place | None:
    """The first place that the text names; one that is sure before one that is not."""
    spelled = _capitals_speak(text)
    found = [place for match in _BEFORE.finditer(text) if (place := _after(text, match, spelled=spelled))]
    return next((place for place in found if place.sure), None) or _bare(text) or (found[0] if found else None)


def _bare(text: str) -> Place | None:
    """ "RCC trials bangkok", "…, recruiting, europe": a place of the list that stands alone where one is expected."""
    for before in _ALONE.finditer(text):
        words = _words(text, before.end())
        for count in range(min(len(words), LONGEST_NAME), 0, -1):
            end = words[count - 1].end()
            written = text[words[0].start() : end].rstrip(".")
            asked = LISTED.get(written.lower().replace("’", "'"))
            if asked and written.lower() not in _NAMES_TOO and _CLOSED.match(text, end):
                more, close = _others(text, end)
                return Place(" or ".join((asked, *more)), words[0].start(), close, written, listed=True)
    return None


def place_of(words: str) -> str:
    """A place as an argument gives it, as the register is asked for it."""
    bare = re.sub(r"^(?:(?:in|near|at|around|from)\s+)?(?:the\s+)?", "", words.strip(" .,;?!"), flags=re.IGNORECASE)
    return LISTED.get(bare.lower(), bare)


def _after(text: str, before: re.Match[str], *, spelled: bool) -> Place | None:
    words = _words(text, before.end())
    for count in range(min(len(words), LONGEST_NAME), 0, -1):
        end = words[count - 1].end()
        written = text[words[0].start() : end].rstrip(".")
        asked = LISTED.get(written.lower().replace("’", "'")) or ("United States" if written == "US" else None)
        if asked and not _MEDICAL_NEXT.match(text, end):
            more, close = _others(text, end)
            name = " or ".join((_with_region(text, end, asked), *more))
            return Place(name, before.start(), close, text[words[0].start() : close], listed=True)
    if not words or not spelled or _NO_PLACE.match(text, before.end()):
        return None
    return _by_capital(text, before, words)


def _by_capital(text: str, before: re.Match[str], words: list[re.Match[str]]) -> Place | None:
    """A name that is not on the list."""
    named: list[re.Match[str]] = []
    for word in words[:_MOST_WORDS]:
        if not word.group()[0].isupper() or not _may_be_place(word.group()):
            break
        named.append(word)
    how = " ".join(before["how"].lower().split())
    if not named or how in ("from", "across", "throughout"):
        return None
    end = named[-1].end()
    if _MEDICAL_NEXT.match(text, end) or named[-1].group().lower().endswith(("'s", "’s")):
        return None
    sure = how in _NEAR or (how == "at" and len(named[0].group()) > 2)
    if not sure and not _ENDING.match(text, end):
        return None
    name = text[named[0].start() : end].strip(" .")
    return Place(LISTED.get(name.lower(), name), before.start(), end, name, sure=sure)


def _others(text: str, end: int) -> tuple[list[str], int]:
    """ "In Ohio or Michigan": further places of the list, and where they end."""
    found: list[str] = []
    while joint := re.match(r"(?:,?\s(?:or|and)\s(?:in\s)?(?:the\s)?)", text[end:], re.IGNORECASE):
        words = _words(text, end + joint.end())
        counts = range(min(len(words), LONGEST_NAME), 0, -1)
        named = [(LISTED.get(text[words[0].start() : words[n - 1].end()].lower()), words[n - 1].end()) for n in counts]
        place, close = next(((name, close) for name, close in named if name), ("", end))
        if not place:
            break
        found.append(place)
        end = close
    return found, end


def _with_region(text: str, end: int, asked: str) -> str:
    """ "Portland, Oregon", "Cambridge, UK": what stands behind the comma tells two towns of one name apart."""
    behind = re.match(r",\s(?P<region>[^\W\d_][\w. ]{1,20}?)(?=\s*(?:$|[,;?!]))", text[end:])
    region = LISTED.get(behind["region"].lower().strip(" ."), "") if behind else ""
    return f"{asked} {region}" if region else asked


def _may_be_place(word: str) -> bool:
    """No drug, no eponym, no abbreviation, no word with the ending of a disease."""
    bare = word.strip(".'’")
    return bare in _HOUSES or not (
        any(letter.isupper() for letter in bare[1:])
        or any(letter.isdigit() for letter in bare)
        or is_drug(bare)
        or is_eponym(bare.removesuffix("'s").removesuffix("’s"))
        or kind(bare) == "never"
    )


def _words(text: str, start: int) -> list[re.Match[str]]:
    """The words that follow each other from here without a mark between them."""
    found: list[re.Match[str]] = []
    place = start
    while len(found) < max(LONGEST_NAME, _MOST_WORDS) and (word := _WORD.match(text, place)):
        found.append(word)
        if text[word.end() : word.end() + 1] != " ":
            break
        place = word.end() + 1
    return found


def _capitals_speak(text: str) -> bool:
    """Where most words have a capital, or all letters are capitals, a capital says nothing."""
    written = [word for word in _WORD.findall(text) if len(word) > 2]
    small = sum(word[0].islower() for word in written)
    return bool(written) and small * 3 >= len(written)
