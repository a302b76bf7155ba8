"""Images on the page: only pixels are kept, a window can be chosen, and what was seen is drawn and told in words."""

from __future__ import annotations

import io
from array import array
from typing import Any

import httpx2 as httpx
import pytest
from pydicom.dataset import Dataset, FileMetaDataset
from pydicom.uid import UID, CTImageStorage, ExplicitVRLittleEndian

from docgemma.errors import BadInput
from docgemma.server.context import Site
from docgemma.server.pages.language import translator
from docgemma.server.pages.picture import Box, Picture, boxes_of, typed
from docgemma.server.pages.templating import environment
from tests.support.images import png

PART = {"X-Fragment": "1", "Accept": "text/html"}
NAME = "Garcia^Maria"


def ct(frames: int = 1) -> bytes:
    """A slice of 8 × 8 values from air to bone, with a patient's name in its header."""
    values = array("h", [-1000 + 40 * place for place in range(64)] * frames)
    file = Dataset()
    file.file_meta = FileMetaDataset()
    file.file_meta.TransferSyntaxUID = ExplicitVRLittleEndian
    file.file_meta.MediaStorageSOPClassUID = file.SOPClassUID = CTImageStorage
    file.file_meta.MediaStorageSOPInstanceUID = file.SOPInstanceUID = UID("1.2.3")
    file.PatientName, file.PatientID, file.Modality, file.BurnedInAnnotation = NAME, "MRN-77", "CT", "YES"
    file.Rows = file.Columns = 8
    file.BitsAllocated = file.BitsStored = 16
    file.HighBit, file.PixelRepresentation, file.SamplesPerPixel = 15, 1, 1
    file.PhotometricInterpretation = "MONOCHROME2"
    file.RescaleSlope, file.RescaleIntercept, file.RescaleType = 1, 0, "HU"
    file.NumberOfFrames = frames
    file.PixelData = values.tobytes()
    buffer = io.BytesIO()
    file.save_as(buffer, enforce_file_format=True)
    return buffer.getvalue()


def image_id(html: str) -> str:
    return html.partition('name="image_id" value="')[2].partition('"')[0]


async def test_an_image_opens_a_conversation_and_comes_back_clean(client: httpx.AsyncClient, site: Site) -> None:
    answer = await client.post("/images", content=png(), headers=PART)
    assert answer.status_code == 201
    session, ident = answer.headers["x-session"], image_id(answer.text)
    assert answer.headers["x-page"] == f"/sessions/{session}"
    shown = await client.get(f"/images/{ident}")
    assert (shown.headers["content-type"], shown.headers["x-content-type-options"]) == ("image/png", "nosniff")
    assert "no-store" in shown.headers["cache-control"]
    again = (await client.post(f"/sessions/{session}/images", content=png())).json()
    assert (again["id"], again["session_id"], again["windows"]) == (ident, session, [])
    assert (await client.get(f"/images/{ident}/view", params={"window": "bone"})).status_code == 400
    assert (await site.app.store.get_image(ident)).session_id == session


async def test_what_is_no_image_is_refused_and_leaves_nothing_behind(client: httpx.AsyncClient, site: Site) -> None:
    for body in (b"", b"<svg xmlns='http://www.w3.org/2000/svg'/>", b"%PDF-1.7", png()[:40]):
        answer = await client.post("/images", content=body, headers=PART)
        assert (answer.status_code, list(answer.json())) == (400, ["error"]), body
    assert await site.app.store.list_sessions("local") == ()
    assert (await client.post("/sessions/nosession/images", content=png())).status_code == 404
    assert (await client.get("/images/img-0")).status_code == 404


async def test_a_dicom_slice_is_shown_in_the_window_that_was_chosen(client: httpx.AsyncClient) -> None:
    made = await client.post("/images", content=ct(frames=2), headers=PART)
    html, ident = made.text, image_id(made.text)
    for words in ("Frame 1 of 2", "burned into the pixels", "Lung", "Bone", "not kept"):
        assert words in html, words
    first = (await client.get(f"/images/{ident}")).content
    lung = await client.get(f"/images/{ident}/view", params={"window": "lung"})
    own = await client.get(f"/images/{ident}/view", params={"centre": -600, "width": 1500})
    assert lung.headers["content-type"] == "image/png" and lung.content == own.content != first
    frame = (await client.get(f"/images/{ident}/frame", params={"q": "-600 / 1500"}, headers=PART)).text
    assert "centre=-600.0&amp;width=1500.0" in frame and "centre -600, width 1500 HU" in " ".join(frame.split())
    half = (await client.get(f"/images/{ident}/frame", params={"q": "-600 /"}, headers=PART)).text
    assert f'src="/images/{ident}"' in half and "for example 40 / 400" in half
    for words in ("Garcia", "MRN-77"):
        assert words not in html + frame and words.encode() not in first + lung.content
    for wrong in ({"window": "nose"}, {"centre": 1}, {"centre": 1, "width": 0}):
        assert (await client.get(f"/images/{ident}/view", params=wrong)).status_code == 400, wrong


async def test_the_page_says_which_frames_a_model_is_shown(client: httpx.AsyncClient) -> None:
    part = (await client.post("/images", content=ct(frames=20), headers=PART)).text
    assert "Frame 1 of 20 is shown here. A model is shown frames 1, 4, 6, 9, 12, 15, 17, 20." in part
    told = (await client.post("/images", content=ct(frames=20))).json()
    assert told["frames"] == [1, 4, 6, 9, 12, 15, 17, 20]
    assert (await client.post("/images", content=ct())).json()["frames"] == []


@pytest.mark.parametrize(
    ("record", "found"),
    [
        (None, ()),
        ({}, ()),
        ({"findings": {"image_id": "img-1", "boxes": [[1, 2, 3.5, 4, "nodule"]]}}, (Box(1, 2, 3.5, 4, "nodule"),)),
        ({"findings": {"image_id": "img-2", "boxes": [[1, 2, 3.5, 4, "nodule"]]}}, ()),
        (
            {"findings": {"image_id": "img-1", "boxes": [[1, 2, 1, 4, "flat"], [1, 2, 3], "x", [True, 0, 1, 1, "no"]]}},
            (),
        ),
        ({"findings": {"image_id": "img-1", "boxes": [[-1, 0, 2, 2, "outside"], [0, 0, float("nan"), 1, "nan"]]}}, ()),
        ({"findings": "words"}, ()),
    ],
    ids=["no record", "no findings", "one", "of another image", "odd shapes", "odd numbers", "words"],
)
def test_regions_are_read_where_a_record_has_them(record: dict[str, Any] | None, found: tuple[Box, ...]) -> None:
    assert boxes_of(record, "img-1") == found


def test_regions_are_drawn_in_the_pixels_of_the_image_and_told_in_words() -> None:
    shown = Picture("img-1", 640, 480, "/images/img-1", boxes=(Box(10, 20, 110, 220, "opacity <right>"),))
    html = environment().get_template("part/picture.html").render(_=translator("en"), picture=shown)
    assert 'viewBox="0 0 640 480"' in html and 'x="10" y="20" width="100" height="200"' in html.replace(".0", "")
    assert "<li>opacity &lt;right&gt;</li>" in html and "style" not in html


@pytest.mark.parametrize(
    ("text", "window"),
    [("40/400", (40, 400)), (" -600 / 1500 ", (-600, 1500)), ("−600/1500", (-600, 1500)), ("0.5/1e3", (0.5, 1000))],
    ids=["plain", "spaces", "minus sign", "fractions"],
)
def test_a_window_is_read_as_people_type_it(text: str, window: tuple[float, float]) -> None:
    assert typed(text) == window


@pytest.mark.parametrize("text", ["", "40", "40/", "a/b", "nan/1", "1/inf", "40/400/2"])
def test_half_a_window_is_none(text: str) -> None:
    with pytest.raises(BadInput):
        typed(text)


async def test_an_image_before_the_first_question_is_about_the_patient_on_the_screen(
    client: httpx.AsyncClient, site: Site
) -> None:
    answer = await client.post("/images", params={"patient_id": "abc-123"}, content=png())
    patient = (await site.app.store.get_session(answer.json()["session_id"])).patient
    assert patient is not None
    assert (patient.id, patient.confirmed) == ("abc-123", True)
    before = len(await site.app.store.list_sessions("local"))
    assert (await client.post("/images", params={"patient_id": "nobody"}, content=png())).status_code == 404
    assert len(await site.app.store.list_sessions("local")) == before
