"""Which of a label's many warnings are shown: of a current label one for each sub-section, else the gravest."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import groupby

from docgemma.drugs.labels.gathered import OVER_THE_COUNTER, Said, gathered
from docgemma.drugs.labels.gravity import evidence, gravity
from docgemma.drugs.labels.sameness import gist
from docgemma.drugs.model import Statement

FIELDS = (
    "warnings_and_cautions",
    "warnings",
    "precautions",
    "general_precautions",
    "ask_doctor",
    "ask_doctor_or_pharmacist",
    "when_using",
    "stop_use",
    "user_safety_warnings",
    "other_safety_information",
)
_NUMBERED = "warnings_and_cautions"
"""Current labels number the parts of this section, so that its headings are certain."""
_ROW = " — "
"""Joins the cells of a row. A row of a table is read in the table, or in the check of two drugs."""
_FALLBACK = 3
"""Sentences of a section that are shown when none of its words stands out."""
_ENOUGH = 3
"""Real warnings beside which nobody needs to read what was seen in animals or not at all."""
_READ = 2000
"""Sentences that are weighed. A long section has a quarter of that."""
_HEADINGS = 100
_GRAVE = 4
_GRAVEST = 6
_GRAVER = 3
_MOST = 0.6
_LONGEST_HEADING = 120
_PEOPLE = re.compile(
    r"(?:(?:usage|use) in )?(?:pregnancy|nursing mothers|lactation|breast-feeding|pediatric use|geriatric use"
    r"|labor and delivery)\b",
    re.IGNORECASE,
)
"""Headings under which a label speaks of groups of people, who have a place of their own."""
_ABOUT_PEOPLE = re.compile(
    r"pregnan|\bfet(?:al|us)|wom[ae]n\b|nurs|milk|infant|neonat|newborn|child|pediatric|elderly|geriatric|\baged?\b"
    r"|\byears\b|\blabor|delivery|teratogen",
    re.IGNORECASE,
)
_ASIDE = re.compile(r"information for patients|carcinogenesis|laboratory tests|drug interactions", re.IGNORECASE)
"""Headings under which it warns of nothing new, as a rule."""
_TOPIC = re.compile(r"[A-Z][^:.;]{2,120}:\s")
_POINTER = re.compile(r"(?:[^:.]{2,80}: )?see (?:also )?(?:the )?(?:boxed |above )?warnings?\b.{0,20}$", re.IGNORECASE)


def warnings(said: Sequence[Statement]) -> list[Said]:
    """The gravest first; what there is nothing to do about comes last, or not at all where there is enough else."""
    read = [each for each in said if _ROW not in each.text and not _POINTER.match(each.text)]
    items = [each for each in gathered(read) if not each.text.endswith(":")][:_READ]
    chosen = list(_chosen(items))
    real = [each for each in chosen if _warns(each)]
    taken = {id(each) for each in chosen}
    further = [each for each in items if id(each) not in taken and weight(each) >= _GRAVE and not _left_out(each)]
    found = [*_gravest_first(real), *_gravest_first(further)]
    if len(found) < _ENOUGH:
        found += [_titled(each) for each in chosen if not _warns(each)][: _ENOUGH - len(found)]
    return found or items[:_FALLBACK]


def _gravest_first(items: Sequence[Said]) -> list[Said]:
    return sorted(map(_titled, items), key=weight, reverse=True)


def _warns(item: Said) -> bool:
    """A sub-section of its own warns by being one, unless there is nothing to act on in it."""
    headed = item.statement.field == _NUMBERED and (not _is_brief(item) or _TOPIC.match(item.text))
    return not item.idle and (bool(headed) or weight(item) > 0)


def weight(item: Said) -> int:
    """How grave it is. A trial is told for its figures, and comes after a sentence that just warns."""
    score = gravity(item.shown)
    return (score + 1) // 2 if evidence(item.text) else score


def _chosen(items: Sequence[Said]) -> Iterator[Said]:
    numbered = [each for each in items if each.statement.field == _NUMBERED]
    yield from _of_sub_sections(numbered)
    others = [each for each in items if each.statement.field != _NUMBERED]
    for (field, heading), group in groupby(others, key=lambda each: (each.statement.field, each.statement.heading)):
        under = list(group)
        if _ASIDE.match(heading):
            yield from (each for each in under if weight(each) >= _GRAVEST)
        elif field in OVER_THE_COUNTER or heading.endswith(":"):
            yield from under
        elif not heading:
            yield from (each for each in under if weight(each) > 0)
        else:
            others = [each for each in under if not _of_people(each)]
            yield from (_best(others),) if others else ()


def _of_people(item: Said) -> bool:
    """By heading and words: an old label's heading may go on over text that has another, which nothing shows."""
    return bool(_PEOPLE.match(item.statement.heading) and _ABOUT_PEOPLE.search(item.text))


def _left_out(item: Said) -> bool:
    """What is told elsewhere: among groups of people, to patients, or in the section whose highlights it is from."""
    aside = _of_people(item) or _ASIDE.match(item.statement.heading)
    return bool(aside) or (item.statement.field == _NUMBERED and _is_brief(item))


def _of_sub_sections(items: Sequence[Said]) -> Iterator[Said]:
    """One for each heading. A line of the highlights stands where the section does not say more of the same."""
    headed: dict[str, list[Said]] = {}
    brief: list[Said] = []
    for each in items:
        if _is_brief(each):
            brief.append(each)
        else:
            headed.setdefault(_main(each), []).append(each)
    best = {heading: _best(under) for heading, under in headed.items()}
    named = {heading: frozenset(gist(heading)) for heading in list(best)[:_HEADINGS]}
    for each in brief:
        topic, colon, _ = each.text.partition(":")
        words = frozenset(gist(topic if colon else each.text))
        near = {heading: _shared(words, own, whole=not colon) for heading, own in named.items()}
        heading = max(near, key=lambda name: near[name], default="")
        if near.get(heading, 0) < _MOST:
            yield each
        elif _told_better(each, best[heading], headed[heading][0]):
            best[heading] = each
    yield from best.values()


def _told_better(brief: Said, full: Said, first: Said) -> bool:
    """Whether the highlights have the warning where the section begins with a trial or with nothing to act on."""
    if first.idle or evidence(first.text) or not weight(full):
        return not brief.idle
    return weight(brief) >= weight(full) + _GRAVER


def _is_brief(item: Said) -> bool:
    """The highlights stand under no heading but the topic that their own text begins with."""
    heading = item.statement.heading
    return not heading or heading.endswith(":")


def _main(item: Said) -> str:
    return item.statement.heading.partition(_ROW)[0]


def _shared(line: frozenset[str], heading: frozenset[str], *, whole: bool) -> float:
    """How far a line of the highlights, or its topic, is on the subject of a sub-section: the share of its words."""
    fewest = len(heading) if whole else min(len(line), len(heading))
    return len(line & heading) / fewest if fewest else 0.0


def _best(under: Sequence[Said]) -> Said:
    """The first sentence where it warns; else the gravest."""
    first = under[0]
    if gravity(first.text) and not first.idle and not evidence(first.text):
        return first
    return max(under, key=lambda each: (not each.idle, weight(each)))


def _titled(item: Said) -> Said:
    """With its heading, where that is certain and says what the sentence does not."""
    heading = _main(item)
    if item.statement.field != _NUMBERED or _is_brief(item) or len(heading) > _LONGEST_HEADING:
        return item
    if set(gist(heading)) <= set(gist(item.text)):
        return item
    return replace(item, title=heading.rstrip(" :."))
