"""Trials from ClinicalTrials.gov's live service. Its errors are plain text, and nothing of them is shown.

Its search language is Essie, and no word of a user's may be an operator of it. Operators are capitals without quotes:
"ALL" alone gives back every trial there is, and it is also how a leukaemia is written. Phase, age and sex are asked for
in `filter.advanced`: parameters like `filter.phase` do not exist.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any, TypeVar

from docgemma.entities.words import word_set
from docgemma.fetch.door import Reply
from docgemma.sources.contract import SourceError
from docgemma.sources.ctgov.record import FIELDS, nct_id_of, study_of
from docgemma.sources.trials.contract import PAGE_SIZE, Sought, Studies, Study
from docgemma.sources.trials.fitting import fits
from docgemma.sources.web import DAY_S, Answer, Web, accept, is_final, json_in, unusable

Params = tuple[tuple[str, str], ...]

SORT = "@relevance|LastUpdatePostDate:desc"
_OPERATORS = word_set("AND OR NOT AREA SEARCH RANGE MISSING ALL COVERAGE EXPANSION TILT DISTANCE MIN MAX CONST")
_NO_WORD = re.compile(r"[^\w\s'’.-]+|_+")
_MARK_ALONE = re.compile(r"(?<!\w)['’.-]+|['’.-]+(?!\w)")
_LEUKAEMIA = re.compile(r"(?<!\w)ALL(?!\w)")
_EITHER = re.compile(r"\s+(?:and/or|or)\s+|\s*/\s*or\s*/\s*", re.IGNORECASE)
_MOST_PARTS = 4
_LONGEST = 200
_MONTHLY = 2.0
"""Below this age, in years, months are counted."""


def params_of(sought: Sought) -> Params:
    """The question for the first page; every other page repeats it with a token. Raises SourceError."""
    asked = [
        ("query.cond", _terms(_spelled_out(sought.condition))),
        ("query.intr", _terms(sought.intervention)),
        ("query.locn", _terms(sought.place)),
    ]
    if not any(text for _, text in asked[:2]):
        raise SourceError("invalid_args", "A search for trials needs a condition or a treatment. Name one.")
    return (
        *((name, text) for name, text in asked if text),
        *((("filter.overallStatus", "|".join(sought.statuses)),) if sought.statuses else ()),
        *((("filter.advanced", advanced),) if (advanced := _advanced(sought)) else ()),
        ("countTotal", "true"),
        ("pageSize", str(PAGE_SIZE)),
        ("sort", SORT),
        *of_one(),
    )


def of_one() -> Params:
    """What is asked about each trial, also where only one is."""
    return ("fields", "|".join(FIELDS)), ("format", "json")


def term(words: str) -> str:
    """Words that can only be searched for: no marks, and no operator in capitals."""
    bare = _MARK_ALONE.sub(" ", _NO_WORD.sub(" ", words[:_LONGEST]))
    return " ".join(word.lower() if word.upper() in _OPERATORS else word for word in bare.split())


def _terms(words: str) -> str:
    """ "GBM or DIPG": the one or the other. The operator between them is ours."""
    parts = [text for part in _EITHER.split(words) if (text := term(part))]
    if not 2 <= len(parts) <= _MOST_PARTS:
        return term(words)
    return " OR ".join(f"({part})" for part in parts)


def _spelled_out(condition: str) -> str:
    """ "ALL" is a leukaemia, unless everything is in capitals and it stands with a plural of its own."""
    letters = [letter for letter in condition if letter.isalpha()]
    shouted = condition.strip() != "ALL" and all(letter.isupper() for letter in letters) and len(letters) > len("B ALL")
    return condition if shouted else _LEUKAEMIA.sub("acute lymphoblastic leukemia", condition)


def _advanced(sought: Sought) -> str:
    """Made of numbers and of the register's own words alone. A trial without a limit is for every age."""
    parts: list[str] = []
    if sought.phases:
        parts.append(_any(f"AREA[Phase]{phase}" for phase in sought.phases))
    if sought.age_years is not None:
        oldest = sought.age_to if sought.age_to is not None else sought.age_years
        parts.append(f"(AREA[MinimumAge]RANGE[MIN, {_age(oldest)}] OR AREA[MinimumAge]MISSING)")
        if sought.age_years > 0:
            parts.append(f"(AREA[MaximumAge]RANGE[{_age(sought.age_years)}, MAX] OR AREA[MaximumAge]MISSING)")
    if sought.sex is not None:
        parts.append(_any(("AREA[Sex]ALL", f"AREA[Sex]{sought.sex.upper()}", "AREA[Sex]MISSING")))
    return " AND ".join(parts)


def _any(options: Iterable[str]) -> str:
    listed = list(options)
    return f"({' OR '.join(listed)})" if len(listed) > 1 else listed[0]


def _age(years: float) -> str:
    """In whole years, as limits are registered; in months or days for the very young."""
    if years >= _MONTHLY:
        return f"{int(years)} years"
    months = int(years * 12 + 1e-6)
    return f"{months} months" if months else f"{int(years * 365.25 + 1e-6)} days"


T = TypeVar("T")

SERVICE = "ClinicalTrials.gov"
_MOST = 5 * PAGE_SIZE
"""Who sends more has misread the question, and all of it would have to be read."""

_TOKEN = re.compile(r"[\w=.~-]{1,300}", re.ASCII)
_UNKNOWN_NUMBER = re.compile(rb"\s*NCT number NCT\d{8} not found\s*")


@dataclass(frozen=True, slots=True)
class Page:
    """The trials that came. `total` only on a first page; `token` only where another page follows."""

    studies: tuple[Study, ...]
    total: int | None = None
    token: str = ""


def read_first(reply: Reply) -> Page | None:
    """The first page; None when the register itself counts no trial. Raises SourceError for everything else."""
    found = _object(reply)
    page = _page(found)
    if page.studies:
        return page
    if found["studies"] or page.token or page.total != 0:
        raise unusable(SERVICE)
    return None


def read_next(reply: Reply) -> Page | None:
    """A later page, which has no count; None where there is nothing left."""
    found = _object(reply)
    page = _page(found)
    if not page.studies and (found["studies"] or page.token):
        raise unusable(SERVICE)
    return page if page.studies else None


def read_one(reply: Reply) -> Study | None:
    """One trial by its number; None when the register says itself that there is none of this number."""
    if reply.status == 404 and _UNKNOWN_NUMBER.fullmatch(reply.body[:200]):
        return None
    _refuse(reply)
    study = study_of(json_in(reply))
    if study is None:
        raise unusable(SERVICE)
    return study


def _object(reply: Reply) -> Mapping[str, Any]:
    _refuse(reply)
    found = json_in(reply)
    if not isinstance(found, dict) or not isinstance(found.get("studies"), list):
        raise unusable(SERVICE)
    return found


def _refuse(reply: Reply) -> None:
    if reply.status == 400:
        raise SourceError(
            "invalid_response", f"{SERVICE} did not understand the question. Name the condition in plain words."
        )
    accept(SERVICE, reply)


def _page(found: Mapping[str, Any]) -> Page:
    studies = {study.nct_id: study for raw in found["studies"][:_MOST] if (study := study_of(raw))}
    total, token = found.get("totalCount"), found.get("nextPageToken")
    known = isinstance(total, int) and not isinstance(total, bool) and total >= len(studies)
    return Page(
        tuple(studies.values()),
        total if known else None,
        token if isinstance(token, str) and _TOKEN.fullmatch(token) else "",
    )


BASE_URL = "https://clinicaltrials.gov/api/v2"
MOST_PAGES = 10
"""Each page is a request of its own, one a second: who wants the hundredth narrows the search instead."""


class ClinicalTrialsGov:
    """A TrialSource."""

    name = SERVICE

    def __init__(self, web: Web, base_url: str = BASE_URL) -> None:
        self._web = web
        self._url = f"{base_url.rstrip('/')}/studies"

    async def search(self, sought: Sought, *, ends_at: float) -> Studies | None:
        """One page; None only when the register counts no such trial."""
        number = nct_id_of(sought.condition)
        if number:
            return await self._one(number, ends_at)
        if sought.page > MOST_PAGES:
            raise SourceError("invalid_args", f"Only the first {MOST_PAGES} pages are read here. Narrow the search.")
        params = params_of(sought)
        try:
            return await self._paged(sought, params, ends_at, DAY_S)
        except SourceError as error:
            # A token of yesterday's page may have run out: then today's pages are asked for, from the first one on.
            if sought.page == 1 or error.error_type != "invalid_response":
                raise
            return await self._paged(sought, params, ends_at, 0.0)

    async def _ask(
        self, path: str, params: Params, read: Callable[[Reply], T | None], ends_at: float, fresh_s: float = DAY_S
    ) -> Answer[T]:
        return await self._web.ask(
            SERVICE, self._url + path, params, read=read, ends_at=ends_at, final=is_final, fresh_s=fresh_s
        )

    async def _one(self, number: str, ends_at: float) -> Studies | None:
        answer = await self._ask(f"/{number}", of_one(), read_one, ends_at)
        return None if answer.data is None else _studies((answer.data,), answer, total=1, more=False)

    async def _paged(self, sought: Sought, params: Params, ends_at: float, fresh_s: float) -> Studies | None:
        first = await self._ask("", params, read_first, ends_at, fresh_s)
        if first.data is None:
            return None
        answer = first
        for page in range(2, sought.page + 1):
            token = answer.data.token if answer.data else ""
            if not token:
                raise SourceError("invalid_args", f"These trials have {page - 1} page{'s' * (page > 2)}, not more.")
            answer = await self._ask("", (*params, ("pageToken", token)), read_next, ends_at, fresh_s)
        if answer.data is None:
            raise SourceError("invalid_args", f"These trials have fewer than {sought.page} pages.")
        return _fitting(sought, answer, answer.data, first.data.total)


def _fitting(sought: Sought, answer: Answer[Page], page: Page, total: int | None) -> Studies:
    """Only trials whose own record does not speak against them. None of them: the question was misread."""
    kept = tuple(study for study in page.studies if fits(study, sought))
    if not kept:
        raise unusable(SERVICE)
    counted = total if len(kept) == len(page.studies) else None
    return _studies(kept, answer, total=counted, more=bool(page.token))


def _studies(
    kept: tuple[Study, ...], answer: Answer[Page] | Answer[Study], *, total: int | None, more: bool
) -> Studies:
    return Studies(kept, SERVICE, answer.origin, data_date=answer.kept_on, total=total, more=more)
