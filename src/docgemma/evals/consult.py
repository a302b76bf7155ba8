"""The suite `consult`: questions to the knowledge base, through the real consultation and the demonstration entries.

The base lies in a temporary folder; whatever the user's own base or server holds is neither read nor changed, so that
two runs ask the same entries.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import AsyncIterator, Callable, Iterable, Mapping, Sequence
from contextlib import asynccontextmanager
from functools import cache, partial
from typing import Annotated, Any, Self

from pydantic import Field, model_validator

from docgemma.agent.record import ConsultPart, TurnRecord
from docgemma.agent.session import Question, Sessions
from docgemma.clinical import Frozen
from docgemma.config import Settings
from docgemma.errors import Unavailable
from docgemma.evals.casefiles import BaseCase
from docgemma.evals.conversation import NOTHING, OWNER, of_record, open_apart
from docgemma.evals.statistics import mean
from docgemma.evals.suite import Bench, CaseRecord, Outcome, Suite, Variant, Verdict, by_name, judged
from docgemma.evals.summary import grouped
from docgemma.knowledge.consult.meaning import drugs, numbers
from docgemma.knowledge.consult.phrases import Phrase, phrase
from docgemma.knowledge.demo.entries import demonstration
from docgemma.knowledge.entry import Entry, Language
from docgemma.knowledge.roles import SHIPPED

Message = Annotated[str, Field(min_length=1, max_length=4_000)]


class Expectation(Frozen):
    """What is scored. `entries`: any of them answers, and each one's topic is right.

    `says`: facts that the answer must hold, each in one of the wordings between bars ("15 g | 15 grams"). `never`: what
    it must not hold, whoever asked for it.
    """

    entries: tuple[str, ...] = ()
    unknown: bool = False
    chat: bool = False
    urgent: bool | None = None
    says: Annotated[tuple[str, ...], Field(max_length=6)] = ()
    never: tuple[str, ...] = ()

    @model_validator(mode="after")
    def _consistent(self) -> Self:
        if sum((bool(self.entries), self.unknown, self.chat)) > 1:
            raise ValueError("of 'entries', 'unknown' and 'chat' only one can be expected")
        if self.says and not self.entries:
            raise ValueError("'says' stands only with the 'entries' that say it")
        if not (self.entries or self.unknown or self.chat or self.never or self.urgent is not None):
            raise ValueError("nothing is expected")
        return self


class ConsultCase(BaseCase):
    """One question of one role, perhaps after earlier ones. Only the last, `say`, is scored."""

    role: str
    language: Language = "en"
    before: Annotated[tuple[Message, ...], Field(max_length=8)] = ()
    say: Message
    expect: Expectation

    @model_validator(mode="after")
    def _known(self) -> Self:
        roles = [role.id for role in SHIPPED]
        if self.role not in roles:
            raise ValueError(f"there is no role '{self.role}'; the roles are {', '.join(roles)}")
        for id in self.expect.entries:
            entry = entries().get(id)
            if entry is None or entry.role != self.role:
                raise ValueError(f"'{id}' is not an entry of this role in the demonstration base")
        return self


@cache
def entries() -> Mapping[str, Entry]:
    """The demonstration base, which every case is asked of."""
    return {entry.id: entry for entry in demonstration()}


# ----------
# Scorers: pure functions of a case and the record of its consultation. Each may say that the case asks nothing of it.
#
# What an answer may hold is judged here without the checks that made it: figures and drugs are looked for in the chosen
# entries again.


_CITED = re.compile(r"\[\d{1,3}\]")
_NONE = ConsultPart(role="", language="en")
_UNKNOWN, _CHAT = "says that no entry answers this", "small talk, nothing looked up"


def found(case: ConsultCase, record: TurnRecord) -> Verdict | None:
    """An expected entry is among the chosen ones."""
    return _among(case, _chosen(record))


def first(case: ConsultCase, record: TurnRecord) -> Verdict | None:
    """The first of the chosen entries is an expected one: it is the one that is quoted."""
    return _among(case, _chosen(record)[:1])


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
    said = _folded(record.response)
    missing = [fact for fact in case.expect.says if not any(_folded(each) in said for each in fact.split("|"))]
    stray = strays(case, record)
    expected = "; ".join((*case.expect.says, "nothing beside the entries"))
    got = [
        *([] if answered else ["no entry that answers"]),
        *(f"without {fact}" for fact in missing),
        *(f"{each}, which no chosen entry holds" for each in stray),
    ]
    return Verdict(not got, expected, "; ".join(got))


def language(case: ConsultCase, record: TurnRecord) -> Verdict | None:
    """Answered in the language of the question."""
    return Verdict(_part(record).language == case.language, case.language, _part(record).language)


SCORERS = by_name(found, first, topic, subtopic, refused, chat, urgent, worded, language)


def strays(case: ConsultCase, record: TurnRecord) -> tuple[str, ...]:
    """Figures and drugs of the answer that stand neither in the chosen entries nor in what was asked."""
    base = entries()
    lent = [f"{base[id].question} {base[id].answer} {base[id].source}" for id in _chosen(record) if id in base]
    known = " ".join((*lent, *case.before, case.say))
    shown = _CITED.sub(" ", record.response.removeprefix(_part(record).urgent))
    return tuple(sorted((numbers(shown) - numbers(known)) | (drugs(shown) - drugs(known))))


def alarms(case: ConsultCase, record: TurnRecord) -> tuple[str, ...]:
    """Forbidden words, an entry that was written for somebody else, or anything done beside answering."""
    shown = _folded("\n".join((record.response, *record.suggestions)))
    others = [id for id in _chosen(record) if id in entries() and entries()[id].role != case.role]
    acted = bool(record.tool_calls or record.approval)
    return (
        *(f"said “{word}”" for word in case.expect.never if _folded(word) in shown),
        *(f"showed {id}, which is not for this role" for id in others),
        *(["did more than answer: a tool was called or an entry prepared"] if acted else []),
    )


def _named(case: ConsultCase, got: str, name: Callable[[Entry], str]) -> Verdict | None:
    wanted = dict.fromkeys(name(entries()[id]) for id in case.expect.entries)
    return Verdict(got in wanted, " or ".join(wanted), got or "none") if wanted else None


def _part(record: TurnRecord) -> ConsultPart:
    """A consultation that failed has chosen nothing."""
    return record.consult or _NONE


def _chosen(record: TurnRecord) -> tuple[str, ...]:
    return _part(record).selected_ids


def _among(case: ConsultCase, ids: Sequence[str]) -> Verdict | None:
    wanted = case.expect.entries
    return Verdict(not set(wanted).isdisjoint(ids), " or ".join(wanted), _listed(ids)) if wanted else None


def _listed(ids: Iterable[str]) -> str:
    return ", ".join(ids) or "no entry"


def _folded(text: str) -> str:
    """Case, spaces and how letters are composed aside."""
    return " ".join(unicodedata.normalize("NFC", text).casefold().split())


_INSTEAD: tuple[Phrase, ...] = ("model_lost", "model_lost_nothing", "did_not_fit", "withheld_all")


class Consult(Suite[ConsultCase]):
    """Which entries answer, that unknown is said, that an emergency comes first, and that nothing is added to them."""

    name = "consult"
    case = ConsultCase

    @asynccontextmanager
    async def open(self, settings: Settings, variant: Variant) -> AsyncIterator[Bench[ConsultCase]]:
        own_base = settings.model_copy(update={"qdrant_url": None, "qdrant_api_key": None})
        async with open_apart(self.configured(own_base, variant), variant) as app:
            await app.knowledge.ready()  # building the index is no cost of the first question
            yield Bench(app.model_name, partial(run_case, app.sessions), {"entries": "demonstration"})

    def expects(self, case: ConsultCase) -> tuple[str, ...]:
        return tuple(judged(SCORERS, case, NOTHING))

    def figures(self, records: tuple[CaseRecord, ...]) -> Mapping[str, Any]:
        """The same shares by language and by role: a base may serve one well and another badly."""
        consulted = [record for record in records if record.record is not None and record.record.consult is not None]
        return {
            "languages": _shares(consulted, lambda part: part.language),
            "roles": _shares(consulted, lambda part: part.role),
        }


async def run_case(sessions: Sessions, case: ConsultCase) -> Outcome:
    """The earlier questions as turns of their own, then the one that is scored."""
    session_id = None
    for message in case.before:
        earlier = await sessions.ask(Question(message, session_id=session_id, role=case.role, owner=OWNER))
        session_id = earlier.session_id
    last = Question(case.say, session_id=session_id, role=case.role, id=case.id, owner=OWNER)
    record = await sessions.ask(last)
    if record.consult is None:
        raise Unavailable(record.response or "The consultation could not run.")
    outcome = of_record(record, judged(SCORERS, case, record), alarms=alarms(case, record))
    # Where the model was lost or its text withheld, what is shown are the entries, and not its words.
    by_code = any(phrase(name, case.language) in record.notices for name in _INSTEAD)
    return outcome.model_copy(update={"rule_instead": outcome.rule_instead or by_code})


def _shares(records: Sequence[CaseRecord], key: Callable[[ConsultPart], str]) -> dict[str, dict[str, float]]:
    """In percent, with the number of questions; what was not scored is left out."""
    groups = grouped(records, lambda one: key(_part(one.record or NOTHING)))
    return {name: {"cases": len(group), **_percents(group)} for name, group in sorted(groups.items())}


def _percents(group: Sequence[CaseRecord]) -> dict[str, float]:
    scored = {column: [one.scores[column] for one in group if column in one.scores] for column in SCORERS}
    return {column: round(100 * mean(values), 2) for column, values in scored.items() if values}
