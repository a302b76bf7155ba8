"""Full names by two lists of names: what must not pass for a topic, a test or a place.

A veto, not an understanding: two or more capitalised words in a row, each on a list, one of them a given name. A name
that is on no list is the reader's to find.
"""

from __future__ import annotations

import re
from functools import cache
from importlib.resources import files

from docgemma.entities.choice import plain
from docgemma.entities.drugs.names import is_drug
from docgemma.entities.model import Mention

_RUN = re.compile(r"(?<![\w-])[^\W\d_a-z][\w'’-]{1,30}(?:,?\s[^\W\d_a-z][\w'’-]{1,30}){1,3}(?![\w-])")
_WORD = re.compile(r"[\w'’-]{1,40}")
_NO_PERSON = re.compile(
    r"['’]?s?\s(?:disease|syndrome|criteria|score|scale|index|classification|sign|test|law|lymphoma|sarcoma|trial|study|method)",
    re.IGNORECASE,
)


@cache
def _listed(name: str) -> frozenset[str]:
    """Names that are nothing else; those marked "~" are everyday words as well."""
    lines = files("docgemma.entities").joinpath(f"data/{name}.txt").read_text(encoding="utf-8").splitlines()
    words = (word for line in lines if line and not line.startswith("#") for word in line.split())
    return frozenset(plain(word) for word in words if not word.startswith("~"))


def find_name_pairs(text: str) -> tuple[Mention, ...]:
    """Full names in order: "Mensah Kwame", "Mensah, Kwame"."""
    given, family = _listed("given_names"), _listed("family_names")
    found: list[Mention] = []
    for match in _RUN.finditer(text):
        words = [plain(re.sub(r"['’]s$", "", word)) for word in _WORD.findall(match.group())]
        named = all(word in given or word in family for word in words) and any(word in given for word in words)
        if named and not _NO_PERSON.match(text, match.end()) and not any(is_drug(word) for word in words):
            whole = re.sub(r"['’]s$", "", match.group())
            found.append(Mention(whole, match.start(), match.start() + len(whole)))
    return tuple(found)
