"""How a model that was shown nothing says so, whatever form it was held to.

A server without eyes drops the picture and answers all the same. What it then says of the image is not a finding.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

_KIND = r"(?:(?:chest|medical|actual|radiographic|clinical|ct|mri?)\s){0,2}"
_THING = (
    rf"{_KIND}(?:x-?rays?\s(?=image|picture|film))?"
    r"(?:images?|pictures?|photos?|photographs?|attachments?|radiographs?|x-?rays?|scans?|films?|visuals?|image\sdata"
    r"|image\sfiles?|visual\s(?:input|data|content|information))"
)
_ONE = r"(?:the|an?|any|your|this|that|such|his|her|their)"
_GIVEN = (
    r"(?:provided|attached|given|available|visible|supplied|included|uploaded|received|present|accessible|shared|sent"
    r"|found|loaded|displayed|shown|embedded|detected|submitted)"
)
_NOT = r"(?:not|n['’]t)"
_FAILED = r"(?:failed\sto|did(?:\snot|n['’]t)|could(?:\snot|n['’]t)(?:\sbe)?|can(?:not|\snot|['’]t)(?:\sbe)?)"
_SEE = r"(?:see|view|access|process|analy[sz]e|display|interpret|open|read|evaluate|assess|examine|receive|load)"

_SAYS = re.compile(
    rf"\b(?:no|without\s{_ONE}|lack\sof\s{_ONE})\s{_THING}\s(?:\w+\s){{0,2}}{_GIVEN}\b(?!\sfor\scompar)"
    rf"|\b(?:there(?:\sis|['’]s|\swas)|i\shave|because|as|since|assess|determine|evaluate)[:,]?\sno\s{_THING}\b(?!\s\w+ings?\b"
    r"|\sevidence)"
    rf"|\bwithout\s(?:{_ONE}\s)?{_THING}(?=\s*[,.;!]|\s(?:i|it)\b|\s*$)"
    rf"|\A\W*no\s{_THING}\W*\Z|\bno\svisual\s(?:input|data|content|information)\b"
    rf"|\b(?:{_ONE}\s|provided\s|attached\s|uploaded\s|\A\W*)+{_THING}\s(?:(?:is|was|were|are|has|have|seems?\sto\sbe|been"
    rf"|data)\s?){{0,2}}(?:{_NOT}\s?(?:been\s)?{_GIVEN}(?!\sin\sfull)|missing\W*\Z|missing\sfrom\s(?:your|the)\s(?:message"
    rf"|request|prompt|input)|unavailable|empty|{_FAILED}\s(?:load|open|display|process|access|decode|view|see)\w*)\b"
    rf"|\b(?:is|was|were)n['’]t\s{_GIVEN}\b(?=\W*\Z)"
    rf"|\b(?:do(?:es)?\s?{_NOT}|did\s?{_NOT}|have\s?{_NOT}|has\s?{_NOT}|never)\s(?:\w+\s)?(?:see|have|receive[d]?|contain"
    rf"|attach(?:ed)?|include[d]?|upload(?:ed)?|provide[d]?|find|detect)\s(?:access\sto\s)?{_ONE}\s{_THING}\b"
    rf"|\b(?:can\s?{_NOT}|can['’]t|unable\sto|{_NOT}\sable\sto|(?:ability|able|capability|need)\s(?:to|of))\s(?:\w+\s)?"
    rf"{_SEE}(?:ing)?\s(?:{_ONE}\s)?(?:\w+\s)?{_THING}\W*(?:\Z|[.,;!]|\b(?:as|because|since|so|directly|or|and|itself)\b)"
    rf"|\bplease\s(?:\w+\s)?(?:up-?load|provide|attach|share|send|supply|submit|include|re-?upload)\b"
    r"|\btext[- ](?:based|only)\b|\b(?:large\s)?language\smodel\b|\bas\san\sai\b|\bi['’]?\s?a?m\san\sai\b"
    r"|\bsorry\b|\bi\scan(?:not|['’]t)\s(?:assist|help|comply|provide\smedical)\b|\bno\saccess\sto\s(?:it|the)\b",
    re.IGNORECASE,
)
_EMPTY = re.compile(
    r"\W*(?:n/?a|none|null|nothing|unknown|not\s(?:provided|available|applicable|visible|given)|undetermined|tbd|to\sbe\s"
    r"determined|string|text|finding\s?\d?|<?\[?\s?image[\w.]*\s?\]?>?|\.{2,})\W*",
    re.IGNORECASE,
)
"""A form filled in without looking: placeholders, and the picture's own mark."""


def saw_nothing(lines: Iterable[str]) -> bool:
    """Whether one of the lines says that there was no image to see, or none of them says anything."""
    told = [line for line in lines if line]
    return all(_EMPTY.fullmatch(line) for line in told) or says_so(told)


def says_so(lines: Iterable[str]) -> bool:
    """Whether one of the lines says that there was no image to see."""
    return any(_SAYS.search(line) for line in lines)
