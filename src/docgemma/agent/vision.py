"""The image tool's eyes: a question about an image, put to the vision model that the agent has anyway."""

from __future__ import annotations

import base64
import binascii
from collections.abc import Awaitable, Callable

from docgemma.agent.nodes.input_assembly import look
from docgemma.agent.state import AttachedImage
from docgemma.clinical import Source
from docgemma.errors import BadInput, UnknownId
from docgemma.imaging import inspect
from docgemma.llm.contract import Image, LanguageModel
from docgemma.tools.results import ImageReport

FindImage = Callable[[str], Awaitable[AttachedImage]]


class ModelVision:
    """Answers with findings that ask for a specialist's review, or says that nobody looked."""

    def __init__(self, llm: LanguageModel, find_image: FindImage) -> None:
        self._llm = llm
        self._find_image = find_image

    async def __call__(self, query: str, image: str) -> ImageReport:
        try:
            attached = await self._find_image(image)
        except UnknownId:
            return ImageReport(status="invalid", error_type="missing_required_args", missing=("image",))
        except BadInput as error:
            return ImageReport(status="invalid", error_type="invalid_args", message=str(error))
        found = await look(self._llm, query, attached)
        if found is None:
            message = "No vision model answered, so the image was not looked at."
            return ImageReport(status="unavailable", error_type="service_unavailable", message=message)
        return ImageReport(
            status="found",
            origin="model",
            modality=found.modality,
            findings=found.findings,
            sources=(Source(kind="image", title=f"Attached image ({found.modality})"),),
        )


async def from_data_url(reference: str) -> AttachedImage:
    """An image that came with the call itself: the only kind a caller from outside may name."""
    head, comma, body = reference.partition(",")
    if not (comma and head.startswith("data:image/") and head.endswith(";base64")):
        raise UnknownId("There is no such image.")
    try:
        data = base64.b64decode(body, validate=True)
    except binascii.Error:
        raise BadInput("The image's data URL is not valid base64.") from None
    facts = await inspect(data)
    return AttachedImage("", Image(facts.media_type, facts.data))
