"""How often a medicine is taken, in standard words. Forms that safe-prescribing lists ban stay as written.

A banned form ("QD") must reach the order check as it is, so that it can be asked about. "OD" is once daily in most of
the world and the right eye beside eye drops: only there it is asked about. Equality is by meaning: `frequency_key` sees
through spelling.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable
from dataclasses import dataclass

from docgemma.entities.amounts.frequency_words import BANNED, DAYS, FIXED, MOMENTS, UNCOUNTED, WEAK
from docgemma.entities.model import Mention


@dataclass(frozen=True, slots=True)
class Frequency:
    """A rate or an interval, times of the day, days of the week, and whether it is as needed."""

    often: str = ""
    moments: tuple[str, ...] = ()
    days: tuple[str, ...] = ()
    now: bool = False
    as_needed: bool = False

    def render(self) -> str:
        """The standard words. `parse_frequency` reads them back as the same frequency."""
        fasting = [moment for moment in self.moments if moment == MOMENTS[-1]]
        timed = [moment for moment in self.moments if moment not in fasting]
        rest = [self.often, " and ".join(timed), *fasting, f"on {_listed(self.days)}" if self.days else ""]
        rest.append("as needed" if self.as_needed else "")
        regular = " ".join(part for part in rest if part)
        return (f"once now then {regular}" if regular else "once now") if self.now else regular


_NUMBERS = {"one": 1, "two": 2, "three": 3, "four": 4, "five": 5, "six": 6, "eight": 8, "ten": 10, "twelve": 12}
_COUNTS = {"once": 1, "twice": 2, "thrice": 3} | _NUMBERS
_N = rf"(?:\d{{1,3}}|{'|'.join(_NUMBERS)})"
_RANGE = rf"{_N}(?:\s{{0,2}}(?:[-–]|to)\s{{0,2}}{_N})?"
_PER = r"(?:a|per|each|every|in\s(?:a|the|one)|/)\s{0,2}"
_DAY = r"(?:mon|tues?|wed(?:nes|s)?|thu(?:rs?)?|fri|sat(?:ur)?|sun)(?:days?)?"
_PHRASES = "|".join(re.escape(phrase).replace(r"\ ", r"\s{1,2}") for phrase in sorted(FIXED, key=len, reverse=True))
_DOTTED = (
    r"q\.\s?o\.\s?d|q\.\s?h\.\s?s|b\.\s?i\.\s?d|b\.\s?d|t\.\s?i\.\s?d|t\.\s?d\.\s?s|q\.\s?i\.\s?d|q\.\s?d\.\s?s|q\.\s?d"
    r"|o\.\s?d|p\.\s?r\.\s?n|s\.\s?o\.\s?s|h\.\s?s|p\.\s?c|a\.\s?c"
)
_BANNED = r"qod|qd|eod|tiw|biw|bi-?weekly|bimonthly"
FREQUENCY = re.compile(
    r"(?=[a-z\d½])(?<![\w.-])(?:"
    rf"(?:once\s{{1,2}})?(?P<every>(?:every|each|q)\.?\s{{0,2}}(?P<n>{_RANGE})"
    r"\s{0,2}(?P<unit>hours?|hourly|hrly|hrs?|h|days?|d|weeks?|wks?|months?|mo|minutes?|mins?))"
    r"|(?P<bare>q(?P<hours>4|6|8|12|24))"
    rf"|(?P<hourly>(?P<m>{_RANGE})[\s-]{{0,2}}(?:hour|hr|h|hrs)ly)"
    rf"|(?P<times>(?:(?P<count>once|twice|thrice|{_N}\s{{0,2}}(?:times?|x))[\s,-]{{0,2}}(?:{_PER})?|(?P<x>x\s?\d)\s{{0,2}}(?:{_PER}|(?=\w{{2,5}}ly)))"
    r"(?P<per>day|daily|d|week|weekly|wkly|wk|month|monthly))"
    r"|(?P<single>x\s?1(?!\s{0,2}(?:[dwmyh/\d]|per|an?\s|every)))"
    r"|(?P<pattern>[012½](?:\s?[-–+]\s?[012½]){2,3})"
    rf"|(?:(?:on|every|each)\s{{1,2}})?(?P<days>{_DAY}(?:(?:\s?[/,&+]\s?|\s{{0,2}},?\s{{0,2}}and\s{{1,2}}|\s{{1,2}}){_DAY}){{1,6}})"
    r"|(?P<day>(?:every|each)\s{1,2}(?:mon|tues|wednes|thurs|fri|satur|sun)day|(?:on\s{1,2})?(?:mon|tues|wednes|thurs|fri|satur|sun)days)"
    rf"|(?P<dotted>(?:{_DOTTED})\.?)|(?P<fixed>{_PHRASES})|(?P<banned>{_BANNED})"
    r")(?![\w-])",
    re.IGNORECASE,
)
_ADJACENT = re.compile(
    rf"(?<![\w-])(?:(?P<weak>{'|'.join(WEAK)})|(?P<lenient>od|hs)|(?P<once>once(?=\s{{0,2}}(?:[.;)\n]|$|(?:for|please|pls)(?!\w))))|(?P<day>on\s{{1,2}}{_DAY})|(?P<now>now)|(?P<banned>om|on(?=\s{{0,2}}(?:[.,;)\n]|$))))(?![\w-])",
    re.IGNORECASE,
)
"""Everyday words that say how often only right after another amount, or as the whole answer."""

_AFTER_WORD = re.compile(r"[^\W_][)]?\s{1,2}$")
_EYES = re.compile(r"(?<!\w)(?:eyes?|drops?|gtts?|ophth\w{0,8}|ocular|ointment|oint|os|ou)(?!\w)", re.IGNORECASE)
"""Where "OD" may be the right eye."""

_LINK = re.compile(r"(?:[\s,;/&+(-]|(?<!\w)(?:and|then|in\sthe|in|the|at)(?!\w)){0,6}$", re.IGNORECASE)
_BETWEEN = re.compile(r"(?:[\s,;/&+().-]|(?<!\w)(?:and|then|also|take|taken|to|be)(?!\w)){0,12}", re.IGNORECASE)
_PERIODS = {"h": "hour", "d": "day", "w": "week", "mo": "month", "mi": "minute"}
_SLOTS = {3: ("every morning", "at noon", "at bedtime"), 4: ("every morning", "at noon", "every evening", "at bedtime")}
_EVENLY = {"101": "twice daily", "111": "three times daily", "1111": "four times daily"}
_UNEQUAL = re.compile(r"[012½](?:\s?[-–+]\s?[012½]){2,3}")
_EQUAL_RATES = {
    "every 12 hours": "twice daily",
    "every 8 hours": "three times daily",
    "every 6 hours": "four times daily",
}
_MEAL_TIMES = {"breakfast": "every morning", "lunch": "at noon", "dinner": "every evening"}
_ONCE = {"day": "once daily", "week": "once weekly", "month": "once monthly"}
_RATE = re.compile(r"(?:(once|twice|three times|four times)|(\d{1,3}) times) (daily|weekly)")
_RATES = {"once": 1, "twice": 2, "three times": 3, "four times": 4}


def adjacent(text: str, start: int, ends: Collection[int]) -> bool:
    """Whether one of these ends stands right before, with at most a joint between them."""
    lead = _LINK.search(text, max(0, start - 10), start)
    return lead is not None and (lead.start() in ends or start in ends)


def is_for_eyes(text: str) -> bool:
    """Whether "OD" in such an order may be the right eye."""
    return _EYES.search(text) is not None


def find_frequencies(text: str, ends: Iterable[int] = ()) -> tuple[Mention, ...]:
    """How often, in order. `ends` are where doses, drugs and routes end: some words count only right after those."""
    eyes = is_for_eyes(text)
    found = {m.start(): Mention(m.group(), m.start(), m.end(), _value(m, eyes)) for m in FREQUENCY.finditer(text)}
    after = {*ends, *(mention.end for mention in found.values())}
    alone = text.strip()
    for match in _ADJACENT.finditer(text):
        start, end = match.span()
        said = match["lenient"] and _AFTER_WORD.search(text, max(0, start - 4), start)
        if said or match.group() == alone or adjacent(text, start, after):
            found.setdefault(start, Mention(match.group(), start, end, _weak_value(match, eyes)))
            after.add(end)
    return _without_overlap(sorted(found.values(), key=lambda mention: mention.start))


def parse_frequency(text: str) -> Frequency | None:
    """The reading of a text that is a frequency and nothing else. A contradiction has none."""
    plain = text.strip()
    found = find_frequencies(plain, ends=(0,))
    place = 0
    for mention in found:
        if not _BETWEEN.fullmatch(plain, place, mention.start):
            return None
        place = mention.end
    return combine(mention.value for mention in found) if found and _BETWEEN.fullmatch(plain, place) else None


def combine(values: Iterable[str]) -> Frequency | None:
    """ "Every 6 hours" and "as needed" are one frequency; "daily" and "twice daily" are a contradiction."""
    meanings = {part for value in values for part in _parts(meaning(value))}
    on_days = {value for value in meanings if value.startswith("on ") and value not in MOMENTS}
    days = sorted({day for value in on_days for day in DAYS if day in value}, key=DAYS.index)
    moments = _distinct_moments(meanings)
    often = meanings - on_days - {*MOMENTS, "as needed", "once now"}
    often -= {_EQUAL_RATES.get(value, "-") for value in often}
    if len(often) > 1 or not meanings or "" in meanings:
        return None
    found = Frequency(
        "".join(often), tuple(moments), tuple(days), now="once now" in meanings, as_needed="as needed" in meanings
    )
    return found if _consistent(found) else None


def _distinct_moments(meanings: set[str]) -> list[str]:
    """In the order of the day; "every morning before breakfast" is one time, not two."""
    found = meanings & {*MOMENTS}
    told = {part for moment in found for meal, part in _MEAL_TIMES.items() if moment.endswith(meal)}
    return sorted(found - told, key=MOMENTS.index)


def _parts(value: str) -> list[str]:
    """ "Every morning and at bedtime" names two times of the day."""
    pieces = value.split(" and ")
    return pieces if all(piece in MOMENTS for piece in pieces) else [value]


def meaning(value: str) -> str:
    """What a value stands for, also a banned one; empty for one that may mean two things."""
    return "" if _UNEQUAL.fullmatch(value) else BANNED.get(_plain(value), value)


def is_banned(value: str) -> bool:
    """Whether the form has to be asked about before it may stand in an order."""
    return _plain(value) in BANNED or _UNEQUAL.fullmatch(value) is not None


def frequency_key(text: str) -> str:
    """The meaning of a frequency; empty when it is not one."""
    found = [mention.value for mention in find_frequencies(text)]
    joined = combine(found)
    return joined.render() if joined else " ".join(meaning(value) for value in found)


def _consistent(found: Frequency) -> bool:
    """As many times of the day, or days of the week, as the rate says."""
    rate = _RATE.fullmatch(found.often)
    counted = [moment for moment in found.moments if moment not in UNCOUNTED]
    if rate is None:
        return True
    number = _RATES.get(rate[1] or "", int(rate[2] or 0))
    if rate[3] == "daily":
        return not counted or len(counted) == number or len(counted) != len(found.moments)
    return not found.days or len(found.days) == number


def _plain(text: str) -> str:
    return re.sub(r"[.\s]{1,3}", "", text.lower())


def _without_overlap(found: Iterable[Mention]) -> tuple[Mention, ...]:
    kept: list[Mention] = []
    for mention in found:
        if not kept or mention.start >= kept[-1].end:
            kept.append(mention)
    return tuple(kept)


def _value(match: re.Match[str], eyes: bool) -> str:
    if match["every"]:
        return _interval(match["n"], match["unit"])
    if match["bare"] or match["hourly"]:
        return _interval(match["hours"] or match["m"], "h")
    if match["times"]:
        return _per_period(match["count"] or match["x"], match["per"])
    if match["single"]:
        return "once only"
    if match["pattern"]:
        return _of_pattern(match["pattern"])
    if match["days"] or match["day"]:
        return f"on {_listed(_days(match['days'] or match['day']))}"
    if match["dotted"] and _plain(match.group()) == "od":
        return _once_daily(match.group(), eyes)
    if match["banned"] or (match["dotted"] and _plain(match.group()) in BANNED):
        return match.group()
    low = " ".join(match.group().lower().split())
    return FIXED.get(low) or WEAK.get(_plain(low)) or FIXED[_plain(low)]


def _once_daily(written: str, eyes: bool) -> str:
    return written if eyes else BANNED["od"]


def _weak_value(match: re.Match[str], eyes: bool) -> str:
    if match["lenient"] and match.group().lower() == "od":
        return _once_daily(match.group(), eyes)
    if match["now"]:
        return "once now"
    if match["banned"] or match["lenient"]:
        return match.group()
    if match["once"]:
        return "once only"
    return f"on {_listed(_days(match['day']))}" if match["day"] else WEAK[match["weak"].lower()]


def _interval(count: str, unit: str) -> str:
    numbers = [_NUMBERS.get(part, part) for part in re.split(r"\s{0,2}(?:[-–]|to)\s{0,2}", count.lower())]
    number = "-".join(str(int(part)) for part in numbers)
    low = unit.lower()
    period = _PERIODS[low[:2] if low[0] == "m" else low[0]]
    if number == "1" and period in _ONCE:
        return _ONCE[period]
    if number == "24" and period == "hour":
        return "once daily"
    return f"every {number} {period}{'' if number == '1' else 's'}"


def _per_period(count: str, per: str) -> str:
    word = count.lower().split()[0].strip("x") or count.lower().strip("x ")
    number = str(int(_COUNTS.get(word.removesuffix("times"), 0) or word.removesuffix("times")))
    period = {"d": "daily", "w": "weekly", "m": "monthly"}[per[0].lower()]
    names = {"1": "once", "2": "twice"} | ({"3": "three times", "4": "four times"} if period == "daily" else {})
    return f"{names.get(number, f'{number} times')} {period}"


def _of_pattern(pattern: str) -> str:
    """ "1-0-1": how many in the morning, at noon, (in the evening,) at night. Unequal numbers stay as written."""
    counts = re.split(r"\s?[-–+]\s?", pattern)
    if {*counts} - {"0", "1"} or "1" not in counts:
        return pattern
    taken = [moment for moment, count in zip(_SLOTS[len(counts)], counts, strict=True) if count == "1"]
    return _EVENLY.get("".join(counts)) or " and ".join(taken)


def _days(text: str) -> list[str]:
    found = {
        day for day in DAYS for name in re.findall(r"[a-z]{3,9}", text.lower()) if day.lower().startswith(name[:3])
    }
    return sorted(found, key=DAYS.index)


def _listed(days: Iterable[str]) -> str:
    *rest, last = days
    return f"{', '.join(rest)} and {last}" if rest else last
