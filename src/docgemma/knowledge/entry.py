"""One curated question with its answer. What a person wrote and another may have reviewed; no model ever makes one."""

from __future__ import annotations

import json
from typing import Annotated, Literal

from pydantic import Field, StringConstraints

from docgemma.clinical import Frozen
from docgemma.seal import CONTENT

Language = Literal["en", "vi"]

ID = r"[A-Za-z0-9][A-Za-z0-9._:-]{0,79}"
ROLE = r"[a-z][a-z0-9_]{1,39}"
LONGEST_QUESTION, LONGEST_ANSWER, LONGEST_TOPIC, LONGEST_SOURCE, LONGEST_URL = 1_000, 40_000, 120, 300, 1_000

Text = Annotated[str, StringConstraints(strip_whitespace=True, min_length=1)]


class Entry(Frozen):
    """`id` stays when the text changes: then it is a new version of the same entry."""

    id: str = Field(pattern=f"^{ID}$")
    question: Text = Field(max_length=LONGEST_QUESTION)
    answer: Text = Field(max_length=LONGEST_ANSWER)
    role: str = Field(pattern=f"^{ROLE}$", description="Whom it was written for; nobody else is shown it")
    topic: Text = Field(max_length=LONGEST_TOPIC)
    subtopic: str = Field(default="", max_length=LONGEST_TOPIC)
    language: Language
    source: Text = Field(max_length=LONGEST_SOURCE)
    url: str = Field(default="", max_length=LONGEST_URL, pattern=r"^(?:https?://\S+)?$")
    reviewed: str = Field(
        default="", pattern=r"^(?:\d{4}-\d{2}-\d{2})?$", description="When a clinician last read it; empty: nobody did"
    )
    demonstration: bool = Field(default=False, description="Ships with the program, reviewed by nobody")

    @property
    def digest(self) -> str:
        """The same for the same content, whatever file and row it came from."""
        fields = json.dumps(self.model_dump(exclude={"id"}, exclude_defaults=True), ensure_ascii=False, sort_keys=True)
        return CONTENT.of(fields)


def id_from(role: str, language: str, question: str) -> str:
    """For a row that brings no id: the same question to the same people is the same entry, also with a new answer."""
    key = "\n".join((role, language, " ".join(question.casefold().split())))
    return f"q-{CONTENT.of(key)[:16]}"
