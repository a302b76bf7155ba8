"""Who a search is about, as far as it matters: groups of people, never one person."""

from __future__ import annotations

import re
from collections.abc import Sequence

from docgemma.clinical import People, withheld
from docgemma.entities.dates import find_birth_dates
from docgemma.entities.ids import find_patient_ids
from docgemma.fetch.privacy import reveals
from docgemma.sources.contract import SourceError
from docgemma.sources.literature.contract import Sought
from docgemma.sources.literature.filters import blanked

_CHILDREN = ("children", "child", "pediatric", "paediatric")
_GROUPS: tuple[tuple[re.Pattern[str], tuple[str, ...]], ...] = tuple(
    (re.compile(rf"(?<![\w-])(?:{words})(?![\w-])", re.IGNORECASE), phrasings)
    for words, phrasings in (
        (r"(?:preterm|premature)\s(?:infants?|babies|neonates?|newborns?)|preemies", ("preterm infants", "preterm")),
        (r"neonat(?:es?|al)|newborns?", ("neonates", "newborn", "neonatal")),
        (r"(?:small\s|tiny\s)?(?:infants?|babies|baby)", ("infants", "infant")),
        (r"toddlers?|preschoolers?", ("preschool children", "toddlers", "children")),
        (r"adolescents?|teen(?:ager)?s?|adolescence", ("adolescents", "adolescent")),
        (
            r"(?:small\s|young\s|little\s)?(?:child(?:ren)?|kids?|kiddos)|p(?:a)?ediatrics?|school-?\s?(?:aged?\s)?child(?:ren)?"
            r"|childhood|under[\s-]?(?:fives?|5s|1[0-8]s)",
            _CHILDREN,
        ),
        (r"pregnan(?:t|cy)(?:\swom[ae]n)?|gestation(?!al)", ("pregnancy", "pregnant")),
        (r"breast-?\s?feeding(?:\swom[ae]n)?|lactation|lactating", ("breastfeeding", "lactation")),
        (
            r"(?:the\s)?(?:frail\s)?elderly(?:\spatients|\speople)?|old(?:er)?\s(?:adults?|people|persons?|patients|folks?)|geriatrics?"
            r"|(?:over|above|aged?|>)\s?(?:6[05]|7\d|8\d)s?(?:\syears?|\sy/?o)?|old\sage|octogenarians?",
            ("older adults", "elderly", "older people", "geriatric"),
        ),
        (r"post-?\s?menopausal\swomen", ("postmenopausal women", "postmenopausal")),
        (r"wom[ae]n|females?|ladies", ("women", "female")),
        (r"men|males?", ("men", "male")),
    )
)
_AGE = re.compile(
    r"(?<![\w.])(?:aged?\s(?P<aged>\d{1,3})|(?P<age>\d{1,3})[\s-]?(?:(?:years?|yrs?|y)[\s-]?(?:old|/?o(?:ld)?)|yo|y/o"
    r"|(?P<months>months?|mo|weeks?|wks?|days?)[\s-]old))(?:\s?[mf](?!\w))?(?![\w-])"
    r"(?:\s(?:man|woman|male|female|lady|gentleman|boy|girl|patient|pt)(?!\w))?",
    re.IGNORECASE,
)
_GROWN_UP = 18


def without_people(text: str) -> str:
    """The text without ids and birth dates of people, place for place. Names the guard of every request refuses."""
    found = (*find_patient_ids(text), *find_birth_dates(text, ()))
    return blanked(text, ((who.start, who.end) for who in found))


def refuse_people(sought: Sought) -> None:
    """Nothing is asked that would tell whom it is about. In a query the words of a name stand too far apart for whoever
    sees only that, so the plain words are looked at here. Raises SourceError.
    """
    people = withheld.get(People())
    first = " ".join(concept[0] for concept in sought.concepts)
    every = " ".join(name for concept in sought.concepts for name in concept)
    if reveals(first, people) or reveals(every, people):
        raise SourceError(
            "patient_data",
            "Nothing was sent: it would have told an outside service who the patient is. Ask without names.",
        )


def groups_in(text: str, taken: Sequence[tuple[int, int]] = ()) -> tuple[str, tuple[tuple[str, ...], ...]]:
    """The text without groups of people and ages, and the groups in every phrasing. One person's age is none of it,
    but for a child: what was studied in grown-ups says little there.

    What lies inside a place that is `taken` belongs to a longer name: "neonatal abstinence syndrome" is no group.
    """
    found: dict[tuple[str, ...], None] = {}
    ages = [*_AGE.finditer(text)]
    if any(match["months"] or int(match["age"] or match["aged"]) < _GROWN_UP for match in ages):
        found[_CHILDREN] = None
    text = blanked(text, (match.span() for match in ages))
    for pattern, phrasings in _GROUPS:
        places = [match.span() for match in pattern.finditer(text)]
        places = [place for place in places if not any(start <= place[0] < end for start, end in taken)]
        if places:
            found.setdefault(phrasings)
        text = blanked(text, places)
    return text, tuple(found)
