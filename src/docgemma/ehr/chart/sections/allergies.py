"""Allergies and intolerances. Every entry that stands is shown, also one that cannot be read."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Literal

from docgemma.ehr.chart.gaps import with_gaps
from docgemma.ehr.chart.model import Entry, Part
from docgemma.ehr.chart.recorded.codeable import called, codings, concept, full_concept, statuses
from docgemma.ehr.chart.recorded.fields import (
    Node,
    code,
    codes,
    counted,
    identity,
    joined,
    listed,
    node,
    nodes,
    plain,
    quoted,
)
from docgemma.ehr.chart.recorded.when import day, in_words, instant, shown
from docgemma.ehr.chart.view import View

Scope = Literal["all", "medication", "food", "environment", "latex", "one"]
"""What is said to be free of allergies. `one`: a single thing that no category covers."""

_CODES: dict[str, Scope] = {
    "716186003": "all",
    "409137002": "medication",
    "429625007": "food",
    "428607008": "environment",
    "no-known-allergies": "all",
    "no-known-medication-allergies": "medication",
    "no-known-food-allergies": "food",
    "no-known-environmental-allergies": "environment",
}
"""SNOMED CT as HL7 maps it between C-CDA and FHIR, and the codes of the International Patient Summary."""

_NO_INFORMATION = frozenset({"no-allergy-info"})
_KIND = r"(?:drug|medication|medicine|food|environmental|latex|seasonal|animal|insect|contrast|substance)s?"
_WHAT = r"(?:allerg(?:y|ies)|intolerances?|sensitivit(?:y|ies)|adverse (?:drug )?reactions?)"
_SAID = re.compile(
    rf"(?:no|nil)[ -](?:known|documented|recorded|reported)[ -](?:{_KIND}(?:,| and| or|/)? ?){{0,4}}"
    rf"(?:\w{{1,40}} )?{_WHAT}"
    rf"(?:(?:/| or | and ){_WHAT})?(?: to (?:any )?{_KIND})?(?: \((?:situation|finding|nkd?a)\)| on file)?"
    rf"|no (?:{_KIND} )?allergies|none known|nkda|nkfa|nka",
    re.I,
)
_SCOPES: tuple[tuple[Scope, re.Pattern[str]], ...] = (
    ("medication", re.compile(r"drug|medic|nkda", re.I)),
    ("food", re.compile(r"food|nkfa", re.I)),
    ("latex", re.compile(r"latex", re.I)),
    ("environment", re.compile(r"environment|seasonal|animal|insect", re.I)),
    ("all", re.compile(rf"(?:known|documented|recorded|reported|no)[ -](?:substance )?{_WHAT}|none known|nka", re.I)),
)


def negated(concept: object) -> Scope | None:
    """What the entry says to be free of allergies. None when it names something, or when words and code disagree:
    an entry that is in doubt counts as an allergy.
    """
    scopes: list[Scope] = []
    for coding in codings(concept):
        verdict = _verdict(coding)
        if verdict == "something":
            return None
        if verdict != "silent":
            scopes.append(verdict)
    text = plain(concept if isinstance(concept, str) else node(concept).get("text"))
    own_words = {plain(coding.get("display")) for coding in codings(concept)}
    if text and not _SAID.fullmatch(text.rstrip(". ")) and text not in own_words:
        return None
    if scopes:
        return scopes[0]
    return _scope(text) if text and _SAID.fullmatch(text.rstrip(". ")) else None


def no_information(concept: object) -> bool:
    """An entry which says that nobody knows: neither an allergy nor the absence of one."""
    return any(code(coding.get("code")) in _NO_INFORMATION for coding in codings(concept))


def _verdict(coding: Node) -> Scope | Literal["something", "silent"]:
    known = _CODES.get(code(coding.get("code")))
    if known:
        return known
    display = plain(coding.get("display"))
    if not display:
        return "silent"
    return _scope(display) if _SAID.fullmatch(display.rstrip(". ")) else "something"


def _scope(text: str) -> Scope:
    return next((scope for scope, pattern in _SCOPES if pattern.search(text)), "one")


NONE_RECORDED = "No allergy entry is recorded. That is not the same as no known allergies."
_NONE_LEFT = "No allergy entry stands: {what}. That is not the same as no known allergies."
_VOID = {"refuted": "refuted", "entered-in-error": "entered in error"}
_OVER = frozenset({"inactive", "resolved"})
_CRITICALITY = {"high": "criticality high", "low": "criticality low", "unable-to-assess": "criticality not assessable"}
_GRAVITY = {"high": 0, "unable-to-assess": 1, "": 2, "low": 3}


@dataclass(frozen=True, slots=True)
class Allergy:
    """One entry. `scope`: it says what is free of allergies; `unknown`: it says that nobody knows."""

    resource: Node
    name: str
    scope: Scope | None
    clinical: str
    verification: str
    unknown: bool = False

    @property
    def counts(self) -> bool:
        """A thing the patient may react to now."""
        return self.scope is None and not self.unknown and self.clinical not in _OVER

    @property
    def over(self) -> bool:
        return self.clinical in _OVER

    @property
    def order(self) -> tuple[bool, bool, int, str, str]:
        gravity = _GRAVITY.get(code(self.resource.get("criticality")), 2)
        return not self.counts, self.scope is None, gravity, self.name.casefold(), identity(self.resource)


def allergies(view: View) -> Part:
    """Always whole. An empty list, a list that was not read and "no known allergies" are three different sentences."""
    standing, withdrawn = sorted_out(view)
    refuted = [_refuted(allergy, view) for allergy in withdrawn if view.ask.wants("allergies") and is_refuted(allergy)]
    void = Counter(_VOID[allergy.verification] for allergy in withdrawn)
    gone = ", ".join(f"{count} {why}" for why, count in sorted(void.items()))
    nothing = _NONE_LEFT.format(what=gone) if gone else NONE_RECORDED
    entries = with_gaps([entry(one, view) for one in standing], view.record, "AllergyIntolerance", nothing=nothing)
    if refuted:
        del void["refuted"]
        gone = ", ".join(f"{count} {why}" for why, count in sorted(void.items()))
    left_out = (f"Allergies: {gone}, not shown.",) if gone else ()
    entries += refuted
    return Part("allergies", entries, len(entries), left_out=left_out, warnings=tuple(contradictions(standing)))


def sorted_out(view: View) -> tuple[list[Allergy], list[Allergy]]:
    """Those that stand, the gravest first, and those that were withdrawn."""
    standing: list[Allergy] = []
    withdrawn: list[Allergy] = []
    for resource in view.record.of("AllergyIntolerance"):
        verified = statuses(resource.get("verificationStatus"))
        if verified and all(one in _VOID for one in verified):
            withdrawn.append(replace(_read(resource, verified), verification=verified[0]))
        else:
            standing.append(_read(resource, verified))
    return sorted(standing, key=lambda allergy: allergy.order), sorted(withdrawn, key=lambda allergy: allergy.order)


def names(allergy: Allergy) -> tuple[str, ...]:
    """Every name that the entry gives for what it is about: words, codes, and the substances of its reactions."""
    resource = allergy.resource
    given = [called(resource.get("code")), *(called(one.get("substance")) for one in nodes(resource.get("reaction")))]
    return tuple(dict.fromkeys(name for each in given for name in each)) or (allergy.name,)


def is_refuted(allergy: Allergy) -> bool:
    """What was tested and disproved is worth knowing; what was never meant is not."""
    return allergy.verification == "refuted" and allergy.scope is None and not allergy.unknown


def _refuted(allergy: Allergy, view: View) -> Entry:
    """Shown where allergies are asked for: a drug that may be given after all. The words leave no doubt."""
    text = joined(f"REFUTED, not an allergy: {allergy.name}", _dates(allergy.resource, view), _noted(allergy), by="; ")
    return Entry(text, day(allergy.resource.get("recordedDate")), identity(allergy.resource), text)


def _read(resource: Node, verified: Sequence[str]) -> Allergy:
    named = resource.get("code")
    reacted_to = (full_concept(reaction.get("substance")) for reaction in nodes(resource.get("reaction")))
    name = full_concept(named) or next((found for found in reacted_to if found), "")
    if name.startswith("code "):
        name = f"a substance given only as {name}"
    clinical = statuses(resource.get("clinicalStatus"))
    over = next((one for one in clinical if one in _OVER), "") if all(one in _OVER for one in clinical) else ""
    return Allergy(
        resource,
        name or f"An allergy entry that cannot be read ({identity(resource) or 'without an id'})",
        negated(named),
        over or next((one for one in clinical if one not in _OVER), ""),
        next((one for one in verified if one not in _VOID), ""),
        no_information(named),
    )


def entry(allergy: Allergy, view: View) -> Entry:
    resource = allergy.resource
    recorded = day(resource.get("recordedDate"))
    if allergy.scope or allergy.unknown:
        text = _stated(allergy, view)
        return Entry(text, recorded, identity(resource), text)
    grave = code(resource.get("criticality"))
    text = joined(
        f"{allergy.name}: {'; '.join(_reactions(resource)) or 'reaction not recorded'}",
        _CRITICALITY.get(grave, plain(grave, 30) and f"criticality {plain(grave, 30)}"),
        joined(plain(code(resource.get("type")), 20), *(plain(one, 20) for one in codes(resource.get("category"))[:4])),
        _standing(allergy),
        _dates(resource, view),
        _noted(allergy),
        by="; ",
    )
    high = "high criticality" if grave == "high" else ""
    over = plain(allergy.clinical, 20) if allergy.clinical in _OVER else ""
    marks = joined(high, over)
    return Entry(text, recorded, identity(resource), f"{allergy.name} ({marks})" if marks else allergy.name)


def _stated(allergy: Allergy, view: View) -> str:
    """ "No known allergy (stated in the record; recorded 2025-01-28, confirmed)". What was said once and holds no
    longer begins with that: nobody may take it for the state of today.
    """
    written = allergy.resource.get("recordedDate")
    recorded = f"recorded {shown(written, view.today)}" if day(written) else "no date recorded"
    about = joined(recorded, plain(allergy.verification, 30))
    if allergy.clinical in _OVER:
        said = joined(about, f"now {plain(allergy.clinical, 20)}", _noted(allergy))
        return f"No longer in force: the statement “{allergy.name}” ({said})"
    name = f"No information about allergies: “{allergy.name}”" if allergy.unknown else allergy.name
    return f"{name} (stated in the record; {about})"


def _noted(allergy: Allergy) -> str:
    notes = nodes(allergy.resource.get("note"))
    return next((text for one in notes if (text := quoted(one.get("text"), 160))), "")


def _standing(allergy: Allergy) -> str:
    clinical = plain(allergy.clinical, 20) or "clinical status not recorded"
    if allergy.clinical in _OVER:
        clinical = f"recorded as {clinical}"
    return joined(clinical, plain(allergy.verification, 20) or "verification not recorded")


def _dates(resource: Node, view: View) -> str:
    onset = in_words(resource, "onset")
    recorded, last = resource.get("recordedDate"), resource.get("lastOccurrence")
    return joined(
        f"onset {onset}" if onset else "",
        f"last reaction {shown(last, view.today)}" if day(last) else "",
        f"recorded {shown(recorded, view.today)}" if day(recorded) else "",
    )


def _reactions(resource: Node) -> Iterator[str]:
    """Each reaction with its severity: "anaphylaxis, hives (severe)"."""
    reactions = nodes(resource.get("reaction"))
    reactions.sort(key=lambda reaction: instant(reaction.get("onset")), reverse=True)
    for reaction in reactions[:8]:
        signs = [name for one in listed(reaction.get("manifestation")) if (name := concept(one, 80))]
        said = joined(*signs[:8]) or plain(reaction.get("description"), 120)
        severity = plain(reaction.get("severity"), 20)
        if said or severity:
            yield f"{said or 'reaction not recorded'}{f' ({severity})' if severity else ''}"


def contradictions(standing: Sequence[Allergy]) -> Iterator[str]:
    """ "No known allergies" beside an allergy: both are shown, and somebody has to ask the patient."""
    real = [allergy for allergy in standing if allergy.counts]
    for stated in standing:
        if stated.scope and stated.clinical not in _OVER:
            against = sum(_contradicts(allergy, stated.scope) for allergy in real)
            if against:
                entries = counted(against, "allergy entry", "allergy entries")
                yield f"The record states “{stated.name}” and also holds {entries}. Both are shown; ask the patient."


def _contradicts(allergy: Allergy, scope: Scope) -> bool:
    """An allergy without a category may be of any."""
    categories = codes(allergy.resource.get("category"))
    if scope in ("all", "one"):
        return scope == "all"
    if scope == "latex":
        return "latex" in allergy.name.casefold()
    return not categories or scope in categories
