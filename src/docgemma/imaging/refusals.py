"""Why an image is refused. The decoder names a reason from this list; the sentence is written here, never there.

A decoder that was taken over can thus choose a sentence but not write one, and no text of a file reaches a person.
"""

from __future__ import annotations

import json
from typing import Literal

from docgemma.errors import BadInput

MAX_BYTES = 20_000_000
MAX_PIXELS = 50_000_000
MAX_DEEP_PIXELS = 30_000_000
"""For a DICOM image: with 16 bits and its copies, more would not fit into the memory it may use."""

MAX_INFLATED = 100_000_000
EXIT = 3
"""The decoder's exit code when it names a reason. With any other code but 0 the file is simply unreadable."""

UNREADABLE = "This file is not a readable PNG, JPEG or DICOM image."
NO_HEADER = "This looks like DICOM data without its file header. Export it again as a DICOM file, or as PNG."
SLOW = "This image took too long to read."
AS_PNG = "Export it as PNG and try again."
AGAIN = "Export it as PNG, or as uncompressed DICOM, and try again."

Reason = Literal["pixels", "deep_pixels", "inflated", "frame", "no_image", "cut", "memory", "syntax", "form"]

SENTENCES: dict[Reason, str] = {
    "pixels": f"This image has more than {MAX_PIXELS // 1_000_000} million pixels.",
    "deep_pixels": f"This DICOM image has more than {MAX_DEEP_PIXELS // 1_000_000} million pixels.",
    "inflated": f"This DICOM file unpacks to more than {MAX_INFLATED // 1_000_000} MB. Export one image of it.",
    "no_image": "This DICOM file holds no image. Choose the file of an image.",
    "cut": "This DICOM image is incomplete: some of its pixels are missing. Export it again.",
    "memory": "This image takes more memory than it may have. Make it smaller, or export a part of it.",
}
SYNTAXES = {
    "1.2.840.10008.1.2.4.51": "JPEG Extended with 12 bits",
    "1.2.840.10008.1.2.4.57": "JPEG Lossless",
    "1.2.840.10008.1.2.4.70": "JPEG Lossless",
    "1.2.840.10008.1.2.4.80": "JPEG-LS",
    "1.2.840.10008.1.2.4.81": "JPEG-LS",
    "1.2.840.10008.1.2.4.92": "JPEG 2000 Part 2",
    "1.2.840.10008.1.2.4.93": "JPEG 2000 Part 2",
    "1.2.840.10008.1.2.4.110": "JPEG XL",
    "1.2.840.10008.1.2.4.111": "JPEG XL",
    "1.2.840.10008.1.2.4.112": "JPEG XL",
    "1.2.840.10008.1.2.4.201": "High-Throughput JPEG 2000",
    "1.2.840.10008.1.2.4.202": "High-Throughput JPEG 2000",
    "1.2.840.10008.1.2.4.203": "High-Throughput JPEG 2000",
    "video": "a video",
    "": "an unknown kind of compression",
}
FORMS = {
    "depth": "neither 8 nor 16 bits for each value",
    "float": "floating-point values",
    "colour": "an unusual colour model",
    "palette": "a segmented colour palette",
}


class Refused(Exception):
    """Raised in the decoder: the file is understood, and cannot be shown. `detail` is a key or a number, no text."""

    def __init__(self, reason: Reason, detail: str | int = "") -> None:
        super().__init__(reason)
        self.encoded = json.dumps({"reason": reason, "detail": detail}).encode()


def refusal(encoded: bytes) -> BadInput:
    """The sentence for a reason that the decoder gave."""
    try:
        given = json.loads(encoded)
        reason, detail = given["reason"], given["detail"]
        if reason == "syntax":
            return BadInput(f"This DICOM image is stored as {SYNTAXES[detail]}, which cannot be read here. {AGAIN}")
        if reason == "form":
            return BadInput(f"This DICOM image is stored with {FORMS[detail]}, which cannot be shown here. {AS_PNG}")
        if reason == "frame":
            count = int(detail)
            choice = "one frame only." if count == 1 else f"{count} frames: choose 1 to {count}."
            return BadInput(f"This image has {choice}")
        return BadInput(SENTENCES[reason])
    except (ValueError, KeyError, TypeError):
        return BadInput(UNREADABLE)
