"""A fake server with a vision model: it keeps the exact request, looks at the pictures, and can be rude.

`Eyes` is the handler of a `ModelServer`. What it answers for each schema can be set; what it was shown is in `shown`.
"""

from __future__ import annotations

import base64
import io
import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

from PIL import Image

from tests.support.images import xray
from tests.support.model_server import Answer, Json, failing, obedient, schema_name

Rude = Literal["", "refuses", "refuses with 500", "one at a time", "hangs", "garbage", "nothing", "blind", "down"]

NO_EYES = b'{"object": "error", "message": "medgemma-text is not a multimodal model", "code": 400}'
NO_PROJECTOR = b'{"error": {"code": 500, "message": "image input is not supported - hint: provide the mmproj"}}'
ONE_ONLY = b'{"object": "error", "message": "At most 1 image(s) may be provided in one prompt.", "code": 400}'


@dataclass(frozen=True)
class Shown:
    """One request with images: their types, sizes and pixels in order, and the words that went with them."""

    schema: str
    media_types: tuple[str, ...]
    pictures: tuple[Image.Image, ...]
    text: str
    raw: bytes
    body: Json

    @property
    def sizes(self) -> list[tuple[int, int]]:
        return [picture.size for picture in self.pictures]


@dataclass
class Eyes:
    """Answers questions with images by `sees`, writes what it `says`, and decides everything else as it may."""

    rude: Rude = ""
    sees: dict[str, Json] = field(default_factory=dict)
    says: str = "The image shows what is listed above."
    intent: Mapping[str, Any] = field(
        default_factory=lambda: {"intent": "TOOL_NEEDED", "task_summary": "An image", "suggested_tool": None}
    )
    shown: list[Shown] = field(default_factory=list)
    asked: list[str] = field(default_factory=list)

    def __call__(self, body: Json) -> Answer:
        name = schema_name(body)
        self.asked.append(name)
        pictures = _pictures(body)
        if pictures:
            self.shown.append(_shown(name, body, pictures))
            return self._look(name, len(pictures))
        if name == "IntentClassification":
            return Answer(json.dumps(self.intent))
        return Answer(self.says) if name == "text" else obedient(body)

    def _look(self, name: str, count: int) -> Answer:
        rude: dict[str, Callable[[], Answer]] = {
            "refuses": lambda: Answer(status=400, body=NO_EYES),
            "refuses with 500": lambda: Answer(status=500, body=NO_PROJECTOR),
            "hangs": lambda: Answer(delay_s=3600),
            "garbage": lambda: Answer("I like turtles <unused94>thought"),
            "nothing": lambda: Answer(json.dumps(EMPTY[name])),
            "blind": lambda: Answer(json.dumps(ANSWERS[name] | {"findings": ["No image was provided."]})),
            "down": lambda: failing(503),
        }
        if self.rude == "one at a time":
            return Answer(status=400, body=ONE_ONLY) if count > 1 else self._seen(name)
        return rude[self.rude]() if self.rude else self._seen(name)

    def _seen(self, name: str) -> Answer:
        return Answer(json.dumps(self.sees.get(name, ANSWERS[name])))


ANSWERS: dict[str, Json] = {
    "ImageFindings": xray("Small left pleural effusion", "Heart of normal size", impression="A small left effusion."),
    "ImageComparison": {
        "change": "improved",
        "image_type": "chest_xray",
        "changes": ["The left effusion is smaller"],
        "findings": ["Trace of fluid in the left costophrenic angle"],
        "impression": "The effusion has become smaller.",
        "confidence": "high",
    },
    "ImageRegions": {"visible": "yes", "regions": [{"box_2d": [500, 250, 750, 500], "label": "left effusion"}]},
}
EMPTY: dict[str, Json] = {
    "ImageFindings": {"image_type": "unknown", "findings": [], "impression": " ", "confidence": "high"},
    "ImageComparison": ANSWERS["ImageComparison"] | {"changes": [], "findings": [], "impression": ""},
    "ImageRegions": {"visible": "no", "regions": []},
}


def _pictures(body: Json) -> list[str]:
    parts = [message["content"] for message in body["messages"] if isinstance(message["content"], list)]
    return [part["image_url"]["url"] for content in parts for part in content if part["type"] == "image_url"]


def _shown(name: str, body: Json, urls: list[str]) -> Shown:
    heads, data = [], []
    for url in urls:
        head, _, encoded = url.partition(";base64,")
        heads.append(head.removeprefix("data:"))
        data.append(base64.b64decode(encoded, validate=True))
    text = []
    for message in body["messages"]:
        content = message["content"]
        text += [content] if isinstance(content, str) else [part["text"] for part in content if part["type"] == "text"]
    pictures = tuple(Image.open(io.BytesIO(each)) for each in data)
    for picture in pictures:
        picture.load()
    return Shown(name, tuple(heads), pictures, "\n".join(text), b"".join(data), body)
