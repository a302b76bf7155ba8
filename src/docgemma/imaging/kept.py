"""An image on its way into the store and back. The store keeps these bytes and knows nothing of what they mean."""

from __future__ import annotations

import json
from typing import Protocol, TypedDict, cast

from docgemma.imaging.facts import DicomFacts, Frame, ImageFacts


class Kept(Protocol):
    """A stored image, as far as it matters here."""

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


class Keep(TypedDict):
    """What the store is given of an image beside its type and its pixels."""

    width: int
    height: int
    facts: str
    depth: bytes | None
    frames: bytes | None


def to_keep(image: ImageFacts) -> Keep:
    """`put_image(session, image.media_type, image.data, **to_keep(image))`."""
    return {
        "width": image.width,
        "height": image.height,
        "facts": json.dumps(image.dicom.as_dict(), sort_keys=True) if image.dicom is not None else "",
        "depth": image.depth,
        "frames": _packed(image.frames) if image.frames else None,
    }


def from_kept(stored: Kept) -> ImageFacts:
    """The image as it was given. Facts and frames that this program does not understand are left out."""
    facts = dicom_facts(stored.facts)
    return ImageFacts(
        media_type="image/jpeg" if stored.media_type == "image/jpeg" else "image/png",
        width=stored.width,
        height=stored.height,
        data=stored.data,
        depth=stored.depth if facts is not None else None,
        dicom=facts,
        frames=_unpacked(stored.frames) if facts is not None and stored.frames else (),
    )


def dicom_facts(told: str) -> DicomFacts | None:
    """None for an image that was no DICOM file, and for facts that this program does not understand."""
    if not told:
        return None
    try:
        return DicomFacts.from_dict(json.loads(told))
    except ValueError:
        return None


def _packed(frames: tuple[Frame, ...]) -> bytes:
    """A line that says where each frame is, then the frames."""
    head = [[each.number, len(each.picture)] for each in frames]
    return json.dumps(head).encode() + b"\n" + b"".join(each.picture for each in frames)


def _unpacked(packed: bytes) -> tuple[Frame, ...]:
    head, _, body = packed.partition(b"\n")
    found, at = [], 0
    try:
        for number, size in cast(list[tuple[int, int]], json.loads(head)):
            found.append(Frame(number, body[at : at + size]))
            at += size
    except (ValueError, TypeError):
        return ()
    return tuple(found)
