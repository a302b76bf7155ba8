"""Which texts of the boxed-warning section are boxed warnings.

Labels put other boxes there too: the notice on a tamper-evident seal, boxed dose tables, package notices, "Rx only".
A text is left out only when it shows what else it is and warns of nothing; in doubt it is shown.
"""

from __future__ import annotations

import re

from docgemma.drugs.labels.headings import split_heading
from docgemma.drugs.labels.references import unmarked
from docgemma.drugs.labels.sentences import BULLET

_TITLE = re.compile(r"\s{0,3}(?:(?:US )?BOXED\s{1,3}WARNINGS?\b|WARNINGS?\b)\s{0,3}:?\s{0,3}", re.IGNORECASE)
_GRAVE = re.compile(
    r"\b(?:death|deaths|mortality|fatal\w{0,5}|life-threatening|serious|severe(?! symptomatolog)"
    r"|suicid\w{0,8}|contraindicated|risks?\b(?! free)|hepatotoxic\w{0,4}|toxicity|cardiotoxic\w{0,4}|malignan\w{0,6}"
    r"|cancer|lymphoma"
    r"|hemorrhage|bleeding|embol\w{0,5}|thrombo\w{0,10}|arrhythmi\w{0,3}|cardiac arrest|respiratory depression|abuse"
    r"|addiction|dependence|overdose|birth defects?|embryo-fetal|fetal|teratogen\w{0,5}|anaphyla\w{0,6}|infections?"
    r"|acidosis|failure|myocardial infarction|stroke|heart attack|necrosis|myelosuppression|neutropenia|agranulocytosis"
    r"|aplastic anemia|dementia|withdrawal|discontinuation|poisoning|injury|warning:)\b",
    re.IGNORECASE,
)
_SEAL = re.compile(
    r"tamper[- ]?(?:evident|resistant|proof)|safety seal|\bseals?\b[^.]{0,80}\b(?:broken|missing|torn|damaged)"
    r"|(?:blister|carton|package|packet|pouch|bottle|cap|band|foil|wrap|imprint\w{0,3})\b[^.]{0,80}\b(?:broken|missing"
    r"|torn|damaged|opened)|child[- ]resistant|store (?:at|below|in)\b|keep this (?:carton|package|box)"
    r"|retain (?:this )?carton"
    r"|\bnet (?:wt|weight|contents)\b|\blot (?:no|number)\b|\bquestions\b[^.]{0,40}\bcall\b|www\.",
    re.IGNORECASE,
)
_AMOUNT = re.compile(
    r"\d\s{0,2}(?:mg|mcg|g|mL|units?|tablets?|capsules?|teaspoonfuls?|drops?)(?:/\w{1,4}){0,2}\b"
    r"|\bb\.i\.d\.|\bt\.i\.d\.|\bq\.i\.d\.",
    re.IGNORECASE,
)
_TABLE = re.compile(r"\s[-–:]\s{0,2}\d|\b(?:mg|mcg|g|mL|units?)\s{1,3}\d", re.IGNORECASE)
"""A name and a number, or one amount after the other: a dose table or a list of strengths, not a sentence."""
_NOTHING = re.compile(
    r"[\s.:]{0,5}(?:rx only|none|not applicable|n/?a|see (?:package )?insert)?[\s.:]{0,5}", re.IGNORECASE
)
_IN_A_TABLE = 2
_LONGEST = 600
"""Letters of a headline."""
_SAME = 3
"""Words that begin a headline again."""


def is_warning(text: str) -> bool:
    """Whether a text of the section is a warning that nobody may overlook."""
    rest = text[match.end() :] if (match := _TITLE.match(text)) else text
    if _NOTHING.fullmatch(rest):
        return False
    if _SEAL.search(rest):
        return len(_GRAVE.findall(rest)) > 1
    if match:
        return True
    amounts = len(_AMOUNT.findall(rest))
    return not (amounts >= _IN_A_TABLE and _TABLE.search(rest) and not _GRAVE.search(rest))


def heading_line(line: str) -> tuple[str, str]:
    """ "WARNING: LACTIC ACIDOSIS" and the text below it. The line is part of what is warned of, so it stays, once."""
    title = _TITLE.match(line)
    if not title:
        return "", line
    rest = line[title.end() :]
    bullet = BULLET.search(rest, 0, _LONGEST)
    before = rest[: bullet.start()].strip() if bullet else ""
    if bullet and before and not any(char.islower() for char in before):
        return unmarked(f"{title[0]}{before}"), rest[bullet.start() :]
    heading, rest = split_heading(rest, numbered=True)
    if not heading:
        return "", line
    words = unmarked(f"{title[0]}{heading}").split()
    return " ".join(words[: _again(words)]), rest


def _again(words: list[str]) -> int:
    """Where a headline is said a second time, whole or from after "WARNING:"; its length where it is not."""
    for first in (0, 1):
        opening = words[first : first + _SAME]
        for at in range(first + _SAME, len(words) - _SAME + 1):
            if words[at : at + _SAME] == opening:
                return at
    return len(words)
