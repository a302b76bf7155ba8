"""The states of a clinical trial as people write them, in the register's words."""

from __future__ import annotations

import re
from typing import Literal

SearchKind = Literal["literature", "trials"]


def _pattern(body: str) -> re.Pattern[str]:
    return re.compile(rf"(?<![\w-])(?:{body})(?![\w-])", re.IGNORECASE)


STATUS = _pattern(
    r"active\W{0,2}\s?not\srecruiting"
    r"|(?:not|haven['’]?t|hasn['’]?t|aren['’]?t|isn['’]?t|havent)\s(?:yet\s)?(?:begun|started|opened)(?:\s(?:to\s)?(?:recruit\w{0,4}|enroll?\w{0,4}|up))?(?:\syet)?"
    r"|(?:aren['’]?t|isn['’]?t)\s(?:yet\s)?(?:recruiting|enroll?ing|open)(?:\syet)?|yet\sto\s(?:recruit|start|open|begin|enroll?)"
    r"|not\s(?:yet\s)?(?:recruiting|enrolling|open)|enrolling\sby\sinvitation"
    r"|recruiting|enroll?ing"
    r"|recruit(?:ment|s)?|accruing|(?:taking|accepting)(?:\son)?\s(?:new\s)?(?:patients|people|participants|pts|women|men|adults"
    r"|children|kids|babies|volunteers|anyone)(?:\son)?|open(?:\sto\s(?:recruitment|enroll?ment))?"
    r"|still\s(?:join|enter|enroll?|get\s(?:in|into|on)|sign\sup|take\spart)"
    r"|ongoing|on-?\s?going|active|running|underway|completed?|finish(?:ed)?|terminated|stopped|halted|abandoned"
    r"|suspended|paused|on\shold|withdrawn|upcoming|planned|(?:starting|opening)\ssoon|about\sto\s(?:start|open)"
)
STATUS_VALUE = {
    **dict.fromkeys(("open", "enrolling", "enroling", "recruitment", "recruit", "recruits", "accruing"), "recruiting"),
    **dict.fromkeys(("ongoing", "on going", "on-going", "running", "underway", "not recruiting"), "active"),
    **dict.fromkeys(("active not recruiting", "not enrolling"), "active"),
    **dict.fromkeys(("not yet open", "not yet enrolling", "not open"), "not yet recruiting"),
    **dict.fromkeys(("complete", "finish", "finished"), "completed"),
    **dict.fromkeys(("stopped", "halted", "abandoned"), "terminated"),
    **dict.fromkeys(("paused", "on hold"), "suspended"),
    **dict.fromkeys(("upcoming", "planned", "starting soon", "opening soon"), "not yet recruiting"),
    **dict.fromkeys(("about to start", "about to open"), "not yet recruiting"),
}

_NOT_BEGUN = re.compile(r"(?<!\w)(?:begun|started|opened|yet)(?!\w)|n ?t open$")


def status_value(written: str) -> str:
    """The registry's word for a status as it was said."""
    low = " ".join(re.sub(r"[^\w\s-]", " ", written.lower()).split())
    if _NOT_BEGUN.search(low):
        return "not yet recruiting"
    if low.startswith(("aren", "isn")):
        return "active"
    return "recruiting" if low.startswith(("taking", "accepting", "open", "still")) else STATUS_VALUE.get(low, low)


def told_status(text: str) -> str:
    """The status that a short message asks for, empty without one; "running" says less than "recruiting"."""
    found = [status_value(match.group()) for match in STATUS.finditer(text)]
    return next((value for value in found if value != "active"), found[0] if found else "")
