"""Images on the page: shown before they are sent, in the window that the reader chooses, and never by their name."""

from __future__ import annotations

from array import array
from collections.abc import Iterator
from typing import Any

import pytest
from playwright.sync_api import FilePayload, Locator, Page, expect

from tests.browser.conftest import Check, Tab
from tests.browser.steps import ask
from tests.imaging.phantoms import dataset, saved
from tests.support.images import png
from tests.support.vision_server import Eyes
from tests.support.web_server import WebServer, model_beside

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


@pytest.fixture(scope="module")
def with_eyes(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[WebServer, Eyes]]:
    """The page in front of a vision model."""
    eyes = Eyes(says="There is a small effusion on the left.")
    with (
        model_beside(eyes) as environment,
        WebServer(tmp_path_factory.mktemp("eyes"), environment=environment) as server,
    ):
        yield server, eyes


def test_what_was_seen_is_marked_on_the_image_and_compared_with_the_one_before(
    tab: Tab, accessible: Check, with_eyes: tuple[WebServer, Eyes]
) -> None:
    server, eyes = with_eyes
    page = tab("/ask", url=server.url)
    attach(page, "old.png", "image/png", png(80, 40))
    expect(page.locator("#preview img")).to_be_visible()
    first = ask(page, "Is there an effusion?")
    expect(first).to_contain_text("small effusion on the left")
    expect(first).to_contain_text("specialist")
    expect(first.locator(".picture")).to_have_count(0)
    marked = ask(page, "Where is the effusion?")
    box = marked.locator("svg.picture-boxes rect")
    expect(box).to_have_count(1)
    assert [box.get_attribute(name) for name in ("x", "y", "width", "height")] == ["20.0", "20.0", "20.0", "20.0"]
    expect(marked.locator(".box-list li")).to_have_text(["left effusion"])
    expect(marked).to_contain_text("image that was sent earlier in this conversation (PNG, 80 × 40)")
    decoded(marked.locator(".picture img"))
    accessible(page)
    attach(page, "new.png", "image/png", png(40, 80))
    expect(page.locator("#preview img")).to_be_visible()
    compared = ask(page, "What has changed since the previous film?")
    expect(compared.get_by_role("heading", name="Earlier image")).to_be_visible()
    expect(compared.locator(".picture img")).to_have_count(2)
    assert [sent.schema for sent in eyes.shown] == ["ImageFindings", "ImageRegions", "ImageComparison"]
    page.reload()
    expect(page.locator("svg.picture-boxes rect")).to_have_count(1)
    accessible(page)


def test_a_picture_can_be_removed_and_what_is_none_is_refused(tab: Tab) -> None:
    page = tab("/ask")
    attach(page, "maria.png", "image/png", png(40, 30))
    expect(page.locator("#preview img")).to_be_visible()
    page.locator("#preview").get_by_role("button", name="Remove").click()
    expect(page.locator("input[name=image_id]")).to_have_count(0)
    attach(page, "maria.png", "image/png", b"<svg xmlns='http://www.w3.org/2000/svg' onload='alert(1)'/>")
    expect(page.locator("#composer [data-error]")).to_contain_text("not a readable PNG, JPEG or DICOM image")
    assert "maria.png" not in page.content()
