"""The image tool's eyes: a question about an image, put to the vision model that the agent has anyway."""

from __future__ import annotations

from collections.abc import Awaitable, Callable

from docgemma.agent.nodes.input_assembly import look
from docgemma.agent.state import AttachedImage
from docgemma.clinical import Source
from docgemma.errors import UnknownId
from docgemma.llm.contract import LanguageModel
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
