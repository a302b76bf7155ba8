"""The vision call: pictures and facts go out, a decision within a schema comes back.

The specification has the model write freely at temperature 0.3. A constrained decision is made at 0: what is asked for
is a list of findings and not a text, and at 0.3 more answers do not fit their form. The limit of 512 tokens stays; a
comparison has 600.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import replace
from typing import Any

from docgemma.agent.prompts import render
from docgemma.agent.state import AttachedImage
from docgemma.agent.vision.findings import made_as, read_comparison, read_findings, read_regions
from docgemma.agent.vision.requests import asks_to_compare, asks_where
from docgemma.agent.vision.schemas import ImageComparison, ImageFindings, ImageRegions
from docgemma.agent.vision.seen import Memory, Seen, not_looked_at
from docgemma.errors import BadInput, UnknownId
from docgemma.llm.contract import Image, LanguageModel, Prompt
from docgemma.tools.results import ImageReport, Region

MAX_TOKENS = 512
MAX_TOKENS_COMPARED = 600
ALONE = "What does this image show?"
ONE_ALONE = "The model did not take all frames at once; only frame {frame} was looked at."
NOT_COMPARED = "The model did not compare the two images; only the current one was looked at."


async def look_at(
    llm: LanguageModel,
    image: AttachedImage,
    question: str,
    *,
    prior: AttachedImage | None = None,
    known: Seen | None = None,
    context: str = "",
) -> Seen | None:
    """What the model sees, with the question answered in its impression. None: nobody looked.

    `prior` has it compare; `known` is what was seen before, for a question that goes into detail. A server that takes
    fewer images than there are is asked once more with one.
    """
    if not image.pictures:
        return None
    if prior is None and asks_to_compare(question):  # with one image there is nothing to compare: none is made up
        question = ALONE
    if prior is not None and prior.pictures:
        compared = await _compare(llm, prior, image, question, context)
        return compared or _with(await look_at(llm, image, ALONE, known=known, context=context), NOT_COMPARED)
    variables: dict[str, Any] = {
        "message": question,
        "facts": image.facts[:1],
        "known": known.findings if known else (),
        "context": context,
    }
    prompt = render("input_assembly", images=image.pictures, pictures=picture_names(image), **variables)
    found = await _decided(llm, prompt, question, image)
    if found is None and len(image.pictures) > 1:
        one = _middle(image)
        prompt = render("input_assembly", images=one.pictures, pictures=picture_names(one), **variables)
        return _with(await _decided(llm, prompt, question, image), ONE_ALONE.format(frame=one.frames[0]))
    return found


async def mark_regions(
    llm: LanguageModel, image: AttachedImage, question: str, seen: Seen
) -> tuple[tuple[Region, ...], int]:
    """Where the things are that the question asks about, in the image's own pixels, and how many labels were left out
    because they read like orders. Of several frames the one on the page is marked.
    """
    shown = _first(image)
    if image.square is None or not shown.pictures:
        return (), 0
    prompt = render(
        "image_regions", images=shown.pictures, facts=image.facts[:1], known=seen.findings, message=question
    )
    answer = await llm.decide(prompt, ImageRegions, max_tokens=MAX_TOKENS)
    return read_regions(answer, image.square)


async def _decided(llm: LanguageModel, prompt: Prompt, question: str, image: AttachedImage) -> Seen | None:
    answer = await llm.decide(prompt, ImageFindings, max_tokens=MAX_TOKENS)
    return read_findings(answer, image_id=image.id, modality=image.modality, asked=question)


async def _compare(
    llm: LanguageModel, prior: AttachedImage, image: AttachedImage, question: str, context: str
) -> Seen | None:
    """Prior first, then current, one picture of each, both named in the text."""
    before, now = _first(prior), _first(image)
    prompt = render(
        "image_comparison",
        images=(*before.pictures, *now.pictures),
        pictures=("Image 1 is the earlier image.", "Image 2 is the current image."),
        prior_facts=prior.facts[:1],
        facts=image.facts[:1],
        context=context,
        message=question,
    )
    answer = await llm.decide(prompt, ImageComparison, max_tokens=MAX_TOKENS_COMPARED)
    return read_comparison(
        answer,
        image=(image.id, image.modality),
        prior=(prior.id, made_as(prior.modality, prior.known)),
        asked=question,
    )


def picture_names(image: AttachedImage) -> Sequence[str]:
    """Each picture by its place, where there are several."""
    if len(image.pictures) < 2:
        return ()
    return [f"Image {place} is frame {frame}." for place, frame in enumerate(image.frames, 1)]


def nobody_looked(_: object) -> ImageFindings:
    """Without a model nobody looks at an image: nothing rather than a guess."""
    return ImageFindings(image_type="unknown", findings=[], impression="", confidence="low")


def nobody_compared(_: object) -> ImageComparison:
    return ImageComparison(
        change="cannot_tell", image_type="unknown", changes=[], findings=[], impression="", confidence="low"
    )


def nobody_marked(_: object) -> ImageRegions:
    return ImageRegions(visible="cannot_tell", regions=[])


def _first(image: AttachedImage) -> AttachedImage:
    """With the picture of the first frame alone: the one that stands on the page."""
    return replace(image, pictures=image.pictures[:1], frames=image.frames[:1])


def _middle(image: AttachedImage) -> AttachedImage:
    """With one picture alone: the middle of a stack shows more than its end."""
    place = len(image.pictures) // 2
    pictures: tuple[Image, ...] = image.pictures[place : place + 1]
    return replace(image, pictures=pictures, frames=image.frames[place : place + 1])


def _with(seen: Seen | None, warning: str) -> Seen | None:
    return seen.model_copy(update={"warnings": (*seen.warnings, warning)}) if seen else None


FindImage = Callable[[str], Awaitable[AttachedImage]]

NOT_MARKED = "The model marked no place in the image."
MARKED = "Marked regions are the model's guess: hints where to look, not measurements."


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
            return await look_at(self._llm, image, query, prior=prior, context=context)
        if before := await memory.recall(image.id, query, prior_id=prior.id if prior else ""):
            return before
        known = await memory.recall(image.id)
        enough = known is not None and (known.serves(query) or asks_where(query) or asks_to_compare(query))
        if known is not None and enough and prior is None:
            return known.for_another(query)
        seen = await look_at(self._llm, image, query, prior=prior, known=known)
        if seen is not None:
            await memory.keep(seen)
        return seen

    async def _marked(self, query: str, image: AttachedImage, seen: Seen) -> Seen:
        """With boxes. They are asked for anew each time: the findings are what is expensive to get right."""
        regions, flagged = await mark_regions(self._llm, image, query, seen)
        return seen.model_copy(
            update={
                "regions": regions,
                "flagged": seen.flagged + flagged,
                "warnings": (*seen.warnings, MARKED if regions else NOT_MARKED),
            }
        )
