"""What a vision model is shown of an image: square pictures, 8 bits, red, green and blue, nothing but pixels."""

from __future__ import annotations

from dataclasses import dataclass, field

from docgemma.errors import BadInput
from docgemma.imaging.facts import DicomFacts, Frame, ImageFacts
from docgemma.imaging.process import work
from docgemma.imaging.refusals import UNREADABLE
from docgemma.imaging.sampling import MOST_FRAMES, spread
from docgemma.imaging.square import Square, square_for


@dataclass(frozen=True, slots=True)
class Presented:
    """The pictures in the order of their frames, and how to find a place of theirs in the image."""

    pictures: tuple[bytes, ...] = field(repr=False)
    frames: tuple[int, ...]
    """Which frame each picture shows; the first is 1."""
    square: Square
    """Of every picture: all frames of a file have one size."""
    ct_windows: bool = False
    """Whether red, green and blue are three windows of CT numbers, and not colours."""

    @property
    def width(self) -> int:
        return self.square.width

    @property
    def height(self) -> int:
        return self.square.height


async def presented(
    image: ImageFacts, *, most: int = MOST_FRAMES, timeout_s: float = 5, memory_mb: int = 512
) -> Presented:
    """The pictures for a model, at most `most` of them. Raises BadInput when the stored pixels cannot be read.

    A CT slice is shown in three windows at once, as the model was taught; any other image as it stands on the page.
    """
    if most < 1:
        raise BadInput("A model is shown at least one picture.")
    square = square_for(image.width, image.height, image.aspect)
    facts = image.dicom
    ct_windows = facts is not None and facts.hounsfield and image.depth is not None
    frames = image.frames
    if len(frames) > most:
        frames = tuple(frames[index - 1] for index in spread(len(frames), most))
    if not frames or most == 1:  # one picture is the one on the page, not just any
        frames = (await _single(image, facts if ct_windows else None, timeout_s, memory_mb),)
    return Presented(tuple(each.picture for each in frames), tuple(each.number for each in frames), square, ct_windows)


async def _single(image: ImageFacts, ct: DicomFacts | None, timeout_s: float, memory_mb: int) -> Frame:
    number = image.dicom.frame if image.dicom is not None else 1
    order: dict[str, object] = {"width": image.width, "height": image.height, "aspect": image.aspect}
    if ct is None:
        picture = await work("present", order, image.data, timeout_s, memory_mb)
    elif image.depth is None:
        raise BadInput(UNREADABLE)
    else:
        order["values"] = {"slope": ct.slope, "intercept": ct.intercept, "padding": ct.padding}
        picture = await work("present", order, image.depth, timeout_s, memory_mb)
    return Frame(number, picture)
