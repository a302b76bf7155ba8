"""Whose image it is: what a message says of somebody else's film never becomes the patient's on screen."""

from __future__ import annotations

from pathlib import Path

import pytest

from docgemma.agent.record import TurnRecord
from docgemma.agent.vision.album import Album
from docgemma.agent.vision.choosing import NAMES_ANOTHER, OF_ANOTHER, SENT_FOR_ANOTHER, names_another
from docgemma.clinical import Patient
from docgemma.imaging import inspect
from tests.support.charts import put_demo_charts
from tests.support.eyed import Clinic, with_eyes
from tests.support.images import png
from tests.support.reading import understood
from tests.support.tables import each_of

MARIA, JOHN = "def-456", "abc-123"
WIDE, TALL = png(80, 40), png(40, 80)
THAT = "Is there a fracture on that film?"


OWN = Patient(id=MARIA, banner="Maria Garcia, born 1961-07-03, female")


@each_of(
    ("said", "another"),
    [
        ("This is John Smith's chest x-ray.", True),
        ("Smith’s CXR", True),
        ("JONES' chest film", True),
        ("Nguyễn Văn An's CT: bleed?", True),
        ("film from mrs jones in bed 3", True),
        ("film: pt Okafor 64M", True),
        ("x-ray of abc-123", True),
        ("Maria Garcia's film and Anna Holm's film", True),
        ("This is Maria's film.", False),
        ("Is that Maria García's film?", False),
        ("DEF-456 film", False),
        ("Is there a Boxer's fracture on this film?", False),
        ("What's wrong with the patient's knee film?", False),
        ("Today's film: any change?", False),
        ("It's a chest film", False),
        ("X-ray of Left Knee, any fracture?", False),
        ("Dr Jones wants to know if the tube is in place", False),
    ],
)
def test_whom_a_message_calls_the_owner(said: str, another: bool) -> None:
    assert names_another(understood(said), OWN) is another


@pytest.fixture
def ward(tmp_path: Path) -> Path:
    """A home with the fictional patients."""
    put_demo_charts(tmp_path)
    return tmp_path


async def switched(clinic: Clinic) -> TurnRecord:
    await clinic.ask("Find patient John Smith and check his chart")
    record = await clinic.ask("yes")
    assert record.patient is not None
    assert record.patient.id == JOHN
    return record


@pytest.mark.parametrize(
    "said",
    [
        "This is John Smith's chest x-ray. Any effusion?",
        "x-ray of abc-123, any effusion?",
        "Chest X-ray of John Smith and of Maria Garcia, any effusion?",
    ],
)
async def test_an_image_that_is_called_somebody_elses_is_not_the_patients_on_screen(said: str, ward: Path) -> None:
    async with with_eyes(ward) as clinic:
        await clinic.ask("hello", patient_id=MARIA)
        told = await clinic.ask(said, image=WIDE)
        later = await clinic.ask(THAT)
        compared = await clinic.ask("What has changed since the previous film?", image=TALL)
    assert NAMES_ANOTHER in told.notices
    assert later.findings is None
    assert OF_ANOTHER in later.notices
    assert compared.findings is not None
    assert not compared.findings.compared


@pytest.mark.parametrize("said", ["Is there a fracture on Holm's film?", "Compare this with Anna Holm's earlier film"])
async def test_the_patients_image_is_not_taken_for_somebody_elses(said: str, ward: Path) -> None:
    async with with_eyes(ward) as clinic:
        await clinic.ask("What do you see?", image=WIDE, patient_id=MARIA)
        clinic.shown.clear()
        later = await clinic.ask(said)
        assert clinic.shown == []
    assert later.findings is None


async def test_the_patients_own_name_changes_nothing(ward: Path) -> None:
    async with with_eyes(ward) as clinic:
        told = await clinic.ask("This is Maria Garcia's chest x-ray. Any effusion?", image=WIDE, patient_id=MARIA)
        later = await clinic.ask(THAT)
    assert NAMES_ANOTHER not in told.notices
    assert later.findings is not None


async def test_a_named_image_does_not_become_that_of_whoever_comes_next(ward: Path) -> None:
    async with with_eyes(ward) as clinic:
        await clinic.ask("This is John Smith's chest x-ray. Any effusion?", image=WIDE)
        first = await clinic.ask(f"Show me the chart of patient {MARIA}")
        later = await clinic.ask(THAT)
    assert first.patient is not None
    assert first.patient.id == MARIA
    assert later.findings is None


async def test_a_name_without_anybody_on_screen_keeps_the_conversation_going(ward: Path) -> None:
    async with with_eyes(ward) as clinic:
        first = await clinic.ask("This is John Smith's chest x-ray. Any effusion?", image=WIDE)
        later = await clinic.ask(THAT)
    assert NAMES_ANOTHER not in first.notices
    assert later.findings is not None


async def test_an_image_sent_for_one_patient_is_not_silently_looked_at_for_the_next(ward: Path) -> None:
    """A second window still shows the first patient, with the image attached there."""
    async with with_eyes(ward) as clinic:
        first = await clinic.ask("What do you see?", image=WIDE, patient_id=MARIA)
        assert first.findings is not None
        waiting = await Album(clinic.app.store, "medgemma").put(first.session_id, await inspect(TALL))
        await switched(clinic)
        again = await clinic.ask("Is there a fracture?", image_id=first.findings.image_id)
        attached_before = await clinic.ask("Is there a fracture?", image_id=waiting)
        after = await clinic.ask("Is there a fracture?", image=png(30, 30))
    assert SENT_FOR_ANOTHER in again.notices
    assert SENT_FOR_ANOTHER in attached_before.notices
    assert SENT_FOR_ANOTHER not in after.notices


async def test_the_first_patients_image_is_hers_again_after_switching_back(ward: Path) -> None:
    async with with_eyes(ward) as clinic:
        first = await clinic.ask("What do you see?", image=WIDE, patient_id=MARIA)
        assert first.findings is not None
        await switched(clinic)
        await clinic.ask(f"Show me the chart of patient {MARIA}")
        await clinic.ask("yes")
        record = await clinic.ask("Is there a fracture?", image_id=first.findings.image_id)
    assert record.patient is not None
    assert record.patient.id == MARIA
    assert SENT_FOR_ANOTHER not in record.notices
