"""What a question wants to know of its subject: "What causes gout?" is not answered by how gout is treated."""

from __future__ import annotations

import re
from functools import cache, lru_cache

from docgemma.knowledge.entry import Language
from docgemma.knowledge.search import vietnamese
from docgemma.knowledge.search.tables import lines

_BROAD = frozenset({"definition"})
"""What nearly every question is worded like: it counts only when nothing else was asked."""


@lru_cache(maxsize=4_096)
def aspects(question: str, language: Language) -> frozenset[str]:
    """Empty where the wording does not say."""
    text = question.lower() if language == "en" else " ".join(map(vietnamese.plain, vietnamese.syllables(question)))
    found = {name for name, pattern in _compiled(language) if pattern.search(text)}
    return frozenset(found - _BROAD or found)


@cache
def _compiled(language: Language) -> tuple[tuple[str, re.Pattern[str]], ...]:
    patterns: dict[str, list[str]] = {}
    for line in lines(f"aspects.{language}.txt"):
        name, _, pattern = line.partition("\t")
        patterns.setdefault(name, []).append(pattern)
    return tuple((name, re.compile("|".join(each))) for name, each in patterns.items())
