"""Words that vocabularies put in one another's place although they mean the contrary, or another of a kind."""

from __future__ import annotations

from docgemma.terminology.names.keys import word_key
from docgemma.terminology.names.stems import stem

_PAIRS = (
    ("active", "acute"), ("acute", "chronic"), ("adult", "child"),
    ("adult", "juvenile"), ("adult", "infantile"), ("adult", "neonatal"),
    ("alcoholic", "nonalcoholic"), ("anterior", "posterior"), ("arterial", "venous"), ("artery", "vein"),
    ("benign", "malignant"), ("congenital", "acquired"), ("dominant", "recessive"), ("elevated", "reduced"),
    ("female", "male"), ("high", "low"), ("increased", "decreased"), ("inferior", "superior"), ("left", "right"),
    ("lower", "upper"), ("major", "minor"), ("maternal", "paternal"), ("mild", "severe"), ("old", "new"),
    ("positive", "negative"), ("primary", "secondary"), ("primary", "metastatic"), ("systolic", "diastolic"),
    ("viral", "bacterial"),
)  # fmt: skip
_CONTRARY = frozenset(frozenset((stem(word_key(one)), stem(word_key(two)))) for one, two in _PAIRS)
_TURNING = ("non", "anti", "un", "dis", "in", "a", "hyper", "hypo", "pre", "post", "macro", "micro", "poly", "oligo")


def contrary(one: str, two: str) -> bool:
    """Whether two stems must never stand for each other."""
    if one.isdigit() or two.isdigit() or len(one) == 1 or len(two) == 1:
        return True
    if frozenset((one, two)) in _CONTRARY:
        return True
    return _turned(one, two) or _turned(two, one)


def _turned(one: str, two: str) -> bool:
    """Whether one is the other with a beginning that turns it round, or both have different ones: hyper-, hypo-."""
    for beginning in _TURNING:
        if one.startswith(beginning):
            rest = one[len(beginning) :]
            if len(rest) > 3 and (rest == two or any(two == other + rest for other in _TURNING if other != beginning)):
                return True
    return False
