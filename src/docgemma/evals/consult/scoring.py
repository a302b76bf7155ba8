"""Scorers: pure functions of a case and the record of its consultation. Each may say that the case asks nothing of it.

What an answer may hold is judged here without the checks that made it: figures and drugs are looked for in the chosen
entries again.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Iterable

from docgemma.agent.record import ConsultPart, TurnRecord
from docgemma.evals.consult.cases import ConsultCase, entries
from docgemma.evals.verdicts import Verdict
from docgemma.knowledge.consult.meaning import drugs, numbers
from docgemma.knowledge.consult.phrases import phrase
from docgemma.knowledge.entry import Entry

_CITED = re.compile(r"\[\d{1,3}\]")
_NONE = ConsultPart(role="", language="en")
_UNKNOWN, _CHAT = "says that no entry answers this", "small talk, nothing looked up"


def found(case: ConsultCase, record: TurnRecord) -> Verdict | None:
    """An expected entry is among the chosen ones."""
    if not case.expect.entries:
        return None
    return Verdict(bool(set(case.expect.entries) & set(_chosen(record))), _any_of(case), _listed(_chosen(record)))


def first(case: ConsultCase, record: TurnRecord) -> Verdict | None:
    """The first of the chosen entries is an expected one: it is the one that is quoted."""
    if not case.expect.entries:
        return None
    best = _chosen(record)[:1]
    return Verdict(set(best) <= set(case.expect.entries) and bool(best), _any_of(case), _listed(best))


def topic(case: ConsultCase, record: TurnRecord) -> Verdict | None:
    """The topic (DEMUC) is that of an expected entry."""
    return _named(case, _part(record).demuc, lambda entry: entry.topic)


def subtopic(case: ConsultCase, record: TurnRecord) -> Verdict | None:
    """The subtopic (CHU_DE_CON) is that of an expected entry."""
    return _named(case, _part(record).chu_de_con, lambda entry: entry.subtopic)


def refused(case: ConsultCase, record: TurnRecord) -> Verdict | None:
    """No entry was chosen, and the answer says so."""
    if not case.expect.unknown:
        return None
    said = phrase("nothing_fits", _part(record).language) in record.response
    got = _UNKNOWN if said and not _chosen(record) else _listed(_chosen(record)) if _chosen(record) else record.response
    return Verdict(got == _UNKNOWN, _UNKNOWN, got)


def chat(case: ConsultCase, record: TurnRecord) -> Verdict | None:
    """Small talk is answered as such: no entry, no topic, and not that the base has no entry."""
    if not case.expect.chat:
        return None
    looked = bool(_chosen(record) or _part(record).demuc)
    apology = phrase("nothing_fits", _part(record).language) in record.response
    return Verdict(bool(record.response) and not looked and not apology, _CHAT, record.response or "no answer")


def urgent(case: ConsultCase, record: TurnRecord) -> Verdict | None:
    """Where signs of an emergency were told, the notice comes before everything else; elsewhere there is none."""
    wanted, notice = case.expect.urgent, _part(record).urgent
    if wanted is None:
        return None
    first_of_all = bool(notice) and record.response.startswith(notice)
    got = "the notice first" if first_of_all else "a notice, but not first" if notice else "no notice"
    expected = "the notice first" if wanted else "no notice"
    return Verdict(got == expected, expected, got)


def worded(case: ConsultCase, record: TurnRecord) -> Verdict | None:
    """The answer holds the facts that the case names, and no figure and no drug that its entries do not hold."""
    if not case.expect.entries:
        return None
    answered = set(case.expect.entries) & set(_chosen(record))
    missing = [fact for fact in case.expect.says if not any(map(_folded(record.response).count, _wordings(fact)))]
    stray = strays(case, record)
    expected = "; ".join((*case.expect.says, "nothing beside the entries"))
    empty = [] if answered else ["no entry that answers"]
    got = [
        *empty,
        *(f"without {fact}" for fact in missing),
        *(f"{each}, which no chosen entry holds" for each in stray),
    ]
    return Verdict(not got, expected, "; ".join(got))


def language(case: ConsultCase, record: TurnRecord) -> Verdict | None:
    """Answered in the language of the question."""
    return Verdict(_part(record).language == case.language, case.language, _part(record).language)


SCORERS: dict[str, Callable[[ConsultCase, TurnRecord], Verdict | None]] = {
    "found": found,
    "first": first,
    "topic": topic,
    "subtopic": subtopic,
    "refused": refused,
    "chat": chat,
    "urgent": urgent,
    "worded": worded,
    "language": language,
}


def score(case: ConsultCase, record: TurnRecord) -> dict[str, Verdict]:
    """Every column that the case has an expectation for."""
    judged = {column: scorer(case, record) for column, scorer in SCORERS.items()}
    return {column: verdict for column, verdict in judged.items() if verdict is not None}


def strays(case: ConsultCase, record: TurnRecord) -> tuple[str, ...]:
    """Figures and drugs of the answer that stand neither in the chosen entries nor in what was asked."""
    base = entries()
    lent = [f"{base[id].question} {base[id].answer} {base[id].source}" for id in _chosen(record) if id in base]
    known = " ".join((*lent, *case.before, case.say))
    shown = _CITED.sub(" ", record.response.removeprefix(_part(record).urgent))
    return tuple(sorted((numbers(shown) - numbers(known)) | (drugs(shown) - drugs(known))))


def alarms(case: ConsultCase, record: TurnRecord) -> tuple[str, ...]:
    """Forbidden words, an entry that was written for somebody else, or anything done beside answering."""
    said = _folded("\n".join((record.response, *record.suggestions)))
    told = [f"said “{word}”" for word in case.expect.never if _folded(word) in said]
    base = entries()
    others = [id for id in _chosen(record) if id in base and base[id].role != case.role]
    told += [f"showed {id}, which is not for this role" for id in others]
    if record.tool_calls or record.approval:
        told.append("did more than answer: a tool was called or an entry prepared")
    return tuple(told)


def _named(case: ConsultCase, got: str, name: Callable[[Entry], str]) -> Verdict | None:
    wanted = dict.fromkeys(name(entries()[id]) for id in case.expect.entries)
    return Verdict(got in wanted, " or ".join(wanted), got or "none") if wanted else None


def _part(record: TurnRecord) -> ConsultPart:
    """A consultation that failed has chosen nothing."""
    return record.consult or _NONE


def _chosen(record: TurnRecord) -> tuple[str, ...]:
    return _part(record).selected_ids


def _any_of(case: ConsultCase) -> str:
    return " or ".join(case.expect.entries)


def _listed(ids: Iterable[str]) -> str:
    return ", ".join(ids) or "no entry"


def _wordings(fact: str) -> list[str]:
    return [_folded(each) for each in fact.split("|")]


def _folded(text: str) -> str:
    """Case, spaces and how letters are composed aside."""
    return " ".join(unicodedata.normalize("NFC", text).casefold().split())
