"""`docgemma pack`: built, listed and verified from the terminal."""

from __future__ import annotations

import io
import json
import stat
from datetime import UTC, datetime
from pathlib import Path

import pytest

from docgemma.cli.main import run
from docgemma.cli.pack import build_text, verify_text
from docgemma.cli.progress import Renewed
from docgemma.sources.pack.intake import Step
from tests.cli.conftest import Display
from tests.sources.document_files import article, page, put, trial
from tests.sources.pack_files import part, shelf

Told = pytest.CaptureFixture[str]


@pytest.fixture
def given(tmp_path: Path) -> Path:
    return part(tmp_path / "in" / "drug-label-0001-of-0002.json.zip", [*shelf(), {"set_id": 1}]).parent


def build(given: Path, *more: str) -> int:
    return run(["pack", "build", "openfda", "--from", str(given), *more])


class TestBuild:
    def test_what_was_made_is_told_with_what_is_missing(self, given: Path, tmp_path: Path, capsys: Told) -> None:
        assert build(given, "--keep", "2") == 0
        told = capsys.readouterr().out
        assert told.startswith("openfda-2026-08-11 is built: ")
        assert "61 records read" in told and "0 older versions, 1 skipped.\n  skipped, no set id: 1\n" in told
        assert "NOT given: part 2 of 2. What is in them is missing from this pack." in told
        assert stat.S_IMODE((tmp_path / "home").stat().st_mode) == 0o700

    def test_as_json(self, given: Path, capsys: Told) -> None:
        assert build(given, "--json") == 0
        made = json.loads(capsys.readouterr().out)
        assert (made["name"], made["start"], made["data_date"]) == ("openfda-2026-08-11", "new", "2026-08-11")
        assert made["counts"]["records"] == 61
        assert made["parts"][0]["name"] == "drug-label-0001-of-0002.json.zip"
        assert build(given, "--json") == 0
        assert json.loads(capsys.readouterr().out)["start"] == "there_before"

    def test_several_files_behind_one_option(self, tmp_path: Path, capsys: Told) -> None:
        files = [str(part(tmp_path / "in" / f"{number}.json", shelf(5 + number))) for number in range(3)]
        assert run(["pack", "build", "openfda", "--from", *files, "--out", str(tmp_path / "elsewhere")]) == 0
        assert "18 records read" in capsys.readouterr().out
        assert (tmp_path / "elsewhere" / "openfda-2026-08-11" / "labels.sqlite").is_file()

    def test_a_file_that_is_none(self, tmp_path: Path, capsys: Told) -> None:
        bad = tmp_path / "part.json.zip"
        bad.write_bytes(b"PK but no zip")
        assert build(bad) == 2
        told = capsys.readouterr()
        assert told.out == ""
        assert told.err == (
            "docgemma: part.json.zip is damaged or cut off. Download it again; nothing was published.\n"
        )

    def test_a_folder_that_cannot_be_written(self, given: Path, tmp_path: Path, capsys: Told) -> None:
        (tmp_path / "file").write_text("in the way")
        assert build(given, "--out", str(tmp_path / "file" / "packs")) == 4
        assert "--out" in capsys.readouterr().err

    @pytest.mark.parametrize("arguments", [["build", "openfda"], ["build", "dailymed", "--from", "x"], ["build"]])
    def test_wrong_usage(self, arguments: list[str]) -> None:
        assert run(["pack", *arguments]) == 2


class TestList:
    def test_without_a_pack_there_is_the_marked_starter_pack(self, capsys: Told) -> None:
        assert run(["pack", "list"]) == 0
        told = capsys.readouterr().out
        assert "DocGemma starter pack" in told and "demonstration, not reviewed by a clinician" in told
        assert "No pack of drug labels is built" in told
        assert "No pack of articles or of trials is built" in told

    def test_the_newest_is_in_use(self, given: Path, tmp_path: Path, capsys: Told) -> None:
        assert build(given) == 0
        assert build(part(tmp_path / "b.json", shelf(), "2026-09-01")) == 0
        capsys.readouterr()
        assert run(["pack", "list", "--json"]) == 0
        new, old, starter = json.loads(capsys.readouterr().out)
        assert (new["name"], new["in_use"], old["in_use"]) == ("openfda-2026-09-01", True, False)
        assert old["missing_parts"] == ["2 of 2"]
        assert (starter["demonstration"], starter["in_use"]) == (True, False)
        assert new["labels"] and new["drugs"] and new["bytes"] and new["age_days"] is not None
        assert run(["pack", "list"]) == 0
        lines = capsys.readouterr().out.splitlines()
        assert "in use" in lines[1] and "older, not used; part 2 of 2 missing" in lines[2]

    def test_a_pack_that_cannot_be_used_says_why(self, given: Path, tmp_path: Path, capsys: Told) -> None:
        assert build(given) == 0
        (tmp_path / "home" / "packs" / "openfda-2026-08-11" / "pack.json").write_text("{}")
        capsys.readouterr()
        assert run(["pack", "list"]) == 0
        assert "is damaged or was changed" in capsys.readouterr().out

    def test_a_build_that_was_not_finished_is_mentioned(self, given: Path, tmp_path: Path, capsys: Told) -> None:
        (given / "2.json").write_bytes(b'{"meta": {}, "results": [{}, ')
        assert build(given) == 2
        capsys.readouterr()
        assert run(["pack", "list"]) == 0
        assert "A build of labels is not finished" in capsys.readouterr().out
        (given / "2.json").unlink()
        assert build(given) == 0
        capsys.readouterr()
        assert run(["pack", "list"]) == 0
        assert "not finished" not in capsys.readouterr().out


class TestVerify:
    def test_a_sound_pack(self, given: Path, capsys: Told) -> None:
        assert build(given) == 0
        capsys.readouterr()
        assert run(["pack", "verify"]) == 0
        assert capsys.readouterr().out.startswith("openfda-2026-08-11: sound, ")

    def test_a_damaged_pack(self, given: Path, tmp_path: Path, capsys: Told) -> None:
        assert build(given) == 0
        file = tmp_path / "home" / "packs" / "openfda-2026-08-11" / "labels.sqlite"
        data = bytearray(file.read_bytes())
        data[len(data) // 2] ^= 4
        file.write_bytes(data)
        capsys.readouterr()
        assert run(["pack", "verify", "openfda-2026-08-11", "--json"]) == 4
        (verdict,) = json.loads(capsys.readouterr().out)
        assert not verdict["ok"] and "docgemma pack build" in verdict["problem"]

    def test_names_that_are_not_there(self, capsys: Told) -> None:
        assert run(["pack", "verify", "openfda-1999-01-01"]) == 3
        assert "docgemma pack list" in capsys.readouterr().err

    def test_nothing_to_verify(self, capsys: Told) -> None:
        assert run(["pack", "verify"]) == 0
        assert capsys.readouterr().out == "There is no built pack to verify.\n"


class TestOtherKinds:
    """Articles and trials beside drug labels."""

    @pytest.fixture
    def all_kinds(self, given: Path, tmp_path: Path, capsys: Told) -> str:
        """What the three builds said."""
        papers = [article(1, "Fever"), article(2, "Rash", types=["Retracted Publication"]), article(1, "Fever")]
        pages = put(tmp_path / "p" / "page.json", page(papers))
        studies = put(tmp_path / "s" / "studies.json", {"studies": [trial(1, "Asthma", "Asthma"), {}]})
        assert build(given) == 0
        assert run(["pack", "build", "europepmc", "--from", str(pages)]) == 0
        assert run(["pack", "build", "ctgov", "--from", str(studies)]) == 0
        return capsys.readouterr().out

    def test_what_was_made_is_told_in_their_words(self, all_kinds: str) -> None:
        assert "europepmc-2024-06-01 is built: 1 article, data of 2024-06-01" in all_kinds
        assert "3 records read: 1 kept, 1 retracted or deleted, 1 older versions, 0 skipped." in all_kinds
        assert "ctgov-2024-06-01 is built: 1 trial," in all_kinds
        assert (
            "2 records read: 1 kept, 0 older versions, 1 skipped.\n  skipped, no number of the register: 1" in all_kinds
        )

    def test_all_are_listed(self, all_kinds: str, capsys: Told) -> None:
        assert run(["pack", "list", "--json"]) == 0
        kinds = [(one["kind"], one["in_use"]) for one in json.loads(capsys.readouterr().out)]
        assert kinds == [("openfda", True), ("europepmc", True), ("ctgov", True), ("openfda", False)]
        assert run(["pack", "list"]) == 0
        told = capsys.readouterr().out
        assert "1 article " in told and "1 trial " in told and "is built" not in told

    def test_all_are_verified(self, all_kinds: str, tmp_path: Path, capsys: Told) -> None:
        assert run(["pack", "verify"]) == 0
        told = capsys.readouterr().out
        assert "europepmc-2024-06-01: sound, 1 article.\n" in told and "ctgov-2024-06-01: sound, 1 trial.\n" in told
        index = tmp_path / "home" / "packs" / "ctgov-2024-06-01" / "index.sqlite"
        index.write_bytes(index.read_bytes()[:-1] + b"?")
        assert run(["pack", "verify", "--json"]) == 4
        found = {one["kind"]: one["ok"] for one in json.loads(capsys.readouterr().out)}
        assert found == {"openfda": True, "europepmc": True, "ctgov": False}

    def test_the_number_of_labels_is_not_for_them(self, tmp_path: Path, capsys: Told) -> None:
        assert run(["pack", "build", "ctgov", "--from", str(tmp_path), "--keep", "3"]) == 2
        assert "--keep" in capsys.readouterr().err

    def test_a_folder_without_any(self, tmp_path: Path, capsys: Told) -> None:
        assert run(["pack", "build", "europepmc", "--from", str(put(tmp_path / "in" / "a.txt", b"").parent)]) == 2
        assert "PubMed's XML files" in capsys.readouterr().err

    def test_doctor_tells_of_them(self, tmp_path: Path, capsys: Told) -> None:
        today = datetime.now(UTC).date().isoformat()
        pages = put(tmp_path / "p" / "page.json", page([article(1, "Fever", revised=today)]))
        studies = put(tmp_path / "s" / "studies.json", [trial(1, "Asthma", "Asthma", updated="2019-01-01")])
        assert self.doctor(capsys) == ("off", "off")
        assert run(["pack", "build", "europepmc", "--from", str(pages)]) == 0
        assert run(["pack", "build", "ctgov", "--from", str(studies)]) == 0
        assert self.doctor(capsys) == ("ok", "missing")  # the latter is old
        (tmp_path / "home" / "packs" / f"europepmc-{today}" / "index.sqlite").unlink()
        assert self.doctor(capsys) == ("broken", "missing")

    def doctor(self, capsys: Told) -> tuple[str, str]:
        """What it says of articles and of trials."""
        capsys.readouterr()
        run(["doctor", "--json"])
        found = {one["area"]: one["state"] for one in json.loads(capsys.readouterr().out)["findings"]}
        return found["article pack"], found["trial pack"]


class TestProgress:
    def test_on_a_terminal(self, display: Display) -> None:
        now = iter([0.0, 5.0, 10.0])
        progress = Renewed(display.out, build_text, logs=True, clock=lambda: next(now))
        progress(Step(200_000_000, 1_000_000_000, 4000))
        assert display.text().endswith("200 of 1,000 MB, 4,000 records read, 40.0 MB/s, 20 s left")
        progress(Step(1_000_000_000, 1_000_000_000, 20_000, writing=True))
        assert display.text().endswith("Writing the pack: 20,000 records")
        progress.finish()

    def test_a_log_is_not_filled(self) -> None:
        out, now = io.StringIO(), iter([0.0] * 12 + [40.0])
        progress = Renewed(out, verify_text, logs=True, clock=lambda: next(now))
        for rows in range(12):
            progress("openfda-2026-08-11", rows, 100)
        progress.finish()
        assert out.getvalue() == "openfda-2026-08-11: 11 of 100 rows\n"
