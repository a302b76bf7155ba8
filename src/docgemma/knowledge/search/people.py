"""For whom something is asked: what holds for adults is no answer for a child, nor the usual target in pregnancy."""

from __future__ import annotations

import re
from collections.abc import Mapping

from docgemma.knowledge.search.vietnamese import flat

_GROUPS: Mapping[str, re.Pattern[str]] = {
    "pregnancy": re.compile(
        r"\b(?:pregnan\w*|gestation\w*|antenatal|trimester|expecting|fetus|foetus|mang thai|thai ky|co thai|co bau|bau|"
        r"thai phu|thai nhi|san phu|me bau)\b"
    ),
    "breastfeeding": re.compile(r"\b(?:breast-?\s?feed\w*|nursing mother|lactat\w*|cho con bu|cho bu|bu me)\b"),
    "children": re.compile(
        r"\b(?:child\w*|kids?|bab(?:y|ies)|infants?|newborns?|toddlers?|neonat\w*|p(?:a)?ediatric\w*|son|daughter|"
        r"school|milk teeth|(?:[0-9]|1[0-7])\s?(?:yo|y/o|years?\W?old|year\W?olds?|months?\W?old|weeks?\W?old)|"
        r"tre em|tre nho|tre so sinh|tre|em be|be|con toi|con em|chau|nhi|hoc sinh|rang sua|(?:[0-9]|1[0-7]) tuoi|"
        r"\d+ thang tuoi)\b"
    ),
    "adults": re.compile(r"\b(?:adults?|grown-?ups?|nguoi lon)\b"),
}


def groups(text: str) -> frozenset[str]:
    """Whom the text speaks of in particular."""
    plain = flat(text.lower())
    return frozenset(name for name, known in _GROUPS.items() if known.search(plain))


def for_others(asked: frozenset[str], title: str, answer: str) -> bool:
    """Whether somebody is asked about of whom the entry says nothing, or whether it is about somebody else alone."""
    if not asked:
        return False
    about = groups(title)
    spoken = about | groups(answer)
    if asked - spoken - {"adults"}:
        return True
    return bool("adults" in asked and "children" in about and "adults" not in spoken)
