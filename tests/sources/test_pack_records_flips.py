"""A byte that flips in a pack of articles or trials leads to an error, never to another answer or a shorter one."""

from __future__ import annotations

import random
from collections.abc import Awaitable, Callable
from pathlib import Path

import pytest

from docgemma.sources.contract import SourceError
from docgemma.sources.pack.manifest import FILE, INDEX, places
from docgemma.sources.pack.verify import verify
from tests.sources.document_files import article, articles, find, registered, search, trial

Answers = Callable[[Path], Awaitable[list[object]]]
Make = Callable[[Path], None]
FLIPS = 60


async def articles_told(folder: Path) -> list[object]:
    asked = [lambda: search(folder, "fever"), lambda: search(folder, "rash"), lambda: search(folder, pmid="7")]
    return [await told(ask) for ask in asked]


async def trials_told(folder: Path) -> list[object]:
    asked = [lambda: find(folder, "asthma"), lambda: find(folder, "gout"), lambda: find(folder, "asthma", place="Rome")]
    return [await told(ask) for ask in asked]


async def told(ask: Callable[[], Awaitable[object]]) -> object:
    """Each question on its own: a connection must not remember what it read before the damage."""
    try:
        return await ask()
    except SourceError as error:
        assert "docgemma pack" in str(error) or "cannot be" in str(error)
        return "error"


def make_articles(folder: Path) -> None:
    articles(folder, [article(n, f"Fever {n}", "Some words. " * 20) for n in range(1, 60)])


def make_trials(folder: Path) -> None:
    sites = [("Hospital", "Rome", "", "Italy")]
    registered(folder, [trial(n, f"Asthma {n}", "Asthma", sites=sites) for n in range(1, 60)])


KINDS = [(make_articles, articles_told), (make_trials, trials_told)]


@pytest.mark.parametrize(("make", "answers"), KINDS)
async def test_flipped_bits_never_change_an_answer(tmp_path: Path, make: Make, answers: Answers) -> None:
    folder = tmp_path / "packs"
    make(folder)
    sound = await answers(folder)
    assert "error" not in sound and None in sound
    (file, index) = (next(folder.glob("*/*s.sqlite")), next(folder.glob(f"*/{INDEX}")))
    draw, noticed = random.Random(5), {file: 0, index: 0}
    for damaged in (file, index):
        whole = damaged.read_bytes()
        for _ in range(FLIPS):
            place, bit = draw.randrange(len(whole)), 1 << draw.randrange(8)
            damaged.write_bytes(whole[:place] + bytes([whole[place] ^ bit]) + whole[place + 1 :])
            for right, given in zip(sound, await answers(folder), strict=True):
                assert given in ("error", right), f"{damaged.name}, byte {place}, bit {bit}"
                noticed[damaged] += given == "error"
        damaged.write_bytes(whole)
    assert noticed[index] == FLIPS * len(sound)
    assert noticed[file]
    assert await answers(folder) == sound


async def test_a_file_that_was_cut_or_is_gone_never_says_that_there_is_nothing(tmp_path: Path) -> None:
    folder = tmp_path / "packs"
    make_articles(folder)
    (place,) = places(folder, "europepmc")
    sound = await articles_told(folder)
    for file in (place.index, place.database):
        whole = file.read_bytes()
        for size in (0, 1, 4096, len(whole) - 1, None):
            file.unlink()
            if size is not None:
                file.write_bytes(whole[:size])
            given = await articles_told(folder)
            if file == place.index:
                assert given == ["error"] * 3, size
            else:  # its last byte may be one that nothing is in
                assert all(one in ("error", right) for one, right in zip(given, sound, strict=True)), size
                assert size == len(whole) - 1 or given[0] == "error"
            file.write_bytes(whole)


async def test_databases_of_two_packs_do_not_go_together(tmp_path: Path) -> None:
    folder, other = tmp_path / "packs", tmp_path / "other" / "packs"
    make_articles(folder)
    articles(other, [article(n, f"Fever, another {n}", "Some words. " * 20) for n in range(1, 60)])
    (one,), (two,) = places(folder, "europepmc"), places(other, "europepmc")
    one.database.write_bytes(two.database.read_bytes())
    assert (await articles_told(folder))[0] == "error"
    one.index.write_bytes(two.index.read_bytes())
    assert (await articles_told(folder))[0] == "error"
    (one.folder / FILE).write_bytes((two.folder / FILE).read_bytes())
    assert (await articles_told(folder))[0] == (await articles_told(other))[0]


@pytest.mark.parametrize("make", [make_articles, make_trials])
def test_verify_notices_every_flip(tmp_path: Path, make: Make) -> None:
    folder = tmp_path / "packs"
    make(folder)
    assert [(verdict.ok, verdict.records) for verdict in verify(folder, ())] == [(True, 59)]
    draw = random.Random(3)
    for file in folder.glob("*/*.sqlite"):
        whole = file.read_bytes()
        for _ in range(12):
            damaged = bytearray(whole)
            damaged[draw.randrange(len(whole))] ^= 1 << draw.randrange(8)
            file.write_bytes(damaged)
            (verdict,) = verify(folder, ())
            assert not verdict.ok and "build it again" in verdict.problem.lower()
        file.write_bytes(whole)


async def test_a_changed_description_is_noticed(tmp_path: Path) -> None:
    folder = tmp_path / "packs"
    make_trials(folder)
    sound = await trials_told(folder)
    (file,) = folder.glob(f"*/{FILE}")
    whole, draw = file.read_bytes(), random.Random(4)
    for _ in range(40):
        damaged = bytearray(whole)
        damaged[draw.randrange(len(whole) - 2)] ^= 1 << draw.randrange(8)
        file.write_bytes(damaged)
        for right, given in zip(sound, await trials_told(folder), strict=True):
            assert given in ("error", right)
