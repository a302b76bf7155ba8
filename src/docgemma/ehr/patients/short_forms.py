"""Short forms and spellings of given names that people use for one another. They help to find; they prove nothing."""

from __future__ import annotations

from functools import cache

from docgemma.entities.tables import rows


@cache
def _table() -> dict[str, frozenset[str]]:
    related: dict[str, set[str]] = {}
    for (line,) in rows("docgemma.ehr", "short_forms.tsv"):
        group = set(line.split())
        for name in group:
            related.setdefault(name, set()).update(group - {name})
    return {name: frozenset(others) for name, others in related.items()}


def short_forms(word: str) -> frozenset[str]:
    """The other names that somebody called so may be recorded under; all folded."""
    return _table().get(word, frozenset())
