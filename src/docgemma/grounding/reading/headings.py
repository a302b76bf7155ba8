"""Which lines are headings, and what they say about the criteria below them."""

from __future__ import annotations

import re
from dataclasses import dataclass

from docgemma.grounding.contract import CriterionType

_LONGEST = 200
_TRIMMED = " \t#*_=~:-–—.|>"
_NUMBERING = re.compile(
    r"^(?:\(?(?:\d{1,2}(?:\.\d{1,2}){0,3}|[A-Z]|[IVX]{1,4})[.)]\s{1,4}|\d{1,2}(?:\.\d{1,2}){1,3}\s{1,4})"
)
_CRITERIA = r"(?:criteria|criterion|criterias|critera|criteria's|requirements?)"
_SIDE = r"(?:(?:non|not)[- ]?inclusion|inclusion|exclusion|inclusive|exclusive|include|exclude|eligibility)"
_BOTH = r"inclusion\s{0,2}(?:and|/|&|or)\s{0,2}exclusion"
_KEY = (
    r"(?:(?:key|main|major|general|specific|additional|principal|core|primary|other|common|overall|basic|further|study|"
    r"protocol|subject|patient|participant|donor|trial|select|selected|all|the|of|for)s?['’]?s?\s{1,2}){0,4}"
)
_QUALIFIED = r"[\w ,/&'’()+-]{1,60}?\s{1,2}"
_TAIL = r"(?P<tail>\s{0,2}(?:[(\[–—,-]|for\s|of\s|in\s|at\s|to\s|are\s|include\s|\().{0,120})?"
_HEADING = re.compile(
    rf"^(?P<lead>{_KEY}|{_QUALIFIED})(?:(?P<both>{_BOTH})|(?P<side>{_SIDE}))(?:\s{{1,2}}{_CRITERIA})(?P<n>\s{{1,2}}\d{{1,2}})?"
    rf"{_TAIL}$",
    re.IGNORECASE,
)
_BARE = re.compile(rf"^(?:{_BOTH}|(?P<side>inclusions?|exclusions?|inclusion|exclusion))$", re.IGNORECASE)
_CRITERIA_FOR = re.compile(
    rf"^{_CRITERIA}\s{{1,2}}(?:for|of)\s{{1,2}}(?:\w{{1,15}}\s{{1,2}})?(?P<side>inclusion|exclusion|eligibility)$",
    re.IGNORECASE,
)
_INLINE = re.compile(
    rf"^(?P<head>{_KEY}(?:{_BOTH}|{_SIDE})(?:\s{{1,2}}{_CRITERIA})(?:\s{{1,2}}\([^()\n]{{1,60}}\))?)\s{{0,2}}[:：]\s{{0,4}}(?P<rest>\S.{{0,20000}})$",
    re.IGNORECASE | re.DOTALL,
)
_OUT = re.compile(
    r"\b(?:exclu(?:ded|sion)|(?:not|non)[- ](?:be\s)?eligible|ineligible|may\snot\s(?:enter|enroll|participate)|"
    r"cannot\s(?:enter|enroll|participate)|(?:not|disqualified)\s(?:be\s)?(?:included|enrolled))\b",
    re.IGNORECASE,
)
_IN = re.compile(r"\b(?:includ(?:ed|sion)|eligible|eligibility|enroll?ed)\b", re.IGNORECASE)
_OF_A_SECTION = re.compile(r"\b(?:if|when|criteria|criterion|following|conditions?|reasons?)\b", re.IGNORECASE)
_CAPITALS = re.compile(r"^[A-Z][A-Z0-9 ,/&()'-]{3,80}:$")
_HEALTHY = re.compile(
    r"^(?:[\w ]{1,30}\s)?healthy\s{1,2}(?:volunteers?|controls?|subjects?|participants?|donors?)"
    r"(?:\s{1,2}\(.{1,60}\)| only)?$",
    re.IGNORECASE,
)
_GROUP = re.compile(
    r"^(?:(?:cohort|group|arm|part|phase|stage|stratum|module|period|substudy|sub-study|panel)s?\s{1,2}[\w./ +-]{1,30}|"
    r"(?:for\s{1,2})?(?:all\s{1,2})?(?:[\w-]{1,20}\s{1,2}){0,3}(?:patients?|subjects?|participants?|cohorts?|groups?|controls?))$",
    re.IGNORECASE,
)


_PLAIN = re.compile(rf"^{_KEY}(?:{_BOTH}|{_SIDE}|inclusions?|exclusions?)(?:\s{{1,2}}{_CRITERIA})?$", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Heading:
    """`type` is None where the heading says nothing of it; `rest`: a criterion on the same line."""

    text: str
    type: CriterionType | None = None
    rest: str = ""

    @property
    def context(self) -> str:
        """What it adds to the criteria's type: nothing, where it only names the type."""
        return "" if self.type is not None and _PLAIN.match(self.text) else self.text


def heading(line: str, *, bulleted: bool = False) -> Heading | None:
    """The heading that this line is, or None. A line with a bullet is one only in its plainest forms."""
    if len(line) > _LONGEST and not _INLINE.match(line.strip()):
        return None
    text = _NUMBERING.sub("", line.strip().lstrip("#*_= \t>"), count=1).lstrip("*_ ")
    bare = text.strip(_TRIMMED)
    if found := _named(bare, text):
        return found
    if inline := _INLINE.match(text.replace("**", "").replace("__", "")):
        kind = _of_side(inline["head"])
        return Heading(inline["head"].strip(_TRIMMED), kind, inline["rest"].strip())
    return None if bulleted else _sentence(text, bare)


def _named(bare: str, text: str) -> Heading | None:
    found = _HEADING.match(bare) or _BARE.match(bare) or _CRITERIA_FOR.match(bare)
    if found is None or (_is_sentence(found) and not text.rstrip("*_ ").endswith(":")):
        return None
    return Heading(bare, _of_side(found.group()))


def _is_sentence(found: re.Match[str]) -> bool:
    """ "Meets the inclusion criteria of the main study" speaks of criteria and heads none."""
    groups = found.groupdict()
    lead, tail = (groups.get("lead") or "").lower(), (groups.get("tail") or "").lower()
    spoken = re.search(
        r"\b(?:meet|meets|met|fulfil|fulfill|fulfils|satisf\w{1,4}|per|any|not|who|with|have|has)\b", lead
    )
    return bool(spoken) or tail.strip().startswith(("of ", "in ", "at ", "to ", "are "))


def _of_side(head: str) -> CriterionType:
    low = head.lower()
    if re.search(_BOTH, low) or "eligib" in low:
        return "unknown"
    if re.search(r"\bnon?t?[- ]?inclusion", low):
        return "exclusion"
    return "exclusion" if "exclu" in low else "inclusion"


def _sentence(text: str, bare: str) -> Heading | None:
    """Without "inclusion criteria" in it: "Patients will be excluded if:", "Healthy volunteers", "Cohort A:"."""
    ends = text.rstrip("*_ ").endswith(":")
    if ends and _OF_A_SECTION.search(bare):
        if _OUT.search(bare):
            return Heading(bare, "exclusion")
        if _IN.search(bare):
            return Heading(bare, "inclusion")
    if _HEALTHY.match(bare) and (ends or not text.rstrip().endswith((".", ";"))):
        return Heading(bare)
    if ends and (_CAPITALS.match(text.strip("*_ ")) or _GROUP.match(bare)):
        return Heading(bare)
    return None
