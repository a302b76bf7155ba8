from __future__ import annotations

import logging
import os
from collections.abc import Iterator

import pytest

from docgemma.log import Level, set_up_logging, switch_off_tracing


@pytest.fixture(autouse=True)
def _restore() -> Iterator[None]:
    root, own = logging.getLogger(), logging.getLogger("docgemma")
    before = root.handlers[:], root.level, own.handlers[:], own.level, own.propagate
    yield
    root.handlers[:], root.level, own.handlers[:], own.level, own.propagate = before
    logging.captureWarnings(False)


@pytest.mark.parametrize(("level", "heard"), [("error", "E"), ("warning", "WE"), ("info", "IWE"), ("debug", "DIWE")])
def test_each_level_is_heard_from_its_rank_on(level: Level, heard: str, capsys: pytest.CaptureFixture[str]) -> None:
    set_up_logging(level)
    log = logging.getLogger("docgemma.some")
    for name in ("debug", "info", "warning", "error"):
        getattr(log, name)("a message")
    assert "".join(line[0] for line in capsys.readouterr().err.splitlines()) == heard


def test_libraries_are_silent(capsys: pytest.CaptureFixture[str]) -> None:
    set_up_logging("info")
    logging.getLogger("mcp.server").error("arguments: Ann Lee")
    logging.basicConfig()
    logging.getLogger("httpx2").critical("Ann Lee")
    assert capsys.readouterr().err == ""


def test_a_message_is_one_line_without_traceback(capsys: pytest.CaptureFixture[str]) -> None:
    set_up_logging()
    try:
        raise ValueError("Ann Lee")
    except ValueError:
        logging.getLogger("docgemma.some").exception("it\nfailed")
    assert capsys.readouterr().err == "ERROR docgemma.some: it failed (ValueError)\n"


def test_debugging_shows_the_traceback(capsys: pytest.CaptureFixture[str]) -> None:
    set_up_logging("debug")
    try:
        raise ValueError("why")
    except ValueError:
        logging.getLogger("docgemma.some").exception("it failed")
    assert "Traceback" in capsys.readouterr().err


def test_tracing_is_off_whatever_the_environment_said(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LANGSMITH_TRACING", "true")
    monkeypatch.setenv("LANGCHAIN_TRACING_V2", "true")
    for name in ("LANGSMITH_TRACING_V2", "LANGCHAIN_TRACING"):
        monkeypatch.setenv(name, "true")
    switch_off_tracing()
    from langsmith.utils import get_env_var, tracing_is_enabled

    get_env_var.cache_clear()
    assert not tracing_is_enabled()
    assert os.environ["LANGSMITH_TRACING"] == "false"
