"""A frame of a DICOM file as a picture, its depth, and its technical facts."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

from PIL import Image

from docgemma.imaging.dicom.frames import GREY, Layout, frame_of, layout_of
from docgemma.imaging.dicom.header import Header, opened
from docgemma.imaging.dicom.tags import plain_facts, rescale_of, windows_of
from docgemma.imaging.dicom.values import (
    Lookup,
    colours_of,
    depth_of,
    extremes,
    image_of,
    lookup_of,
    padding_of,
)
from docgemma.imaging.facts import DicomFacts, Function, Window
from docgemma.imaging.presets import covering, usual
from docgemma.imaging.ranges import counted, usual_range
from docgemma.imaging.tones import LEVELS, Tone, draw


@dataclass(frozen=True, slots=True)
class Grey:
    """A grey frame: depth values, and how they become values in the modality's unit."""

    depth: bytes
    slope: float
    intercept: float
    padding: tuple[int, int] | None


@dataclass(frozen=True, slots=True)
class Decoded:
    """A frame: its colours, or the depth from which it is drawn in a window."""

    facts: DicomFacts
    header: Header
    colours: Image.Image | None = None
    depth: Image.Image | None = None

    def picture(self, window: Window | None = None) -> Image.Image:
        """In this window, or as the file asks."""
        if self.depth is None:
            if self.colours is None:
                raise ValueError("no pixels")
            return self.colours
        facts = self.facts if window is None else replace(self.facts, shown=window)
        return _picture(self.depth, facts, self.header)


def read(data: bytes, frame: int) -> tuple[Image.Image, Image.Image | None, DicomFacts]:
    """Decode a frame. Raises Refused with a reason, or any other error for a file that is not a readable image."""
    found = decoded(opened(data), frame)
    return found.picture(), found.depth, found.facts


def decoded(file: Header, frame: int) -> Decoded:
    """One frame of an opened file."""
    header = replace(file, frame=frame)
    layout = layout_of(header)
    raw, real = frame_of(header, layout)
    facts = plain_facts(header, layout)
    if layout.photometric not in GREY:
        return Decoded(facts, header, colours=colours_of(raw, real, header))
    grey = _grey(raw, real, header)
    return Decoded(_grey_facts(facts, grey, header, real), header, depth=image_of(grey.depth, layout))


def _grey(raw: bytes, layout: Layout, header: Header) -> Grey:
    depth, padding = depth_of(raw, layout), padding_of(header, layout)
    offset = (1 << (layout.stored - 1)) if layout.signed else 0
    if items := header.get("ModalityLUTSequence"):
        table = _lookup(header, items[0], signed=layout.signed)
        values = table.spread(-offset)
        if padding is None:
            return Grey(_mapped(depth, values), 1.0, 0.0, None)
        # Depth 0 is kept free for padding, which would otherwise look like a value of the table.
        values = [min(LEVELS - 1, each + 1) for each in values]
        values[padding[0] : padding[1] + 1] = [0] * (padding[1] + 1 - padding[0])
        return Grey(_mapped(depth, values), 1.0, -1.0, (0, 0))
    slope, intercept = rescale_of(header)
    return Grey(depth, slope, intercept - slope * offset, padding)


def _mapped(depth: bytes, values: list[int]) -> bytes:
    """Depth values by a table, a byte at a time: Pillow's tables give 8 bits."""
    image = Image.frombytes("I;16", (len(depth) // 2, 1), depth)
    out = bytearray(len(depth))
    out[0::2] = draw(image, [each & 0xFF for each in values]).tobytes()
    out[1::2] = draw(image, [each >> 8 for each in values]).tobytes()
    return bytes(out)


def _grey_facts(facts: DicomFacts, grey: Grey, header: Header, layout: Layout) -> DicomFacts:
    windows = windows_of(header, facts.function)
    function: Function = facts.function if windows or facts.unit == "HU" else "LINEAR_EXACT"
    ends = sorted(grey.slope * each + grey.intercept for each in extremes(grey.depth, layout, grey.padding))
    facts = replace(
        facts,
        bits=layout.stored,
        windows=windows,
        function=function,
        slope=grey.slope,
        intercept=grey.intercept,
        low=ends[0],
        high=ends[1],
        padding=grey.padding,
    )
    if not windows and header.get("VOILUTSequence", "FrameVOILUTSequence"):
        return facts
    return replace(facts, shown=windows[0] if windows else _begin(facts, grey, layout))


def _begin(facts: DicomFacts, grey: Grey, layout: Layout) -> Window:
    """The window to begin with where the file has none."""
    if (known := usual(facts.unit, facts.body_part)) is not None:
        return known
    found = usual_range(counted(grey.depth, layout.columns, grey.padding))
    low, high = sorted(grey.slope * each + grey.intercept for each in found) if found else (facts.low, facts.high)
    return covering("auto", "Automatic", low, high, facts.function)


def _picture(image: Image.Image, facts: DicomFacts, header: Header) -> Image.Image:
    tone = Tone(facts.slope, facts.intercept, facts.function, facts.inverted, facts.padding)
    if facts.shown is not None:
        return tone.drawn(image, facts.shown.centre, facts.shown.width)
    item = header.get("VOILUTSequence", "FrameVOILUTSequence")[0]
    table = _lookup(header, item, signed=facts.low < 0)
    top = (1 << table.bits) - 1
    greys = [round(255 * table[facts.slope * each + facts.intercept] / top) for each in range(LEVELS)]
    return draw(image, tone.finished(greys))


def _lookup(header: Header, item: Any, *, signed: bool) -> Lookup:
    return lookup_of(header, item.get("LUTDescriptor"), item.get("LUTData"), signed=signed)
