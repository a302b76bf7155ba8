"""What a sentence says of enzymes and transporters: "strong inhibitors of CYP 3A4", "drugs metabolized by CYP2D6".

Labels write one thing in many ways, so these are read by grammar, not looked up: an enzyme, a role, and how strong.
The words of the class table are read by the same grammar, which is how a drug's own roles are known.
"""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Literal

Part = Literal["inhibitor", "inducer", "substrate"]

STRENGTHS = frozenset({"strong", "moderate", "weak"})

ANY_CYP = "cyp"
"""Where a sentence names no enzyme: "strong CYP inhibitors", "hepatic enzyme inducers"."""


@dataclass(frozen=True, slots=True)
class Role:
    """What a drug does at an enzyme. No strength: not stated."""

    enzyme: str
    part: Part
    strength: str = ""


@dataclass(frozen=True, slots=True)
class Played:
    """A role that a text names, and where."""

    role: Role
    start: int
    end: int


_ENZYME = re.compile(
    r"\b(?:cytochrome[\s-]{1,3})?(?:\(?(?:CYP|P)[\s-]{0,2}450\)?|\(?CYP\)?)(?:[\s(-]{0,3}CYP\)?)?"
    r"(?:[\s-]{1,3}(?:iso)?(?:en)?zymes?|[\s-]{1,3}isoforms?)?"
    r"(?:[\s-]{0,3}(?P<cyp>\d[A-Z]\d{0,2})(?:[/-]\d{1,2}\b)?)?\b"
    r"|\bP-?[\s-]?gp\b|\bP[\s-]?glycoprotein\b|\bMDR1\b|\b(?P<oatp>OATP)[\s-]?(?:1B[13])?(?:/1B3)?\b|\bBCRP\b"
    r"|\b(?:UGT|UDP-?glucuronosyltransferase)(?:\d[A-Z]\d{1,2})?\b"
    r"|\b(?:hepatic|liver|microsomal)[\s-]{1,3}(?:microsomal[\s-]{1,3})?(?:drug[\s-]metaboli[sz]ing[\s-]{1,3})?enzymes?\b",
    re.IGNORECASE,
)
_BARE = re.compile(r"(?P<cyp>\d[A-Z]\d{1,2})\b")
_ROLE = re.compile(
    r"\b(?:(?P<inhibitor>inhibitors?)|(?P<inducer>inducers?)|(?P<substrate>substrates?)"
    r"|(?P<inhibit>inhibit(?:s|ing)?)|(?P<induce>induc(?:e|es|ing))|(?P<metabolised>metaboli[sz]ed)|(?P<cleared>cleared))\b",
    re.IGNORECASE,
)
_PARTS: dict[str, Part] = {
    "inhibitor": "inhibitor",
    "inhibit": "inhibitor",
    "inducer": "inducer",
    "induce": "inducer",
    "substrate": "substrate",
    "metabolised": "substrate",
    "cleared": "substrate",
}
_NOUNS = frozenset({"inhibitor", "inducer", "substrate"})
_GRADES = {"strong": "strong", "stronger": "strong", "potent": "strong", "powerful": "strong", "strongly": "strong"}
_GRADES |= {"moderate": "moderate", "moderately": "moderate", "weak": "weak", "mild": "weak", "weakly": "weak"}
_LAST_STRENGTHS = re.compile(
    r"((?:\b(?:strong(?:er|ly)?|potent|powerful|moderate(?:ly)?|weak(?:ly)?|mild)\b(?:\s{0,3}(?:,|/|or|and|to|-)\s{0,3}|\s{1,3}){0,2}){1,3})"
    r"(?:\s{0,2}(?:dual|combined|known|specific|selective)\s{1,3})?$",
    re.IGNORECASE,
)
_JOIN = re.compile(
    r"[\s,/(]{0,4}(?:and/or|and|or|as well as|plus|/|,|with)?[\s,/]{0,4}(?:also|other)?\s{0,3}"
    r"(?P<strength>(?:strong|potent|moderate|weak)(?:\s{1,3}(?:or|to|and)\s{1,3}(?:strong|moderate|weak))?\s{1,3})?(?:the\s{1,3})?",
    re.IGNORECASE,
)
_LINK_AFTER = re.compile(
    r"\)?[\s-]{0,3}(?:(?:inhibitors?|inducers?|substrates?)(?:[\s,/]{1,3}|\s(?:and|or)\s(?:strong\s|moderate\s)?))?"
    r"(?:(?:enzymes?|isoenzymes?|isozymes?|isoforms?|system|transporters?|mediated|pathway|dual)[\s-]{1,3}){0,2}",
    re.IGNORECASE,
)
_LINK_BEFORE = re.compile(
    r"\s{0,3}(?:(?:and|or|/)\s{0,3}(?:inhibitors?|inducers?|substrates?|inhibit|induce)\s{1,3})?"
    r"(?:(?:of|for|by|via|through|primarily|mainly|principally|extensively|partly|the|both|same|this|human|"
    r"drug[\s-]metaboli[sz]ing|hepatic|isoenzymes?|isozymes?|enzymes?|isoforms?|transporters?|activity of)"
    r"[\s-]{1,3}){0,6}",
    re.IGNORECASE,
)
_THINGS = re.compile(
    r"\b(?:drugs?|agents?|medications?|medicines?|products?|compounds?|substances?|those|others?|components|therapies)\b"
    r"(?:[\s,]{1,3}(?:that|which|are|is|may|can|could|known|to|be|also|both|either|primarily|mainly|extensively|"
    r"significantly|strongly|potently|moderately|highly|predominantly|principally|partly|have|been|shown|likely|metaboli[sz]ed|"
    r"inhibit|induce|and|or|other|of|with|a|narrow|therapeutic|index)){0,9}[\s,]{1,3}$",
    re.IGNORECASE,
)
_LIKELY = re.compile(r"cyp|p-?\s?450|gp\b|glycoprotein|oatp|bcrp|ugt|mdr1|glucuronosyl|enzyme", re.IGNORECASE)
_MOST_IN_A_RUN = 20
_WINDOW = 160
"""How far back a verb's subject is looked for."""


def roles_in(text: str) -> tuple[Played, ...]:
    """Every role that a text gives to drugs in general. "X is metabolized by CYP3A4" gives none: it tells of X."""
    if not _LIKELY.search(text):
        return ()
    enzymes = list(_enzymes(text))
    found: list[Played] = []
    for word in _ROLE.finditer(text):
        kind = word.lastgroup or ""
        if kind not in _NOUNS and not of_things(text[max(0, word.start() - _WINDOW) : word.start()]):
            continue
        for name, strength, start, end in _belonging(text, enzymes, word, kind in _NOUNS):
            for each in strength.split("|"):
                found.append(Played(Role(name, _PARTS[kind], each), min(start, word.start()), max(end, word.end())))
    return tuple(dict.fromkeys(found))


def roles_of(words: Iterable[str]) -> frozenset[Role]:
    """The roles that names of classes stand for; where some state a strength, those alone."""
    found = {played.role for word in words for played in roles_in(word)}
    stated = {(role.enzyme, role.part) for role in found if role.strength}
    return frozenset(role for role in found if role.strength or (role.enzyme, role.part) not in stated)


def fits(said: Role, own: Role) -> bool:
    """Whether what is said of a role concerns a drug with this role. A strength that is not known counts as any.

    Where no enzyme is named, those of CYP3A4 are meant, which breaks down most drugs, and who is known for many.
    """
    if said.part != own.part:
        return False
    if said.enzyme == ANY_CYP:
        return own.enzyme in (ANY_CYP, "cyp3a4") and said.strength in ("", own.strength)
    return said.enzyme == own.enzyme and (not said.strength or not own.strength or said.strength == own.strength)


def of_things(before: str) -> bool:
    """Whether the words before a verb make drugs in general its subject: "drugs that inhibit"."""
    return _THINGS.search(before) is not None


def enzymes_in(text: str) -> tuple[str, ...]:
    """The enzymes and transporters that a text names, each once."""
    if not _LIKELY.search(text):
        return ()
    return tuple(dict.fromkeys(name for run in _enzymes(text) for name, *_ in run if name != ANY_CYP))


_Found = tuple[str, str, int, int]
"""An enzyme, the strength right before it, its start and its end."""


def _enzymes(text: str) -> Iterator[list[_Found]]:
    """Runs of enzymes that belong together: "CYP 1A2, 2C9 and 3A4", "P-gp and strong CYP3A4"."""
    run: list[_Found] = []
    place = 0
    while True:
        strength = ""
        if run:
            joined = _JOIN.match(text, run[-1][3])
            assert joined is not None  # every part of it may be absent
            strength = _strength(joined["strength"] or "")
            at = joined.end()
            atom = _ENZYME.match(text, at) or (_BARE.match(text, at) if run[-1][0].startswith(ANY_CYP) else None)
            if atom is None or len(run) == _MOST_IN_A_RUN:
                yield run
                place = run[-1][3]
                run = []
                continue
        else:
            atom = _ENZYME.search(text, place)
            if atom is None:
                return
            strength = _strength(_before(text, atom.start()))
        run.append((_name(atom), strength or (run[-1][1] if run and run[-1][0] != "p-gp" else ""), *atom.span()))


def _name(atom: re.Match[str]) -> str:
    groups = atom.groupdict()
    if groups.get("cyp"):
        number = str(groups["cyp"]).lower()
        return "cyp3a4" if number.startswith("3a") else f"cyp{number}"
    low = atom.group().lower()
    if groups.get("oatp"):
        return "oatp1b1"
    for sign, name in (("gp", "p-gp"), ("glycop", "p-gp"), ("mdr1", "p-gp"), ("bcrp", "bcrp"), ("ugt", "ugt")):
        if sign in low:
            return name
    return "ugt" if low.startswith("udp") else ANY_CYP


def _belonging(text: str, runs: Sequence[list[_Found]], word: re.Match[str], noun: bool) -> Iterator[_Found]:
    """The enzymes of one role word: those right before a noun, else those right after it."""
    before = bisect_right(runs, word.start(), key=lambda run: run[-1][3]) - 1
    if noun and before >= 0 and _LINK_AFTER.fullmatch(text, runs[before][-1][3], word.start()):
        yield from runs[before]
        return
    after = bisect_left(runs, word.end(), key=lambda run: run[0][2])
    if after < len(runs):
        link = _LINK_BEFORE.fullmatch(text, word.end(), runs[after][0][2])
        if link is not None and (not noun or link.group().strip()):
            strength = _strength(_before(text, word.start()))
            for name, own, start, end in runs[after]:
                yield name, own or strength, start, end


def _before(text: str, place: int) -> str:
    found = _LAST_STRENGTHS.search(text[max(0, place - 60) : place])
    return found.group(1) if found else ""


def _strength(words: str) -> str:
    """As "strong", or "strong|moderate" where both are named."""
    plain = re.sub(r"\b(moderate|weak)ly\s{1,3}(?:potent|strong)\b", r"\1", words.lower())
    named = [_GRADES[word] for word in re.findall(r"[a-z]{1,12}", plain) if word in _GRADES]
    return "|".join(dict.fromkeys(named))
