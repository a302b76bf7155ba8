"""Drug labels from DailyMed, for when openFDA fails or has none."""

from __future__ import annotations

import asyncio

from docgemma.fetch.door import Reply
from docgemma.sources.contract import Label, Labels, SourceError
from docgemma.sources.dailymed import listing, spl
from docgemma.sources.dailymed.listing import SERVICE, Entry
from docgemma.sources.dailymed.spl import BadMarkup
from docgemma.sources.openfda.query import asked_name
from docgemma.sources.openfda.record import is_about
from docgemma.sources.web import Answer, Web, accept, unusable

BASE_URL = "https://dailymed.nlm.nih.gov/dailymed/services/v2"
_MOST = 2
_LISTED = "25"


class DailyMed:
    """A LabelSource. A label here is a document of its own, so only the likeliest two are read."""

    def __init__(self, web: Web, base_url: str = BASE_URL) -> None:
        self._web = web
        self._url = base_url.rstrip("/")

    @property
    def name(self) -> str:
        return SERVICE

    async def labels(self, drug: str, *, ends_at: float) -> Labels | None:
        """None only when DailyMed lists nothing under this name. One readable label is enough."""
        name = asked_name(drug)
        params = (("drug_name", name), ("name_type", "both"), ("pagesize", _LISTED))
        listed = await self._web.ask(SERVICE, f"{self._url}/spls.json", params, read=listing.read, ends_at=ends_at)
        if listed.data is None:
            return None
        chosen = listing.best(listed.data, name, _MOST)
        read = await asyncio.gather(*(self._label(entry, ends_at) for entry in chosen), return_exceptions=True)
        answers = _answers(read)
        found = tuple(label for answer in answers if (label := answer.data) is not None and is_about(label, name))
        if not found:
            raise SourceError(
                "invalid_response", "DailyMed gave labels of other drugs only. Write the drug's plain generic name."
            )
        from_cache = listed.origin == "cache" or any(answer.origin == "cache" for answer in answers)
        return Labels(
            found,
            source="DailyMed drug labels",
            origin="cache" if from_cache else "live",
            data_date=listed.data.data_date or (min(answer.date for answer in answers) if from_cache else None),
            total=listed.data.total,
        )

    async def _label(self, entry: Entry, ends_at: float) -> Answer[Label]:
        url = f"{self._url}/spls/{entry.set_id.lower()}.xml"
        return await self._web.ask(SERVICE, url, read=_label_in, ends_at=ends_at)


def _answers(read: list[Answer[Label] | BaseException]) -> list[Answer[Label]]:
    """Those that came. Raises what went wrong when none did, and at once what is no failure of the service."""
    answers = [answer for answer in read if isinstance(answer, Answer)]
    failures = [failure for failure in read if isinstance(failure, BaseException)]
    for failure in failures:
        if not answers or not isinstance(failure, SourceError):
            raise failure
    return answers


def _label_in(reply: Reply) -> Label:
    accept(SERVICE, reply)
    try:
        return spl.label_in(reply.body)
    except BadMarkup:
        raise unusable(SERVICE) from None
