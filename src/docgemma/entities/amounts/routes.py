"""By which way a medicine is given: "po", "IV push", "to both eyes". Hand-written, not reviewed by a clinician."""

from __future__ import annotations

import re
from collections.abc import Collection

from docgemma.entities.amounts.frequencies import adjacent
from docgemma.entities.model import Mention

_SPELLINGS = {
    "by mouth": "po p.o. p.o p/o by_mouth orally per_os per_oral via_mouth via_oral_route oral_route",
    "intravenous": "iv i.v. i.v i/v intravenous intravenously",
    "intravenous push": "iv_push iv_bolus ivp iv_pushed",
    "intravenous infusion": "iv_infusion iv_drip ivi iv_piggyback ivpb as_an_infusion by_infusion",
    "intramuscular": "intramuscular intramuscularly i.m. i.m i/m im_injection",
    "subcutaneous": (
        "subcut subcutaneous subcutaneously s/c s.c. s.c subq sub-q sub_q sub-cut sub_cut subcutaneous_injection "
        "under_the_skin"
    ),
    "sublingual": "sublingual sublingually s/l s.l. s.l under_the_tongue under_tongue",
    "inhaled": "inhaled by_inhalation via_inhaler by_inhaler via_spacer with_spacer mdi via_mdi via_rotahaler",
    "nebulised": (
        "neb nebs nebulised nebulized nebulization nebulisation via_nebuliser via_nebulizer by_nebuliser by_nebulizer "
        "nebuliser nebulizer"
    ),
    "topical": "topically l/a local_application to_the_skin to_skin to_affected_area to_the_affected_area",
    "rectal": "per_rectum rectally p/r p.r. p.r",
    "vaginal": "per_vagina vaginally p/v p.v. p.v",
    "nasal": "intranasal intranasally nasally in_each_nostril each_nostril per_nostril both_nostrils",
    "transdermal": "transdermal transdermally",
    "buccal": "buccal buccally",
    "intrathecal": "intrathecal intrathecally",
    "epidural": "epidural",
    "intradermal": "intradermal intradermally",
    "intra-articular": "intra-articular intraarticular",
    "intraosseous": "intraosseous",
    "intravitreal": "intravitreal",
    "intraperitoneal": "intraperitoneal",
    "by feeding tube": "via_ng via_ngt via_ng_tube per_ng per_ngt ng_tube via_peg peg_tube via_nasogastric_tube",
    "both eyes": "both_eyes each_eye eye_drops eye_drop e/d",
    "left eye": "left_eye l_eye lt_eye",
    "right eye": "right_eye r_eye rt_eye",
    "both ears": "both_ears each_ear ear_drops ear_drop",
    "left ear": "left_ear l_ear lt_ear",
    "right ear": "right_ear r_ear rt_ear",
}
_WEAK = {
    "im": "intramuscular",
    "sc": "subcutaneous",
    "sq": "subcutaneous",
    "sl": "sublingual",
    "pr": "rectal",
    "pv": "vaginal",
    "inh": "inhaled",
    "oral": "by mouth",
    "topical": "topical",
    "rectal": "rectal",
    "vaginal": "vaginal",
    "nasal": "nasal",
    "patch": "transdermal",
    "patches": "transdermal",
}
"""Words with another everyday or clinical use ("im giving", "oral thrush"): a route only beside a drug or an amount."""

_VALUES = {
    **{spelling.replace("_", " "): value for value, listed in _SPELLINGS.items() for spelling in listed.split()},
    **{value: value for value in _SPELLINGS},
    **_WEAK,
    "eye drops": "into the eye",
    "eye drop": "into the eye",
    "e/d": "into the eye",
    "ear drops": "into the ear",
    "ear drop": "into the ear",
}
_ANY = "|".join(re.escape(word).replace(r"\ ", r"\s{1,2}") for word in sorted(_VALUES, key=len, reverse=True))
ROUTE = re.compile(
    rf"(?=[a-z])(?<![\w.-])(?:(?:to|in|into|via|by)\s{{1,2}}(?:the\s{{1,2}})?)?(?P<way>{_ANY})(?![\w-])", re.IGNORECASE
)
_UPPER = frozenset({"IM", "SC", "SQ", "SL"})


def find_routes(text: str, ends: Collection[int], drugs: Collection[int]) -> tuple[Mention, ...]:
    """Routes in order. `ends`: where drugs and amounts end; `drugs`: where drugs begin ("oral metformin")."""
    found: list[Mention] = []
    after = {*ends}
    for match in ROUTE.finditer(text):
        way = " ".join(match["way"].lower().split())
        beside = adjacent(text, match.start(), after) or _opens_a_drug(text, match.end(), drugs)
        if way in _WEAK and match["way"] not in _UPPER and not beside and match.group() != text.strip():
            continue
        found.append(Mention(match.group(), match.start(), match.end(), _VALUES[way]))
        after.add(match.end())
    return tuple(found)


def parse_route(text: str) -> str:
    """The standard word for a text that is one route; empty when it is none."""
    match = ROUTE.fullmatch(text.strip())
    return _VALUES[" ".join(match["way"].lower().split())] if match else ""


def _opens_a_drug(text: str, end: int, drugs: Collection[int]) -> bool:
    space = len(text[end : end + 2]) - len(text[end : end + 2].lstrip())
    return space > 0 and end + space in drugs
