"""Take pictures of the web page as it really is: a demonstration server, a browser, one state after the other.

By default the one picture of the documentation; with --all every main state, to be looked at after a change.
"""

from __future__ import annotations

import argparse
import io
import sys
from array import array
from collections.abc import Callable
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from playwright.sync_api import Browser, FloatRect, Page

ROOT = Path(__file__).resolve().parent.parent
DOCUMENTED = ("page",)
MOST_BYTES = 200_000
_SIDE = 256

STOPPED = "Prescribe amoxicillin 500 mg three times daily by mouth"


def page(tab: Page) -> None:
    """The picture of the documentation: a card that is stopped by an allergy, beside the chart."""
    from tests.browser.steps import prepare

    prepare(tab, "jkl-012", STOPPED)
    _settled(tab)


def ask_empty(tab: Page) -> None:
    tab.goto("/ask")


def ask_answer(tab: Page) -> None:
    from tests.browser.steps import ask

    tab.goto("/ask")
    turn = ask(tab, "Can I give sildenafil with isosorbide mononitrate?")
    turn.locator(".source-list summary").first.click()
    turn.get_by_text("How this was answered").click()
    _settled(tab)


def ask_path(tab: Page) -> None:
    ask_answer(tab)
    tab.get_by_role("button", name="Show the path on the graph").click()
    tab.locator("svg.path").scroll_into_view_if_needed()


def ask_chart(tab: Page) -> None:
    from tests.browser.steps import ask

    tab.goto("/ask?patient=def-456")
    ask(tab, "Show me her chart")
    _settled(tab)


def ask_card(tab: Page) -> None:
    from tests.browser.steps import prepare

    prepare(tab, "jkl-012", STOPPED)
    _settled(tab)


def ask_approved(tab: Page) -> None:
    from tests.browser.steps import decide, prepare

    card = prepare(tab, "abc-123", "Prescribe amlodipine 5 mg once daily")
    decide(card)
    card.get_by_text("Approved by").wait_for()
    _settled(tab)


def clarification(tab: Page) -> None:
    from tests.browser.steps import ask

    tab.goto("/ask")
    ask(tab, "What meds is James Wilson on?")
    _settled(tab)


def patient_panel(tab: Page) -> None:
    tab.goto("/ask?patient=def-456")
    tab.locator(".trend").first.scroll_into_view_if_needed()


def patient_search(tab: Page) -> None:
    tab.goto("/ask")
    tab.get_by_text("Choose a patient").click()
    tab.get_by_label("Name, id or record number").fill("James Wilson")
    tab.locator(".hit").first.wait_for()


def consult_vi(tab: Page) -> None:
    from tests.browser.steps import answer

    tab.goto("/consult?role=patient_diabetes")
    tab.get_by_role("button", name="Tiếng Việt").click()
    tab.goto("/consult?role=patient_diabetes")
    tab.locator("#empty button[data-say]").first.click()
    answer(tab, 0)
    _settled(tab)


def review(tab: Page) -> None:
    tab.goto("/review")
    tab.keyboard.press("r")
    tab.locator(".done").wait_for()


def image(tab: Page) -> None:
    tab.goto("/ask")
    phantom: Any = {"name": "phantom.dcm", "mimeType": "application/dicom", "buffer": _phantom()}
    tab.locator("input[type=file]").set_input_files(phantom)
    tab.locator("#preview").get_by_role("button", name="Lung").click()
    tab.get_by_text("centre -600, width 1500").wait_for()
    tab.locator("#preview img").evaluate("image => image.decode()")
    tab.locator("#preview img").scroll_into_view_if_needed()


def phone(tab: Page) -> None:
    ask_card(tab)


def phone_empty(tab: Page) -> None:
    ask_empty(tab)


def dark(tab: Page) -> None:
    page(tab)


def dark_answer(tab: Page) -> None:
    ask_answer(tab)


def login(tab: Page) -> None:
    tab.goto("/login")


def users(tab: Page) -> None:
    tab.goto("/login?next=/users")
    tab.get_by_label("Name").fill("ada")
    tab.get_by_label("Password").fill("four plain words here")
    tab.get_by_role("button", name="Sign in").click()
    tab.locator("table.users").wait_for()


STATES: tuple[Callable[[Page], None], ...] = (
    page, ask_empty, ask_answer, ask_path, ask_chart, ask_card, ask_approved, clarification, patient_panel,
    patient_search, consult_vi, review, image, phone, phone_empty, dark, dark_answer, login, users,
)  # fmt: skip
WHOLE = (page, dark, ask_answer, ask_path, ask_card, phone, patient_search, review, users)
"""Longer than a screen, and taken from top to bottom."""


def name_of(state: Callable[[Page], None]) -> str:
    return state.__name__.replace("_", "-")


def take(names: list[str], folder: Path) -> None:
    """The pictures of these states, each on a profile of its own."""
    from tests.browser.seeds import ground_into
    from tests.support.browser import launched
    from tests.support.web_server import WebServer

    folder.mkdir(parents=True, exist_ok=True)
    person = {"LOGNAME": "dr.lee"}
    with TemporaryDirectory() as home, launched() as browser:
        ward = WebServer(Path(home) / "ward", environment=person)
        ground_into(ward.home)
        clinic = WebServer(Path(home) / "clinic", environment=person)
        clinic.docgemma("users", "add", "ada", "--role", "admin", "--password-stdin", text="four plain words here")
        with ward, clinic:
            for state in STATES:
                if name_of(state) in names:
                    server = clinic if state in (login, users) else ward
                    path = folder / f"{name_of(state)}.png"
                    path.write_bytes(small(_shot(browser, server.url, state)))
                    sys.stdout.write(f"{path} {path.stat().st_size // 1000} kB\n")


def _shot(browser: Browser, url: str, state: Callable[[Page], None]) -> bytes:
    from tests.support.browser import PHONE, watched

    name = name_of(state)
    options = {
        "viewport": PHONE if name.startswith("phone") else {"width": 1360, "height": 900},
        "color_scheme": "dark" if name.startswith("dark") else "light",
        "locale": "en-GB",
    }
    with watched(browser, url, **options) as tab:
        state(tab)
        tab.mouse.move(0, 0)
        if state in WHOLE:
            _stretch(tab)
        if state in (page, dark):
            return tab.screenshot(animations="disabled", clip=_down_to(tab, "section.card"))
        return tab.screenshot(animations="disabled")


def _down_to(tab: Page, selector: str) -> FloatRect:
    """The page without what comes below this."""
    shown = tab.viewport_size
    box = tab.locator(selector).bounding_box()
    assert shown is not None
    assert box is not None
    return {"x": 0, "y": 0, "width": shown["width"], "height": min(shown["height"], box["y"] + box["height"] + 24)}


def _stretch(tab: Page) -> None:
    """A window as tall as the page: what sticks to an edge of the window is then at the page's own."""
    tab.evaluate("scrollTo(0, 0)")
    width: int = tab.evaluate("innerWidth")
    for _ in range(2):  # a taller window makes room for more
        tall: int = tab.evaluate("document.documentElement.scrollHeight")
        tab.set_viewport_size({"width": width, "height": tall})


def _settled(tab: Page) -> None:
    """Banner and panel follow an answer by requests of their own."""
    tab.wait_for_load_state("networkidle")


def small(png: bytes) -> bytes:
    """With a palette where that is smaller, and never more than the limit: pages are flat, so few colours do."""
    from PIL import Image

    picture = Image.open(io.BytesIO(png)).convert("RGB")
    best = png
    for colours in (256, 128, 64):
        out = io.BytesIO()
        picture.quantize(colours, dither=Image.Dither.NONE).save(out, "PNG", optimize=True)
        best = min(best, out.getvalue(), key=len)
        if len(best) <= MOST_BYTES:
            return best
    raise SystemExit(f"A picture takes {len(best)} bytes; at most {MOST_BYTES} are kept.")


def _phantom() -> bytes:
    """A made-up slice in Hounsfield units: two lungs, a heart, ribs and a vertebra. Nobody's chest."""
    from tests.imaging.phantoms import dataset, saved

    shapes = (
        (128, 140, 110, 88, 40), (128, 140, 104, 82, 20), (82, 132, 42, 58, -820), (176, 132, 40, 56, -800),
        (138, 158, 34, 30, 60), (128, 206, 15, 13, 480), (70, 116, 4, 4, -200), (186, 150, 6, 5, 10),
    )  # fmt: skip

    def value(x: int, y: int) -> int:
        inside = [density for cx, cy, rx, ry, density in shapes if ((x - cx) / rx) ** 2 + ((y - cy) / ry) ** 2 <= 1]
        return (inside[-1] if inside else -1000) + (x * 7 + y * 13) % 23

    pixels = array("h", [value(x, y) for y in range(_SIDE) for x in range(_SIDE)]).tobytes()
    units: dict[str, Any] = {"RescaleSlope": 1, "RescaleIntercept": 0, "RescaleType": "HU", "BodyPartExamined": "CHEST"}
    return saved(dataset(pixels, _SIDE, _SIDE, Modality="CT", PixelRepresentation=1, BurnedInAnnotation="NO", **units))


def main() -> None:
    sys.path.insert(0, str(ROOT))
    known = [name_of(state) for state in STATES]
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--out", type=Path, help="where to; else docs/images, with --all .cache/screenshots")
    parser.add_argument("--all", action="store_true", help="every main state")
    parser.add_argument("--only", action="append", choices=known, metavar="NAME", help=f"one of {', '.join(known)}")
    given = parser.parse_args()
    usual = ROOT / (".cache/screenshots" if given.all or given.only else "docs/images")
    take(given.only or (known if given.all else list(DOCUMENTED)), given.out or usual)


if __name__ == "__main__":
    main()
