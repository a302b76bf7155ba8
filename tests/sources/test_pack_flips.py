"""A byte that flips in a pack leads to an error, never to a shorter answer, another label, or none."""

from __future__ import annotations

import random
from pathlib import Path

import pytest

from docgemma.errors import Unavailable
from docgemma.sources.contract import Labels, SourceError
from docgemma.sources.pack.manifest import FILE
from docgemma.sources.pack.verify import verify
from tests.sources.pack_files import ask, built, database_of, shelf

ASKED = ("drug3", "drug4 sodium", "Brand7", "brand", "drug11", "extra", "drug99", "aspirin", "zzz", "Brand0")
FLIPS = 300


async def answers(folder: Path) -> list[Labels | str | None]:
    """Each question on its own: a connection must not remember what it read before the damage."""
    found: list[Labels | str | None] = []
    for drug in ASKED:
        try:
            found.append(await ask(folder, drug))
        except SourceError as error:
            assert "docgemma pack" in str(error) or "disk" in str(error) or "cannot be opened" in str(error)
            found.append("error")
    return found


@pytest.mark.parametrize("seed", range(3))
async def test_flipped_bits_never_change_an_answer(tmp_path: Path, seed: int) -> None:
    folder = tmp_path / "packs"
    file = database_of(built(folder, shelf(120), keep=4))
    whole, sound = file.read_bytes(), await answers(folder)
    assert "error" not in sound and None in sound
    draw = random.Random(seed)
    noticed = 0
    for _ in range(FLIPS // 3):
        place, bit = draw.randrange(len(whole)), 1 << draw.randrange(8)
        damaged = bytearray(whole)
        damaged[place] ^= bit
        file.write_bytes(damaged)
        for right, given in zip(sound, await answers(folder), strict=True):
            assert given in ("error", right), f"byte {place}, bit {bit}"
            noticed += given == "error"
    assert noticed


@pytest.mark.parametrize("size", [0, 1, 100, 4096, 20_000, -1])
async def test_a_file_that_was_cut_never_says_that_there_is_nothing(tmp_path: Path, size: int) -> None:
    folder = tmp_path / "packs"
    file = database_of(built(folder, shelf(120)))
    sound = await answers(folder)
    file.write_bytes(file.read_bytes()[:size])
    for right, given in zip(sound, await answers(folder), strict=True):
        assert given in ("error", right)


async def test_pages_that_changed_places_are_noticed(tmp_path: Path) -> None:
    folder = tmp_path / "packs"
    file = database_of(built(folder, shelf(120)))
    whole, sound = file.read_bytes(), await answers(folder)
    pages = [whole[at : at + 4096] for at in range(0, len(whole), 4096)]
    draw = random.Random(7)
    for _ in range(60):
        first, second = draw.sample(range(1, len(pages)), 2)
        mixed = list(pages)
        mixed[first], mixed[second] = mixed[second], mixed[first]
        file.write_bytes(b"".join(mixed))
        for right, given in zip(sound, await answers(folder), strict=True):
            assert given in ("error", right), (first, second)


def test_verify_notices_every_flip(tmp_path: Path) -> None:
    folder = tmp_path / "packs"
    file = database_of(built(folder, shelf(60)))
    whole = file.read_bytes()
    assert [verdict.ok for verdict in verify(folder, ())] == [True]
    draw = random.Random(3)
    for _ in range(40):
        damaged = bytearray(whole)
        damaged[draw.randrange(len(whole))] ^= 1 << draw.randrange(8)
        file.write_bytes(damaged)
        (verdict,) = verify(folder, ())
        assert not verdict.ok and "build it again" in verdict.problem.lower()


async def test_a_changed_description_is_noticed(tmp_path: Path) -> None:
    folder = tmp_path / "packs"
    made = built(folder, shelf(30))
    file = made.place.folder / FILE
    whole = file.read_bytes()
    draw = random.Random(4)
    for _ in range(100):
        damaged = bytearray(whole)
        damaged[draw.randrange(len(whole) - 2)] ^= 1 << draw.randrange(8)
        file.write_bytes(damaged)
        try:
            found = await ask(folder, "drug3")
        except SourceError:
            continue
        assert found is not None and found.data_date == "2026-08-11"
        (verdict,) = verify(folder, ())
        assert verdict.ok


async def test_a_database_of_another_day_under_this_description_is_noticed(tmp_path: Path) -> None:
    folder = tmp_path / "packs"
    old = built(folder, shelf(60))
    new = built(folder, shelf(60), updated="2026-09-01")
    database_of(new).write_bytes(database_of(old).read_bytes())
    with pytest.raises(Unavailable, match="do not belong together"):
        await ask(folder, "drug3")
    assert [verdict.ok for verdict in verify(folder, ())] == [False, True]
