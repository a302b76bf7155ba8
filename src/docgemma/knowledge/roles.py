"""For whom entries are written: each role has entries, topics and a tone of its own, and sees no other role's."""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from docgemma.clinical import Frozen
from docgemma.entities.printable import printable
from docgemma.errors import UnknownId
from docgemma.knowledge.entry import ROLE

Audience = Literal["patient", "professional"]


class Role(Frozen):
    """`persona` tells a model in which tone to explain; it never adds facts."""

    id: str = Field(pattern=f"^{ROLE}$")
    audience: Audience
    name_en: str = Field(min_length=1, max_length=80)
    name_vi: str = Field(min_length=1, max_length=80)
    persona: str = Field(min_length=1, max_length=600)


SHIPPED: tuple[Role, ...] = (
    Role(
        id="patient_diabetes",
        audience="patient",
        name_en="Person with diabetes",
        name_vi="Người bệnh đái tháo đường",
        persona="a diabetes educator who explains to a patient in short, warm, plain sentences and sends them to their "
        "care team for anything about their own treatment",
    ),
    Role(
        id="patient_dental",
        audience="patient",
        name_en="Dental patient",
        name_vi="Người bệnh nha khoa",
        persona="a dental hygienist who explains to a patient in short, calm, plain sentences and sends them to their "
        "dentist for anything about their own teeth",
    ),
    Role(
        id="nurse",
        audience="professional",
        name_en="Nurse",
        name_vi="Điều dưỡng",
        persona="a senior nurse who briefs a colleague: precise, practical, in the order in which things are done",
    ),
    Role(
        id="general_practitioner",
        audience="professional",
        name_en="General practitioner",
        name_vi="Bác sĩ đa khoa",
        persona="an experienced physician who briefs a colleague: precise, terse, with the thresholds of the entries",
    ),
)
"""What is there before an operator adds roles of their own."""


def unknown_role(role: str, known: tuple[str, ...]) -> UnknownId:
    asked = "".join(char for char in " ".join(printable(role).split()) if char.isprintable())
    return UnknownId(f"There is no role '{asked[:40]}'. The roles are: {', '.join(known)}.")
