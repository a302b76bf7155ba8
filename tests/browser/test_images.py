"""Images on the page: shown before they are sent, in the window that the reader chooses, and never by their name."""

from __future__ import annotations

from array import array
from typing import Any

from playwright.sync_api import FilePayload, Locator, Page, expect

from tests.browser.conftest import Check, Tab
from tests.browser.steps import ask
from tests.imaging.phantoms import dataset, saved
from tests.support.images import png

NAME = "Garcia^Maria"
SIDE = 64


def head() -> bytes:
    """Air around a disc of soft tissue with a denser spot, in Hounsfield units."""

    def value(x: int, y: int) -> int:
        far = (x - SIDE // 2) ** 2 + (y - SIDE // 2) ** 2
        return 900 if far < 25 else 40 if far < 700 else -1000

    pixels = array("h", [value(x, y) for y in range(SIDE) for x in range(SIDE)]).tobytes()
    units: dict[str, Any] = {"RescaleSlope": 1, "RescaleIntercept": 0, "RescaleType": "HU"}
    return saved(
        dataset(pixels, SIDE, SIDE, Modality="CT", PatientName=NAME, PatientID="7", PixelRepresentation=1, **units)
    )


def attach(page: Page, name: str, kind: str, data: bytes) -> None:
    file: FilePayload = {"name": name, "mimeType": kind, "buffer": data}
    page.locator("input[type=file]").set_input_files(file)


def decoded(image: Locator) -> None:
    """The browser could draw it."""
    image.evaluate("image => image.decode()")
    assert image.evaluate("image => image.naturalWidth") > 0


def test_a_dicom_image_is_shown_in_the_window_that_is_chosen(tab: Tab, accessible: Check) -> None:
    page = tab("/ask")
    attach(page, f"{NAME}.dcm", "application/dicom", head())
    image = page.locator("#preview img")
    expect(image).to_be_visible()
    expect(page.locator("#preview")).to_contain_text("Text may be burned into the pixels")
    before = image.get_attribute("src")
    page.locator("#preview").get_by_role("button", name="Bone").click()
    expect(page.locator("#preview figcaption")).to_contain_text("centre 480, width 2500")
    expect(image).not_to_have_attribute("src", before or "")
    page.get_by_label("Centre / width").fill("40 / 80")
    expect(page.locator("#preview figcaption")).to_contain_text("centre 40, width 80")
    decoded(image)
    accessible(page)
    turn = ask(page, "Describe the findings in this image")
    expect(turn.locator(".thumb img")).to_be_visible()
    expect(page.locator("#preview img")).to_have_count(0)
    page.reload()
    decoded(page.locator(".thumb img"))
    assert "Garcia" not in page.content()


def test_a_picture_can_be_removed_and_what_is_none_is_refused(tab: Tab) -> None:
    page = tab("/ask")
    attach(page, "maria.png", "image/png", png(40, 30))
    expect(page.locator("#preview img")).to_be_visible()
    page.locator("#preview").get_by_role("button", name="Remove").click()
    expect(page.locator("input[name=image_id]")).to_have_count(0)
    attach(page, "maria.png", "image/png", b"<svg xmlns='http://www.w3.org/2000/svg' onload='alert(1)'/>")
    expect(page.locator("#composer [data-error]")).to_contain_text("not a readable PNG, JPEG or DICOM image")
    assert "maria.png" not in page.content()
