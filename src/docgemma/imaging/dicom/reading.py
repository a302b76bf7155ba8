"""A frame of a DICOM file as a picture, its depth, and its technical facts."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from PIL import Image

from docgemma.imaging.dicom.header import Header
from docgemma.imaging.dicom.pixels import (
    GREY,
    Layout,
    Lookup,
    Values,
    colours_of,
    depth_of,
    extremes,
    frame_of,
    layout_of,
    lookup_of,
    padding_of,
)
from docgemma.imaging.dicom.tags import plain_facts, rescale_of, windows_of
from docgemma.imaging.drawing import LEVELS, Depth, Tone, mapped, usual_range
from docgemma.imaging.facts import DicomFacts, Function, Window
from docgemma.imaging.presets import covering, usual


@dataclass(frozen=True, slots=True)
class Grey:
    """A grey frame: depth values, and how they become values in the modality's unit."""

    depth: Depth
    slope: float
    intercept: float
    padding: tuple[int, int] | None

    def in_unit(self, ends: tuple[int, int]) -> list[float]:
        """The lower and the higher of two depth values, as what they mean."""
        return sorted(self.slope * each + self.intercept for each in ends)


@dataclass(frozen=True, slots=True)
class Decoded:
    """A frame: its colours, or the depth from which it is drawn in a window."""

    facts: DicomFacts
    header: Header
    colours: Image.Image | None = None
    depth: Depth | None = None

    def picture(self, window: Window | None = None) -> Image.Image:
        """In this window, or as the file asks."""
        if self.depth is None:
            if self.colours is None:
                raise ValueError("no pixels")
            return self.colours
        facts, shown = self.facts, window or self.facts.shown
        tone = Tone(facts.slope, facts.intercept, facts.function, facts.inverted, facts.padding)
        if shown is not None:
            return tone.drawn(self.depth, shown.centre, shown.width)
        item = self.header.get("VOILUTSequence", "FrameVOILUTSequence")[0]
        table = _lookup(self.header, item, signed=facts.low < 0)
        greys = np.rint(255 * table.of(tone.values()) / ((1 << table.bits) - 1))
        return tone.finished(self.depth, greys.astype(np.uint8))


def decoded(file: Header, frame: int) -> Decoded:
    """One frame of an opened file."""
    header = replace(file, frame=frame)
    layout = layout_of(header)
    values, real = frame_of(header, layout)
    facts = plain_facts(header, layout)
    if layout.photometric not in GREY:
        return Decoded(facts, header, colours=colours_of(values, real, header))
    grey = _grey(values, real, header)
    return Decoded(_grey_facts(facts, grey, header, real), header, depth=grey.depth)


def _grey(values: Values, layout: Layout, header: Header) -> Grey:
    depth, padding = depth_of(values, layout)[..., 0], padding_of(header, layout)
    items = header.get("ModalityLUTSequence")
    if not items:
        slope, intercept = rescale_of(header)
        return Grey(depth, slope, intercept - slope * layout.moved_up, padding)
    entries = _lookup(header, items[0], signed=layout.signed).of(np.arange(LEVELS) - layout.moved_up)
    if padding is None:
        return Grey(mapped(depth, entries.astype(np.uint16)), 1.0, 0.0, None)
    # Depth 0 is kept free for padding, which would otherwise look like a value of the table.
    entries = np.minimum(LEVELS - 1, entries + 1)
    entries[padding[0] : padding[1] + 1] = 0
    return Grey(mapped(depth, entries.astype(np.uint16)), 1.0, -1.0, (0, 0))


def _grey_facts(facts: DicomFacts, grey: Grey, header: Header, layout: Layout) -> DicomFacts:
    windows = windows_of(header, facts.function)
    function: Function = facts.function if windows or facts.unit == "HU" else "LINEAR_EXACT"
    low, high = grey.in_unit(extremes(grey.depth, grey.padding))
    facts = replace(
        facts,
        bits=layout.stored,
        windows=windows,
        function=function,
        slope=grey.slope,
        intercept=grey.intercept,
        low=low,
        high=high,
        padding=grey.padding,
    )
    if not windows and header.get("VOILUTSequence", "FrameVOILUTSequence"):
        return facts
    return replace(facts, shown=windows[0] if windows else _first_window(facts, grey))


def _first_window(facts: DicomFacts, grey: Grey) -> Window:
    """The window to begin with where the file has none."""
    if (known := usual(facts.unit, facts.body_part)) is not None:
        return known
    found = usual_range(grey.depth, grey.padding)
    low, high = grey.in_unit(found) if found else (facts.low, facts.high)
    return covering("auto", "Automatic", low, high, facts.function)


def _lookup(header: Header, item: Any, *, signed: bool) -> Lookup:
    return lookup_of(header, item.get("LUTDescriptor"), item.get("LUTData"), signed=signed)
