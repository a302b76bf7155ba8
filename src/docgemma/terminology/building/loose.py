"""Names of medicines that mean the same though they are not spelled the same.

MeSH files a medicine under its salt ("Venlafaxine Hydrochloride") or in the plural ("Gentamicins"); everyone else
calls it venlafaxine and gentamicin.
"""

from __future__ import annotations

from docgemma.terminology.building.groups import spelled

_SALTS = """acetate besylate bromide calcium chloride citrate dihydrochloride dimesylate disodium disoproxil etexilate
    fumarate hemifumarate hydrobromide hydrochloride maleate malate medoxomil mesylate methanesulfonate nitrate
    phosphate potassium sodium succinate sulfate tartrate tosylate trihydrate"""
SALTS = frozenset(_SALTS.split())
_SHORTEST = 5


def plain_drug(name: str) -> str | None:
    """The spelling of the medicine without its salt or plural; nothing where the name has neither."""
    words = name.casefold().split()
    kept = list(words)
    while len(kept) > 1 and kept[-1] in SALTS:
        kept.pop()
    if len(kept) == 1 and len(words) == 1 and kept[0].endswith("s") and not kept[0].endswith(("ss", "us", "is")):
        kept = [kept[0][:-1]]
    key = spelled(" ".join(kept))
    return key if kept != words and len(key) >= _SHORTEST else None
