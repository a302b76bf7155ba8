"""An image as bytes: on its way out of the decoder's process, into the store, and back.

The store keeps these bytes and knows nothing of what they mean.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Protocol, TypedDict

from docgemma.imaging.facts import DicomFacts, Frame, ImageFacts


class StoredImage(Protocol):
    """A row of the store, as far as it matters here."""

    @property
    def media_type(self) -> str: ...
    @property
    def data(self) -> bytes: ...
    @property
    def width(self) -> int: ...
    @property
    def height(self) -> int: ...
    @property
    def facts(self) -> str: ...
    @property
    def depth(self) -> bytes | None: ...
    @property
    def frames(self) -> bytes | None: ...


class Stored(TypedDict):
    """What the store is given of an image beside its type and its pixels."""

    width: int
    height: int
    facts: str
    depth: bytes | None
    frames: bytes | None


def to_stored(image: ImageFacts) -> Stored:
    """`put_image(session, image.media_type, image.data, **to_stored(image))`."""
    return {
        "width": image.width,
        "height": image.height,
        "facts": json.dumps(image.dicom.as_dict(), sort_keys=True) if image.dicom is not None else "",
        "depth": image.depth,
        "frames": pack_frames(image.frames) if image.frames else None,
    }


def from_stored(stored: StoredImage) -> ImageFacts:
    """The image as it was given. Facts and frames that this program does not understand are left out."""
    facts = dicom_facts(stored.facts)
    try:
        frames = unpack_frames(stored.frames) if facts is not None and stored.frames else ()
    except (ValueError, TypeError):
        frames = ()
    return ImageFacts(
        media_type="image/jpeg" if stored.media_type == "image/jpeg" else "image/png",
        width=stored.width,
        height=stored.height,
        data=stored.data,
        depth=stored.depth if facts is not None else None,
        dicom=facts,
        frames=frames,
    )


def dicom_facts(text: str) -> DicomFacts | None:
    """None for an image that was no DICOM file, and for facts that this program does not understand."""
    try:
        return DicomFacts.from_dict(json.loads(text)) if text else None
    except ValueError:
        return None


def pack_frames(frames: Sequence[Frame]) -> bytes:
    """A line that says how long each frame is, then the frames."""
    head = [[each.number, len(each.picture)] for each in frames]
    return json.dumps(head).encode() + b"\n" + b"".join(each.picture for each in frames)


def unpack_frames(packed: bytes) -> tuple[Frame, ...]:
    """The frames again. Raises ValueError or TypeError for bytes that are none."""
    head, _, body = packed.partition(b"\n")
    found, at = [], 0
    for number, size in json.loads(head):
        found.append(Frame(number, body[at : at + size]))
        at += size
    return tuple(found)
