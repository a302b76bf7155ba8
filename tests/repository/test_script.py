"""The page's script stays small, our own, and unable to make code out of text."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

SERVER = Path(__file__).resolve().parents[2] / "src" / "docgemma" / "server"
SCRIPT = SERVER / "static" / "app.js"
TEMPLATES = sorted((SERVER / "templates").rglob("*.html"))
STYLES = sorted((SERVER / "static").glob("*.css"))


def test_there_is_one_script_of_at_most_200_lines() -> None:
    assert sorted(SERVER.rglob("*.js")) == [SCRIPT]
    lines = SCRIPT.read_text().splitlines()
    assert len(lines) <= 200
    assert max(map(len, lines)) <= 160


@pytest.mark.parametrize(
    "word",
    ["eval(", "new Function", "document.write", "insertAdjacentHTML", "outerHTML", "import(", "import ",
     "importScripts", "localStorage", "sessionStorage", "indexedDB", "document.cookie", "postMessage", "http://", "https://"],
)  # fmt: skip
def test_the_script_has_no(word: str) -> None:
    assert word not in SCRIPT.read_text()


def test_html_enters_the_page_at_one_place_and_comes_from_our_own_server() -> None:
    text = SCRIPT.read_text()
    assert text.count("innerHTML") == 1
    body = text.partition("function put(")[2].partition("\n}")[0]
    assert re.search(r"innerHTML(?: =|:) html\b", body), "only `put` makes elements of text"
    calls = re.findall(r"\bput\((?:[^(),]|\([^()]*\))*, ([^,)]*)", text.replace("function put(", ""))
    assert calls
    assert set(calls) <= {"answer.body", "body", "html", "(await send(url"}, calls
    assert text.count("fetch(") == 1, "every request goes through `send`"


@pytest.mark.parametrize("path", TEMPLATES, ids=lambda path: path.name)
def test_a_template_has_no_code_and_no_style_of_its_own(path: Path) -> None:
    text = path.read_text()
    assert not re.findall(r"\sstyle=|\son[a-z]+=|<style|javascript:|\|\s*safe\b|autoescape\s+false", text)
    assert re.findall(r"<script(?![^>]*src=\"\{\{ static\('app\.js'\) \}\}\")", text) == []
    assert re.findall(r"(?:src|action|data-post|data-get)=\"https?:", text) == []


@pytest.mark.parametrize("path", STYLES, ids=lambda path: path.name)
def test_a_style_sheet_fetches_nothing(path: Path) -> None:
    assert not re.findall(r"@import|@font-face|url\(|expression\(", path.read_text())
