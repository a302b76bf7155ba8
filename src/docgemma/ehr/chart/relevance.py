"""What a question asks of a chart: sections, tests by name, and the words an entry may answer to."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass

from docgemma.ehr.chart import cues
from docgemma.ehr.chart.model import Topic
from docgemma.ehr.chart.sections.lab_names import VITAL_TESTS, NamedTest, test_called
from docgemma.ehr.folding import fold
from docgemma.entities.labs import find_labs
from docgemma.entities.model import Mention
from docgemma.entities.words import words

_LONGEST_QUESTION = 4_000
_STEM = 7
_SHORTEST = 4


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
    meant = (name for cue, name in cues.IN_OTHER_WORDS if cue.search(asked))
    tests = tuple(test_called(name) for name in dict.fromkeys((*(lab.value for lab in labs), *meant)))
    topics = _topics(asked, tests)
    whole = bool(cues.WHOLE.search(cues.DISCHARGE.sub(" ", asked))) and not tests
    theirs = {stem for name in own_names for stem in _stems(name)}
    return Ask(
        () if whole else topics,
        tests,
        frozenset(_stems(asked, content=True) - theirs),
        frozenset() if whole else frozenset(_stems(_unplaced(asked, labs), content=True) - theirs),
        trend=bool(cues.TREND.search(asked)),
        latest=bool(cues.LATEST.search(asked)),
        imaging=bool(cues.IMAGING.search(asked)),
        admitted=bool(cues.ADMITTED.search(asked)),
        coming=bool(cues.COMING.search(asked)),
    )


def _topics(asked: str, tests: Iterable[NamedTest]) -> tuple[Topic, ...]:
    """Sections in the order in which they answer: those of a test that was named come first."""
    named: dict[Topic, None] = {}
    for test in tests:
        if test.name == "BMI":
            named["computed"] = None
        named["vitals" if test.name in VITAL_TESTS else "labs"] = None
        if test.kidney:
            named["computed"] = None
    topics = dict.fromkeys(topic for topic, cue in cues.TOPICS if cue.search(asked))
    if not named and not topics and cues.RESULTS.search(asked):
        topics["labs"] = None
    found: tuple[Topic, ...] = tuple({**named, **topics})
    if cues.PAST.search(asked):
        found += ("past_medications",) if "medications" in topics else ()
        found += ("past_problems",) if "problems" in topics else ()
    return found


def _unplaced(asked: str, labs: Iterable[Mention]) -> str:
    """The question without what names a test or a section."""
    rest = asked
    for lab in labs:
        rest = rest[: lab.start] + " " * (lab.end - lab.start) + rest[lab.end :]
    for _, cue in cues.TOPICS:
        rest = cue.sub(" ", rest)
    return rest


def _stems(text: str, *, content: bool = False) -> set[str]:
    """Words by their first letters, so that a plural and an adjective still meet."""
    folded = text.casefold() if text.isascii() else fold(text)
    return {
        word[:_STEM].rstrip("s") if len(word) > _SHORTEST else word
        for word in re.findall(r"\w+", folded)
        if len(word) >= _SHORTEST and not (content and word in cues.COMMON)
    }
