"""Debian's Chromium under Playwright. Every request a page makes is watched: one that leaves the origin fails the test.

Where Chromium is absent the tests are skipped, but not under CI=true: there a missing browser is a failure.
"""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from typing import NoReturn

import pytest
from playwright.sync_api import Browser, BrowserContext, Page, expect, sync_playwright

FLAGS = (
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--force-prefers-reduced-motion",
)
_PATIENCE_MS = 20_000
WIDE = {"width": 1280, "height": 860}
PHONE = {"width": 375, "height": 740}


def chromium() -> str:
    """The program; `DOCGEMMA_CHROMIUM` names another one."""
    found = os.environ.get("DOCGEMMA_CHROMIUM") or shutil.which("chromium") or shutil.which("chromium-browser")
    return found or _absent("Chromium is not installed: apt-get install chromium")


@contextmanager
def launched() -> Iterator[Browser]:
    program = chromium()
    expect.set_options(timeout=_PATIENCE_MS)
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=program, args=list(FLAGS))
        try:
            yield browser
        finally:
            browser.close()


@contextmanager
def watched(browser: Browser, url: str, **options: object) -> Iterator[Page]:
    """A fresh profile with one tab. Leaving the origin, script errors and refusals of the policy are failures."""
    context = browser.new_context(**{"base_url": url, "viewport": WIDE, **options})  # type: ignore[arg-type]
    context.set_default_timeout(_PATIENCE_MS)
    wrong: list[str] = []
    watch(context, url, wrong)
    try:
        yield context.new_page()
    finally:
        context.close()
    assert not wrong, wrong


def watch(context: BrowserContext, url: str, wrong: list[str]) -> None:
    def requested(address: str) -> None:
        if not address.startswith((url, "data:", "blob:")):
            wrong.append(f"left the origin: {address}")

    def said(kind: str, text: str) -> None:
        refused = "Content Security Policy" in text or "Refused to" in text
        if kind == "error" and refused:
            wrong.append(f"console: {text}")

    context.on("request", lambda request: requested(request.url))
    context.on("console", lambda message: said(message.type, message.text))
    context.on("weberror", lambda error: wrong.append(f"script: {error.error.stack}"))


def _absent(reason: str) -> NoReturn:
    if os.environ.get("CI") == "true":
        pytest.fail(f"{reason} (under CI=true this is a failure)")
    pytest.skip(reason)
