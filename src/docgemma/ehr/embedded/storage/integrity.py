"""How the store notices that its file was damaged: a wrong answer about a chart is worse than none.

Every row carries a seal over its columns, so that a row is read as it was written or not at all. That a row is *not*
there is proved too, so that a damaged page never passes for an empty one:

- resources, tallies and the index lie in chains, whose rows name their successors (`chain`);
- a patient's resources are counted and their seals summed, kind by kind (`tallies`);
- the versions of a resource are numbered without gaps, and so is everything that was ever written.
"""

from __future__ import annotations

from hashlib import blake2b

from docgemma.ehr.embedded.contract import FhirFault, Issue

_WRAP = 1 << 64
_HALF = 1 << 63


class Damaged(FhirFault):
    """The file does not say what was once written into it. `what` names the part, without any patient data."""

    def __init__(self, what: str) -> None:
        sentence = (
            f"The chart store is damaged: {what}. "
            "Restore a backup of it, or move it away and import the charts again; nothing was shown from it."
        )
        super().__init__(500, [Issue("exception", sentence)])


def seal(*columns: str | int) -> int:
    """A row's own check sum. The columns are told apart by NUL, which none of them holds."""
    text = "\0".join(map(str, columns))
    return int.from_bytes(blake2b(text.encode(), digest_size=8).digest(), "big", signed=True)


def total(digest: int, step: int) -> int:
    """The sum of seals, whatever their order, kept within SQLite's 64 bits."""
    return (digest + step + _HALF) % _WRAP - _HALF
