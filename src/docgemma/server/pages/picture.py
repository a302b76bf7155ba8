"""An image as the page shows it: in which window, with which regions marked, and what must be known before trusting it.

Only technical facts: the store keeps no name and no other words of the file it came from.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal
from urllib.parse import urlencode

from docgemma.agent.record import TurnRecord
from docgemma.errors import BadInput
from docgemma.imaging import Caution, DicomFacts, Window, cautions_of, dicom_facts, from_stored, presets
from docgemma.store.rows import StoredImage, Turn

ODD_WINDOW = "Give the window as centre / width, for example 40 / 400."
NO_WINDOW = "This image has no other window: it has only the values that a screen shows."


@dataclass(frozen=True, slots=True)
class Box:
    """A region of an image in its own pixels, with what was seen there."""

    x0: float
    y0: float
    x1: float
    y1: float
    label: str

    @property
    def width(self) -> float:
        return self.x1 - self.x0

    @property
    def height(self) -> float:
        return self.y1 - self.y0


@dataclass(frozen=True, slots=True)
class Picture:
    """`window` is the one on screen, `first` the one that the file asked for."""

    id: str
    width: int
    height: int
    src: str
    dicom: DicomFacts | None = None
    window: Window | None = None
    first: Window | None = None
    presets: tuple[Window, ...] = ()
    boxes: tuple[Box, ...] = ()
    warned: tuple[Caution, ...] = ()
    drawn: tuple[int, ...] = ()
    """Of an image with several frames: those that a model is shown."""

    @property
    def stroke(self) -> float:
        """So thick that a box can be seen on a large image as well as on a small one."""
        return round(max(self.width, self.height) / 250, 3)


def picture(image: StoredImage, window: Window | None = None, boxes: tuple[Box, ...] = ()) -> Picture:
    found = from_stored(image)
    facts = found.dicom
    address = f"/images/{image.id}"
    if window is not None:
        address += f"/view?{urlencode({'centre': window.centre, 'width': window.width})}"
    return Picture(
        id=image.id,
        width=image.width,
        height=image.height,
        src=address,
        dicom=facts,
        window=window or (facts.shown if facts else None),
        first=facts.shown if facts else None,
        presets=presets(facts) if facts and image.depth is not None else (),
        boxes=boxes,
        warned=cautions_of(facts),
        drawn=tuple(each.number for each in found.frames),
    )


def facts_of(image: StoredImage) -> DicomFacts | None:
    """None for an image that was no DICOM file, and for facts that this program does not understand."""
    return dicom_facts(image.facts)


def chosen(
    image: StoredImage, name: str = "", centre: float | None = None, width: float | None = None
) -> Window | None:
    """The window that was asked for: by its name, or as centre and width. None: the one it came with."""
    if not name and centre is None and width is None:
        return None
    facts = facts_of(image)
    if facts is None or image.depth is None:
        raise BadInput(NO_WINDOW)
    if name:
        found = next((each for each in presets(facts) if each.name == name), None)
        if found is None:
            raise BadInput("This image has no window of that name.")
        return found
    if centre is None or width is None or not (math.isfinite(centre) and math.isfinite(width)):
        raise BadInput(ODD_WINDOW)
    return Window("own", "", centre, width)


def typed(text: str) -> tuple[float, float]:
    """Centre and width as a person types them: "40 / 400", "-600/1500"."""
    first, _, second = text.replace("\N{MINUS SIGN}", "-").partition("/")
    try:
        centre, width = float(first), float(second)
    except ValueError:
        raise BadInput(ODD_WINDOW) from None
    if not (math.isfinite(centre) and math.isfinite(width)):
        raise BadInput(ODD_WINDOW)
    return centre, width


@dataclass(frozen=True, slots=True)
class Shown:
    """A picture of an answer: where it is to be had, and which of two it is."""

    address: str
    which: Literal["only", "earlier", "current"] = "only"


def shown_with(record: TurnRecord, turn: Turn) -> tuple[Shown, ...]:
    """The pictures that an answer must be read with: one with places marked, two that were compared, or one that came
    with an earlier question. An image that stands beside its own question is not shown twice.
    """
    seen = record.findings
    if seen is None or not seen.image_id:
        return ()
    marked = f"/images/{seen.image_id}/frame?{urlencode({'turn': turn.id})}"
    if seen.compared and seen.prior_id:
        return Shown(f"/images/{seen.prior_id}/frame", "earlier"), Shown(marked, "current")
    return (Shown(marked),) if seen.boxes or turn.image_id != seen.image_id else ()


def boxes_of(record: Mapping[str, Any] | None, image_id: str) -> tuple[Box, ...]:
    """The regions that a turn's findings name in this very image. A box that cannot be drawn is left out."""
    findings = (record or {}).get("findings")
    its_own = isinstance(findings, Mapping) and findings.get("image_id") == image_id
    listed = findings.get("boxes") if isinstance(findings, Mapping) and its_own else None
    found = [_box(one) for one in listed] if isinstance(listed, (list, tuple)) else []
    return tuple(box for box in found if box is not None)


def _box(one: object) -> Box | None:
    if not isinstance(one, (list, tuple)) or len(one) != 5:
        return None
    *corners, label = one
    if not all(type(each) in (int, float) and 0 <= each <= 100_000 for each in corners):
        return None
    x0, y0, x1, y1 = (float(each) for each in corners)
    return Box(x0, y0, x1, y1, str(label)) if x1 > x0 and y1 > y0 else None
