"""A build that is killed: nothing half appears, and the same call ends with the same pack. Its memory stays small."""

from __future__ import annotations

import random
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from docgemma.sources.pack.build import building
from docgemma.sources.pack.labels.build import build
from docgemma.sources.pack.manifest import Manifest, places
from tests.sources.pack_files import DAY, part
from tests.support.labels import Record, record

BUILDER = """
import resource, sys
from pathlib import Path
from docgemma.sources.pack.labels.build import build
def heard(step):
    print("step", flush=True)
    sys.stdin.readline()
made = build([Path(sys.argv[1])], Path(sys.argv[2]), keep=3, heard=heard if sys.argv[3:] else lambda _: None)
print("done", resource.getrusage(resource.RUSAGE_SELF).ru_maxrss)
"""


def small(number: int) -> Record:
    """Some come twice, in another version."""
    made = record(
        f"drug{number % 400}",
        id_=f"label{number % 2100}",
        brand=f"Brand{number % 2100}",
        effective=f"2020{number % 9 + 1:02}01",
    )
    return made | {"version": str(number % 7)}


def killed(source: Path, packs: Path, steps: int, wait_s: float = 0) -> None:
    """A build that waits after every step to be told to go on: killed after so many, at once or a little later."""
    command = [sys.executable, "-c", BUILDER, str(source), str(packs), "told"]
    process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    assert process.stdin is not None and process.stdout is not None
    for step in range(steps):
        assert process.stdout.readline() == "step\n"
        if step + 1 < steps or wait_s:
            process.stdin.write("\n")
            process.stdin.flush()
    time.sleep(wait_s)
    process.kill()
    process.communicate()
    assert process.returncode == -signal.SIGKILL


@pytest.fixture(scope="module")
def parts(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("parts") / "in"
    for number, name in enumerate(("1.json", "2.json.zip", "3.json.gz")):
        part(folder / name, [small(place) for place in range(number * 1200, number * 1200 + 1400)])
    return folder


@pytest.fixture(scope="module")
def clean(parts: Path) -> Manifest:
    """What is made of them when nothing gets in the way."""
    return build([parts], parts.parent / "clean", keep=3).manifest


@pytest.fixture
def source(parts: Path, tmp_path: Path) -> Path:
    """A copy, because tests change it."""
    return Path(shutil.copytree(parts, tmp_path / "in"))


@pytest.mark.parametrize("seed", [1, 2, 3])
def test_killed_again_and_again_it_ends_with_the_same_pack(
    tmp_path: Path, source: Path, clean: Manifest, seed: int
) -> None:
    draw = random.Random(seed)
    packs = tmp_path / "packs"
    for _ in range(4):
        killed(source, packs, draw.choice([0, 1, 2, 4, 6, 150, 700]), draw.uniform(0.001, 0.05))
        assert all((place.folder / "pack.json").is_file() for place in places(packs, "openfda"))
    made = build([source], packs, keep=3)
    assert made.manifest.database_sha256 == clean.database_sha256
    assert made.manifest.counts == clean.counts
    assert [path.name for path in packs.iterdir()] == [made.place.name]


def begun(source: Path, packs: Path) -> None:
    """Killed in the second part: at that moment the first is read and more is committed."""
    killed(source, packs, 4)
    assert (packs / building("openfda")).is_dir() and not any(place.date == DAY for place in places(packs, "openfda"))


def test_it_goes_on_where_it_was(tmp_path: Path, source: Path) -> None:
    begun(source, tmp_path / "packs")
    steps = []
    made = build([source], tmp_path / "packs", keep=3, heard=steps.append)
    assert made.start == "resumed"
    assert steps[0].records > 1400


@pytest.mark.parametrize("change", ["content", "options"])
def test_what_was_begun_with_other_files_or_options_is_not_used(tmp_path: Path, source: Path, change: str) -> None:
    begun(source, tmp_path / "packs")
    if change == "content":
        part(source / "1.json", [small(place) for place in range(5000, 6400)])
    keep = 3 if change == "content" else 1
    made = build([source], tmp_path / "packs", keep=keep)
    assert made.start == "restarted"
    assert made.manifest.database_sha256 == build([source], tmp_path / "clean", keep=keep).manifest.database_sha256


def test_an_interrupted_build_survives_the_question_for_a_pack_that_is_there(tmp_path: Path, source: Path) -> None:
    packs, other = tmp_path / "packs", part(tmp_path / "other.json", [small(1)], "2026-01-01")
    build([other], packs)
    begun(source, packs)
    assert build([other], packs).start == "there_before"
    assert build([source], packs, keep=3).start == "resumed"


def test_more_files_behind_those_that_were_read_are_welcome(tmp_path: Path, source: Path) -> None:
    begun(source, tmp_path / "packs")
    part(source / "4.json", [small(place) for place in range(9000, 9100)])
    made = build([source], tmp_path / "packs", keep=3)
    assert made.start == "resumed"
    assert made.manifest.database_sha256 == build([source], tmp_path / "clean", keep=3).manifest.database_sha256


def test_memory_does_not_grow_with_the_file(tmp_path: Path) -> None:
    """A file of 60 MB, read as a whole, would take far more than that."""

    def peak_mb(name: str, labels: int) -> float:
        text = " ".join(f"word{number}" for number in range(7000))
        records = (record(f"drug{place}", brand=f"B{place}", warnings=text) for place in range(labels))
        file = part(tmp_path / name / "a.json", list(records))
        done = subprocess.run(
            [sys.executable, "-c", BUILDER, str(file), str(tmp_path / name / "packs")],
            capture_output=True,
            text=True,
            check=True,
        )
        return int(done.stdout.split()[1]) / 1024

    assert peak_mb("large", 1000) < peak_mb("small", 50) + 30
