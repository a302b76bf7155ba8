"""Whether a text would tell an outsider whom a turn is about.

Pure functions over words, and linear in the text. Where it is in doubt it says yes: a look-up that is not made can be
asked again in other words, a name that went out cannot be called back. A single word of a name is never enough, or
nobody called Baker could be asked about a Baker cyst.
"""

from __future__ import annotations

from collections.abc import Iterator
from urllib.parse import unquote

from docgemma.clinical import People
from docgemma.fetch.person_dates import DateSearch
from docgemma.fetch.person_ids import IdSearch
from docgemma.fetch.person_names import NameSearch, humps_apart

_MOST_LAYERS = 4
"""How often something may have been percent-encoded over. By mistake it happens twice."""


def reveals(text: str, people: People) -> bool:
    """Whether a full name, an id or a birth date of these people stands in the text, however it is written."""
    if not (people.names or people.ids or people.birth_dates):
        return False
    return any(_tells(reading, people) for reading in _readings(text))


def _tells(text: str, people: People) -> bool:
    ids, dates = IdSearch(text), DateSearch(text)
    spoken = [NameSearch(reading) for reading in {text, humps_apart(text)}]
    return (
        any(names.finds(name) for name in people.names for names in spoken)
        or any(ids.finds(one) for one in people.ids)
        or any(dates.finds(date) for date in people.birth_dates)
    )


def _readings(text: str) -> Iterator[str]:
    """The text as it is and with its percent signs undone, in both encodings that are in use. A plus parts words."""
    seen = {text}
    yield text
    for encoding in ("utf-8", "latin-1"):
        reading = text
        for _ in range(_MOST_LAYERS):
            reading = unquote(reading, encoding=encoding)
            if reading not in seen:
                seen.add(reading)
                yield reading
