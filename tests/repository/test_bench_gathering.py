"""How the benchmarks are gathered: each in its own process, and none that fails or is absent goes unseen."""

from __future__ import annotations

import importlib.util
import sys
import types
from collections.abc import Iterator
from pathlib import Path

import pytest

from bench import gathering, keeping, part
from bench.gathering import PARTS, Outcome, Part, measured
from bench.report import Row, Skipped

OUT = "bench_part_of_a_test"


def told(capsys: pytest.CaptureFixture[str], rows: object) -> list[str]:
    """What a part's process prints for these rows."""
    module = types.ModuleType(OUT)
    module.rows = rows  # type: ignore[attr-defined]
    sys.modules[OUT] = module
    try:
        assert part.main(OUT, "rows") == 0
    finally:
        del sys.modules[OUT]
    return capsys.readouterr().out.splitlines()


def test_every_part_is_a_module_with_its_functions() -> None:
    for each in PARTS:
        found = importlib.util.find_spec(each.module)
        assert found is not None and found.origin is not None, each.module
        source = Path(found.origin).read_text(encoding="utf-8")
        assert "def rows(" in source, each.module
        assert ("def growth(" in source) == each.grows, each.module


def test_what_a_part_prints_on_its_way_is_no_figure(capsys: pytest.CaptureFixture[str]) -> None:
    def rows() -> Iterator[Row]:
        print("built in 3 s")
        yield Row("size", 1.0, "MB")

    (line,) = told(capsys, rows)
    assert '"what": "size"' in line


def test_figures_before_a_gap_are_kept_and_the_gap_is_told(capsys: pytest.CaptureFixture[str]) -> None:
    def rows() -> Iterator[Row]:
        yield Row("size", 1.0, "MB")
        raise Skipped("no data")

    first, last = told(capsys, rows)
    assert '"size"' in first
    assert last == '{"skipped": "no data"}'


def test_a_peer_that_is_not_installed_is_a_gap_and_a_broken_module_of_ours_is_a_failure(
    capsys: pytest.CaptureFixture[str],
) -> None:
    def absent() -> Iterator[Row]:
        importlib.import_module("a_peer_that_nobody_has")
        yield Row("size", 1.0, "MB")

    def broken() -> Iterator[Row]:
        importlib.import_module("docgemma.a_module_that_was_moved")
        yield Row("size", 1.0, "MB")

    assert told(capsys, absent) == ['{"skipped": "a_peer_that_nobody_has is not installed here"}']
    (line,) = told(capsys, broken)
    assert line.startswith('{"failed": "ModuleNotFoundError')


def test_a_process_that_ends_early_or_never_is_a_failure(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    script = tmp_path / "python"
    monkeypatch.setattr(gathering, "PEERS", script)
    each = Part("x", "bench.x", "", peers=True)

    def ended(body: str) -> Outcome:
        script.write_text(f"#!/bin/sh\n{body}\n", encoding="utf-8")
        script.chmod(0o755)
        return measured(each, "rows")

    words = "its process ended with 3; its reason stands above"
    assert ended("""echo '{"told": {}}'; echo '{"to'; exit 3""") == Outcome(({},), failed=words)
    monkeypatch.setitem(gathering.LONGEST_S, "rows", 1)
    assert ended("sleep 60").failed == "not done after 1 s"


def test_a_part_that_failed_is_kept_as_such(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(keeping, "FOLDER", tmp_path)
    start = next(each for each in PARTS if each.name == "start")
    figure = Row("docgemma --help, CPU", 0.1, "s", goal=0.3)
    keeping.keep("rows", keeping.kept(start, "rows", Outcome((figure.as_json(),), failed="it fell over")))
    found = {each.part: each for each in keeping.last("rows")}
    assert [row.verdict for row in found["start"].rows()] == ["met", "FAILED: it fell over"]
    assert list(found) == [each.name for each in PARTS]
    (never,) = found["web"].rows()
    assert never.verdict == "skipped: not measured on this machine yet"
    assert [each.part for each in keeping.last("growth")] == [each.name for each in PARTS if each.grows]
