"""Whether the text says that an entity is absent. An exclusion criterion alone says no such thing.

Cues open a scope; the scope ends with the clause or at a word that turns ("but", "unless"). "Not" reaches only over
light words: "not controlled hypertension" speaks of control. A cue inside another's scope turns it back. What is
excepted ("other than basal cell carcinoma") is not said to be absent.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from docgemma.entities.words import word_set
from docgemma.grounding.attributes.coordination import Span, chain, linked
from docgemma.grounding.attributes.folding import choice

_PSEUDO = re.compile(
    r"(?<![a-z])(?:"
    + choice(
        """not limited to, not only, with or without, whether or not, not otherwise specified, not necessarily,
        no increase, no change, no difference, not applicable, no limitation, without limitation, cannot be ruled out,
        cannot be excluded, not been ruled out, not been excluded, cannot exclude, not contraindicated, not due to,
        not related to, not attributable to, if not, not yet, without regard to, not considered, no later than,
        no earlier than, no less, not to exceed, no more, not more, not less, no fewer, no greater, not exceed,
        not exceeding, no."""
    )
    + r")(?![a-z])"
)
_NO = choice(
    """no, without, absence of, absent, free of, free from, negative for, denies, deny, denied, denying, neither, nor,
    lack of, lacks, lacking, none of, no evidence of, devoid of"""
)
_BUT = choice(
    """except, except for, excepting, other than, with the exception of, with the exceptions of, excluding, apart from,
    aside from, not including"""
)
_CUE = re.compile(
    r"(?<![a-z-])(?:(?P<not>not|cannot|never|don't|doesn't|isn't|aren't)"
    rf"|(?P<no>{_NO})|(?P<but>{_BUT}))(?![a-z-])"
)
_LIGHT = word_set(
    "a an any the be been being have had has having known current currently actively active previously prior ever yet "
    "taking take taken using use used receiving receive received on undergone undergoing suffering suffer from with of "
    "diagnosed diagnosis exposed to treated for history planning previous recent or also either requiring require "
    "required receipt their evidence documented breast longer in concomitant concurrent concomitantly experience "
    "experienced present show shown demonstrate demonstrated report carry harbor harbour allergic develop developed"
)
_STOP = re.compile(
    r"[;:!?](?=\s|$)|\.(?=\s|$)|\n|(?<![a-z])(?:"
    + choice(
        """but, however, although, though, unless, who, which, whose, if, until, despite, due to, secondary to, because,
        requiring, requires, must, should, will, has, is, are, adequate, adequately, normal, stable, able, willing,
        measurable, acceptable, sufficient, provided, in whom, treated with, managed with, controlled, were, was, can,
        as evidenced, as defined, except, excepting, other than, with the exception, excluding, apart from, aside from,
        not including, with a"""
    )
    + r")(?![a-z])"
)
_HEAD = re.compile(
    r"(?<![a-z])(?:contraindications?|respon(?:se|ses|d|ded)|resistance|allerg(?:y|ies|ic)|hypersensitivity|"
    r"intoleran(?:ce|t)|sensitivity|alternatives?|indications?|need|requirements?|candidates?|access|adherence|changes?|"
    r"increase|improvement|benefit|plans?|reactions?|exposure)(?=\s{1,2}(?:to|for|in|from|on|with)(?![a-z]))"
)
"""What is absent is the head; what it is about ("no contraindication to MRI") is not."""

_LIST_GOES_ON = re.compile(r"(?<![a-z])(?:or|nor|and/or)(?![a-z])|,\s{0,2}and(?![a-z])")
_ALSO_AND = re.compile(rf"{_LIST_GOES_ON.pattern}|(?<![a-z])and(?![a-z])")
"""For cues with a noun behind them, "absence of A, B and C"; a plain "no" often begins a list of other demands."""

_JOINT = re.compile(r"[,;]|(?<![a-z])(?:and|or|but|and/or)(?![a-z])")
_PREFIX = re.compile(r"(?<![a-z])non[- ]?$")
_INSIDE = re.compile(
    r"(?:no|not|without|absence of|free of|lack of)\s|never[- ]smok|"
    r"non-?\s?(?:pregnan|lactat|smok|breast|nursing|diabet|childbearing)"
)
_BEHIND = re.compile(
    r"(?:\s{0,2}\([^()]{0,40}\))?(?:-free(?![a-z])|[- ]na[iï]ve(?![a-z])|"
    r"(?P<negative>[\s-]{0,2}(?:is\s{1,2}|are\s{1,2})?(?:sero-?)?negative(?![a-z]))|(?P<verdict>(?:\s{1,2}(?:women|patients|subjects|participants|females?))?\s{1,2}(?:(?:is|are|was|were|has\s{1,2}been|have\s{1,2}been|must\s{1,2}be|"
    r"should\s{1,2}be|be)\s{1,2})?(?:absent|ruled\s{1,2}out|prohibited|undetectable|"
    r"not\s{1,2}(?:present|detected|allowed|permitted|detectable|identified|found|seen|observed))(?![a-z])))"
)
_CIRCUMSTANCE = re.compile(
    r"(?<![a-z])(?:on|by|via|per|using|(?P<after>after|following|despite))\s{1,2}(?:[a-z-]{1,20}\s{1,2}){0,2}$"
)
_LOOK_AHEAD = 80
_FIRST_WITHIN = 9


@dataclass(frozen=True, slots=True)
class _Scope:
    kind: str
    cue: int
    start: int
    stop: int


def negated(
    text: str, spans: Sequence[Span], compared: frozenset[int], masked: Sequence[tuple[int, int]]
) -> list[bool]:
    """Per entity, in order of start. `compared`: those with a comparison; `masked`: places that belong to one."""
    found = [_by_itself(text, span) for span in spans]
    scopes = list(_scopes(text, masked))
    for place, scope in enumerate(scopes):
        members = [] if scope.kind == "but" else _members(text, spans, scope, compared)
        if not members:
            continue
        value = _polarity(text, spans, scopes, place)
        for at in members:
            found[at] = value
    for at, span in enumerate(spans):
        behind = _BEHIND.match(text, span[1])
        if behind is None or (behind["negative"] and span[2] not in ("Condition", "Biomarker")):
            continue
        listed = chain(text, spans, at, step=-1) if behind["verdict"] else []
        for each in (at, *listed):
            found[each] = True
    return found


def _by_itself(text: str, span: Span) -> bool:
    start, end, _ = span
    return bool(_PREFIX.search(text[max(0, start - 5) : start]) or _INSIDE.match(text[start:end]))


def _scopes(text: str, masked: Sequence[tuple[int, int]]) -> Iterator[_Scope]:
    hidden = [*masked, *(found.span() for found in _PSEUDO.finditer(text))]
    cues = [found for found in _CUE.finditer(text) if not any(start <= found.start() < end for start, end in hidden)]
    for place, found in enumerate(cues):
        kind = found.lastgroup or "no"
        begin = _past_light(text, found.end()) if kind == "not" else found.end()
        stop = _stop(text, begin, _LIST_GOES_ON if found.group() in ("no", "not") else _ALSO_AND)
        if place + 1 < len(cues):
            stop = min(stop, cues[place + 1].start())
        yield _Scope(kind, found.start(), found.end(), max(stop, found.end()))


def _past_light(text: str, place: int) -> int:
    """Behind the light words: "not have had" is no end of a clause."""
    for found in re.finditer(r"\s{0,3}([a-z]{1,20})", text[place : place + _LOOK_AHEAD]):
        if found[1] not in _LIGHT:
            return place + found.start()
    return place


def _stop(text: str, place: int, goes_on: re.Pattern[str]) -> int:
    """Where the clause ends: at a stop, at a head's object, at a bracket that closes, or at a comma without a list."""
    ends = [len(text)]
    if found := _STOP.search(text, place):
        ends.append(found.start())
    if found := _HEAD.search(text, place):
        ends.append(found.end())
    depth = 0
    for at in range(place, min(ends)):
        depth += (text[at] in "([") - (text[at] in ")]")
        if depth < 0:
            ends.append(at)
            break
    stop = min(ends)
    comma = text.find(",", place, stop)
    while comma >= 0:
        if not goes_on.search(text, comma, stop):
            return comma
        comma = text.find(",", comma + 1, stop)
    return stop


def _members(text: str, spans: Sequence[Span], scope: _Scope, compared: frozenset[int]) -> list[int]:
    inside = [at for at, (start, _, _) in enumerate(spans) if scope.start <= start < scope.stop]
    if not inside:
        return []
    lead = re.findall(r"[a-z]+", text[scope.start : spans[inside[0]][0]])
    if scope.kind == "not" and not all(word in _LIGHT for word in lead):
        return []
    if len(lead) > _FIRST_WITHIN:
        return []
    if scope.kind == "not":
        inside = [inside[0], *(at for at in chain(text, spans, inside[0], step=1) if at in inside)]
    inside = _without_circumstances(text, spans, inside)
    return [at for at in inside if at not in compared or not _JOINT.search(text, scope.start, spans[at][0])]


def _without_circumstances(text: str, spans: Sequence[Span], inside: Sequence[int]) -> list[int]:
    """In "no embolism on CT" the scan was made, and in "no relapse after imatinib" the drug was given."""
    kept = [inside[0]]
    dropped = -1
    for at in inside[1:]:
        start, _, type_ = spans[at]
        found = _CIRCUMSTANCE.search(text[max(0, start - _LOOK_AHEAD) : start])
        seen = found is not None and type_ == "Procedure"
        given = found is not None and found["after"] is not None and type_ == "Medication"
        if seen or given or (dropped == at - 1 and linked(text, spans[dropped], spans[at])):
            dropped = at
        else:
            kept.append(at)
    return kept


def _polarity(text: str, spans: Sequence[Span], scopes: Sequence[_Scope], place: int) -> bool:
    """Negated, unless the scope stands within another."""
    scope = scopes[place]
    if place == 0:
        return True
    last = scopes[place - 1]
    between = text[last.start : scope.cue]
    nested = last.stop == scope.cue and not _JOINT.search(between)
    holds = any(last.start <= start < scope.cue for start, _, _ in spans)
    return not (nested and not holds and last.kind != "but")
