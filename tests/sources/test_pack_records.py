"""Packs of articles and trials: built again and again, killed, opened, replaced while they are in use."""

from __future__ import annotations

import asyncio
import os
import random
import shutil
import signal
import subprocess
import sys
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import BinaryIO

import pytest

from docgemma.errors import Unavailable
from docgemma.sources.contract import SourceError
from docgemma.sources.literature.contract import Sought
from docgemma.sources.pack.build import Built, building
from docgemma.sources.pack.documents import recipe
from docgemma.sources.pack.documents.pack import Proof
from docgemma.sources.pack.manifest import places
from docgemma.sources.pack.reader import EuropePmcPack, open_literature_packs, open_trial_packs
from docgemma.sources.trials import contract as trials
from docgemma.store import snapshot
from tests.sources.asking import soon
from tests.sources.document_files import (
    article,
    articles,
    build_articles,
    citation,
    lines,
    pmids,
    pubmed,
    put,
    registered,
    search,
    trial,
)

FEVER = Sought((("fever",),))
BUILDER = """
import sys
from pathlib import Path
from docgemma.sources.pack.documents.articles import Articles
from docgemma.sources.pack.documents.recipe import build
def heard(step):
    print("step", flush=True)
    sys.stdin.readline()
build(Articles(), [Path(sys.argv[1])], Path(sys.argv[2]), heard)
"""


@pytest.fixture(scope="module")
def source(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Articles in three files: some come twice, some are taken back."""
    folder = tmp_path_factory.mktemp("articles") / "in"
    found = [article(n % 1100 + 1, f"Fever {n}", "Words.", revised=f"2024-01-{n % 28 + 1:02}") for n in range(1300)]
    put(folder / "1.jsonl", lines(found))
    put(folder / "2.xml.gz", pubmed(*(citation(n, f"Rash {n}") for n in range(900, 1500)), deleted=range(1, 50)))
    put(folder / "3.json", lines([article(n, f"Fever {n}", types=["Retracted Publication"]) for n in range(60, 90)]))
    return folder


@pytest.fixture(scope="module")
def clean(source: Path) -> Built:
    return build_articles(source.parent / "clean", source)


def killed(source: Path, packs: Path, steps: int) -> None:
    """A build that waits after every step to be told to go on: killed after so many."""
    process = subprocess.Popen(
        [sys.executable, "-c", BUILDER, str(source), str(packs)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )
    assert process.stdin is not None and process.stdout is not None
    for _ in range(steps):
        assert process.stdout.readline() == "step\n"
        process.stdin.write("\n")
        process.stdin.flush()
    process.kill()
    process.communicate()
    assert process.returncode == -signal.SIGKILL


@pytest.mark.parametrize("seed", [1, 2])
def test_killed_again_and_again_it_ends_with_the_same_pack(
    tmp_path: Path, source: Path, clean: Built, seed: int
) -> None:
    draw, packs = random.Random(seed), tmp_path / "packs"
    for _ in range(3):
        killed(source, packs, draw.choice([1, 2, 4, 6, 300, 900]))
        assert not places(packs, "europepmc")
    made = build_articles(packs, source)
    assert made.start == "resumed"
    assert made.manifest.databases == clean.manifest.databases
    assert made.manifest.counts == clean.manifest.counts
    assert [path.name for path in packs.iterdir()] == [made.place.name]
    assert build_articles(packs, source).start == "there_before"


def test_builds_of_two_kinds_do_not_disturb_each_other(tmp_path: Path) -> None:
    packs = tmp_path / "packs"
    with snapshot.resumable(_begun(packs / building("europepmc")) / "staging.sqlite", "pack"):
        registered(packs, [trial(1, "A", "Asthma")])
    articles(packs, [article(1, "Fever")])
    assert {path.name.partition("-")[0] for path in packs.iterdir()} == {"ctgov", "europepmc"}


def _begun(folder: Path) -> Path:
    folder.mkdir(parents=True)
    return folder


class TestAsking:
    @pytest.fixture
    def folder(self, tmp_path: Path) -> Path:
        articles(tmp_path / "packs", [article(n, f"Fever {n}") for n in range(1, 20)])
        return tmp_path / "packs"

    async def test_often_and_by_several_at_once(self, folder: Path) -> None:
        (pack,) = open_literature_packs(folder)
        asked = [FEVER, Sought((("rash",),))] * 20
        found = await asyncio.gather(*(pack.search(one, ends_at=soon()) for one in asked))
        assert [one is not None for one in found] == [True, False] * 20
        await pack.close()
        assert await pack.search(FEVER, ends_at=soon()) is not None  # opened anew
        await pack.close()

    async def test_it_is_done_by_the_time_it_was_given(self, folder: Path) -> None:
        (pack,) = open_literature_packs(folder)
        assert await pack.search(FEVER, ends_at=soon()) is not None
        with pytest.raises(SourceError, match="not read in time") as caught:
            await pack.search(FEVER, ends_at=soon(-1))
        assert caught.value.error_type == "timeout"
        await pack.close()

    async def test_a_question_during_the_check_is_told_so_and_the_check_goes_on(
        self, folder: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        go_on, real = threading.Event(), Proof._blocks

        def slow(proof: Proof, file: BinaryIO) -> Iterator[bytes]:
            go_on.wait()
            return real(proof, file)

        monkeypatch.setattr(Proof, "_blocks", slow)
        (pack,) = open_literature_packs(folder)
        with pytest.raises(SourceError, match="still being checked") as caught:
            await pack.search(FEVER, ends_at=soon(0.05))
        assert caught.value.error_type == "timeout"
        go_on.set()
        assert await pack.search(FEVER, ends_at=soon(30)) is not None
        await pack.close()

    async def test_a_check_that_nobody_waits_for_any_more_ends(self, folder: Path) -> None:
        (place,) = places(folder, "europepmc")
        proof = Proof(place)
        proof.stop()
        with snapshot.reading(place.index, "index") as handle, pytest.raises(Unavailable, match="was closed"):
            proof.check(handle)
        proof.close()

    async def test_a_pack_that_is_deleted_while_it_is_open_goes_on(self, folder: Path) -> None:
        (pack,) = open_literature_packs(folder)
        before = await pack.search(FEVER, ends_at=soon())
        shutil.rmtree(folder)
        assert await pack.search(FEVER, ends_at=soon()) == before
        await pack.close()

    async def test_an_index_that_is_changed_while_it_is_open_is_compared_again(self, folder: Path) -> None:
        (pack,) = open_literature_packs(folder)
        before = await pack.search(FEVER, ends_at=soon())
        (place,) = places(folder, "europepmc")
        os.utime(place.index, ns=(0, 0))
        assert await pack.search(FEVER, ends_at=soon()) == before
        with place.index.open("r+b") as file:
            file.seek(5000)
            file.write(b"?!")
        for _ in range(2):
            with pytest.raises(SourceError, match="is not the one that was built"):
                await pack.search(FEVER, ends_at=soon())
        await pack.close()

    async def test_only_the_newest_answers_also_when_it_is_damaged(self, folder: Path) -> None:
        articles(folder, [article(5, "Fever anew", revised="2024-09-01")])
        assert pmids(await search(folder, "fever")) == [5]
        places(folder, "europepmc")[0].index.write_bytes(b"nothing")
        with pytest.raises(SourceError, match="2024-09-01"):
            await search(folder, "fever")


async def test_without_packs_there_is_nobody_to_ask(tmp_path: Path) -> None:
    assert open_literature_packs(tmp_path / "nowhere") == open_trial_packs(tmp_path / "nowhere") == ()
    (tmp_path / "packs").symlink_to(tmp_path / "packs")
    (closed,), (shut,) = open_literature_packs(tmp_path / "packs"), open_trial_packs(tmp_path / "packs")
    with pytest.raises(SourceError, match="cannot be read"):
        await closed.search(FEVER, ends_at=soon())
    with pytest.raises(SourceError, match="cannot be read"):
        await shut.search(trials.Sought("asthma"), ends_at=soon())
    assert not isinstance(closed, EuropePmcPack) and closed.name == "Europe PMC pack"


def test_a_sqlite_without_full_text_search_is_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def missing() -> None:
        raise Unavailable("no full-text search (FTS5)")

    monkeypatch.setattr(recipe, "needs_full_text", missing)
    with pytest.raises(Unavailable, match="FTS5"):
        articles(tmp_path / "packs", [article(1, "Fever")])
    assert not (tmp_path / "packs").exists()
