"""Trials from ClinicalTrials.gov's live service."""

from __future__ import annotations

from docgemma.sources.contract import SourceError
from docgemma.sources.ctgov.query import Params, of_one, params_of
from docgemma.sources.ctgov.reply import SERVICE, Page, is_final, read_first, read_next, read_one
from docgemma.sources.ctgov.texts import nct_id_of
from docgemma.sources.trials.contract import Sought, Studies, Study
from docgemma.sources.trials.fitting import fits
from docgemma.sources.web import DAY_S, Answer, Web, unusable

BASE_URL = "https://clinicaltrials.gov/api/v2"
MOST_PAGES = 10
"""Each page is a request of its own, one a second: who wants the hundredth narrows the search instead."""


class ClinicalTrialsGov:
    """A TrialSource."""

    def __init__(self, web: Web, base_url: str = BASE_URL) -> None:
        self._web = web
        self._url = f"{base_url.rstrip('/')}/studies"

    @property
    def name(self) -> str:
        return SERVICE

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

    async def _one(self, number: str, ends_at: float) -> Studies | None:
        answer = await self._web.ask(
            SERVICE, f"{self._url}/{number}", of_one(), read=read_one, ends_at=ends_at, final=is_final
        )
        return None if answer.data is None else _studies((answer.data,), answer, total=1, more=False)

    async def _paged(self, sought: Sought, params: Params, ends_at: float, fresh_s: float) -> Studies | None:
        first = await self._web.ask(
            SERVICE, self._url, params, read=read_first, ends_at=ends_at, final=is_final, fresh_s=fresh_s
        )
        if first.data is None:
            return None
        answer = first
        for page in range(2, sought.page + 1):
            token = answer.data.token if answer.data else ""
            if not token:
                raise SourceError("invalid_args", f"These trials have {page - 1} page{'s' * (page > 2)}, not more.")
            answer = await self._web.ask(
                SERVICE,
                self._url,
                (*params, ("pageToken", token)),
                read=read_next,
                ends_at=ends_at,
                final=is_final,
                fresh_s=fresh_s,
            )
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
    return Studies(
        kept,
        source=SERVICE,
        origin=answer.origin,
        data_date=answer.date if answer.origin == "cache" else None,
        total=total,
        more=more,
    )
