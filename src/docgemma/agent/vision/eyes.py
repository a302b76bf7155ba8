"""The image tool's eyes: a question about an image, put to the vision model that the agent has anyway."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Protocol

from docgemma.agent.state import AttachedImage
from docgemma.agent.vision.looking import look, mark
from docgemma.agent.vision.questions import asks_to_compare, asks_where
from docgemma.agent.vision.seen import Seen, not_looked_at
from docgemma.errors import BadInput, UnknownId
from docgemma.llm.contract import LanguageModel
from docgemma.tools.results import ImageReport

FindImage = Callable[[str], Awaitable[AttachedImage]]

NOT_MARKED = "The model marked no place in the image."
MARKED = "Marked regions are the model's guess: hints where to look, not measurements."


class Memory(Protocol):
    """What was seen before. Images that come with a call from outside have none."""

    async def recall(self, image_id: str, question: str = "", *, prior_id: str = "") -> Seen | None: ...

    async def keep(self, seen: Seen) -> None: ...


class ModelVision:
    """Answers with findings that ask for a specialist's review, or says that nobody looked."""

    def __init__(self, llm: LanguageModel, find_image: FindImage, memory: Memory | None = None) -> None:
        self._llm = llm
        self._find_image = find_image
        self._memory = memory

    async def __call__(self, query: str, image: str, prior: str | None = None, context: str = "") -> ImageReport:
        try:
            current = await self._find_image(image)
            before = await self._find_image(prior) if prior is not None else None
        except UnknownId:
            return ImageReport(status="invalid", error_type="missing_required_args", missing=("image",))
        except BadInput as error:
            return ImageReport(status="invalid", error_type="invalid_args", message=str(error))
        seen = await self._seen(query, current, before, context)
        if seen is None:
            return not_looked_at(current.facts)
        if asks_where(query):
            seen = await self._marked(query, current, seen)
        return seen.report(current.facts)

    async def _seen(self, query: str, image: AttachedImage, prior: AttachedImage | None, context: str) -> Seen | None:
        """From memory where this was asked of this image before, else by looking. Where a thing lies needs no second
        look at what it is, and one image alone no comparison.
        """
        memory = self._memory
        if memory is None or context:
            return await look(self._llm, image, query, prior=prior, context=context)
        if before := await memory.recall(image.id, query, prior_id=prior.id if prior else ""):
            return before
        known = await memory.recall(image.id)
        enough = known is not None and (known.serves(query) or asks_where(query) or asks_to_compare(query))
        if known is not None and enough and prior is None:
            return known.for_another(query)
        seen = await look(self._llm, image, query, prior=prior, known=known)
        if seen is not None:
            await memory.keep(seen)
        return seen

    async def _marked(self, query: str, image: AttachedImage, seen: Seen) -> Seen:
        """With boxes. They are asked for anew each time: the findings are what is expensive to get right."""
        regions, flagged = await mark(self._llm, image, query, seen)
        return seen.model_copy(
            update={
                "regions": regions,
                "flagged": seen.flagged + flagged,
                "warnings": (*seen.warnings, MARKED if regions else NOT_MARKED),
            }
        )
