"""Words that promise that a drug will do no harm: that it is safe, that it may be used, that its dose may stay."""

from __future__ import annotations

import re
from collections.abc import Iterator

_NOT = r"(?:\s+not|n['’]t|\s+never)"


def _compiled(pattern: str) -> re.Pattern[str]:
    return re.compile(pattern, re.IGNORECASE)


_ADJUSTMENT = (
    r"(?:(?:\w+\s+){0,2}?dos(?:e|age|ing)\s+(?:adjustments?|changes?|reductions?|modifications?)|"
    r"(?:\w+\s+){0,2}?monitoring)"
)
UNCHANGED_DOSE: tuple[re.Pattern[str], ...] = (
    _compiled(
        rf"\bno\s+{_ADJUSTMENT}(?:\s+(?:or|and)\s+\w+)?(?:\s+(?:is|are|was|were))?\s+(?:needed|required|necessary)"
    ),
    _compiled(rf"\b(?:do|does|did|will|would){_NOT}\s+(?:require|need|call\s+for)\s+(?:any\s+)?{_ADJUSTMENT}"),
    _compiled(rf"\b{_ADJUSTMENT}\s+(?:is|are){_NOT}\s+(?:\w+ly\s+)?(?:needed|required|necessary)"),
)
"""That a dose may stay as it is, that nobody has to watch: as good as "safe" to whoever asked about weak kidneys."""

_ACT = (
    r"(?:take|use|combine|give|start|initiate|continue|prescribe|resume|restart|administer|add|proceed|switch|increase|"
    r"co-?administer|co-?prescribe|be\s+(?:used|taken|given|combined|started|continued|prescribed))"
)
_ACTED = (
    r"(?:combined|taken|used|given|co-?administered|continued|started|initiated|prescribed|resumed|restarted|"
    r"administered|added)"
)
_SAFE: tuple[re.Pattern[str], ...] = (
    _compiled(
        r"(?:\b(?:be|is|are|was|were|been|being|considered|deemed|remains?|appears?|seems?|looks?)|['’]s)\s+"
        r"(?:(?:perfectly|generally|relatively|completely|entirely|probably|likely|usually|very|quite|fairly|both|"
        r"reasonably|otherwise|also|still|therefore|considered|deemed|thought|regarded|shown|known|to|be|as|a|an|well|"
        r"effective\s+and|tolerated\s+and)\s+)*safe\b(?!-|\s*(?:guard|ty|sex|place|storage|handling|deposit|space|"
        r"haven))"
    ),
    _compiled(rf"\b(?:safe|fine|ok|okay|all\s+right|alright)\s+(?:for\s+\w+(?:\s+\w+)?\s+)?to\s+{_ACT}\b"),
    _compiled(r"\bsafe\s+(?:choice|option|alternative|combination)s?\b"),
    _compiled(rf"\bsafely\s+(?:be\s+)?(?:{_ACTED}|{_ACT})\b"),
    _compiled(rf"\b(?:can|may|could)\s+(?:be\s+{_ACTED}|{_ACT}|receive|have)\s+(?:[\w/-]+\s+){{0,6}}?safely\b"),
    _compiled(r"\b(?:is|are)\s+(?:fine|ok|okay)\s+(?:for|with|in)\b|\brisk-free\b"),
    _compiled(r"(?:^|:)\W*(?:yes\W+)?safe\b(?=\W*$)|^\W*yes\W+(?:it\s+is|it['’]s|they\s+are)\s+(?:safe|fine|ok)"),
    _compiled(r"(?:\b(?:nothing|no\s+need)|(?:\bnot|n['’]t)\s+(?:need|have))\s+to\s+(?:worry|be\s+concerned)\b"),
    _compiled(r"\bno\s+(?:reason|need)\s+(?:not\s+to|to\s+avoid)\b"),
    _compiled(
        r"\bno\s+(?:\w+\s+)?(?:problems?|issues?)\s+(?:(?:with\s+)?(?:the\s+)?(?:combin|tak|us|giv|prescrib|start|"
        r"continu)ing|"
        r"(?:(?:were|was|have\s+been)\s+)?(?:found|identified|noted|detected)|with\s+(?:this|that|the|these)\s+\w+)\b|"
        r"\b(?:see|find|found|identified|detected)\s+no\s+(?:\w+\s+)?(?:problems?|issues?)\b|"
        r"\bcheck\s*:\s*(?:clear|clean|negative|ok|okay|passed)\b"
    ),
)
_BUT = r"(?!.*\b(?:caution\w*|careful\w*|monitor\w*|only|unless|but|if|when|adjust\w*|reduc\w*|benefits?|needed|not)\b)"
_AT_RISK = (
    r"pregnan|breast|lactat|nursing|trimester|renal|kidney|ckd|dialysis|hepat|liver|cirrho|child|infant|neonat|elderly|"
    r"older|asthma|epilep|seizure|heart\s+failure|patients?\s+with|this\s+patient"
)
_FITTING: tuple[re.Pattern[str], ...] = (
    _compiled(r"\b(?:is|are|be|generally|usually|typically)\s+(?:\w+ly\s+){0,2}well[\s-]tolerated\b"),
    _compiled(
        r"\b(?:is|are|be|considered|deemed)\s+(?:(?:\w+ly|considered|deemed|an?)\s+){0,2}(?:acceptable|suitable|"
        rf"appropriate)\b(?=\W*$|\s+(?:for|in|with|during)\b){_BUT}"
    ),
    _compiled(
        r"\b(?:is|are|be|considered|carr(?:y|ies)|poses?|has|have)\s+(?:(?:an?|only|very|relatively|to|be|of)\s+){0,3}"
        r"(?:low|minimal|minor|little|small)[\s-]+risks?\b"
    ),
    _compiled(
        r"\b(?:can|may)\s+(?:\w+ly\s+)?be\s+(?:used|taken|given|continued|prescribed|started)\s+"
        rf"(?:in|during|while|by|throughout)\s+(?:[\w-]+\s+){{0,3}}?(?:{_AT_RISK}){_BUT}"
    ),
    _compiled(rf"\b(?:can|may)\s+(?:\w+ly\s+)?proceed\b{_BUT}"),
)
"""Words that promise as much as "safe" does."""

_ALL_RIGHT = _compiled(
    r"\b(?:is|are|be|seems?|looks?)\s+(?:(?:\w+ly|quite|very)\s+){0,2}(?:fine|ok|okay|all\s+right|alright)\b"
    rf"(?=\W*$|\s+(?:here|now|then|together)\b){_BUT}"
)
"""Of a drug as good as "safe"; of a wound or a report it is only a word."""

_UNAFFECTED = _compiled(
    rf"\b(?:do|does|did|will|would){_NOT}\s+(?:\w+ly\s+)?(?:affect|alter|influence|interfere\s+with)\b"
)
_TOGETHER = _compiled(
    r"\b(?:can|may)\s+(?:\w+ly\s+)?be\s+(?:combined|co-?administered|"
    r"(?:taken|used|given|prescribed|administered)\s+(?:together|concurrently|concomitantly|at\s+the\s+same\s+time))\b"
    r"(?!.*\b(?:caution\w*|careful\w*|monitor\w*|only|unless|but|if|adjust\w*|reduc\w*)\b)"
)
_THESE = _compiled(r"\b(?:these|those|both|the)\s+(?:two|drugs|medic\w+|agents)\b|^\W*(?:they|both)\b")


def promises(sentence: str, *, drugs: int) -> Iterator[re.Pattern[str]]:
    """The patterns that promise safety in a sentence that names so many drugs."""
    yield from (*_SAFE, *_FITTING)
    if drugs:
        yield _ALL_RIGHT
    if drugs > 1:
        yield _UNAFFECTED
    if drugs > 1 or _THESE.search(sentence):
        yield _TOGETHER
