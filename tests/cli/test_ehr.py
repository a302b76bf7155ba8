"""`docgemma ehr`: charts in, out, listed and served from the terminal."""

from __future__ import annotations

import io
import json
import socket
import sqlite3
import stat
import subprocess
from pathlib import Path
from typing import Any

import httpx2
import pytest

from docgemma.cli.ehr import import_text
from docgemma.cli.main import run
from docgemma.cli.progress import Renewed
from docgemma.ehr.transfer.importing import Step
from tests.cli.conftest import Display, Terminal
from tests.support.import_files import allergy, bundle, entry, person, write

Told = pytest.CaptureFixture[str]


def logged(capsys: Told) -> list[tuple[str, str, str, str, list[str], int]]:
    """Every row of the audit log, without who, when and why."""
    capsys.readouterr()
    assert run(["audit", "show", "--json"]) == 0
    rows = map(json.loads, capsys.readouterr().out.splitlines())
    columns = ("action", "outcome", "kind", "resource_id", "patients", "count")
    return [tuple(row[name] for name in columns) for row in rows]


@pytest.fixture
def given(tmp_path: Path) -> Path:
    """Two patients, one of them with an allergy."""
    people = (person(), allergy("penicillin", id="a1"), person("p2", family="Lindqvist", mrn="2"))
    return write(tmp_path / "charts.json", bundle(*map(entry, people)))


class TestImport:
    def test_what_was_done_is_told_and_doing_it_again_changes_nothing(self, given: Path, capsys: Told) -> None:
        assert run(["ehr", "import", str(given)]) == 0
        assert capsys.readouterr().out == "3 resources of 2 patients from 1 file: 3 new, 0 changed, 0 there before.\n"
        assert run(["ehr", "import", str(given)]) == 0
        assert "0 new, 0 changed, 3 there before" in capsys.readouterr().out

    def test_what_was_refused_is_named_with_place_and_reason(self, tmp_path: Path, capsys: Told) -> None:
        broken = write(tmp_path / "x.ndjson", person(), person("p2") | {"gender": "M"})
        assert run(["ehr", "import", str(broken)]) == 2
        told = capsys.readouterr().out
        assert "Refused: 1. These are NOT in the charts:\n  x.ndjson, line 2: Patient.gender" in told
        assert "Okafor" not in told

    def test_strict(self, tmp_path: Path, capsys: Told) -> None:
        broken = write(tmp_path / "x.ndjson", person(), person("p2") | {"gender": "M"})
        assert run(["ehr", "import", "--strict", str(broken)]) == 2
        assert "0 resources of 0 patients from 0 files" in capsys.readouterr().out
        assert run(["ehr", "list", "--json"]) == 0
        assert capsys.readouterr().out == "[]\n"

    def test_json_lists_every_refusal(self, tmp_path: Path, capsys: Told) -> None:
        broken = write(tmp_path / "x.ndjson", *({"resourceType": "Patient", "gender": "M"} for _ in range(30)))
        assert run(["ehr", "import", str(broken), "--json"]) == 2
        report = json.loads(capsys.readouterr().out)
        assert len(report["refused"]) == 30
        assert report["refused"][0]["place"] == "line 1"
        assert run(["ehr", "import", str(broken)]) == 2
        assert "and 10 more; --json lists them all" in capsys.readouterr().out

    def test_entries_in_nobodys_chart_are_pointed_out(self, tmp_path: Path, capsys: Told) -> None:
        alone = write(tmp_path / "x.json", allergy("penicillin", id="a1"))
        assert run(["ehr", "import", str(alone)]) == 0
        told = capsys.readouterr().out
        assert "1 of them is about no patient of the store" in told
        assert "1 reference leads to something that is not in the store" in told

    def test_a_file_that_is_not_there(self, capsys: Told) -> None:
        assert run(["ehr", "import", "nowhere.json"]) == 2
        assert capsys.readouterr().err == "docgemma: The file nowhere.json cannot be found.\n"

    def test_fictional_patients_beside_real_ones_are_mentioned(self, given: Path, capsys: Told) -> None:
        assert run(["ehr", "demo"]) == 0
        assert run(["ehr", "import", str(given)]) == 0
        assert "`docgemma ehr demo --remove` takes them out" in capsys.readouterr().out

    def test_whose_charts_were_written_is_in_the_audit_log(self, given: Path, tmp_path: Path, capsys: Told) -> None:
        assert run(["ehr", "import", str(given)]) == 0
        assert run(["ehr", "import", str(given)]) == 0
        assert run(["ehr", "import", str(write(tmp_path / "x.json", allergy("latex", id="a1")))]) == 0
        assert logged(capsys) == [
            ("write", "asked", "", "", [], 0),
            ("write", "written", "", "", ["p1", "p2"], 3),
            ("write", "asked", "", "", [], 0),
            ("write", "asked", "", "", [], 0),
            ("write", "written", "", "", ["p1"], 1),
        ]

    @pytest.mark.parametrize("command", ["import", "demo"])
    def test_a_log_that_is_broken_stops_it(self, given: Path, tmp_path: Path, capsys: Told, command: str) -> None:
        assert run(["audit", "show"]) == 0
        with sqlite3.connect(tmp_path / "home" / "docgemma.sqlite") as log:
            log.execute("DELETE FROM audit_head")
        assert run(["ehr", command, *([str(given)] if command == "import" else [])]) == 4
        assert "audit log" in capsys.readouterr().err
        with sqlite3.connect(tmp_path / "home" / "charts.sqlite") as charts:
            assert charts.execute("SELECT COUNT(*) FROM versions").fetchone() == (0,)

    def test_a_link_in_a_folder_is_refused_and_not_passed_over(self, tmp_path: Path, capsys: Told) -> None:
        folder = tmp_path / "charts"
        folder.mkdir()
        write(folder / "p1.json", person())
        (folder / "p2.json").symlink_to(write(tmp_path / "p2.json", person("p2")))
        assert run(["ehr", "import", str(folder)]) == 2
        told = capsys.readouterr().out
        assert "1 resource of 1 patient" in told and "NOT in the charts:\n  p2.json: It is a link" in told


class TestExport:
    def test_to_standard_output_and_back(self, terminal: Terminal, given: Path, tmp_path: Path, capsys: Told) -> None:
        assert run(["ehr", "import", str(given)]) == 0
        out = tmp_path / "out.ndjson"
        with (
            out.open("wb") as stream,
            terminal.start("ehr", "export", stdout=stream.fileno(), stderr=subprocess.PIPE) as done,
        ):
            assert done.wait(60) == 0
        capsys.readouterr()
        assert run(["ehr", "import", str(out)]) == 0
        assert "0 new, 0 changed, 3 there before" in capsys.readouterr().out

    def test_to_a_folder_for_its_owner_alone(self, given: Path, tmp_path: Path, capsys: Told) -> None:
        assert run(["ehr", "import", str(given)]) == 0
        out = tmp_path / "export"
        assert run(["ehr", "export", "--out", str(out)]) == 0
        assert "3 resources written" in capsys.readouterr().err
        assert sorted(path.name for path in out.iterdir()) == ["AllergyIntolerance.ndjson", "Patient.ndjson"]
        assert {stat.S_IMODE(path.stat().st_mode) for path in out.iterdir()} == {0o600}

    def test_one_patient_to_a_file(self, given: Path, tmp_path: Path) -> None:
        assert run(["ehr", "import", str(given)]) == 0
        out = tmp_path / "p1.ndjson"
        assert run(["ehr", "export", "--patient", "p1", "--kind", "AllergyIntolerance", "--out", str(out)]) == 0
        (line,) = out.read_text().splitlines()
        assert json.loads(line)["id"] == "a1"

    @pytest.mark.parametrize("whose", ["Patient/p1", "Patient/nobody-here"])
    def test_what_leaves_is_in_the_audit_log(self, tmp_path: Path, capsys: Told, whose: str) -> None:
        charts = write(tmp_path / "x.ndjson", person(), allergy("penicillin", whose, id="a1"))
        only = write(tmp_path / "y.ndjson", allergy("penicillin", whose, id="a1"))
        assert run(["ehr", "import", str(charts if whose == "Patient/p1" else only)]) == 0
        assert run(["ehr", "export", "--out", str(tmp_path / "out.ndjson")]) == 0
        capsys.readouterr()
        assert run(["audit", "show", "--json"]) == 0
        *_, row = map(json.loads, capsys.readouterr().out.splitlines())
        assert (row["action"], row["patients"]) == ("export", ["p1"] if whose == "Patient/p1" else [])

    def test_nothing_is_overwritten(self, given: Path, tmp_path: Path, capsys: Told) -> None:
        out = tmp_path / "there.ndjson"
        out.write_text("mine")
        assert run(["ehr", "export", "--out", str(out)]) == 2
        assert "--out is there already" in capsys.readouterr().err
        assert out.read_text() == "mine"

    def test_half_an_export_is_not_left_behind(self, given: Path, tmp_path: Path, capsys: Told) -> None:
        out = tmp_path / "x.ndjson"
        assert run(["ehr", "export", "--patient", "nobody", "--out", str(out)]) == 3
        assert "no patient with this id" in capsys.readouterr().err
        assert not out.exists()

    def test_a_folder_that_cannot_be_made(self, tmp_path: Path, capsys: Told) -> None:
        (tmp_path / "file").write_text("")
        assert run(["ehr", "export", "--out", str(tmp_path / "file" / "x")]) == 4
        assert "cannot be written" in capsys.readouterr().err

    def test_a_kind_that_is_none(self, capsys: Told) -> None:
        assert run(["ehr", "export", "--kind", "Patients"]) == 2
        assert "resource type of FHIR R4" in capsys.readouterr().err


class TestList:
    def test_what_tells_two_patients_apart(self, given: Path, capsys: Told) -> None:
        assert run(["ehr", "import", str(given)]) == 0
        assert run(["ehr", "demo"]) == 0
        capsys.readouterr()
        assert run(["ehr", "list"]) == 0
        rows = {line.split()[0]: line.split() for line in capsys.readouterr().out.splitlines()}
        assert rows["p1"] == ["p1", "Okafor", "1970-01-01", "…1", "2"]
        assert rows["jkl-012"][1:6] == ["James", "Wilson", "Sr.", "1949-02-09", "male"]
        assert rows["jkl-012"][-1] == "fictional"
        assert len(rows) == 1 + 2 + 16

    def test_who_was_shown_is_in_the_audit_log(self, given: Path, capsys: Told) -> None:
        assert run(["ehr", "import", str(given)]) == 0
        assert run(["ehr", "list"]) == 0
        capsys.readouterr()
        assert run(["audit", "show", "--json"]) == 0
        *_, row = map(json.loads, capsys.readouterr().out.splitlines())
        assert (row["action"], row["patients"], row["count"]) == ("search", ["p1", "p2"], 2)

    def test_a_name_cannot_write_to_the_terminal(self, tmp_path: Path, capsys: Told) -> None:
        hostile = person(family="\u202eevil \r\n\t x\u2028")
        assert run(["ehr", "import", str(write(tmp_path / "x.json", hostile))]) == 0
        capsys.readouterr()
        assert run(["ehr", "list"]) == 0
        told = capsys.readouterr().out
        assert all(letter.isprintable() for letter in told.replace("\n", ""))
        assert len(told.splitlines()) == 2

    def test_an_empty_store(self, capsys: Told) -> None:
        assert run(["ehr", "list"]) == 0
        assert "has no patients" in capsys.readouterr().out


class TestDemo:
    def test_they_come_and_go(self, capsys: Told) -> None:
        assert run(["ehr", "demo"]) == 0
        assert "16 fictional patients" in capsys.readouterr().out
        assert run(["ehr", "demo", "--remove"]) == 0
        assert run(["ehr", "list"]) == 0
        assert "has no patients" in capsys.readouterr().out

    def test_both_are_in_the_audit_log(self, capsys: Told) -> None:
        assert run(["ehr", "demo"]) == 0
        assert run(["ehr", "demo", "--remove"]) == 0
        assert run(["ehr", "demo", "--remove"]) == 0
        rows = logged(capsys)
        assert [(row[:2], len(row[4])) for row in rows] == [
            (("write", "asked"), 0),
            (("write", "written"), 16),
            (("write", "asked"), 0),
            (("write", "written"), 16),
            (("write", "asked"), 0),
        ]
        assert rows[1][5] == rows[3][5] > 2_000


DOCTOR = {"resourceType": "Practitioner", "id": "dr-1"}
ASKED: list[tuple[str, str, Any]] = [
    ("GET", "Patient/p1", None),
    ("GET", "Patient?_id=Ann+Okafor", None),
    ("GET", "Patient?_id=1980-03-04", None),
    ("GET", "Patient/p-9", None),
    ("GET", "Patient/Okafor", None),
    ("GET", "Patient?_sort=name&_cursor=cDEvOQ", None),
    ("PUT", "Practitioner/dr-1", DOCTOR),
    ("GET", "Practitioner", None),
    ("PUT", "AllergyIntolerance/a-2", allergy("latex", "Patient/p2", id="a-2")),
    ("PUT", "AllergyIntolerance/a-2", allergy("latex", "Patient/p1", id="a-2")),
    ("DELETE", "AllergyIntolerance/a-2", None),
    ("DELETE", "Observation/Ann%20Okafor", None),
]


class TestServe:
    def test_a_port_that_is_taken_is_one_line(self, capsys: Told) -> None:
        with socket.create_server(("127.0.0.1", 0)) as taken:
            assert run(["ehr", "serve", "--port", str(taken.getsockname()[1])]) == 4
        assert "Try another --port" in capsys.readouterr().err

    def test_every_access_is_in_the_audit_log_and_nothing_that_is_no_id(
        self, terminal: Terminal, given: Path, capsys: Told
    ) -> None:
        assert run(["ehr", "import", str(given)]) == 0
        with socket.create_server(("127.0.0.1", 0)) as free:
            port = free.getsockname()[1]
        with terminal.start("ehr", "serve", "--port", str(port), stderr=subprocess.PIPE) as server:
            assert server.stderr is not None
            server.stderr.readline()
            with httpx2.Client(base_url=f"http://127.0.0.1:{port}/fhir/") as http:
                statuses = [http.request(method, path, json=body).status_code for method, path, body in ASKED]
            server.terminate()
        assert statuses == [200, 200, 200, 404, 404, 400, 201, 200, 201, 200, 204, 404]
        assert logged(capsys)[2:] == [
            ("read", "found", "Patient", "p1", ["p1"], 1),
            ("search", "none", "Patient", "", [], 0),
            ("search", "none", "Patient", "", [], 0),
            ("read", "none", "Patient", "p-9", ["p-9"], 0),
            ("read", "none", "Patient", "", [], 0),
            ("search", "failed", "Patient", "", [], 0),
            ("write", "asked", "Practitioner", "dr-1", [], 0),
            ("write", "written", "Practitioner", "dr-1", [], 1),
            ("search", "found", "Practitioner", "", [], 1),
            ("write", "asked", "AllergyIntolerance", "a-2", ["p2"], 0),
            ("write", "written", "AllergyIntolerance", "a-2", ["p2"], 1),
            ("write", "asked", "AllergyIntolerance", "a-2", ["p2", "p1"], 0),
            ("write", "written", "AllergyIntolerance", "a-2", ["p1", "p2"], 1),
            ("write", "asked", "AllergyIntolerance", "a-2", ["p1"], 0),
            ("write", "written", "AllergyIntolerance", "a-2", ["p1"], 1),
            ("write", "asked", "Observation", "", [], 0),
        ]

    def test_an_open_address_needs_a_token(self, capsys: Told) -> None:
        assert run(["ehr", "serve", "--host", "0.0.0.0"]) == 2
        assert "DOCGEMMA_TOKEN" in capsys.readouterr().err


@pytest.mark.parametrize("command", [["import", "x"], ["export"], ["list"], ["serve"], ["demo"]])
def test_another_record_system_is_not_ours_to_fill(
    command: list[str], monkeypatch: pytest.MonkeyPatch, capsys: Told
) -> None:
    monkeypatch.setenv("DOCGEMMA_FHIR_URL", "https://ehr.example/fhir")
    assert run(["ehr", *command]) == 2
    assert "works on the embedded store only" in capsys.readouterr().err


class TestProgress:
    def test_rate_and_time_left(self) -> None:
        assert import_text(10.0, Step(30_000, 25, 100)) == "30,000 resources, 3,000 a second, 30 s left"
        assert import_text(10.0, Step(30_000, 100, 100)) == "30,000 resources, 3,000 a second"

    def test_a_log_gets_none(self) -> None:
        out = io.StringIO()
        ticks = iter([0.0, 10.0])
        Renewed(out, import_text, clock=lambda: next(ticks))(Step(1, 1, 2))
        assert out.getvalue() == ""

    def test_a_terminal_gets_one_line_that_goes_away(self, display: Display) -> None:
        ticks = iter([0.0, 0.05, 10.0])
        shown = Renewed(display.out, import_text, clock=lambda: next(ticks))
        shown(Step(1, 1, 100))
        shown(Step(1000, 50, 100))
        shown.finish()
        assert display.text() == "\r\x1b[K1,000 resources, 100 a second, 10 s left\r\x1b[K"
