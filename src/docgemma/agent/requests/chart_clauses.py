"""Whether a clause asks for the chart of a patient who is known already: on screen, or named in the message.

It is decided by what the clause is not. With a patient at hand a noun of the chart asks for what is kept under it,
unless the clause tells a value, says something of it, orders it, or asks about medicine in general. A question in
the past tense needs no such noun: what was, is known to the chart alone.
"""

from __future__ import annotations

from docgemma.agent.requests import clause_phrases as say


def asks_of_known(named: str, mark: str) -> bool:
    """For a part with its stand-ins that asks nothing else."""
    clauses = [clause.strip() for clause in say.CLAUSE.split(named) if clause.strip()]
    bare = [say.LEAD.sub("", clause, count=1) for clause in clauses]
    if any(_asks(clause, questioned=mark == "?" and clause is bare[-1]) for clause in bare):
        return True
    if not bare or not _is_fragment(bare[-1]):
        return bool(say.PICKED_ALONE.fullmatch(named.strip()))
    return any(say.WISH.search(clause) for clause in bare[:-1]) or all(map(_is_fragment, bare))


def asks_in_general(named: str) -> bool:
    """ "How do I read a growth chart": about medicine, not about anybody."""
    return bool(say.GENERAL.search(named))


def tells_of_someone(named: str) -> bool:
    """ "I think her weight is going up": a subject first, and nobody wishes to see anything."""
    clause = say.LEAD.sub("", named, count=1)
    return bool(say.SPEAKER.match(clause)) and not (
        say.FETCH.match(clause) or say.WISH.search(clause) or say.PAST.search(clause)
    )


def _tells(clause: str) -> bool:
    return bool(say.SPEAKER.match(clause) or say.TELLS.match(clause) or say.LATER.search(clause))


def _asks(clause: str, *, questioned: bool) -> bool:
    if say.PAST.search(clause):
        return not say.NOT_THIS_ONE.search(clause)
    if say.GENERAL.search(clause):
        return False
    told = say.VALUE.sub(" ", clause)
    if say.PRESENT.match(clause) or say.IN_PLACE.search(clause) or (say.TAG.search(clause) and not _tells(clause)):
        return bool(say.ANY_NOUN.search(told)) or bool(say.TAG.search(clause) and clause.lower().startswith("any"))
    if say.FETCH.match(clause):
        return bool(say.ANY_NOUN.search(told))
    if _tells(clause) or say.PREDICATE.search(told):
        return False
    if questioned or say.POLITE.search(clause):
        return bool(say.RECORD_NOUN.search(told))
    return bool(say.PICKED.search(told))


def _is_fragment(clause: str) -> bool:
    told = say.VALUE.sub(" ", clause) == clause
    return told and not (say.GENERAL.search(clause) or _tells(clause)) and bool(say.FRAGMENT.fullmatch(clause))
