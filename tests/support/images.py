"""Small images for tests, made here."""

from __future__ import annotations

import io
from typing import Any

from PIL import Image


def png(width: int = 8, height: int = 6) -> bytes:
    buffer = io.BytesIO()
    Image.linear_gradient("L").resize((width, height)).save(buffer, "PNG")
    return buffer.getvalue()


CHEST = png()


def xray(*findings: str, **more: Any) -> dict[str, Any]:
    """What a vision model answers to a chest X-ray."""
    said = {"image_type": "chest_xray", "findings": list(findings), "impression": "", "confidence": "medium"}
    return said | more
