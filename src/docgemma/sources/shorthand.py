"""Words that clinicians write short in passing, written out: no service looks for "breast ca" or "pcsk9 inh".

Only what can mean one thing where it stands. Short names of diseases and drugs are no matter of this: services know
many of them, and those with several meanings are better left as they are.
"""

from __future__ import annotations

import re

_ORGANS = (
    r"breast|ovar(?:ian|y)|pancrea(?:tic|s)|lung|prostat(?:e|ic)|colon|rectal|colorectal|gastric|stomach|bladder|thyroid"
    r"|cervical|endometrial|o?esophageal|liver|renal|kidney|skin|neck|oral|laryngeal|testicular|bowel|biliary|bile\sduct|urothelial"
    r"|uterine|vulvar|nasopharyngeal|hepatocellular|adrenal|penile"
)
_CLASSES = (
    r"pcsk-?9|sglt-?[12]|dpp-?4|ace|jak\d?|pd-?l?1|parp|cdk\s?4/6|btk|egfr|kras|her-?2|checkpoint|xa|vegf|braf|mek|alk|tnf"
    r"|aromatase|xanthine\soxidase|proton\spump|il-?\d{1,2}|bcl-?2|idh\d?|flt-?3|met|ret|ntrk|fgfr\d?|mtor"
)
_IN_PASSING = {
    "mets": "metastases",
    "assoc": "associated",
    "decomp": "decompensated",
    "hosp": "hospitalization",
    "bicarb": "bicarbonate",
    "meta-?anal": "meta-analysis",
    "prophy": "prophylaxis",
    "pembro": "pembrolizumab",
    "nivo": "nivolumab",
    "tx": "treatment",
    "dx": "diagnosis",
    "preg": "pregnant",
    "peds?": "pediatric",
}
_RULES: tuple[tuple[re.Pattern[str], str], ...] = (
    (re.compile(rf"(?<![\w-])((?:{_ORGANS})\s)ca(?![\w-])", re.IGNORECASE), r"\1cancer"),
    (re.compile(rf"(?<![\w-])((?:{_CLASSES})[\s-])inhi?b?(?![\w-])", re.IGNORECASE), r"\1inhibitors"),
    (re.compile(r"(?<![\w-])w(?:/\s?|\s)(?=[^\W\d]{2})", re.IGNORECASE), "with "),
    (re.compile(r"(?<![\w-])w/o(?!\w)", re.IGNORECASE), "without"),
    *((re.compile(rf"(?<![\w-]){short}(?![\w-])", re.IGNORECASE), whole) for short, whole in _IN_PASSING.items()),
)


def written_out(text: str) -> str:
    """The text with these words in full."""
    for short, whole in _RULES:
        text = short.sub(whole, text)
    return text
