"""What a sentence must not show whatever it says: thinking, tool names, markup that can fetch or hide something."""

from __future__ import annotations

import re
import unicodedata
from urllib.parse import urlsplit

from docgemma.agent.answer.evidence import Evidence
from docgemma.tools.registry import REGISTRY

_THOUGHT_OVER = re.compile(r".*(?:<unused95>|</think(?:ing)?>|<\|?channel\|?>\s*final\b\W*)", re.DOTALL | re.IGNORECASE)
_THOUGHT = re.compile(
    r"<unused\d+>|</?think(?:ing)?>|<\|[^<>]*\|?>|</?(?:start|end)_of_(?:turn|image)>|</?(?:bos|eos|pad)>|"
    r"^\W*(?:thought|thinking|reasoning|scratchpad|chain of thought|internal monologue)\W*(?:$|:)|"
    r"^\W*(?:(?:okay|ok|alright|hmm|so|well|first|right|now)\b[,.]*\s+)*(?:"
    r"let me (?:think|see|start by|break|analy[sz]e|consider|recall|first|look at what)|"
    r"let'?s (?:think|break|see|analy[sz]e)|"
    r"the (?:user|clinician|prompt|question) (?:is asking|asks|asked|wants|is requesting|has asked|would like)|"
    r"i (?:need|should|have|must|ought|want) to (?:think|answer|respond|provide|figure|determine|check what|"
    r"synthesi[sz]e|call|use the|avoid mention|make sure|summari[sz]e)|"
    r"(?:here(?:'s| is) )?my (?:thought process|reasoning|thinking|internal)|"
    r"my instructions|the (?:system )?(?:prompt|instructions?) (?:says?|tells?|asks?|states?))",
    re.IGNORECASE,
)

_IMAGE = re.compile(r"!\[[^\]\n]*\](?:\([^)\n]*\)?|\[[^\]\n]*\])?")
_LINK = re.compile(r"\[([^\]\n]*)\]\(\s*<?([^)\s>]*)>?(?:\s+[^)\n]*)?\)")
_URL = re.compile(
    r"<?\b(?:(?:https?|ftp|file)://|www\.|mailto:|javascript:|data:[\w.+-]+/[\w.+-]+[;,])"
    r"[^\s<>)\]}\"']+?(?=[.,;:!?]*(?:[\s<>)\]}\"']|$))>?",
    re.IGNORECASE,
)
_TAG = re.compile(
    r"<!--.*?(?:-->|$)|</?[a-z][a-z0-9-]*(?:\s+[a-z_:@][\w:.-]*(?:\s*=\s*(?:\"[^\"]*\"|'[^']*'|[^\s\"'<>]+))?)*\s*/?>|"
    r"<(?:img|script|iframe|svg|object|embed|link|style|a|form|input)\b[^<>]*$",
    re.IGNORECASE | re.DOTALL,
)

_LABELS = {name: tool.label for name, tool in REGISTRY.items()} | {
    "get_patient_record": "Patient Record",
    "update_patient_record": "Patient Record",
}
_NAMES = "|".join(sorted(_LABELS, key=len, reverse=True))
_SPACED = "|".join(sorted((name.replace("_", r"[ -]") for name in _LABELS), key=len, reverse=True))
_TOOL = re.compile(
    r"(?P<the>\b(?:the|a|an|this|our|my)\s+)?(?P<open>[\[(]?)[`'\"*]*"
    rf"(?:(?P<name>{_NAMES})(?:\([^()\n]*\))?|(?P<spaced>\b(?:{_SPACED})(?=[`'\"*]*\s+(?:tool|function)\b)))"
    r"[`'\"*]*(?P<close>[\])]?)(?:\s+(?:tool|function|API|endpoint|command|call)\b)?",
    re.IGNORECASE,
)
_CALL_ONLY = re.compile(rf"\W*(?:{{.*\"(?:tool_name|tool|name|function)\"\s*:|(?:{_NAMES})\(.*\)\W*$)", re.DOTALL)


_DATA = re.compile(
    r"\s*(?:`{3}|~{3}|[\[{]\s*[\[{\"'}\]]|[\[{]\s*$|[}\]],?\s*$|\"[\w ]{1,40}\"\s*:"
    r"|(?:NaN|null|undefined|None|true|false)\W*$)"
)
_LEAD_IN = re.compile(r"\b(?:here(?:'s|\s+is)|below\s+is|returning)\b.{0,40}\bjson\b", re.IGNORECASE)


def is_data(line: str) -> bool:
    """JSON, a fence around it or the words that announce it: an answer to another question than the user's."""
    return bool(_DATA.match(line) or _LEAD_IN.search(line))


def readable(sentence: str) -> str:
    """The sentence as it reads: without emphasis and invisible characters, which could hide a number or a word."""
    visible = sentence
    if not sentence.isascii():  # what is invisible lies beyond
        visible = "".join(char for char in sentence if unicodedata.category(char) != "Cf")
    return re.sub(r"[*`~]+|(?<!\w)_+|_+(?!\w)", "", visible)


def without_thoughts(sentence: str) -> str | None:
    """The sentence after its thinking has ended, or None when it is thinking itself."""
    rest = _THOUGHT_OVER.sub("", sentence)
    return None if _THOUGHT.search(rest.strip()) or _CALL_ONLY.match(rest) else rest


def without_markup(sentence: str, evidence: Evidence) -> str:
    """Images and tags go; a link to anywhere but a source of this turn leaves only its words."""

    def link(match: re.Match[str]) -> str:
        return match[0] if _known(match[2], evidence) else match[1]

    def address(match: re.Match[str]) -> str:
        return match[0] if _known(match[0].strip("<>"), evidence) else ""

    text = _TAG.sub("", _IMAGE.sub("", sentence))
    return _URL.sub(address, _LINK.sub(link, text))


def _known(url: str, evidence: Evidence) -> bool:
    if url in evidence.urls:
        return True
    try:
        parts = urlsplit(f"https://{url}" if url.lower().startswith("www.") else url)
    except ValueError:
        return False
    # A query could carry what it should not out of the building.
    return parts.scheme in ("http", "https") and parts.hostname in evidence.hosts and not parts.query


def without_tool_names(sentence: str) -> str:
    """Tools by their clinical label, so that the sentence still reads."""

    def label(match: re.Match[str]) -> str:
        name = (match["name"] or re.sub(r"[ -]", "_", match["spaced"])).lower()
        text = _LABELS[name]
        starts = not sentence[: match.start()].strip(" \t-*#>•1234567890.")
        if match["open"]:
            opened = f"{match['the'] or ''}{text}" if not match["close"] else f"{match['the'] or ''}({text})"
            return f"{text}:" if starts and match["close"] and not match["the"] else opened
        if match["the"]:
            return f"{match['the']}{text}{match['close']}"
        return f"{'The' if starts else 'the'} {text}{match['close']}"

    return _TOOL.sub(label, sentence)


def tidy(text: str, original: str) -> str:
    """Close the holes that removed things left; a sentence that nothing was taken from stays as it is."""
    if text == original:
        return text
    body = text.rstrip()
    lead = body[: len(body) - len(body.lstrip())]
    return lead + re.sub(r"\(\s*\)|\[\s*\]", "", re.sub(r"(?<=\S)[ \t]{2,}", " ", body.lstrip())) + text[len(body) :]
