"""Gemma's habits, in one place: the turns it accepts, the control tokens it obeys, the thinking it shows.

Text that others wrote (a chart, a label, a web page, the user) passes `Neutraliser` on its way into a prompt;
text that the model wrote passes `ThinkingFilter` on its way out.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Sequence

from docgemma.llm.contract import Message

_LINE_BREAKS = re.compile("\r\n?|[\x0b\x0c\x85\u2028\u2029]")
_INVISIBLE = re.compile(
    "[\x00-\x08\x0e-\x1f\x7f-\x84\x86-\x9f\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200f"
    "\u202a-\u202e\u2060-\u206f\u3164\ufe00-\ufe0f\ufeff\uffa0\ufff9-\ufffb\ud800-\udfff"
    "\U000e0000-\U000e0fff]"
)
_ANGLED = re.compile(r"[<＜]([^<>＜＞]{1,60})[>＞]")
_BRACKETED = re.compile(r"[\[［【]([^\[\]［］【】]{1,80})[\]］】]")
_SQUEEZED = re.compile(r"[\s_\-‐‑]+")

# Names as `_squeeze` leaves them: without spaces, underscores, hyphens and case.
_CONTROL_NAME = re.compile(
    r"startofturn|endofturn|startofimage|endofimage|imagesofttoken|bos|eos|pad|unk|mask|s|unused\d{1,5}"
    r"|inst|sys|system|user|assistant|model|human|think|thinking|thought|tool|toolcall|toolresponse|toolresults?"
    r"|functioncall|functionresults?|data|context|documents?|criterion|criteria|question|instructions?|results?"
    r"|message|chart|note"
)
_BRACKET_NAMES = frozenset({"inst", "system", "user", "assistant", "toolresult", "toolresults", "systemmessage"})
_HEADINGS = (
    "clinician's question",
    "clinical context",
    "user's original question",
    "user query",
    "user message",
    "system instruction",
    "system instructions",
    "system prompt",
    "system message",
    "system",
    "assistant",
    "user",
    "human",
    "model",
    "instruction",
    "instructions",
    "new instructions",
    "tool used",
    "tool result",
    "tool results",
    "tool",
    "available tools",
    "detected patient id",
    "detected drug name",
    "patient on screen",
    "already found",
    "not available",
    "what happened",
)


class Neutraliser:
    """Takes the power out of text that imitates our prompt, and leaves its meaning readable.

    Turn tokens and tags become ‹…›, our own labels in square brackets become (…), a line that poses as one of our
    headings loses its colon, invisible characters go. Numbers and clinical words are not touched, and doing it
    twice changes nothing more.
    """

    def __init__(self, labels: Iterable[str] = (), headings: Iterable[str] = ()) -> None:
        self._labels = tuple(_squeeze(label) for label in labels)
        names = sorted({*_HEADINGS, *(heading.casefold() for heading in headings)}, key=len, reverse=True)
        self._heading = re.compile(
            rf"^([^\S\n]*(?:[>*#_\-][>*#_\- \t]{{0,20}})?(?:{'|'.join(map(_heading_pattern, names))})"
            r"(?:[^\S\n]{0,9}[*_]{1,3})?)[^\S\n]{0,9}[:：]",
            re.IGNORECASE | re.MULTILINE,
        )

    def __call__(self, text: str) -> str:
        text = _INVISIBLE.sub("", _LINE_BREAKS.sub("\n", text))
        text = _ANGLED.sub(_disarm_tag, text)
        text = _BRACKETED.sub(self._disarm_label, text)
        return self._heading.sub(r"\1 -", text)

    def _disarm_label(self, found: re.Match[str]) -> str:
        inside = _squeeze(found[1])
        spoof = inside.removeprefix("/") in _BRACKET_NAMES or inside.startswith(self._labels)
        return f"({found[1]})" if spoof else found[0]


def _squeeze(name: str) -> str:
    """A name without the spacing, case and width that would disguise it."""
    return _SQUEEZED.sub("", unicodedata.normalize("NFKC", name).casefold())


def _heading_pattern(name: str) -> str:
    return r"(?:[^\S\n]|_){1,9}".join(re.escape(word).replace("'", "['’`´]?") for word in name.split())


def _disarm_tag(found: re.Match[str]) -> str:
    inside = _squeeze(found[1])
    name = inside.strip("/|")
    special = inside.startswith("|") and inside.endswith("|")
    if special or _CONTROL_NAME.fullmatch(name):
        return f"‹{found[1]}›"
    return found[0]


def alternate(messages: Sequence[Message]) -> tuple[Message, ...]:
    """The same conversation as Gemma's template accepts it: user first, strictly taking turns, nothing empty.

    There is no system role on the wire: its text opens the first user turn, followed by a blank line.
    """
    system = "\n\n".join(message.text for message in messages if message.role == "system" and message.text.strip())
    turns: list[Message] = [Message("user", system)] if system else []
    for message in messages:
        if message.role == "system" or not message.text.strip():
            continue
        if turns and turns[-1].role == message.role:
            turns[-1] = Message(message.role, f"{turns[-1].text}\n\n{message.text}")
        elif not turns and message.role == "assistant":
            turns += [Message("user", "Earlier in this conversation you wrote:"), message]
        else:
            turns.append(message)
    return tuple(turns)


_MARKER = re.compile(
    r"<(?:(?P<opener>unused94|think)|(?P<closer>unused95|/think)"
    r"|(?P<end>end_of_turn|eos|\|(?:im_end|eot_id|eom_id|endoftext|end_of_text|end)\|)"
    r"|(?P<turn>start_of_turn|\|(?:im_start|start_header_id)\|)"
    r"|unused\d{1,5}|bos|pad|start_of_image|end_of_image|image_soft_token|\|[a-z0-9_]{1,40}\|)>",
    re.IGNORECASE,
)
_FIXED_MARKERS = (
    "<think>",
    "</think>",
    "<end_of_turn>",
    "<eos>",
    "<start_of_turn>",
    "<bos>",
    "<pad>",
    "<start_of_image>",
    "<end_of_image>",
    "<image_soft_token>",
)
_OPEN_MARKER = re.compile(r"<(?:u(?:n(?:u(?:s(?:ed?)?)?)?)?|unused\d{1,5}|\|[a-z0-9_]{0,40}\|?)?", re.IGNORECASE)
_CLOSERS = {"unused94": "unused95", "think": "/think"}


class ThinkingFilter:
    """Lets a streamed answer through without thinking and control tokens, however it is cut into pieces.

    Only what may still become a marker is held back. A thought that never closes hides everything after it: an
    empty answer is noticed and replaced, a shown thought is not.
    """

    def __init__(self) -> None:
        self._held = ""
        self._closer = ""
        self._ended = False
        self._started = False
        self._gap = False

    @property
    def ended(self) -> bool:
        """The model has closed its turn: nothing after this counts."""
        return self._ended

    @property
    def started(self) -> bool:
        """Something was shown already."""
        return self._started

    def feed(self, piece: str) -> str:
        if self._ended:
            return ""
        text, self._held = self._held + piece, ""
        if "<" not in text:
            return self._show(text)
        shown: list[str] = []
        position = 0
        for found in _MARKER.finditer(text):
            shown.append(self._show(text[position : found.start()]))
            position = found.end()
            self._meet(found)
            if self._ended:
                return "".join(shown)
        rest = text[position:]
        cut = rest.rfind("<")
        if cut >= 0 and _may_become_marker(rest[cut:]):
            rest, self._held = rest[:cut], rest[cut:]
        shown.append(self._show(rest))
        return "".join(shown)

    def flush(self) -> str:
        """The end of the text. A lone `<` was only a sign; a longer beginning of a marker was no text."""
        held, self._held = self._held, ""
        return "" if self._ended or held != "<" else self._show(held)

    def _meet(self, found: re.Match[str]) -> None:
        self._gap = True
        if found["end"] or (found["turn"] and self._started):
            self._ended = True
        elif self._closer:
            if (found["closer"] or "").lower() == self._closer:
                self._closer = ""
        elif found["opener"]:
            self._closer = _CLOSERS[found["opener"].lower()]

    def _show(self, text: str) -> str:
        """What a reader sees of it. Where a marker was taken out a space stands: two halves never grow together."""
        if self._closer or not text:
            return ""
        if not self._started:
            text = text.lstrip()
            if not text:
                return ""
            self._started = True
        elif self._gap and not text[0].isspace():
            text = " " + text
        self._gap = False
        return text


def _may_become_marker(tail: str) -> bool:
    lowered = tail.lower()
    return any(marker.startswith(lowered) for marker in _FIXED_MARKERS) or bool(_OPEN_MARKER.fullmatch(tail))


def without_thinking(text: str) -> str:
    """A whole answer as a reader should see it."""
    if "<" not in text:
        return text
    answer = ThinkingFilter()
    return answer.feed(text) + answer.flush()
