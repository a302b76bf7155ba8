"""The literature search as the tool gives it: a few articles, each with its number, its kind and what it concludes.

What was not searched is named. "None" is said only when every source that there is has answered.
"""

from __future__ import annotations

import asyncio
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from urllib.parse import quote

from docgemma.clinical import ErrorType, Source, ends_at
from docgemma.entities.instructions import instructions_in, without_instructions
from docgemma.reader.contract import Reader
from docgemma.sources.contract import SourceError
from docgemma.sources.literature.conclusion import conclusion_of
from docgemma.sources.literature.contract import Paper, Papers, Sought
from docgemma.sources.literature.library import KIND_NAMES, Library, Outcome, in_words, left_out
from docgemma.sources.literature.people import refuse_names, without_names
from docgemma.sources.literature.ranking import kind_of, year_of
from docgemma.sources.literature.sought import sought_in
from docgemma.tools import arguments as a
from docgemma.tools import results as r

MOST = 5
SHARE = 0.9
"""Of the time that the caller waits: the rest is for handing the answer over."""

BUILD = "Build a pack with `docgemma pack build europepmc`"
OFFLINE = f"To search without internet: {BUILD[0].lower()}{BUILD[1:]}."
_CAUTION = "That does not mean that there is no evidence."


@dataclass(frozen=True, slots=True)
class _Shown:
    """What may be shown of the articles, and how many passages were left out."""

    papers: tuple[Paper, ...]
    flagged: int


class Literature:
    """A search over the sources of this installation. `deadline_s` holds where the caller names none."""

    def __init__(self, library: Library, reader: Reader, *, deadline_s: float = 10) -> None:
        self._library = library
        self._reader = reader
        self._deadline_s = deadline_s

    async def search(self, args: a.LiteratureSearchCall) -> r.LiteratureResult:
        """The best few of what the first source that has any gives, strongest evidence first."""
        if not self._library:
            return _unavailable(
                "not_configured",
                f"No source of articles may be asked on this installation. {BUILD}, or allow live ones.",
            )
        try:
            sought = await asyncio.to_thread(_sought, args, self._library, self._reader)
        except SourceError as refused:
            return _unavailable(refused.error_type, str(refused))
        if not (sought.concepts or sought.by_number):
            return r.LiteratureResult(
                status="invalid",
                error_type="missing_required_args",
                message="It is not clear what to search for. Say what the articles should be about.",
                missing=("query",),
            )
        outcome = await self._library.search(sought, ends_at=self._until())
        if outcome.papers is None:
            return _nothing(outcome, has_pack=self._library.has_pack)
        shown = await asyncio.to_thread(_fit_to_show, outcome.papers.papers)
        if not shown.papers:
            return _nothing_to_show(outcome, shown)
        standing = [paper for paper in shown.papers if not paper.retracted]
        return _found(outcome, outcome.papers, standing, shown.flagged) if standing else _retracted(outcome, shown)

    def _until(self) -> float:
        now = asyncio.get_running_loop().time()
        return now + (ends_at.get(now + self._deadline_s) - now) * SHARE


def _sought(args: a.LiteratureSearchCall, library: Library, reader: Reader) -> Sought:
    """Without the people of this turn. Raises SourceError where they cannot be left out."""
    query, question = without_names(args.query), without_names(args.question or "")
    refuse_names(query, question)
    return sought_in(query, question, reader=reader, today=library.today())


def _fit_to_show(papers: Iterable[Paper]) -> _Shown:
    """The first few, without what reads like an order to a program. A title that does takes its article along."""
    kept: list[Paper] = []
    flagged = 0
    for paper in papers:
        if len(kept) == MOST:
            break
        if told := instructions_in(f"{paper.title}. {paper.journal}"):
            flagged += len(told)
            continue
        passages = [passage for _, text in paper.sections for passage in instructions_in(text)]
        passages += [passage for heading, _ in paper.sections for passage in instructions_in(heading)]
        flagged += len(passages)
        kept.append(replace(paper, sections=tuple(_clean(paper))) if passages else paper)
    return _Shown(tuple(kept), flagged)


def _clean(paper: Paper) -> Iterator[tuple[str, str]]:
    for heading, text in paper.sections:
        if kept := without_instructions(text).strip():
            yield "" if instructions_in(heading) else heading, kept


def _found(outcome: Outcome, papers: Papers, standing: list[Paper], flagged: int) -> r.LiteratureResult:
    articles = tuple(_article(paper) for paper in standing)
    return r.LiteratureResult(
        status="found",
        origin=papers.origin,
        data_date=papers.data_date,
        articles=articles,
        total=max(papers.total, len(articles)),
        searched=_searched(outcome, papers.source),
        wider=outcome.narrow is not None,
        sources=tuple(_source(paper, article) for paper, article in zip(standing, articles, strict=True)),
        warnings=tuple(_warnings(standing)),
        not_checked=_not_searched(outcome),
        flagged=flagged,
    )


def _article(paper: Paper) -> r.Article:
    return r.Article(
        title=paper.title,
        pmid=paper.pmid or None,
        doi=paper.doi or None,
        journal=paper.journal or None,
        year=year_of(paper),
        kind=KIND_NAMES.get(kind_of(paper)),
        preprint=paper.preprint,
        cited=paper.cited,
        conclusion=conclusion_of(paper.sections) or None,
    )


def _source(paper: Paper, article: r.Article) -> Source:
    return Source(
        kind="article",
        title=paper.title,
        url=paper.url or (f"https://doi.org/{quote(paper.doi, safe='/:;().+')}" if paper.doi else None),
        date=paper.published or None,
        quote=article.conclusion,
    )


def _searched(outcome: Outcome, source: str) -> str:
    words = f"{in_words(outcome.sought)} ({source})"
    if outcome.narrow is None:
        return words
    gone = left_out(outcome.narrow, outcome.sought)
    return f"{words}, left out: {gone}" if gone else words


def _warnings(papers: list[Paper]) -> Iterator[str]:
    preprints = sum(paper.preprint for paper in papers)
    if preprints:
        which = "One of these articles is a preprint" if preprints == 1 else f"{preprints} of these are preprints"
        yield f"{which}, not peer-reviewed."


def _not_searched(outcome: Outcome) -> tuple[str, ...]:
    return tuple(f"A source of articles was not searched: {str(failure).rstrip('.')}" for failure in outcome.failures)


def _nothing(outcome: Outcome, *, has_pack: bool) -> r.LiteratureResult:
    if outcome.failures:
        return _failed(outcome, has_pack=has_pack)
    names = _listed(outcome.asked)
    sought = in_words(outcome.sought)
    wide = f" A wider search for {in_words(outcome.tried)} found none either." if outcome.tried else ""
    if outcome.untried:
        wide = f" A wider search was not made: {outcome.untried}."
    return r.LiteratureResult(
        status="none",
        message=f"No article was found for {sought} in {names}.{wide} {_CAUTION}",
        searched=sought,
    )


def _failed(outcome: Outcome, *, has_pack: bool) -> r.LiteratureResult:
    """A source that did not answer may have had articles, whatever the others say."""
    first = outcome.failures[0]
    why = str(first).rstrip(".")
    answered = tuple(name for name in outcome.asked if not any(str(each).startswith(name) for each in outcome.failures))
    others = f"{_listed(answered)} found none, but " if answered and len(outcome.failures) < len(outcome.asked) else ""
    message = f"It is not known whether there are articles on {in_words(outcome.sought)}: {others}{why}."
    return _unavailable(
        first.error_type, message if has_pack or first.error_type == "patient_data" else f"{message} {OFFLINE}"
    )


def _unavailable(error_type: ErrorType, message: str) -> r.LiteratureResult:
    return r.LiteratureResult(
        status="unavailable", error_type=error_type, message=message, not_checked=("Published articles",)
    )


def _retracted(outcome: Outcome, shown: _Shown) -> r.LiteratureResult:
    """Asked for by its number: that it was retracted is the answer."""
    papers = outcome.papers
    words = in_words(outcome.sought)
    return r.LiteratureResult(
        status="none",
        origin=papers.origin if papers else None,
        data_date=papers.data_date if papers else None,
        message=f"{words} was retracted or is the notice of a retraction, so it is not shown. Do not rely on it.",
        warnings=(f"{words} was retracted.",),
        searched=words,
        flagged=shown.flagged,
    )


def _nothing_to_show(outcome: Outcome, shown: _Shown) -> r.LiteratureResult:
    """Everything that came talks to a program: nobody can tell what such a source is worth."""
    result = _unavailable("invalid_response", f"What was found for {in_words(outcome.sought)} cannot be shown safely.")
    return result.model_copy(update={"flagged": shown.flagged})


def _listed(names: tuple[str, ...]) -> str:
    once = list(dict.fromkeys(names))
    return once[0] if len(once) == 1 else f"{', '.join(once[:-1])} and {once[-1]}" if once else "any source"
