"""Which amount belongs to which drug, and which reaction to which substance, where a message has several."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Sequence

from docgemma.agent.understanding.mentions import Mentions, Told
from docgemma.entities.model import AllergyEntry, Entities, Mention, Order

ORDER = "prescribe_medication"
_REFUSED = re.compile(
    r"\b(?:don['’]?t|do\snot|never|no\sneed\sto|hold\soff|not\sto)(?:\s[\w-]{1,20}){1,3}\s$", re.IGNORECASE
)
_REPORTED = re.compile(
    r"(?:(?:\b(?:is|are|been|already|currently|still)|['’]s)\son|\b(?:takes|taking|was|were|had|gave|given))\s[^.,;:!?\n]{0,30}$",
    re.IGNORECASE,
)
"""Closed forms of what is or was taken. A veto: beside another order such a drug is none."""

_LEADS = re.compile(r"(?:\s|of|the|oral|iv|po|im|sc|stat|tabs?|caps?|inj|-){0,40}", re.IGNORECASE)
"""Between an amount and the drug behind it: "5 mg of morphine"."""


def orders_of(text: str, found: Mentions) -> tuple[Order, ...]:
    """One order a drug; each amount with one drug alone. An amount of a drug that is not ordered is nobody's."""
    named = [one.mention for one in found.drugs(as_written=(ORDER,)) if one.ask in (ORDER, None)]
    drugs = sorted({drug.start: drug for drug in named}.values(), key=lambda drug: drug.start)
    drugs = [drug for drug in drugs if not _is_told(text[max(0, drug.start - 60) : drug.start])] or drugs
    if not drugs:
        return ()
    parts = {
        "doses": _said_once(_own(found.doses())),
        "frequencies": _own(found.frequencies()),
        "routes": _own(found.routes()),
        "durations": _own(found.durations()),
        "reasons": [*_own(found.reasons()), *_own(found.rates())],
    }
    others = [one for one in found.listed if not any(one.start < drug.end and drug.start < one.end for drug in drugs)]
    everything = sorted((*drugs, *others), key=_start)
    shared: dict[int, dict[str, list[Mention]]] = {drug.start: {name: [] for name in parts} for drug in drugs}
    for name, mentions in parts.items():
        named_by = drugs if name == "reasons" else everything
        for mention in mentions:
            owner = named_by[_drug_of(text, mention, named_by)]
            if owner.start in shared:
                shared[owner.start][name].append(mention)
    return tuple(
        Order(
            drug,
            doses=tuple(own["doses"]),
            frequencies=tuple(own["frequencies"]),
            routes=tuple(own["routes"]),
            durations=tuple(own["durations"]),
            reasons=tuple(own["reasons"]),
        )
        for drug, own in ((drug, shared[drug.start]) for drug in drugs)
    )


def is_refused(text: str, start: int) -> bool:
    """Whether the words straight before this place refuse it: "do not prescribe …"."""
    return _REFUSED.search(text[max(0, start - 60) : start]) is not None


def _is_told(before: str) -> bool:
    return _REPORTED.search(before) is not None or _REFUSED.search(before) is not None


def _said_once(doses: Sequence[Mention]) -> list[Mention]:
    """ "20 – furosemide 20 mg": a bare number that another dose says with its unit is not a dose of its own."""
    said = {dose.text.split()[0] for dose in doses if not dose.text.isdigit() and dose.text.split()}
    return [dose for dose in doses if not (dose.text.isdigit() and dose.text in said)]


def _own(told: Sequence[Told]) -> list[Mention]:
    return [one.mention for one in told if one.ask in (ORDER, None)]


def _drug_of(text: str, mention: Mention, drugs: Sequence[Mention]) -> int:
    """The drug right behind it where nothing else stands between, else the last one before it, else the first."""
    behind = bisect_left(drugs, mention.end, key=_start)
    if behind < len(drugs) and _LEADS.fullmatch(text, mention.end, drugs[behind].start):
        return behind
    return _last_before(mention, drugs)


def _last_before(mention: Mention, others: Sequence[Mention]) -> int:
    """The place of the last of the others, which come in order, that begins before it; 0 where none does."""
    return max(bisect_left(others, mention.start, key=_start) - 1, 0)


def _start(mention: Mention) -> int:
    return mention.start


def allergy_entries(text: str, found: Entities) -> tuple[AllergyEntry, ...]:
    """One entry a substance, with the reactions and grades that stand behind it; before it where the first one does:
    "lip swelling with prawns and itching with morphine".

    Two substances that share one clause before a reaction ("penicillin and sulfa, rash") are both asked about again:
    the reaction stays with the nearer one.
    """
    substances = sorted(found.substances, key=lambda one: one.start)
    if not substances:
        return ()

    reactions: list[list[Mention]] = [[] for _ in substances]
    severities: list[list[Mention]] = [[] for _ in substances]
    for told, entries in ((found.reactions, reactions), (found.severities, severities)):
        ahead = bool(told) and told[0].start < substances[0].start and len(told) == len(substances)
        for mention in told:
            next_one = min(bisect_left(substances, mention.end, key=_start), len(substances) - 1)
            entries[next_one if ahead else _last_before(mention, substances)].append(mention)
    return tuple(
        AllergyEntry(substance, reactions=tuple(reacting), severities=tuple(grades))
        for substance, reacting, grades in zip(substances, reactions, severities, strict=True)
    )
