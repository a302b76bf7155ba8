"""Whatever ends a run, the next one goes on: nothing is grounded twice, nothing is lost, the bytes are the same."""

from __future__ import annotations

import asyncio
import json
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

import pytest

from docgemma.errors import BadInput, Conflict
from docgemma.grounding.contract import Criterion, Grounded
from docgemma.grounding.reading.contract import Problem
from docgemma.grounding.runs.output import open_output
from tests.grounding.runs.jobs import MARKS, Stopped, criterion, failing, plain, run_to
from tests.grounding.runs.worker import SIZE

ROOT = Path(__file__).parents[3]
ALL = [criterion(n) for n in range(20)]


async def whole(tmp_path: Path, entries: Sequence[Criterion | Problem] = ALL) -> bytes:
    """What a run that nothing happens to writes."""
    path = tmp_path / "whole.jsonl"
    await run_to(path, str(tmp_path / "whole.db"), entries)
    return path.read_bytes()


class Counted:
    """Grounds and remembers what it was asked; fails or stops where it is told to."""

    def __init__(self, *, fails: set[str] = frozenset(), stops_at: str = "") -> None:  # type: ignore[assignment]
        self.asked: list[str] = []
        self.fails, self.stops_at = fails, stops_at

    async def __call__(self, criteria: Sequence[Criterion], batch_id: str) -> list[Grounded]:
        self.asked += [each.criterion_id for each in criteria]
        if self.stops_at in self.asked:
            raise Stopped
        return [
            (failing([each], batch_id) if each.criterion_id in self.fails else await plain([each], batch_id))[0]
            for each in criteria
        ]


def test_killed_again_and_again_it_ends_with_the_bytes_of_an_undisturbed_run(tmp_path: Path) -> None:
    address = str(tmp_path / "store.db")
    command = [sys.executable, "-m", "tests.grounding.runs.worker", str(tmp_path), address]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, done.stderr
    assert int(done.stdout) >= 5
    assert not (tmp_path / "repeated").exists()
    expected = asyncio.run(whole(tmp_path, [criterion(n) for n in range(SIZE)]))
    assert (tmp_path / "out.jsonl").read_bytes() == expected


async def test_a_second_run_grounds_nothing_and_changes_nothing(tmp_path: Path, address: str) -> None:
    path = tmp_path / "out.jsonl"
    first = await run_to(path, address, ALL)
    before = path.read_bytes()
    ground = Counted()
    second = await run_to(path, address, ALL, ground=ground)
    assert (first.now, first.before, second.now, second.before) == (20, 0, 0, 20)
    assert ground.asked == [] and path.read_bytes() == before == await whole(tmp_path)


async def test_the_same_words_in_another_protocol_are_grounded_once(tmp_path: Path, address: str) -> None:
    await run_to(tmp_path / "a.jsonl", address, [criterion(1, "No asthma.")])
    ground = Counted()
    await run_to(tmp_path / "b.jsonl", address, [criterion(9, "No asthma.", protocol="P2")], ground=ground)
    assert ground.asked == []
    line = json.loads((tmp_path / "b.jsonl").read_text())
    assert (line["criterion_id"], line["protocol_id"]) == ("c9", "P2")


@pytest.mark.parametrize("lost", [1, 5, 300, 10_000])
async def test_a_torn_end_is_mended(tmp_path: Path, lost: int) -> None:
    path, address = tmp_path / "out.jsonl", str(tmp_path / "db")
    with pytest.raises(Stopped):
        await run_to(path, address, ALL, ground=Counted(stops_at="c14"))
    data = path.read_bytes()
    path.write_bytes(data[: max(0, len(data) - lost)])
    await run_to(path, address, ALL)
    assert path.read_bytes() == await whole(tmp_path)


async def test_an_error_is_written_in_its_place_and_tried_again(tmp_path: Path, address: str) -> None:
    path = tmp_path / "out.jsonl"
    tally = await run_to(path, address, ALL, ground=Counted(fails={"c4"}))
    lines = [json.loads(line) for line in path.read_text().splitlines()]
    assert [line["criterion_id"] for line in lines] == [each.criterion_id for each in ALL]
    assert (tally.failed, lines[4]["error"], lines[4]["entities"]) == (1, "The terminology is gone.", [])
    ground = Counted()
    tally = await run_to(path, address, ALL, ground=ground)
    assert (tally.failed, ground.asked) == (0, ["c4"])
    assert path.read_bytes() == await whole(tmp_path)


async def test_broken_lines_of_the_input_keep_their_place(tmp_path: Path) -> None:
    entries = [Problem("", 1, "The line is not valid JSON."), ALL[0], Problem("", 3, "'text' is missing."), ALL[1]]
    tally = await run_to(tmp_path / "out.jsonl", str(tmp_path / "db"), entries)
    lines = [json.loads(line) for line in (tmp_path / "out.jsonl").read_text().splitlines()]
    assert [(line["criterion_id"], line["error"] is None) for line in lines] == [
        ("line-1", False),
        ("c0", True),
        ("line-3", False),
        ("c1", True),
    ]
    assert (tally.broken, tally.done) == (2, 2)


async def test_an_input_that_grew_or_changed_costs_only_what_is_new(tmp_path: Path, address: str) -> None:
    path = tmp_path / "out.jsonl"
    await run_to(path, address, ALL[:10])
    changed = [*ALL[:5], criterion(99, "A new criterion."), *ALL[6:]]
    ground = Counted()
    await run_to(path, address, changed, ground=ground)
    assert sorted(ground.asked) == sorted(["c99", *(f"c{n}" for n in range(10, 20))])
    assert path.read_bytes() == await whole(tmp_path, changed)


async def test_starting_anew_grounds_again_and_is_resumed_as_such(tmp_path: Path, address: str) -> None:
    path = tmp_path / "out.jsonl"
    await run_to(path, address, ALL)
    ground = Counted(stops_at="c14")
    with pytest.raises(Stopped):
        await run_to(path, address, ALL, fresh=True, ground=ground)
    rest = Counted()
    await run_to(path, address, ALL, ground=rest)
    assert 0 < len(rest.asked) < 20 and set(rest.asked) | set(ground.asked) == {each.criterion_id for each in ALL}
    assert path.read_bytes() == await whole(tmp_path)


class TestFilesOfOthers:
    async def test_a_file_that_is_not_ours_is_left_alone(self, tmp_path: Path) -> None:
        path = tmp_path / "notes.jsonl"
        path.write_text("my notes\n")
        with pytest.raises(BadInput, match="not written by `docgemma ground`"):
            await run_to(path, str(tmp_path / "db"), ALL)
        with pytest.raises(BadInput, match="--force"):
            await run_to(path, str(tmp_path / "db"), ALL, fresh=True)
        assert path.read_text() == "my notes\n"
        await run_to(path, str(tmp_path / "db"), ALL, force=True)
        assert path.read_bytes() == await whole(tmp_path)

    async def test_a_finished_file_that_somebody_edited_is_left_alone(self, tmp_path: Path) -> None:
        path = tmp_path / "out.jsonl"
        await run_to(path, str(tmp_path / "db"), ALL)
        path.write_bytes(path.read_bytes() + b"my notes\n")
        with pytest.raises(BadInput, match="changed after it was finished"):
            await run_to(path, str(tmp_path / "db"), ALL)
        assert path.read_bytes().endswith(b"my notes\n")

    def test_a_file_that_was_made_differently_is_not_mixed_up(self, tmp_path: Path) -> None:
        path = tmp_path / "out.jsonl"
        with open_output(path, MARKS, fresh=False, force=False) as output:
            output.write(b"{}\n")
        with (
            pytest.raises(BadInput, match="another input"),
            open_output(path, MARKS | {"input": "b.jsonl"}, fresh=False, force=False),
        ):
            pass
        assert path.read_bytes() == b"{}\n"

    def test_a_second_run_on_the_same_output_is_refused(self, tmp_path: Path) -> None:
        path = tmp_path / "out.jsonl"
        with open_output(path, MARKS, fresh=False, force=False) as output:
            output.write(b"{}\n")
            with pytest.raises(Conflict, match="another process"), open_output(path, MARKS, fresh=False, force=True):
                pass
        assert path.read_bytes() == b"{}\n"

    def test_an_output_without_a_folder(self, tmp_path: Path) -> None:
        with (
            pytest.raises(BadInput, match="does not exist"),
            open_output(tmp_path / "no" / "out.jsonl", MARKS, fresh=False, force=False),
        ):
            pass
