"""What a search found, as an answer without a model tells it: what was searched, how much there is, then each finding.

An abstract's conclusion stands in quotation marks, as its authors' words and not ours.
"""

from __future__ import annotations

from docgemma.clinical import ToolResult
from docgemma.tools.results import Article, LiteratureResult, Trial, TrialsResult

NOT_WHOLE = "Conclusions are the abstracts' own words; the articles were not read in full."
NARROWER = "For others, narrow the question: a group of people, a kind of study, years."
MORE = "There are more: say “more” for the next page."
ASK_SITE = "Whether somebody can take part is for the study team to say."


def found_lines(result: ToolResult) -> tuple[list[str], list[str]] | None:
    """The findings, and what is said below them whatever is cut of them; None where no search found anything."""
    if isinstance(result, LiteratureResult) and result.articles:
        return _of_articles(result)
    if isinstance(result, TrialsResult) and result.trials:
        return _of_trials(result)
    return None


def _of_articles(result: LiteratureResult) -> tuple[list[str], list[str]]:
    lines = _searched(result.searched, len(result.articles), result.total, "articles")
    if result.wider:
        lines.append("Nothing fitted all of it. This is what a wider search found:")
    for number, article in enumerate(result.articles, start=1):
        lines += _article(number, article)
    quoted = any(article.conclusion for article in result.articles)
    rest = result.total is not None and result.total > len(result.articles)
    return lines, [*([NOT_WHOLE] if quoted else []), *([NARROWER] if rest else []), *_age(result)]


def _article(number: int, article: Article) -> list[str]:
    head = article.model_copy(update={"conclusion": None}).text()
    if article.conclusion is None:
        return [f"{number}. {head} No conclusion in the abstract."]
    return [f"{number}. {head}", f"   “{article.conclusion}”"]


def _of_trials(result: TrialsResult) -> tuple[list[str], list[str]]:
    lines = _searched(result.searched, len(result.trials), result.total, "trials", page=result.page)
    for trial in result.trials:
        lines += _trial(trial)
    told = any("eligib" in warning.lower() for warning in result.warnings)
    return lines, [*([MORE] if result.more else []), *([] if told else [ASK_SITE]), *_age(result)]


def _trial(trial: Trial) -> list[str]:
    head = trial.model_copy(update={"summary": None}).text()
    return [f"- {head}", *([f"  {trial.summary}"] if trial.summary else [])]


def _searched(what: str, shown: int, total: int | None, noun: str, *, page: int = 1) -> list[str]:
    """ "Searched: gout. 5 of 480 trials are shown." A total that the source does not tell is not guessed."""
    noun = noun.removesuffix("s") if (total or shown) == 1 else noun
    of = f"{shown} of {total:,} {noun}" if total is not None and total > shown else f"{shown} {noun}"
    counted = f"{of} {'is' if shown == 1 else 'are'} shown{f' (page {page})' if page > 1 else ''}."
    return [f"Searched: {what.rstrip('.')}. {counted}" if what else counted]


def _age(result: ToolResult) -> list[str]:
    """Of what lies on this machine, how old it is: whatever is newer is not in it."""
    if result.origin == "pack" and result.data_date:
        return [f"From the pack of {result.data_date}; what is newer is not in it."]
    if result.origin == "cache" and result.data_date:
        return [f"As answered on {result.data_date}."]
    return []
