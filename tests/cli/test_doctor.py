from __future__ import annotations

import json
from pathlib import Path

import pytest

from docgemma.cli.main import run
from tests.support.charts import put_demo_charts

NOTICE = (
    "HAI-DEF is provided under and subject to the Health AI Developer Foundations Terms of Use found at "
    "https://developers.google.com/health-ai-developer-foundations/terms"
)


def test_without_anything_configured_it_can_be_used(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["doctor"]) == 0
    told = capsys.readouterr().out
    assert "DocGemma can be used." in told
    assert "Decision support for professionals; not a medical device." in told
    assert NOTICE in told


def test_json_says_the_same_to_programs(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["doctor", "--json"]) == 0
    (line,) = capsys.readouterr().out.splitlines()
    report = json.loads(line)
    assert report["usable"] is True
    assert report["notice"] == NOTICE
    assert {"area", "state", "text", "mend"} == set(report["findings"][0])


def test_broken_settings_are_a_finding_not_a_crash(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "home").mkdir()
    (tmp_path / "home" / "config.toml").write_text("model =")
    assert run(["doctor"]) == 4
    assert "config.toml is not valid TOML" in capsys.readouterr().out


@pytest.mark.parametrize(
    "arguments",
    [["--model", "openai"], ["--model", "auto", "--model-url", "http://127.0.0.1:9/v1"]],
)
def test_a_model_that_cannot_answer_is_broken(arguments: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["doctor", "--json", *arguments]) == 4
    report = json.loads(capsys.readouterr().out)
    assert report["usable"] is False
    assert "broken" in [finding["state"] for finding in report["findings"]]


def test_a_damaged_store_is_broken(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["doctor"]) == 0
    (database,) = (tmp_path / "home").glob("*.sqlite")
    database.write_bytes(b"garbage" * 1000)
    assert run(["doctor"]) == 4
    assert "broken" in capsys.readouterr().out


def test_services_that_do_not_answer_are_named(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    for name in ("OPENFDA", "DAILYMED", "EUROPEPMC", "PUBMED", "CTGOV"):
        monkeypatch.setenv(f"DOCGEMMA_{name}_URL", "http://127.0.0.1:9")
    monkeypatch.setenv("DOCGEMMA_SOURCES", "live")
    assert run(["doctor", "--json"]) == 0
    found = json.loads(capsys.readouterr().out)["findings"]
    silent = [finding["text"].split(" gave no answer")[0] for finding in found if finding["state"] == "missing"]
    assert {"Europe PMC", "PubMed", "ClinicalTrials.gov"} <= {*silent}


def test_a_record_system_that_does_not_answer_is_broken(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("DOCGEMMA_FHIR_URL", "http://127.0.0.1:9/fhir")
    assert run(["doctor"]) == 4
    assert "DOCGEMMA_FHIR_URL" in capsys.readouterr().out


def test_the_embedded_charts_are_counted(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["doctor"]) == 0
    assert "fictional patients come with the first look" in " ".join(capsys.readouterr().out.split())
    put_demo_charts(tmp_path / "home")
    assert run(["doctor"]) == 0
    told = " ".join(capsys.readouterr().out.split())
    assert "16 patients, 16 of them fictional" in told
    assert "an unbroken chain" in told


def test_a_damaged_chart_store_is_broken(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    put_demo_charts(tmp_path / "home").write_bytes(b"garbage" * 1000)
    assert run(["doctor"]) == 4
    assert "chart store" in capsys.readouterr().out


def test_a_knowledge_base_that_was_never_asked_is_not_made(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["doctor"]) == 0
    assert "Demonstration entries, stored with the first question." in capsys.readouterr().out


def test_a_knowledge_base_says_whose_entries_it_holds(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["kb", "roles"]) == 0
    assert run(["doctor"]) == 0
    said = capsys.readouterr().out
    assert "490 entries for 4 roles: demonstration, not reviewed by a clinician." in said
    assert "Found by words" in said
