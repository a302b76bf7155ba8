"""What a question asks of a chart: sections, tests by name, and the words an entry may answer to."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass

from docgemma.ehr.chart.model import Topic
from docgemma.ehr.chart.sections.lab_names import VITAL_TESTS, NamedTest, test_called
from docgemma.ehr.folding import fold
from docgemma.entities.labs import find_labs
from docgemma.entities.words import word_set, words

_CUES: tuple[tuple[Topic, str], ...] = (
    ("allergies", r"allerg\w*|intoleran\w*|nkda|nka|anaphyla\w*|adverse reactions?"),
    (
        "medications",
        r"meds?|medications?|medicines?|medicated|drugs?|prescri\w*|rx|pills?|tablets?|inhalers?|injections?|doses?"
        r"|dosage|dosing|anticoagulat\w*|blood thinners?|antibiotics?|insulin|(?:she|he|they|patient) (?:on|taking)"
        r"|taking|repeats",
    ),
    ("problems", r"problems?|diagnos\w*|conditions?|comorbid\w*|co-morbid\w*|pmh|past history|medical history|issues?"),
    ("labs", r"labs?|labwork|bloods?(?! (?:pressure|thinner|group))|blood (?:tests?|work)|lab\w* (?:results?|values?)"
             r"|results?|panels?|tests?"),
    ("vitals", r"vitals?|vital signs|growth|percentiles?|growth chart|obs"),
    ("immunisations", r"vaccin\w*|immuni[sz]\w*|jabs?|shots?|boosters?"),
    (
        "notes",
        r"notes?|letters?|discharge summar\w*|documents?|documentation|wrote|written|progress note|assessment"
        r"|impression|handover",
    ),
    ("encounters", r"visits?|encounters?|appointments?|admissions?|admitted|hospitali\w*|seen|attend\w*|clinic|stays?"),
    ("procedures", r"procedures?|surg\w*|operations?|operated|biops\w*|scopes?|\w+ectomy|\w+oscopy|implants?"),
    (
        "reports",
        r"reports?|imaging|scans?|x-?rays?|cxr|ct|mri|ultrasounds?|echo\w*|radiolog\w*|ecgs?|ekgs?|mammogra\w*"
        r"|pathology|histology|dexa|dxa",
    ),
    (
        "social",
        r"smok\w*|tobacco|cigarettes?|alcohol|drinks?|drinking|vap\w*|occupation|job|lives?|living|social"
        r"|family history|housing|screening|questionnaires?|phq\S*|gad\S*",
    ),
    ("plans", r"care plans?|plans?|goals?"),
    ("pregnancy", r"pregnan\w*|gravid\w*|gestation\w*|trimester|expecting|due date|edd|lmp|antenatal|prenatal"),
    ("computed", r"egfr|gfr|kidneys?|renal|creatinine|crcl|clearance|ckd|aki|bmi|obes\w*|how old|age|aged|body mass"
                 r"|dos(?:e|es|ing|age)|safe\w*|prescri\w*|start\w*"),
)  # fmt: skip
_FINDERS = tuple((topic, re.compile(rf"\b(?:{cue})\b", re.I)) for topic, cue in _CUES)
_PAST = re.compile(
    r"\b(?:past|previous(?:ly)?|former(?:ly)?|old|earlier|stopped|discontinued|completed|ended|resolved|inactive|ever"
    r"|used to|history of|was (?:she|he) (?:ever )?on|had|prior)\b",
    re.I,
)
_TREND = re.compile(r"\b(?:trends?|trending|over time|course|serial|last \d+|history|changed?|rising|falling)\b", re.I)
_WHOLE = re.compile(
    r"\b(?:summar\w*|overview|whole (?:chart|record)|full (?:chart|record|history)|everything|entire|background"
    r"|tell me about|who is|story|snapshot)\b",
    re.I,
)
_LONGEST_QUESTION = 4_000
_STEM = 7
_SHORTEST = 4
_COMMON = word_set(
    "about abnormal after again all also analyse analyze and any are ask been before being better blood both can case "
    "chart charts check could current currently date dates day days did does done dose dosing during each ever find "
    "first for from full get give given had has have her here high his history how into last lately latest level "
    "levels list listed look made make many mean medical medication medications meds more most need needs new newest "
    "normal note notes now number off old older once only other our out over past patient patients please prior "
    "prescribed previous problem problems pull read recent recently record recorded records report reports result "
    "results review said same seen she should show shown since some start started state status still stop stopped "
    "summarise summarize summary taken taking tell test tests than that the their them then there these they this "
    "time today trend under until update used using value values visit visits want was week weeks were what when "
    "where which while who whole why will with without would written year years yesterday your month months"
)


@dataclass(frozen=True, slots=True)
class Ask:
    """A question as the sections understand it. Without any topic the general summary is meant."""

    topics: tuple[Topic, ...] = ()
    tests: tuple[NamedTest, ...] = ()
    stems: frozenset[str] = frozenset()
    past: bool = False
    trend: bool = False

    def wants(self, topic: Topic) -> bool:
        return topic in self.topics

    def names(self, text: str) -> bool:
        """Whether a word of the question stands in this text."""
        return bool(self.stems) and not self.stems.isdisjoint(_stems(text))


def understand(question: str, own_names: Iterable[str] = ()) -> Ask:
    """`own_names` are the patient's: they say whom, not what, is asked about."""
    asked = question[:_LONGEST_QUESTION]
    if not asked.strip():
        return Ask()
    tokens = words(asked)
    tests = tuple(test_called(name) for name in dict.fromkeys(lab.value for lab in find_labs(asked, tokens)))
    topics = dict.fromkeys(topic for topic, finder in _FINDERS if finder.search(asked))
    named: dict[Topic, None] = {}
    for test in tests:
        named["vitals" if test.name in VITAL_TESTS else "labs"] = None
        if test.kidney or test.name == "BMI":
            named["computed"] = None
    found: tuple[Topic, ...] = tuple({**named, **topics})
    past = bool(_PAST.search(asked))
    if past and "medications" in topics:
        found += ("past_medications",)
    if past and "problems" in topics:
        found += ("past_problems",)
    whole = bool(_WHOLE.search(asked)) and not tests
    theirs = {stem for name in own_names for stem in _stems(name)}
    stems = frozenset(stem for stem in _stems(asked, content=True) if stem not in theirs)
    return Ask(() if whole else found, tests, stems, past, bool(_TREND.search(asked)))


def _stems(text: str, *, content: bool = False) -> set[str]:
    """Words by their first letters, so that a plural and an adjective still meet."""
    folded = text.casefold() if text.isascii() else fold(text)
    return {
        word[:_STEM].rstrip("s") if len(word) > _SHORTEST else word
        for word in re.findall(r"\w+", folded)
        if len(word) >= _SHORTEST and not (content and word in _COMMON)
    }
