"""JSON that is walked through value by value, however large the file is.

A bulk file is one JSON text of a gigabyte. Only the value being read and what was read ahead of it are in memory.
"""

from __future__ import annotations

import codecs
import json
import re
from collections.abc import Callable, Iterator
from typing import Any

LONGEST = 64_000_000
"""Characters of one record. Real ones have less than one million."""
_CHUNK = 1 << 20
_MOST_CHUNK = 16 << 20
_SIGN = re.compile(r"[^ \t\n\r]")
_NEAR_THE_END = 12
"""What is cut in the middle of a word, a number or an escape is found wanting this close to the end."""
_NUMBER_GOES_ON = len("e+")
"""A number may seem complete at the end of what was read: 1, of 1e+5."""
_LONGEST_NUMBER = 4000

AGAIN = "Download it again; nothing was published."


class Unreadable(Exception):
    """The file as a whole cannot be used. Carries the reason, as the second half of a sentence about the file.

    `mend` says what to do about it.
    """

    def __init__(self, reason: str, mend: str = AGAIN) -> None:
        super().__init__(reason)
        self.mend = mend


class TooLong(Exception):
    """The next value is longer than the caller wants to hold. Nothing of it was taken."""


class Walker:
    """Goes through a JSON text. Spaces before a value or a sign are passed over."""

    def __init__(self, read: Callable[[int], bytes]) -> None:
        self._read = read
        self._decoder = codecs.getincrementaldecoder("utf-8-sig")()
        self._json = json.JSONDecoder(parse_constant=self._no_number, parse_int=_whole)
        self._text, self._at = "", 0
        self._ended = False
        self.odd = False
        """Whether a number that JSON does not have (NaN, Infinity) was read since this was set to False."""

    def value(self, longest: int | None = None) -> Any:
        """One value. When the text ends inside it, more is read, twice as much each time, and it is tried again."""
        self.peek()
        size = _CHUNK
        while True:
            try:
                value, end = self._json.raw_decode(self._text, self._at)
            except json.JSONDecodeError as error:
                cut = error.msg.startswith("Unterminated string") or error.pos >= len(self._text) - _NEAR_THE_END
                if not cut:
                    raise Unreadable("is not valid JSON") from None
                if self._ended:
                    raise Unreadable("is cut off, or not valid JSON") from None
            except RecursionError:
                raise Unreadable("is nested far deeper than a record") from None
            else:
                if self._ended or len(self._text) - end > _NUMBER_GOES_ON:
                    self._at = end
                    return value
            if longest is not None and len(self._text) - self._at > longest:
                raise TooLong
            if len(self._text) - self._at > LONGEST:
                raise Unreadable("has a record far larger than real ones")
            self._more(size)
            size = min(size * 2, _MOST_CHUNK)

    def elements(self) -> Iterator[Any]:
        """What stands in a list, one after the other. The bracket that opens it has been taken."""
        if self.peek() == "]":
            self._at += 1
            return
        while True:
            yield self.value()
            if (sign := self.next()) != ",":
                break
        if sign != "]":
            raise Unreadable("is not valid JSON")

    def names(self) -> Iterator[str]:
        """The names in an object; whoever gets one takes its value. The brace that opens it has been taken."""
        if self.peek() == "}":
            self._at += 1
            return
        while True:
            key = self.value()
            if not isinstance(key, str) or self.next() != ":":
                raise Unreadable("is not valid JSON")
            yield key
            if (sign := self.next()) != ",":
                break
        if sign != "}":
            raise Unreadable("is not valid JSON")

    def peek(self) -> str:
        """The next sign that is no space, without taking it; empty at the end of the file."""
        while True:
            found = _SIGN.search(self._text, self._at)
            if found:
                self._at = found.start()
                return found[0]
            self._at = len(self._text)
            if self._ended:
                return ""
            self._more(_CHUNK)

    def next(self) -> str:
        sign = self.peek()
        self._at += len(sign)
        return sign

    def _more(self, size: int) -> None:
        data = self._read(size)
        self._ended = not data
        try:
            text = self._decoder.decode(data, final=self._ended)
        except UnicodeDecodeError:
            raise Unreadable("is not UTF-8 text") from None
        self._text, self._at = self._text[self._at :] + text, 0

    def _no_number(self, _: str) -> None:
        self.odd = True


def _whole(digits: str) -> int:
    """A record has no long numbers; turning a very long one into an integer would take minutes."""
    return int(digits) if len(digits) <= _LONGEST_NUMBER else 0
