"""What a vision model may answer. Decision first, every string and list bounded.

One schema for both source documents. The kind of image, the findings, the impression and how sure the model says it is
come from the model. What is not asked: the modality (the file says it, else it follows from the kind of image), and
whether a specialist must look (always). Confidence is one of three words: a number from 0 to 1 out of a 4B model would
look like a measurement, and nothing here calculates with it.
"""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field, WithJsonSchema

from docgemma.agent.schemas import Decision
from docgemma.tools.results import ImageType

MOST_FINDINGS = 8
MOST_REGIONS = 12

Finding = Annotated[str, Field(max_length=160)]
Impression = Annotated[str, Field(max_length=300)]
Change = Literal["improved", "worse", "unchanged", "mixed", "cannot_tell"]


class ImageFindings(Decision):
    """What is seen in one image."""

    image_type: ImageType
    findings: list[Finding] = Field(max_length=MOST_FINDINGS, description="One visible finding each, normal ones too")
    impression: Impression = Field(description="The answer to the question, or the findings in one or two sentences")
    confidence: Literal["high", "medium", "low"]


class ImageComparison(Decision):
    """What is seen in the current of two images, and what became of it since the earlier one."""

    change: Change
    image_type: ImageType
    changes: list[Finding] = Field(max_length=5, description="What is new, gone, larger or smaller than before")
    findings: list[Finding] = Field(max_length=5, description="What the current image shows")
    impression: Impression
    confidence: Literal["high", "medium", "low"]


Thousandth = Annotated[int, WithJsonSchema({"type": "integer", "minimum": 0, "maximum": 1000})]
"""A decoder is held to the range; what a free model writes beside it is cut off by whoever draws it."""


class ImageRegion(BaseModel):
    """A place in the picture, as MedGemma was taught to name it."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    box_2d: list[Thousandth] = Field(
        min_length=4, max_length=4, description="y0, x0, y1, x1 in thousandths of the picture's height and width"
    )
    label: Annotated[str, Field(max_length=80)]


class ImageRegions(Decision):
    """Whether it can be seen at all, then where. Who has to decide that first invents fewer boxes."""

    visible: Literal["yes", "no", "cannot_tell"]
    regions: list[ImageRegion] = Field(max_length=MOST_REGIONS)
