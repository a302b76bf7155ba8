"""The parts of `batch`: what a line is, what a killed run leaves behind, how progress reads."""

from __future__ import annotations

import io
import json
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from docgemma.cli.batch_lines import MAX_LINE_BYTES, BatchLine, count_lines, read_lines
from docgemma.cli.files import TRY_AGAIN, open_output
from docgemma.cli.progress import Progress
from docgemma.errors import BadInput


def read(data: bytes) -> list[BatchLine]:
    return list(read_lines(io.BytesIO(data), Path("folder")))


@pytest.mark.parametrize(
    ("line", "told"),
    [
        (b"nonsense", "not valid JSON"),
        (b'{"id": "1", "query": "cut of', "not valid JSON"),
        (b"[" * 50_000, "not valid JSON"),
        (b"[1]", "not a JSON object"),
        (b'"text"', "not a JSON object"),
        (b"\xff\xfe", "not UTF-8"),
        (b"{}", "'query' is missing"),
        (b'{"query": null}', "'query' is missing"),
        (b'{"query": ""}', "'query' is empty"),
        (b'{"query": ["a"]}', "'query' should be a string"),
        (b'{"query": "a\\u0000b"}', "binary data"),
        (b'{"query": "\\ud800"}', "not UTF-8"),
        (b'{"query": "q", "image": "\\ud800"}', "not UTF-8"),
        (b'{"query": "' + b"x" * 20_001 + b'"}', "at most 20,000"),
        (b'{"query": "' + b"x" * MAX_LINE_BYTES + b'"}', "longer than"),
        (b'{"query": "q", "id": 1.5}', "'id' should be"),
        (b'{"query": "q", "id": true}', "'id' should be"),
        (b'{"query": "q", "id": ""}', "'id' should be"),
        (b'{"query": "q", "patient_id": 7}', "'patient_id' should be a string"),
        (b'{"query": "q", "image": {}}', "'image' should be a string"),
        (b'{"query": "q", "patientid": "abc-123"}', "unknown key 'patientid'. Did you mean 'patient_id'?"),
        (b'{"query": "q", "patient": "abc-123", "patient_id": "mgr-204"}', "name two patients"),
        (b'{"query": "q", "patientId": "abc-123"}', "Did you mean 'patient_id'?"),
        (b'{"Query": "q"}', "Did you mean 'query'?"),
        (b'{"query": "q", "graph": "wandering"}', "'graph' should be one of: routed, triage, decompose."),
        (b'{"query": "q", "graph": 3}', "'graph' should be a string"),
    ],
)
def test_a_broken_line_says_why_and_the_rest_goes_on(line: bytes, told: str) -> None:
    broken, good = read(line + b'\n{"id": "good", "query": "q"}\n')
    assert told in (broken.error or "")
    assert (good.number, good.id, good.error) == (2, "good", None)


def test_a_line_is_read_with_everything_it_has() -> None:
    (line,) = read('{"id": 7, "query": " wärfarin? ", "patient_id": "p", "image": "x.png"}'.encode())
    assert (line.id, line.query, line.patient_id, line.image) == ("7", "wärfarin?", "p", Path("folder/x.png"))


def test_blank_lines_are_passed_over_and_numbers_are_those_of_the_file() -> None:
    assert [line.number for line in read(b'\xef\xbb\xbf{"query": "a"}\r\n\n   \n{"query": "b"}')] == [1, 4]


def test_the_first_of_two_equal_ids_counts() -> None:
    first, second, third = read(b'{"id": "a", "query": "x"}\n{"id": "a", "query": "y"}\n{"id": "b", "query": "x"}')
    assert first.error is None
    assert "already used" in (second.error or "")
    assert second.id == "a"
    assert third.error is None


def test_lines_are_counted_as_they_are_read(tmp_path: Path) -> None:
    data = b'{"query": "a"}\n\nbroken\n' + b"x" * (3 * MAX_LINE_BYTES) + b"\n{}"
    (tmp_path / "in").write_bytes(data)
    assert count_lines(tmp_path / "in") == len(read(data)) == 4


def run(path: Path, keys: list[str], *, stop: int | None = None, again: frozenset[str] = frozenset()) -> list[str]:
    """Do what a batch does with its output, for lines that answer with their key; returns the keys really asked."""
    asked: list[str] = []

    class Stopped(Exception):
        pass

    try:
        with open_output(path, resume=True, overwrite=False) as output:
            for key in keys:
                if len(asked) == stop:
                    raise Stopped
                if output.has(key):
                    continue
                kept = output.kept(key)
                if kept is None:
                    asked.append(key)
                output.write(TRY_AGAIN if key in again else key, kept or json.dumps(key).encode())
    except Stopped:
        pass
    return asked


def content(path: Path) -> list[str]:
    return [json.loads(line) for line in path.read_text().splitlines()]


KEYS = ["a", "b", "c", "d"]


def test_a_stopped_run_goes_on_where_it_was(tmp_path: Path) -> None:
    out = tmp_path / "out"
    run(out, KEYS, stop=2)
    assert content(out) == ["a", "b"]
    assert run(out, KEYS) == ["c", "d"]
    assert content(out) == KEYS
    assert run(out, KEYS) == []


def test_a_half_written_line_is_cut_off_and_redone(tmp_path: Path) -> None:
    out = tmp_path / "out"
    run(out, KEYS, stop=2)
    with out.open("ab") as file:
        file.write(b'"half')
    assert run(out, KEYS) == ["c", "d"]
    assert content(out) == KEYS


def test_lines_that_failed_are_asked_again_and_the_others_are_not(tmp_path: Path) -> None:
    out = tmp_path / "out"
    run(out, KEYS, again=frozenset("b"))
    assert run(out, KEYS) == ["b"]
    assert content(out) == KEYS


def test_the_output_follows_an_input_that_changed(tmp_path: Path) -> None:
    out = tmp_path / "out"
    run(out, KEYS)
    assert run(out, ["a", "new", "d", "c"]) == ["new"]
    assert content(out) == ["a", "new", "d", "c"]
    assert run(out, ["a"]) == []
    assert content(out) == ["a"]


def test_nothing_but_output_and_keys_is_left_and_both_are_private(tmp_path: Path) -> None:
    out = tmp_path / "out"
    run(out, KEYS)
    run(out, list(reversed(KEYS)))
    assert sorted(path.name for path in tmp_path.iterdir()) == [".out.keys", "out"]
    assert all(path.stat().st_mode & 0o077 == 0 for path in tmp_path.iterdir())


@settings(max_examples=60, deadline=None)
@given(st.data())
def test_however_often_it_is_killed_the_end_is_the_same(
    tmp_path_factory: pytest.TempPathFactory, data: st.DataObject
) -> None:
    """Each run is cut anywhere: both files lose some last bytes, as a kill between two writes may leave them."""
    folder = tmp_path_factory.mktemp("batch")
    out, keys_file = folder / "out", folder / ".out.keys"
    names = st.lists(st.sampled_from("abcdefgh"), unique=True, max_size=8)
    for _ in range(data.draw(st.integers(0, 3))):
        run(out, data.draw(names), stop=data.draw(st.integers(0, 8)))
        for file in (out, keys_file):
            if file.exists() and out.stat().st_size:
                size = file.stat().st_size
                with file.open("r+b") as cut:
                    cut.truncate(size - data.draw(st.integers(0, min(size, 5))))
    final = data.draw(names)
    run(out, final)
    assert content(out) == final


@pytest.mark.parametrize("resume", [True, False])
def test_a_strange_file_is_never_written_over(tmp_path: Path, resume: bool) -> None:
    out = tmp_path / "thesis.txt"
    out.write_text("years of work")
    with pytest.raises(BadInput, match="--overwrite"), open_output(out, resume=resume, overwrite=False):
        pass
    assert out.read_text() == "years of work"


def test_a_place_that_cannot_be_written_is_told(tmp_path: Path) -> None:
    with (
        pytest.raises(BadInput, match="cannot be written"),
        open_output(tmp_path / "no" / "out", resume=False, overwrite=False),
    ):
        pass


def test_a_record_without_a_key_is_redone_not_trusted(tmp_path: Path) -> None:
    out = tmp_path / "out"
    run(out, KEYS)
    (tmp_path / ".out.keys").write_text("a\n")
    assert run(out, KEYS) == ["b", "c", "d"]


class Clock:
    now = 0.0

    def __call__(self) -> float:
        return self.now


def test_progress_tells_how_many_how_fast_and_how_long() -> None:
    clock, out = Clock(), io.StringIO()
    progress = Progress(out, 100, clock=clock)
    for _ in range(10):
        progress.skip(record=True)
    clock.now = 10.0
    for number in range(20):
        progress.done(record=number > 0)
    assert progress.text(clock.now) == "30/100 lines, 2.0 a second, 35 s left, 1 without a record"
    assert out.getvalue() == ""
    clock.now = 40.0
    progress.done(record=True)
    assert out.getvalue().count("\n") == 1


def test_progress_is_silent_when_told_so() -> None:
    out = io.StringIO()
    progress = Progress(out, None, quiet=True)
    progress.done(record=True)
    progress.finish()
    progress.stopped(resumable=True)
    assert out.getvalue() == ""
