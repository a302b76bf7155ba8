"""The first edition of the UMLS numbered its concepts by the alphabet: an early CUI says what its concept begins with.

Read from MONDO, HPO and EFO: of 3,678 terms with one CUI, below C0043600, 89 % have a name that begins with the letter
that it stands under. It helps where vocabularies disagree, and shows up references to a remainder ("other …").
"""

from __future__ import annotations

from bisect import bisect_right

from docgemma.terminology.names.keys import words

_STARTS = (
    ("C0000000", "a"), ("C0004550", "b"), ("C0006500", "c"), ("C0010850", "d"), ("C0013440", "e"), ("C0015440", "f"),
    ("C0016880", "g"), ("C0018430", "h"), ("C0020690", "i"), ("C0022300", "j"), ("C0022420", "k"), ("C0022820", "l"),
    ("C0024350", "m"), ("C0027160", "n"), ("C0028740", "o"), ("C0030050", "p"), ("C0034360", "q"), ("C0034380", "r"),
    ("C0035950", "s"), ("C0039240", "t"), ("C0041480", "u"), ("C0042180", "v"), ("C0043000", "w"), ("C0043300", "x"),
    ("C0043360", "y"), ("C0043420", "z"), ("C0043600", ""),
)  # fmt: skip
"""From which CUI on concepts begin with which letter; the last one ends the first edition."""
_CUIS = tuple(cui for cui, _ in _STARTS)
_OTHER_FROM, _OTHER_TO = "C0029485", "C0029872"
_LAST_HEADING = "D015999"
"""MeSH numbers its descriptors in order too; those up to here are as old as the first edition."""


def filed_under(cui: str, name: str) -> bool:
    """Whether the CUI is of the first edition and stands under the first letter of a word of the name."""
    letter = _STARTS[bisect_right(_CUIS, cui) - 1][1]
    return bool(letter) and any(word.startswith(letter) for word in words(name))


def old_heading(descriptor: str) -> bool:
    """Whether a MeSH descriptor is old enough to be in the first edition."""
    return len(descriptor) == len(_LAST_HEADING) and "D000001" <= descriptor <= _LAST_HEADING


def is_remainder(cui: str) -> bool:
    """Whether it is "other" something: what a classification puts nowhere else.

    Between ostertagiasis (C0029471) and otitis media (C0029882) only DOID refers to any, 47 times, each time for the
    thing itself: C0029531, "other cataract", for cataract.
    """
    return _OTHER_FROM <= cui <= _OTHER_TO
