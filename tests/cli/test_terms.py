"""`docgemma terms`: which terminology is asked, and what it knows."""

from __future__ import annotations

import json
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from docgemma.cli.main import run
from docgemma.config import Settings
from docgemma.terminology.contract import Concept
from docgemma.wiring.source_diagnosis import terminology
from docgemma.wiring.terminology import back_end, build_index, built_index, compile_once, index_file, shipped_index
from tests.cli.ground_files import CONCEPTS, tiny_index

Told = pytest.CaptureFixture[str]

MRCONSO = (
    "C0004096|ENG|P|L1|PF|S1|Y|A1||||SNOMEDCT_US|PT|195967001|Asthma|9|N|256|\n"
    "C0025598|ENG|P|L2|PF|S2|Y|A2||||RXNORM|IN|6809|metformin|0|N|256|\n"
)
"""Two rows in the shape of the release, with codes of the shipped tables."""


@pytest.fixture
def own_terms(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Path:
    path = tiny_index(tmp_path / "index.sqlite")
    monkeypatch.setenv("DOCGEMMA_TERMS_INDEX", str(path))
    return path


class TestSearch:
    def test_candidates_best_first(self, own_terms: Path, capsys: Told) -> None:
        assert run(["terms", "search", "heart", "attack", "--json"]) == 0
        first, *_ = json.loads(capsys.readouterr().out)
        assert (first["cui"], first["snomed_code"], first["display"]) == (
            "C0027051",
            "22298006",
            "myocardial infarction",
        )
        assert set(first) >= {"cui", "snomed_code", "display", "ontology", "confidence", "ids"}

    def test_for_a_person(self, own_terms: Path, capsys: Told) -> None:
        assert run(["terms", "search", "Glucophage", "--type", "Medication", "--max", "1"]) == 0
        told = capsys.readouterr().out
        assert "C0025598" in told and "metformin (as Glucophage)" in told
        assert run(["terms", "search", "zzqqxx"]) == 0
        assert capsys.readouterr().out == "No concept fits.\n"

    def test_a_term_that_is_none(self, own_terms: Path, capsys: Told) -> None:
        assert run(["terms", "search", " "]) == 2
        assert run(["terms", "search", "x" * 301]) == 2

    def test_an_index_that_is_not_there(self, monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capsys: Told) -> None:
        monkeypatch.setenv("DOCGEMMA_TERMS_INDEX", str(tmp_path / "none.sqlite"))
        assert run(["terms", "search", "asthma"]) == 4
        assert "docgemma terms build" in capsys.readouterr().err


def test_info_says_what_it_is(own_terms: Path, monkeypatch: pytest.MonkeyPatch, capsys: Told) -> None:
    assert run(["terms", "info", "--json"]) == 0
    told = json.loads(capsys.readouterr().out)
    assert (told["concepts"], told["where"]) == (5, str(own_terms))
    monkeypatch.setenv("DOCGEMMA_TERMINOLOGY_SERVER", '{"concept_search": {"url": "http://127.0.0.1:1/mcp"}}')
    assert run(["terms", "info"]) == 0
    shown = capsys.readouterr().out
    assert f"Version: {told['version']}" in shown
    assert "Grounding asks another server for concept_search: http://127.0.0.1:1/mcp" in shown


class TestBuild:
    def test_from_a_release_of_the_umls(self, tmp_path: Path, capsys: Told) -> None:
        (tmp_path / "MRCONSO.RRF").write_text(MRCONSO)
        assert run(["terms", "build", "--rrf", str(tmp_path), "--json"]) == 0
        assert json.loads(capsys.readouterr().out)["concepts"] == 2
        assert run(["terms", "search", "asthma", "--json"]) == 0
        assert json.loads(capsys.readouterr().out)[0]["snomed_code"] == "195967001"
        assert run(["terms", "build", "--rrf", str(tmp_path / "MRCONSO.RRF"), "--without-snomed"]) == 0
        capsys.readouterr()
        assert run(["terms", "search", "asthma", "--json"]) == 0
        assert [each["snomed_code"] for each in json.loads(capsys.readouterr().out)] == [None]

    def test_two_sources_at_once(self, tmp_path: Path, capsys: Told) -> None:
        (tmp_path / "MRCONSO.RRF").write_text(MRCONSO)
        assert run(["terms", "build", "--rrf", str(tmp_path), "--wheels", str(tmp_path)]) == 2
        assert "either --rrf or --wheels" in capsys.readouterr().err

    def test_a_file_that_is_no_release_leaves_the_index_before(self, tmp_path: Path) -> None:
        settings = Settings(home=tmp_path / "home")
        (tmp_path / "MRCONSO.RRF").write_text(MRCONSO)
        path = build_index(settings, rrf=tmp_path, wheels=None, snomed=True, told=lambda what, done, of: None)
        before = path.read_bytes()
        (tmp_path / "MRCONSO.RRF").write_text("junk\n")
        assert run(["terms", "build", "--rrf", str(tmp_path)]) == 2
        assert path.read_bytes() == before and built_index(settings) == path


class TestFirstUse:
    def test_of_several_that_start_together_one_compiles(self, tmp_path: Path) -> None:
        path, made = tmp_path / "terms" / "shipped-1.sqlite", []
        old = tmp_path / "terms" / "shipped-0.sqlite"
        old.parent.mkdir()
        old.write_bytes(b"of an earlier release")

        def concepts() -> list[Concept]:
            made.append(1)
            return CONCEPTS

        with ThreadPoolExecutor(3) as threads:
            list(threads.map(lambda _: compile_once(path, lambda what, done, of: None, concepts), range(3)))
        assert made == [1] and path.is_file() and not old.exists()

    def test_a_home_that_cannot_be_written_to(self, tmp_path: Path) -> None:
        (tmp_path / "terms").write_text("a file where a folder should be")
        with index_file(Settings(home=tmp_path)) as path:
            assert tmp_path not in path.parents and path.parent.is_dir()
        assert not path.parent.exists()

    def test_an_index_that_was_built_comes_before_the_shipped_one(self, tmp_path: Path) -> None:
        with index_file(Settings(home=tmp_path)) as path:
            assert path == shipped_index(Settings(home=tmp_path))
        built = tmp_path / "terms" / "full.sqlite"
        built.write_bytes(b"x")
        with index_file(Settings(home=tmp_path)) as path:
            assert path == built


class TestChoice:
    @pytest.mark.parametrize(
        ("given", "chosen"),
        [
            ({}, "embedded"),
            ({"umls_api_key": "k"}, "uts"),
            ({"umls_api_key": "k", "terms": "embedded"}, "embedded"),
            ({"terms": "uts"}, "uts"),
        ],
        ids=["nothing", "key", "key-but-embedded", "uts"],
    )
    def test_uts_is_asked_with_a_key(self, given: dict[str, str], chosen: str) -> None:
        assert back_end(Settings.model_validate(given)) == chosen

    def test_uts_without_a_key_is_one_sentence(
        self, own_terms: Path, monkeypatch: pytest.MonkeyPatch, capsys: Told
    ) -> None:
        monkeypatch.setenv("DOCGEMMA_TERMS", "uts")
        assert run(["terms", "search", "asthma"]) == 2
        assert "DOCGEMMA_UMLS_API_KEY" in capsys.readouterr().err

    async def test_what_doctor_finds(self, own_terms: Path, tmp_path: Path) -> None:
        async def states(**given: object) -> list[tuple[str, str]]:
            settings = Settings.model_validate({"home": tmp_path, **given})
            return [(each.state, each.text) for each in await terminology(settings)]

        fresh = await states()
        assert fresh[0] == ("ok", "The shipped terms, compiled with the first use.")
        assert not shipped_index(Settings(home=tmp_path)).exists()
        assert "5 concepts" in (await states(terms_index=own_terms))[0][1]
        assert (await states(terms_index=tmp_path / "none"))[0][0] == "broken"
        (tmp_path / "damaged").write_bytes(b"x" * 5000)
        assert (await states(terms_index=tmp_path / "damaged"))[0][0] == "broken"
        assert (await states(terms="uts"))[0][0] == "broken"
        gone = {"concept_search": {"url": "http://127.0.0.1:1/mcp", "pin": "abc"}}
        assert (await states(terminology_server=gone))[-1][0] == "broken"
