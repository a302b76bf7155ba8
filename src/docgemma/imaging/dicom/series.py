"""Several frames of one file, drawn for a vision model: as many as time, memory and room allow, spread evenly."""

from __future__ import annotations

import contextlib
import time
from collections.abc import Iterator

from docgemma.imaging.dicom.header import Header
from docgemma.imaging.dicom.reading import Decoded, decoded
from docgemma.imaging.drawing import bands, ct_bands, png, squared
from docgemma.imaging.facts import DicomFacts, Frame, Window
from docgemma.imaging.geometry import coarse_first, spread, square_for
from docgemma.imaging.presets import covering

MOST_BYTES = 24_000_000
"""Of all drawn frames together: what is stored beside one image."""

MOST_HELD = 64_000_000
"""Bytes of frames that wait to be drawn until the range of all is known."""


class Budget:
    """How long this process may go on drawing: it is killed at its limit, and then nothing of its work is left."""

    def __init__(self, seconds: float) -> None:
        self._begun = time.monotonic()
        self._seconds = seconds

    def used(self) -> float:
        """The part of the time that is gone. On a busy machine the clock runs out before the processor's time does."""
        return max(time.process_time(), time.monotonic() - self._begun) / self._seconds

    def paced(self, numbers: list[int], until: float) -> Iterator[int]:
        """The numbers, as long as another one like the slowest so far still fits well."""
        slowest = 0.0
        for number in numbers:
            before = self.used()
            if before + 2 * slowest > until:
                return
            yield number
            slowest = max(slowest, self.used() - before)


def drawn_frames(file: Header, facts: DicomFacts, most: int, budget: Budget) -> tuple[Frame, ...]:
    """Frames of a file that has more than one. `facts` are those of the frame on the page."""
    numbers = coarse_first(spread(facts.frames, most))
    found: dict[int, bytes] = {}
    room = MOST_BYTES
    frames = (_in_one_window if _is_automatic(facts) else _as_asked)(file, numbers, budget)
    with contextlib.suppress(MemoryError):  # the frames that are drawn by then stay
        for frame, window in frames:
            if frame.facts.unit != facts.unit:  # one description would not fit all pictures
                continue
            picture = _drawn(frame, window)
            if (room := room - len(picture)) < 0:
                break
            found[frame.facts.frame] = picture
    return tuple(Frame(number, found[number]) for number in sorted(found)) if len(found) > 1 else ()


def _is_automatic(facts: DicomFacts) -> bool:
    return facts.shown is not None and facts.shown.name == "auto"


def _as_asked(file: Header, numbers: list[int], budget: Budget) -> Iterator[tuple[Decoded, Window | None]]:
    """Frames in the window that the file asks for, one after the other."""
    for number in budget.paced(numbers, 0.5):
        yield decoded(file, number), None


def _in_one_window(file: Header, numbers: list[int], budget: Budget) -> Iterator[tuple[Decoded, Window | None]]:
    """Frames in one window for all: with a range of its own a dark frame would look as bright as its neighbour."""
    held: dict[int, Decoded] = {}
    room = MOST_HELD
    for number in budget.paced(numbers, 0.3):
        frame = decoded(file, number)
        if frame.depth is None or (room := room - frame.depth.nbytes) < 0:
            break
        held[number] = frame
    shown = [each.facts.shown for each in held.values() if each.facts.shown is not None and _is_automatic(each.facts)]
    low = min((each.centre - each.width / 2 for each in shown), default=0.0)
    high = max((each.centre + each.width / 2 for each in shown), default=1.0)
    window = covering("auto", "Automatic", low, high, "LINEAR_EXACT")
    for number in budget.paced(list(held), 0.5):
        yield held[number], window if _is_automatic(held[number].facts) else None


def _drawn(frame: Decoded, window: Window | None) -> bytes:
    facts = frame.facts
    if frame.depth is not None and facts.hounsfield:
        found = ct_bands(frame.depth, facts.slope, facts.intercept, facts.padding)
    else:
        found = bands(frame.picture(window))
    return png(squared(found, square_for(facts.columns, facts.rows, facts.aspect)))
