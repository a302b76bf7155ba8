"""`docgemma ground`: a file of criteria in, one line each out, gone on with after any end, reviewed by experts."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from docgemma.cli.main import run
from tests.cli.conftest import SilentServer, Terminal
from tests.cli.ground_files import TEXTS, criteria, tiny_index

Told = pytest.CaptureFixture[str]


@pytest.fixture(scope="module")
def index(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tiny_index(tmp_path_factory.mktemp("terms") / "index.sqlite")


@pytest.fixture(autouse=True)
def _own_terms(monkeypatch: pytest.MonkeyPatch, index: Path) -> None:
    monkeypatch.setenv("DOCGEMMA_TERMS_INDEX", str(index))


@pytest.fixture
def source(tmp_path: Path) -> Path:
    return criteria(tmp_path / "criteria.jsonl", *TEXTS)


def lines(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text().splitlines()]


def as_json(capsys: Told, *arguments: str) -> Any:
    capsys.readouterr()
    assert run([*arguments, "--json"]) == 0
    return json.loads(capsys.readouterr().out)


class TestRun:
    def test_a_line_for_each_criterion_and_a_summary(self, source: Path, tmp_path: Path, capsys: Told) -> None:
        out = tmp_path / "out.jsonl"
        assert run(["ground", str(source), "--out", str(out)]) == 0
        told = capsys.readouterr()
        assert told.err == "" and told.out.startswith("4 criteria: 4 grounded now, 0 from before.\n")
        found = lines(out)
        assert [line["criterion_id"] for line in found] == ["c0", "c1", "c2", "c3"]
        [metformin] = found[0]["entities"]
        assert (metformin["umls_cui"], metformin["status"], metformin["grounding_method"]) == (
            "C0025598",
            "grounded",
            "rules",
        )
        before = out.read_bytes()
        again = as_json(capsys, "ground", "run", str(source), "--out", str(out))
        assert (again["grounded_now"], again["from_before"], again["model"]) == (0, 4, "rules")
        assert out.read_bytes() == before

    def test_lines_go_to_standard_output(self, source: Path, capsysbinary: pytest.CaptureFixture[bytes]) -> None:
        assert run(["ground", str(source), "--limit", "2"]) == 0
        told = capsysbinary.readouterr()
        assert len([json.loads(line) for line in told.out.splitlines()]) == 2
        assert b"2 criteria" in told.err

    def test_criteria_from_standard_input_as_a_table(
        self, given: Callable[[bytes], None], tmp_path: Path, capsys: Told
    ) -> None:
        given(b"Treated with metformin\n")
        assert run(["ground", "-", "--read-as", "text", "--protocol", "P7", "--out", str(tmp_path / "out.csv")]) == 0
        header, row = (tmp_path / "out.csv").read_text().splitlines()
        assert header.startswith("criterion_id,protocol_id,") and ",P7,unknown,Drug,0,metformin,RxNorm,6809," in row

    def test_broken_lines_are_told_and_the_rest_is_grounded(self, source: Path, tmp_path: Path, capsys: Told) -> None:
        source.write_text("not json\n" + source.read_text())
        assert run(["ground", str(source), "--out", str(tmp_path / "out.jsonl")]) == 2
        assert "1 line of the input could not be read." in capsys.readouterr().out
        assert [line["error"] is None for line in lines(tmp_path / "out.jsonl")] == [False, True, True, True, True]

    @pytest.mark.parametrize(
        ("arguments", "code", "told"),
        [
            (["{source}", "--out", "{source}"], 2, "the input file itself"),
            (["{source}", "--json"], 2, "needs --out"),
            (["{source}", "--out", "{folder}/notes.txt"], 2, "--force"),
            (["{source}", "--out", "{folder}/none/out.jsonl"], 2, "does not exist"),
            (["{folder}/none.jsonl"], 2, "does not exist"),
            (["{source}", "--address", "ray://x"], 2, "--engine ray"),
            (["show", "P9"], 3, "There is no grounded protocol P9."),
            (["review", "accept", "0123456789ab"], 3, "There is no item 0123456789ab."),
        ],
        ids=["itself", "json", "notes", "folder", "absent", "address", "protocol", "item"],
    )
    def test_what_cannot_be_done_is_one_sentence(
        self, source: Path, tmp_path: Path, capsys: Told, arguments: list[str], code: int, told: str
    ) -> None:
        (tmp_path / "notes.txt").write_text("mine")
        assert run(["ground", *(each.format(source=source, folder=tmp_path) for each in arguments)]) == code
        assert told in capsys.readouterr().err
        assert (tmp_path / "notes.txt").read_text() == "mine"

    def test_another_threshold_is_another_output(self, source: Path, tmp_path: Path, capsys: Told) -> None:
        out = str(tmp_path / "out.jsonl")
        assert run(["ground", str(source), "--out", out]) == 0
        assert run(["ground", str(source), "--out", out, "--threshold", "0.99"]) == 2
        assert "another threshold" in capsys.readouterr().err
        assert run(["ground", str(source), "--out", out, "--threshold", "1", "--force"]) == 0
        assert {each["status"] for line in lines(Path(out)) for each in line["entities"]} == {"expert_review"}

    def test_a_model_that_is_gone_stops_the_run(
        self, source: Path, tmp_path: Path, capsys: Told, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setenv("DOCGEMMA_MODEL_URL", "http://127.0.0.1:9/v1")
        out = tmp_path / "out.jsonl"
        assert run(["ground", str(source), "--out", str(out)]) == 4
        told = capsys.readouterr().err
        assert told.startswith("docgemma: 0 of 4 criteria are grounded. ") and "The same command goes on" in told
        assert not out.exists()

    def test_ctrl_c_says_how_to_go_on(
        self, terminal: Terminal, index: Path, source: Path, tmp_path: Path, silent_server: SilentServer
    ) -> None:
        terminal.variables.update(
            {"DOCGEMMA_TERMS_INDEX": str(index), "DOCGEMMA_MODEL": "openai", "DOCGEMMA_MODEL_URL": silent_server.url}
        )
        out = tmp_path / "out.jsonl"
        with terminal.start("ground", str(source), "--out", str(out), stderr=subprocess.PIPE) as process:
            silent_server.wait_until_asked()
            process.send_signal(2)
            told = process.communicate(timeout=60)[1].decode()
        assert process.returncode == 130
        assert told.strip() == "Stopped after 0 criteria. The same command goes on where this one stopped."


class TestShow:
    def test_a_protocol_with_its_entities(self, source: Path, tmp_path: Path, capsys: Told) -> None:
        assert run(["ground", str(source), "--out", str(tmp_path / "out.jsonl")]) == 0
        shown = as_json(capsys, "ground", "show", "P1")
        assert [line["criterion_id"] for line in shown["criteria"]] == ["c0", "c1", "c2", "c3"]
        assert as_json(capsys, "ground", "show") == [{"protocol": "P1", "criteria": 4}]
        assert run(["ground", "show", "P1"]) == 0
        assert "metformin, Medication: C0025598" in capsys.readouterr().out

    def test_nothing_yet(self, capsys: Told) -> None:
        assert run(["ground", "show"]) == 0
        assert "Nothing was grounded yet" in capsys.readouterr().out


class TestReview:
    @pytest.fixture
    def waiting(self, source: Path, tmp_path: Path, capsys: Told) -> Callable[[], list[dict[str, Any]]]:
        """Everything waits; what is listed now."""
        out = str(tmp_path / "out.jsonl")
        self.again = ["ground", str(source), "--out", out, "--threshold", "1"]
        self.out = Path(out)
        assert run(self.again) == 0
        return lambda: as_json(capsys, "ground", "review", "list")  # type: ignore[no-any-return]

    def item(self, items: list[dict[str, Any]], text: str) -> str:
        return next(str(each["item"]) for each in items if each["text"] == text)

    def test_from_the_list_to_the_lines(self, waiting: Callable[[], list[dict[str, Any]]], capsys: Told) -> None:
        item = self.item(waiting(), "metformin")
        shown = as_json(capsys, "ground", "review", "show", item)
        assert shown["candidates"][0]["cui"] == "C0025598" and shown["examples"][0]["text"] == TEXTS[0]
        made = as_json(capsys, "ground", "review", "accept", item)
        assert made["action"] == "accept" and made["who"]
        assert item not in {each["item"] for each in waiting()}
        assert run(self.again) == 0
        [found] = lines(self.out)[0]["entities"]
        assert (found["umls_cui"], found["grounding_method"], found["grounding_confidence"]) == (
            "C0025598",
            "person",
            1.0,
        )

    def test_another_concept_is_looked_up_and_an_unknown_one_marked(
        self, waiting: Callable[[], list[dict[str, Any]]], capsys: Told
    ) -> None:
        item = self.item(waiting(), "heart attack")
        change = ("ground", "review", "change", item, "--reason", "Means the drug.", "--cui")
        made = as_json(capsys, *change, "C0004057", "--term", "acetylsalicylic acid")
        assert (made["known"], made["after"]["preferred_term"]) == (True, "acetylsalicylic acid")
        made = as_json(capsys, *change, "C0000970")
        assert (made["known"], made["after"]["umls_cui"]) == (False, "C0000970")
        made = as_json(capsys, *change[:-1], "--snomed", "387207008")
        assert (made["known"], made["after"]["umls_cui"], made["after"]["snomed_code"]) == (False, None, "387207008")
        assert run(list(change[:-1])) == 2
        assert "--cui, --snomed, or both" in capsys.readouterr().err
        assert run([*change[:-1], "--cui", "22298006"]) == 2
        assert "C and seven digits" in capsys.readouterr().err
        assert run(["ground", "review", "history", item]) == 0
        told = capsys.readouterr().out.splitlines()
        assert len(told) == 3 and "does not know this concept" in told[1]

    def test_rejected_and_taken_back(self, waiting: Callable[[], list[dict[str, Any]]], capsys: Told) -> None:
        item = self.item(waiting(), "metformin")
        as_json(capsys, "ground", "review", "reject", item, "--reason", "Not meant.")
        assert run(self.again) == 0
        assert lines(self.out)[0]["entities"][0]["reason"].endswith("Not meant.")
        as_json(capsys, "ground", "review", "undo", item)
        assert item in {each["item"] for each in waiting()}
        assert [each["action"] for each in as_json(capsys, "ground", "review", "history")] == ["reject", "undo"]

    def test_for_a_person(self, waiting: Callable[[], list[dict[str, Any]]], capsys: Told) -> None:
        item = self.item(waiting(), "metformin")
        assert run(["ground", "review", "list"]) == 0
        assert "C0025598 metformin (CORE" in capsys.readouterr().out
        assert run(["ground", "review", "show", item]) == 0
        assert "  1. C0025598 metformin" in capsys.readouterr().out
