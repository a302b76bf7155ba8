"""The images of the store as a turn gets them: drawn for a model, with their facts and what was seen in them before."""

from __future__ import annotations

import base64
import binascii
import hashlib
import json
import logging
from dataclasses import replace
from datetime import UTC, datetime
from functools import cache, cached_property
from importlib.resources import files

from pydantic import ValidationError

from docgemma.agent.state import AttachedImage
from docgemma.agent.vision.schemas import ImageComparison, ImageFindings
from docgemma.agent.vision.seen import Seen, same_words
from docgemma.errors import BadInput, DocGemmaError, UnknownId
from docgemma.imaging import ImageFacts, describe, from_stored, inspect, present, to_stored
from docgemma.imaging.geometry import FRAMES
from docgemma.llm.contract import Image
from docgemma.llm.schema import json_schema
from docgemma.store.findings import ANY, Eyes, FindingsStore
from docgemma.store.ids import unknown
from docgemma.store.rows import Turn, stamp
from docgemma.store.sessions import Store

log = logging.getLogger(__name__)

NO_MODEL = "rules"
LOOKED_BACK = 50
"""Turns in which an image is looked for that a message takes up again."""

NOT_DRAWN = "The image could not be drawn for the model."
_PROMPTS = ("input_assembly", "image_comparison")


class Album:
    """Puts images into the store and takes them out for `model`. What it saw in one is seen only once."""

    def __init__(self, store: Store, model: str) -> None:
        self._store = store
        self._findings = FindingsStore(store.database)
        self._model = model
        self._blind = model == NO_MODEL

    @cached_property
    def _eyes(self) -> Eyes:
        """Who looks, and with which words: read when the first image comes."""
        return Eyes(self._model, looked_with())

    async def put(self, session_id: str, image: ImageFacts) -> str:
        return await self._store.put_image(session_id, image.media_type, image.data, **to_stored(image))

    async def holds_any(self, session_id: str) -> bool:
        """Whether an image was ever sent in this session."""
        return await self._findings.has_image(session_id)

    async def turns(self, session_id: str) -> tuple[Turn, ...]:
        """The turns of the session in which an earlier image is looked for."""
        return await self._store.turns(session_id, limit=LOOKED_BACK)

    async def since(self, image_id: str) -> str:
        """When the image first came into the store."""
        return (await self._store.get_image(image_id)).created_at

    async def check(self, image_id: str, session_id: str | None) -> None:
        """An image that a door names must be one of the session's own."""
        if session_id is None or (await self._store.get_image(image_id)).session_id != session_id:
            raise unknown("image", image_id)

    async def image(
        self, image_id: str, question: str = ANY, *, prior_id: str = "", earlier: bool = False
    ) -> AttachedImage:
        """The image with what was seen in it: for this question, else first; of a pair only what was seen in both.

        Drawn only where nothing was: what is known is not looked at again.
        """
        known = await self.recall(image_id, question, prior_id=prior_id)
        if known is None and not prior_id:
            known = await self.recall(image_id)
        stored = from_stored(await self._store.get_image(image_id))
        blind = self._blind or known is not None
        return await drawn(image_id, stored, blind=blind, known=known, earlier=earlier)

    async def picture(self, image_id: str) -> AttachedImage:
        """The image drawn for a question that goes into detail."""
        stored, known = from_stored(await self._store.get_image(image_id)), await self.recall(image_id)
        return await drawn(image_id, stored, blind=self._blind, known=known)

    async def recall(self, image_id: str, question: str = ANY, *, prior_id: str = "") -> Seen | None:
        """What was seen in it before; a row that this program cannot read is looked at again."""
        if self._blind:
            return None
        asked = same_words(question) if question else ANY
        try:
            found = await self._findings.find(self._eyes, image_id, prior_id, asked)
            return Seen.model_validate(found) if found is not None else None
        except (DocGemmaError, ValidationError) as error:
            log.warning("what was seen in an image cannot be read: %s", type(error).__name__)
            return None

    async def keep(self, seen: Seen) -> None:
        """A store that does not take it is no reason to lose the answer: the next question looks again."""
        asked, body, now = same_words(seen.asked), seen.model_dump(mode="json"), stamp(datetime.now(UTC))
        try:
            await self._findings.keep(self._eyes, seen.image_id, seen.prior_id, asked, body, now)
        except DocGemmaError as error:
            log.warning("what was seen in an image was not kept: %s", type(error).__name__)


async def drawn(
    image_id: str, image: ImageFacts, *, blind: bool = False, known: Seen | None = None, earlier: bool = False
) -> AttachedImage:
    """An image with its pictures for a model. Where nobody would look none are drawn: that takes a process."""
    modality = image.dicom.modality if image.dicom is not None else ""
    bare = AttachedImage(image_id, modality=modality, facts=describe(image), earlier=earlier, known=known)
    if blind:
        return bare
    try:
        shown = await present(image, most=FRAMES)
    except BadInput as error:
        log.warning("an image was not drawn: %s", type(error).__name__)
        return replace(bare, facts=(*bare.facts, NOT_DRAWN), known=None)
    pictures = tuple(Image("image/png", picture) for picture in shown.pictures)
    return replace(bare, pictures=pictures, frames=shown.frames, square=shown.square, facts=describe(image, shown))


async def from_data_url(reference: str) -> AttachedImage:
    """An image that came with the call itself: the only kind a caller from outside may name."""
    head, comma, body = reference.partition(",")
    if not (comma and head.startswith("data:image/") and head.endswith(";base64")):
        raise UnknownId("There is no such image.")
    try:
        data = base64.b64decode(body, validate=True)
    except binascii.Error:
        raise BadInput("The image's data URL is not valid base64.") from None
    return await drawn("", await inspect(data))


@cache
def looked_with() -> str:
    """One hash over what a vision model is told and may answer: with other words it would see something else."""
    found = hashlib.sha256()
    folder = files("docgemma.agent").joinpath("prompts")
    for name in _PROMPTS:
        found.update(folder.joinpath(f"{name}.md").read_bytes() + b"\0")
    for schema in (ImageFindings, ImageComparison):
        found.update(json.dumps(json_schema(schema), sort_keys=True).encode() + b"\0")
    return found.hexdigest()[:16]
