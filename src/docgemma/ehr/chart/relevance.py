"""What a question asks of a chart: sections, tests by name, and the words an entry may answer to."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cache
from importlib.resources import files

from docgemma.ehr.chart.model import Topic
from docgemma.ehr.chart.sections.lab_names import NamedTest, test_called
from docgemma.ehr.folding import fold
from docgemma.entities.labs import find_labs
from docgemma.entities.model import Mention
from docgemma.entities.words import words

_LONGEST_QUESTION = 4_000
_STEM = 7
_SHORTEST = 4


@dataclass(frozen=True, slots=True)
class _Cues:
    """The words by which people ask for a part of a chart: data/cues.toml."""

    topics: dict[Topic, re.Pattern[str]]
    says: dict[str, re.Pattern[str]]
    tests: tuple[tuple[re.Pattern[str], str], ...]
    common: frozenset[str]


@cache
def _cues() -> _Cues:
    read = tomllib.loads(files("docgemma.ehr").joinpath("data/cues.toml").read_text(encoding="utf-8"))
    imaging = read["says"]["imaging"]

    def words_of(cue: str) -> re.Pattern[str]:
        joined = cue.replace("{imaging}", imaging).replace("\n", "")
        return re.compile(rf"\b(?:{joined})\b", re.I)

    return _Cues(
        {topic: words_of(cue) for topic, cue in read["topics"].items()},
        {name: words_of(cue) for name, cue in read["says"].items()},
        tuple((words_of(cue), test) for cue, test in read["words"]["tests"]),
        frozenset(read["words"]["common"].split()),
    )


def _says(what: str, asked: str) -> bool:
    return bool(_cues().says[what].search(asked))


@dataclass(frozen=True, slots=True)
class Ask:
    """A question as the sections understand it. Without any topic the general summary is meant.

    `stems` are its words; `loose` those that name neither a section nor a test: whatever they are, it may stand in a
    note, a report or a procedure.
    """

    topics: tuple[Topic, ...] = ()
    tests: tuple[NamedTest, ...] = ()
    stems: frozenset[str] = frozenset()
    loose: frozenset[str] = frozenset()
    trend: bool = False
    latest: bool = False
    imaging: bool = False
    admitted: bool = False
    coming: bool = False

    def wants(self, topic: Topic) -> bool:
        return topic in self.topics

    def names(self, text: str) -> bool:
        """Whether a word of the question stands in this text."""
        return bool(self.stems) and not self.stems.isdisjoint(_stems(text))

    def may_mean(self, text: str) -> bool:
        """Whether a word that we know no place for stands in this text."""
        return bool(self.loose) and not self.loose.isdisjoint(_stems(text))


def understand(question: str, own_names: Iterable[str] = ()) -> Ask:
    """`own_names` are the patient's: they say whom, not what, is asked about."""
    asked = question[:_LONGEST_QUESTION]
    if not asked.strip():
        return Ask()
    labs = find_labs(asked, words(asked))
    meant = (name for cue, name in _cues().tests if cue.search(asked))
    tests = tuple(test_called(name) for name in dict.fromkeys((*(lab.value for lab in labs), *meant)))
    topics = _topics(asked, tests)
    whole = _says("whole", _cues().says["discharge"].sub(" ", asked)) and not tests
    theirs = {stem for name in own_names for stem in _stems(name)}
    return Ask(
        () if whole else topics,
        tests,
        frozenset(_stems(asked, content=True) - theirs),
        frozenset() if whole else frozenset(_stems(_unplaced(asked, labs), content=True) - theirs),
        trend=_says("trend", asked),
        latest=_says("latest", asked),
        imaging=_says("imaging", asked),
        admitted=_says("admitted", asked),
        coming=_says("coming", asked),
    )


def _topics(asked: str, tests: Iterable[NamedTest]) -> tuple[Topic, ...]:
    """Sections in the order in which they answer: those of a test that was named come first."""
    named: dict[Topic, None] = {}
    for test in tests:
        if test.name == "BMI":
            named["computed"] = None
        named["vitals" if test.vital else "labs"] = None
        if test.kidney:
            named["computed"] = None
    topics = dict.fromkeys(topic for topic, cue in _cues().topics.items() if cue.search(asked))
    if not named and not topics and _says("results", asked):
        topics["labs"] = None
    found: tuple[Topic, ...] = tuple({**named, **topics})
    if _says("past", asked):
        found += ("past_medications",) if "medications" in topics else ()
        found += ("past_problems",) if "problems" in topics else ()
    return found


def _unplaced(asked: str, labs: Iterable[Mention]) -> str:
    """The question without what names a test or a section."""
    rest = asked
    for lab in labs:
        rest = rest[: lab.start] + " " * (lab.end - lab.start) + rest[lab.end :]
    for cue in _cues().topics.values():
        rest = cue.sub(" ", rest)
    return rest


def _stems(text: str, *, content: bool = False) -> set[str]:
    """Words by their first letters, so that a plural and an adjective still meet."""
    folded = text.casefold() if text.isascii() else fold(text)
    return {
        word[:_STEM].rstrip("s") if len(word) > _SHORTEST else word
        for word in re.findall(r"\w+", folded)
        if len(word) >= _SHORTEST and not (content and word in _cues().common)
    }
