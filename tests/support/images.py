"""Small images for tests, made here."""

from __future__ import annotations

import io

from PIL import Image


def png(width: int = 8, height: int = 6) -> bytes:
    buffer = io.BytesIO()
    Image.linear_gradient("L").resize((width, height)).save(buffer, "PNG")
    return buffer.getvalue()


CHEST = png()
