"""What belongs together on a label, put together: each thing said can then be read alone.

A bullet says nothing without the line it hangs from, "These can be fatal." nothing without the sentence before. Only
what stands side by side is joined, and in the label's words.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace

from docgemma.drugs.labels.gravity import idle
from docgemma.drugs.labels.sentences import LEADS_ON
from docgemma.drugs.model import Statement
from docgemma.entities.words import word_set

OVER_THE_COUNTER = word_set("do_not_use ask_doctor ask_doctor_or_pharmacist when_using stop_use")
"""Lists in plain words, where every line counts."""

_LEAD = re.compile(
    r"(?:do not use|stop use and ask a doctor if|stop use|when using this product|ask (?:a|your) doctor"
    r"(?: or pharmacist)?(?: before use)?(?: if (?:you|the child|your child|the user)"
    r"(?: (?:have|has|are|is)(?: taking)?)?)?)\b",
    re.IGNORECASE,
)
_LEANS = re.compile(
    r"(?:These|This|Such|They|Therefore|Thus|However|In addition|Instead|Consequently|Otherwise|It (?:may be|has been"
    r"|can be|is usually|is often|is especially)|(?:Symptoms|Signs)(?: may)? include"
    r"|The (?:risk|chance|onset|condition|reactions?|symptoms?) (?:is|are|may"
    r"|was|were))\b(?! (?:medication|medicine|product|drug|tablet|capsule))"
)
_LOOKS_BACK = re.compile(
    r"\b(?:these|such) (?:patients|events|reactions|cases|effects|risks|symptoms|signs|individuals|women|infections"
    r"|emboli)\b|\bif (?:this|these|they|any of these)\b",
    re.IGNORECASE,
)
_VERB = re.compile(
    r"\b(?:is|are|was|were|has|have|had|may|can|could|will|would|should|must|causes?|caused|occurs?|occurred|increases?"
    r"|includes?|potentiates?)\b"
    r"|^(?:advise|ask|assess|avoid|check|consider|counsel|discontinue|do|ensure|evaluate|initiate|inform|instruct"
    r"|interrupt|limit|measure|monitor|never|obtain|perform|reduce|report|reserve|seek|start|stop|test|use|withhold)\b",
    re.IGNORECASE,
)
_RELATIVE = re.compile(r"\b(?:who|which|that|whose|if|when)\b", re.IGNORECASE)
_OPEN_LIST = re.compile(r": [^.]{1,600}[^.!?:]$")
_SHORT_SENTENCE = 160
_SHORT_BULLET = 90
_LONGEST = 600
_MOST_LEANING = 2
_RUN_ON = re.compile(r"(?<=[a-z)]\.) (?=[a-z])")


@dataclass(frozen=True, slots=True)
class Said:
    """One thing that is said, as a reader sees it, and how many statements of the label it is made of."""

    statement: Statement
    of: int = 1
    first: str = ""
    """The sentence that the others lean on, where there are others."""
    title: str = ""
    """What it is about, where the text alone does not tell."""

    @property
    def text(self) -> str:
        return self.statement.text

    @property
    def shown(self) -> str:
        return f"{self.title}: {self.text}" if self.title else self.text

    @property
    def idle(self) -> bool:
        """Whether there is nothing to act on, neither in the first sentence nor in what is said of it."""
        return idle(self.text) and (not self.first or idle(self.first))


def gathered(said: Iterable[Statement]) -> list[Said]:
    """Sentences with those that lean on them, and short bullets of one list in one line after its opening."""
    found: list[Said] = []
    last: Statement | None = None
    for each in _lines(said):
        joint = _joint(found[-1], last, each) if last else None
        if joint is None:
            found.append(Said(with_opening(each)))
        else:
            found[-1] = _joined(found[-1], joint, each)
        last = each
    return found


def listed(said: Iterable[Statement]) -> list[Said]:
    """Every bullet by itself. One that hangs from a line which is no list of what is forbidden says that line too."""
    return [
        Said(each if each.field == "contraindications" and FORBIDS.search(_stem(each)) else with_opening(each))
        for each in _lines(said)
    ]


FORBIDS = re.compile(
    r"\bcontra-?indicat|\b(?:should|must|do|may|can) ?not\b|\bnot (?:be )?(?:used|given|administered|recommended"
    r"|receive)|\bavoid|\bnever\b|\bwithheld\b",
    re.IGNORECASE,
)


def is_fragment(text: str) -> bool:
    """Whether a line just names something: "Active liver disease, which may be silent"."""
    return not _VERB.search(_RELATIVE.split(text, maxsplit=1)[0])


def _is_item(text: str) -> bool:
    """Whether it may be one more of a list that was printed without bullets."""
    return len(text) <= _SHORT_SENTENCE and ":" not in text and not text.endswith(".") and is_fragment(text)


def with_opening(bullet: Statement) -> Statement:
    """ "with heart disease" is "Use with caution in patients: with heart disease"."""
    stem = _stem(bullet)
    return replace(bullet, text=f"{_opening(stem)} {bullet.text}") if stem else bullet


def _stem(statement: Statement) -> str:
    """The line that it hangs from; empty for any other statement."""
    return statement.heading.rpartition(" — ")[2] if statement.heading.endswith(":") else ""


def _opening(stem: str) -> str:
    """What every bullet needs of it: "Ask a doctor before use if you have", without the first thing to have."""
    bare = stem.removesuffix(":")
    lead = _LEAD.match(bare)
    if lead:
        return lead[0]
    return bare if LEADS_ON.search(bare) else stem


def _lines(said: Iterable[Statement]) -> Iterator[Statement]:
    """Without lines that say nothing but what their bullets repeat; run-on lists of a package are taken apart."""
    lines = [line for each in said for line in _apart(each)]
    for index, each in enumerate(lines):
        following = _stem(lines[index + 1]) if index + 1 < len(lines) else ""
        hangs = following in (each.text, f"{each.text}:")
        if not (hangs and _opening(following).rstrip(":") == each.text.rstrip(":")):
            yield each


def _apart(statement: Statement) -> Sequence[Statement]:
    """ "Do not use in a child. with alcohol" has two lines, and the second one lacks its opening."""
    lead = _LEAD.match(statement.text)
    if statement.field not in OVER_THE_COUNTER or not _RUN_ON.search(statement.text):
        return (statement,)
    first, *others = _RUN_ON.split(statement.text)
    opening = f"{lead[0] if lead else statement.section}:"
    return (replace(statement, text=first), *(replace(statement, text=each, heading=opening) for each in others))


def _joint(shown: Said, last: Statement, each: Statement) -> str | None:
    """What stands between this and the one before it, where both are one thing to say."""
    if last.field != each.field or len(shown.text) + len(each.text) > _LONGEST:
        return None
    stem = _stem(each)
    if stem:
        if stem in (_stem(last), f"{last.text}:"):
            return "; " if max(len(last.text), len(each.text)) <= _SHORT_BULLET else None
        return " " if _LEANS.match(stem) and not _stem(last) else None
    if each.heading and shown.text.startswith(f"{each.heading}:"):
        return " "
    if _OPEN_LIST.search(shown.text) and not shown.text.isupper() and _is_item(each.text):
        return "; "
    same = each.heading == last.heading or bool(_stem(last))
    leans = _LEANS.match(each.text) or (len(each.text) <= _SHORT_SENTENCE and _LOOKS_BACK.search(each.text))
    return " " if same and leans and shown.of <= _MOST_LEANING else None


def _joined(one: Said, joint: str, other: Statement) -> Said:
    said = with_opening(other).text if joint == " " else other.text
    text = f"{one.text.rstrip(' ;')}{joint}{said}"
    return Said(replace(one.statement, text=text), one.of + 1, one.first or one.text)
