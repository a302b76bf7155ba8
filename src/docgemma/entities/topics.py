"""What a search is about: the condition of a trial search, its status words, the topic of a literature search."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterable, Sequence

from docgemma.entities.model import Mention
from docgemma.entities.words import replaced, word_set

_TRIALS = re.compile(
    r"(?<![\w-])(?:(?:clinical\s{1,2})?trials|clinical\s{1,2}trial|clinicaltrials\.gov|(?:experimental|investigational|new|novel)"
    r"\s{1,2}(?:treatments?|therap(?:y|ies)|drugs?))(?![\w-])",
    re.IGNORECASE,
)
_NCT = re.compile(r"(?<![\w-])NCT\d{8}(?![\w-])", re.IGNORECASE)
_PMID = re.compile(r"(?<![\w-])(?:PMID|PubMed\s(?:id|number))[\s:#]{0,3}(?P<id>\d{5,9})(?![\w-])", re.IGNORECASE)
_LINK = re.compile(
    r"[^.?!;:\n]{0,60}?(?<!\w)(?:for|in|on|about|regarding|enrolling|studying)(?!\w)\s{1,2}"
    r"(?:(?:a|an|the|my|our|any)\s)?(?:patients?\s(?:with|who\shave)\s|people\swith\s|adults\swith\s|children\swith\s)?",
    re.IGNORECASE,
)
_STATUS = re.compile(
    r"(?<![\w-])(?:not\s(?:yet\s)?recruiting|enrolling\sby\sinvitation|recruiting|enrolling|open|ongoing|active|completed"
    r"|terminated|suspended|withdrawn)(?![\w-])",
    re.IGNORECASE,
)
_STATUS_VALUE = {"open": "recruiting", "enrolling": "recruiting", "ongoing": "active", "not recruiting": "active"}
_NEXT_REQUEST = (
    r"(?:and|then|plus)\s(?:also\s)?(?:(?:check|find|show|tell|prescribe|search|open|give|verify|save|add|look|list|get"
    r"|pull|review|summari[sz]e|order|start|record|write|document)\s|(?:any|all|the|some|a)\s(?:recent|new|latest|recruiting|ongoing"
    r"|open|active|clinical|current|published|(?:stud|paper|article|trial|review)\w{1,4})|(?:recruiting|ongoing|clinical)\s"
    r"|(?:her|his|their|what|which|is|are|whether|does|do|can|should|how)\s)"
)
_PHRASE_END = re.compile(
    rf"[.?!;:\n,()]|\s{_NEXT_REQUEST}"
    r"|\s(?:that|which|near|please|recruiting|currently|right|now|at|from|since|who|where|is|are|for\smy"
    r"|for\sher|for\shim|for\spatient|on\sclinicaltrials|in\s(?:the\s)?(?:us|usa|uk|europe|canada|my|our|this))(?!\w)",
    re.IGNORECASE,
)
_LEADING = word_set(
    "a an the any some all find search show list get me are there is what which for of on look up "
    "recruiting active ongoing open completed enrolling clinical current new latest recent please can you "
    "could do does have we i'm i looking search her his their my our available currently see check need "
    "want"
)
_GENERIC = word_set("patient patients it this that them her him me us treatment trials trial")


def is_about_trials(text: str) -> bool:
    """Whether studies in people are asked about; "a trial of metformin" is a treatment, not a study."""
    return _TRIALS.search(text) is not None


def find_conditions(text: str, skip: Iterable[Mention] = ()) -> tuple[Mention, ...]:
    """What each trial search is about: "trials for melanoma", "melanoma trials", a trial's own number."""
    taken = sorted(mention.start for mention in skip)
    found = {
        match.start(): Mention(match.group(), *match.span(), match.group().upper()) for match in _NCT.finditer(text)
    }
    done = 0
    for match in _TRIALS.finditer(text):
        if match.start() < done:
            continue
        link = _LINK.match(text, match.end())
        about = _phrase(text, link.end(), taken) if link else None
        if about is None and not found:
            about = _words_before(text, match.start())
        if about is not None and about.start not in found:
            found[about.start] = about
            done = max(match.end(), about.end)
    return tuple(found[start] for start in sorted(found))


def _phrase(text: str, start: int, taken: Sequence[int]) -> Mention | None:
    """From here to the end of the phrase or to the next person: a patient is no condition."""
    limit = min(len(text), start + 120, *taken[bisect_left(taken, start) :][:1])
    stop = _PHRASE_END.search(text, start, limit)
    words = text[start : stop.start() if stop else limit].rstrip()
    words = re.sub(r"\s(?:for|in|with|of|patient|patients|trials?)$", "", words, flags=re.IGNORECASE)
    return None if not words or words.lower() in _GENERIC else Mention(words, start, start + len(words), words)


def _words_before(text: str, end: int) -> Mention | None:
    """The words right before "trials", back to the first word that only asks."""
    begin = max(0, end - 60)
    chunk = re.split(r"[.?!;:,\n]", text[begin:end])[-1]
    kept: list[str] = []
    for word in reversed(chunk.split()):
        if word.lower() in _LEADING:
            break
        kept.insert(0, word)
    phrase = " ".join(kept)
    start = text.rfind(kept[0], 0, end) if kept else -1
    return Mention(text[start:end].rstrip(), start, end, phrase) if kept and start >= 0 else None


def find_trial_statuses(text: str) -> tuple[Mention, ...]:
    """Status words, only where trials are asked about."""
    if not is_about_trials(text) and not re.search(r"(?<!\w)recruiting(?!\w)", text, re.IGNORECASE):
        return ()

    def value(written: str) -> str:
        low = " ".join(written.lower().split())
        return _STATUS_VALUE.get(low, low)

    return tuple(Mention(m.group(), m.start(), m.end(), value(m.group())) for m in _STATUS.finditer(text))


_LITERATURE = re.compile(
    r"(?<![\w-])(?:stud(?:y|ies)|research|evidence|literature|papers?|articles?|publications?|meta-analys[ei]s|reviews?"
    r"|rcts?|pubmed|trials)(?![\w-])",
    re.IGNORECASE,
)
_TOPIC_LINK = re.compile(
    r"[^.?!;\n]{0,40}?(?<!\w)(?:on|about|regarding|for|concerning|of|that|whether|comparing|behind|supporting|into|in)(?!\w)\s{1,2}",
    re.IGNORECASE,
)
_LONGEST_TOPIC = 200
_LONGEST_TAIL = 6
_TOPIC_END = re.compile(rf"[.?!;\n](?:\s|$)|,?\s{_NEXT_REQUEST}", re.IGNORECASE)
_TOPIC_LEAD = re.compile(r"^[\s,]{0,200}(?:(?:on|about|for|of|patients?|pt|the\suse\sof)\s{1,99}){0,2}", re.IGNORECASE)
_TOPIC_TAIL = re.compile(r"\s(?:(?:on|in|from)\spubmed|please|thanks|for|in|with|of|patients?|pt)$", re.IGNORECASE)


def names_trial(text: str) -> bool:
    """A registered trial's own number."""
    return _NCT.search(text) is not None


def names_article(text: str) -> bool:
    """An article's own number."""
    return _PMID.search(text) is not None


def find_topics(text: str, people: Iterable[Mention] = ()) -> tuple[Mention, ...]:
    """What each literature search is about: an article's number, or the words of the topic.

    People and ids are left out: they have no business in a public search.
    """
    articles = tuple(Mention(m.group(), m.start(), m.end(), m["id"]) for m in _PMID.finditer(text))
    if articles:
        return articles
    hidden = sorted((who.start, who.end, " " * (who.end - who.start)) for who in people)
    text = replaced(text, hidden)
    found: list[Mention] = []
    done = 0
    for match in _LITERATURE.finditer(text):
        again = bool(found)
        if match.start() < done or (again and match.group().lower() == "trials"):
            continue
        topic = _topic(text, match, bare=not again)
        if topic is not None:
            found.append(topic)
            done = topic.end
    return tuple(found)


def _topic(text: str, match: re.Match[str], *, bare: bool) -> Mention | None:
    """The words after "studies on"; for the first search also those before "studies"."""
    link = _TOPIC_LINK.match(text, match.end())
    while link is not None and (again := _LITERATURE.match(text, link.end())):
        link = _TOPIC_LINK.match(text, again.end())
    if link is None:
        return _words_before(text, match.start()) if bare else None
    stop = _TOPIC_END.search(text, link.end(), link.end() + _LONGEST_TOPIC)
    start, end = link.end(), stop.start() if stop else min(len(text), link.end() + _LONGEST_TOPIC)
    start += len(text[start:end]) - len(_TOPIC_LEAD.sub("", text[start:end]))
    words = _trimmed(text[start:end])
    return Mention(words, start, start + len(words), " ".join(words.split())) if len(words) > 2 else None


def _trimmed(words: str) -> str:
    """Without the words at the end that are no topic."""
    for _ in range(_LONGEST_TAIL):
        words = words.rstrip(" \t,.?!")
        tail = _TOPIC_TAIL.search(words)
        if tail is None:
            break
        words = words[: tail.start()]
    return words
