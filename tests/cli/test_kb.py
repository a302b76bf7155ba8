"""`docgemma kb`: entries, topics and roles looked at and changed from the terminal."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from docgemma.cli.main import run
from tests.cli.kb_files import SUGAR, lines, row, two

Told = pytest.CaptureFixture[str]


def kb(*arguments: str) -> int:
    return run(["kb", *arguments])


def shown(capsys: Told, *arguments: str) -> Any:
    capsys.readouterr()
    assert kb(*arguments, "--json") == 0
    return json.loads(capsys.readouterr().out)


@pytest.fixture
def filled(tmp_path: Path, capsys: Told) -> Path:
    patient = row("p-1", "What is a low blood sugar for me?", role="patient_diabetes")
    vietnamese = row("v-1", "Hạ đường huyết là gì?", "Là đường huyết dưới 4 mmol/L.", language="vi", topic="Tiểu đường")
    file = lines(tmp_path / "in.jsonl", *two(), patient, vietnamese)
    assert kb("ingest", str(file)) == 0
    capsys.readouterr()
    return tmp_path


class TestSearch:
    def test_the_best_first_with_how_well_it_fits(self, filled: Path, capsys: Told) -> None:
        assert kb("search", "low blood sugar", "--role", "nurse") == 0
        told = capsys.readouterr().out
        assert "\n1. What is a low blood sugar?\n" in told
        assert ", fits; n-1; nurse / en / Diabetes / Low sugar\n" in told
        assert "Source: Ward handbook, not reviewed by a clinician" in told

    def test_as_json(self, filled: Path, capsys: Told) -> None:
        found = shown(capsys, "search", "low", "blood", "sugar", "--role", "nurse", "--limit", "1")
        assert (found["roles"], found["language"], len(found["found"])) == (["nurse"], "en", 1)
        best = found["found"][0]
        assert (best["id"], best["fits"], best["answer"]) == ("n-1", True, SUGAR)
        assert 0 <= best["relevance"] <= 1

    def test_without_a_role_nothing_that_was_written_for_patients(self, filled: Path, capsys: Told) -> None:
        found = shown(capsys, "search", "What is a low blood sugar for me?")
        assert {each["role"] for each in found["found"]} == {"nurse"}
        assert set(found["roles"]) == {"nurse", "general_practitioner"}

    def test_in_the_language_of_the_question(self, filled: Path, capsys: Told) -> None:
        found = shown(capsys, "search", "hạ đường huyết là gì")
        assert (found["language"], [each["id"] for each in found["found"]]) == ("vi", ["v-1"])

    def test_only_one_topic(self, filled: Path, capsys: Told) -> None:
        found = shown(capsys, "search", "low blood sugar", "--topic", "Wounds")
        assert "n-1" not in [each["id"] for each in found["found"]]

    def test_nothing_comes_near(self, filled: Path, capsys: Told) -> None:
        assert kb("search", "low blood sugar", "--role", "patient_dental") == 0
        assert capsys.readouterr().out.startswith("No entry comes near. ")

    @pytest.mark.parametrize(
        ("arguments", "code"),
        [(["x", "--role", "plumber"], 3), ([" "], 2), (["x" * 1001], 2), ([], 2), (["x", "--limit", "0"], 2)],
        ids=["role", "blank", "long", "none", "limit"],
    )
    def test_what_cannot_be_searched(self, arguments: list[str], code: int, capsys: Told) -> None:
        assert kb("search", *arguments) == code
        assert "unexpected" not in capsys.readouterr().err


class TestTopics:
    def test_the_tree_with_counts(self, filled: Path, capsys: Told) -> None:
        assert kb("topics", "--role", "nurse", "--language", "en") == 0
        assert capsys.readouterr().out == (
            "nurse, English: 2 entries\n  Diabetes (1)\n    Low sugar (1)\n  Wounds (1)\n"
        )

    def test_of_every_role_and_language(self, filled: Path, capsys: Told) -> None:
        trees = shown(capsys, "topics")
        assert [(each["role"], each["language"]) for each in trees] == [
            ("patient_diabetes", "en"),
            ("nurse", "en"),
            ("nurse", "vi"),
        ]
        assert trees[1]["topics"][0]["subtopics"] == [{"name": "Low sugar", "entries": 1}]

    def test_a_role_without_entries(self, filled: Path, capsys: Told) -> None:
        assert kb("topics", "--role", "patient_dental") == 0
        assert "There are no entries here." in capsys.readouterr().out
        assert kb("topics", "--role", "plumber") == 3


class TestRoles:
    def test_listed_with_how_many_entries(self, filled: Path, capsys: Told) -> None:
        assert kb("roles") == 0
        told = capsys.readouterr().out.splitlines()
        nurse = next(line for line in told if line.startswith("nurse "))
        assert nurse.split() == ["nurse", "professional", "Nurse", "Điều", "dưỡng", "2", "1"]
        found = {each["id"]: each["entries"] for each in shown(capsys, "roles")}
        assert found["nurse"] == {"en": 2, "vi": 1}

    def test_a_new_one_can_be_written_for(self, filled: Path, capsys: Told) -> None:
        given = (
            "--audience",
            "professional",
            "--name-en",
            "Midwife",
            "--name-vi",
            "Nữ hộ sinh",
            "--persona",
            "a midwife",
        )
        assert kb("role", "midwife", *given) == 0
        assert capsys.readouterr().out.startswith("midwife, for a professional: Midwife / Nữ hộ sinh\n")
        assert kb("ingest", str(lines(filled / "m.jsonl", row("m-1", role="midwife")))) == 0
        assert shown(capsys, "search", "low blood sugar", "--role", "midwife")["found"][0]["id"] == "m-1"

    def test_what_is_not_given_stays(self, filled: Path, capsys: Told) -> None:
        before = shown(capsys, "role", "nurse")
        after = shown(capsys, "role", "nurse", "--name-en", "Ward nurse")
        assert after == before | {"name_en": "Ward nurse"}
        assert shown(capsys, "role", "nurse") == after

    @pytest.mark.parametrize(
        ("arguments", "code", "said"),
        [
            (["plumber"], 3, "The roles are: "),
            (["plumber", "--name-en", "Plumber"], 2, "--audience, --name-vi, --persona"),
            (["nurse", "--name-en", " "], 2, "1 to 80 characters"),
            (["nurse", "--persona", "x" * 601], 2, "1 to 600"),
            (["nurse", "--audience", "robots"], 2, "robots"),
        ],
        ids=["unknown", "incomplete", "blank", "long", "audience"],
    )
    def test_what_is_no_role(self, arguments: list[str], code: int, said: str, capsys: Told) -> None:
        assert kb("role", *arguments) == code
        assert said in capsys.readouterr().err

    def test_an_id_that_is_none(self, capsys: Told) -> None:
        given = ("--audience", "patient", "--name-en", "x", "--name-vi", "x", "--persona", "x")
        assert kb("role", "Big Role", *given) == 2
        assert "small letters" in capsys.readouterr().err


class TestEntries:
    def test_shown_word_for_word_with_its_versions(self, filled: Path, capsys: Told) -> None:
        assert kb("show", "n-1") == 0
        told = capsys.readouterr().out
        assert told.startswith(f"What is a low blood sugar?\n\n{SUGAR}\n\nSource: Ward handbook, not reviewed")
        assert "\nVersions\n  1  current    added " in told and " from in.jsonl\n" in told

    def test_withdrawn_it_answers_nothing_and_says_why(self, filled: Path, capsys: Told) -> None:
        assert kb("withdraw", "n-1", "--reason", "replaced by\nthe guideline") == 0
        assert capsys.readouterr().out == "n-1 is withdrawn: nothing is answered from it any more.\n"
        found = shown(capsys, "search", "What is a low blood sugar?", "--role", "nurse")
        assert "n-1" not in [each["id"] for each in found["found"]]
        assert kb("show", "n-1") == 0
        told = capsys.readouterr().out
        assert told.startswith("This entry is not used for answers.\n")
        assert told.endswith(": replaced by the guideline\n")
        assert kb("withdraw", "n-1", "--reason", "again") == 3

    def test_brought_back_by_the_file_it_came_from(self, filled: Path, capsys: Told) -> None:
        assert kb("withdraw", "n-1", "--reason", "by mistake") == 0
        assert kb("ingest", str(filled / "in.jsonl")) == 0
        assert "0 new, 0 changed, 3 there before, 1 brought back; 0 withdrawn" in capsys.readouterr().out

    @pytest.mark.parametrize(
        ("arguments", "code"),
        [
            (["show", "n-99"], 3),
            (["show", "\x1b[2J"], 3),
            (["withdraw", "n-99", "--reason", "x"], 3),
            (["withdraw", "n-1", "--reason", "  "], 2),
            (["withdraw", "n-1"], 2),
        ],
        ids=["show", "sequence", "withdraw", "no reason", "no option"],
    )
    def test_what_is_not_there(self, arguments: list[str], code: int, capsys: Told) -> None:
        assert kb(*arguments) == code
        told = capsys.readouterr().err
        assert "\x1b" not in told and "unexpected" not in told


class TestWithoutAnIndex:
    """A server that is down keeps nobody from taking a wrong answer out."""

    @pytest.fixture(autouse=True)
    def _no_server(self, filled: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setenv("DOCGEMMA_QDRANT_URL", "http://127.0.0.1:9")

    def test_an_entry_is_withdrawn_all_the_same(self, capsys: Told) -> None:
        assert kb("withdraw", "n-1", "--reason", "wrong") == 0
        assert shown(capsys, "show", "n-1")["entry"] is None
        assert shown(capsys, "roles")
        assert kb("export") == 0
        assert [json.loads(line)["id"] for line in capsys.readouterr().out.splitlines()] == ["n-2", "p-1", "v-1"]

    def test_a_search_says_what_is_wrong(self, capsys: Told) -> None:
        assert kb("search", "low blood sugar", "--role", "nurse") == 4
        told = capsys.readouterr()
        assert told.out == "" and told.err.startswith("docgemma: ") and "unexpected" not in told.err


class TestInfo:
    def test_of_a_new_home_the_demonstration(self, capsys: Told) -> None:
        assert kb("info") == 0
        told = capsys.readouterr().out
        assert "demonstration entries, not reviewed by a clinician" in told
        facts = shown(capsys, "info")
        assert facts["demonstration"] and facts["languages"] == ["en", "vi"]
        assert (
            facts["index"]["entries"] == facts["entries"] == sum(sum(each.values()) for each in facts["roles"].values())
        )

    def test_of_own_entries(self, filled: Path, capsys: Told) -> None:
        assert kb("info") == 0
        told = capsys.readouterr().out
        assert told.startswith(
            "4 entries for 2 roles.\n  English: nurse 2, patient_diabetes 1\n  Vietnamese: nurse 1\n"
        )
        assert "demonstration" not in told
        assert "BEHIND" not in told

    def test_the_index_is_built_again(self, filled: Path, capsys: Told) -> None:
        assert shown(capsys, "index")["index"]["entries"] == 4
        assert shown(capsys, "search", "low blood sugar", "--role", "nurse")["found"][0]["id"] == "n-1"


def test_help_of_the_group_imports_nothing_heavy() -> None:
    heavy = ("pydantic", "langgraph", "qdrant_edge", "numpy", "onnxruntime", "openpyxl", "rich")
    code = (
        "import sys; from docgemma.cli.main import run; code = run(['kb', '--help']);"
        f"print('heavy:', [m for m in {heavy!r} if m in sys.modules], code)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=60)
    assert "heavy: [] 0" in done.stdout, done.stderr


def test_nothing_that_a_terminal_obeys_is_shown(tmp_path: Path, capsys: Told) -> None:
    """Entries are refused with such characters; a name of a role, and a reason, come from elsewhere."""
    assert kb("role", "nurse", "--name-en", "Nurse\x1b[2J\u202e", "--persona", "a \x9b31mnurse") == 0
    assert kb("roles") == 0
    told = capsys.readouterr().out
    assert not {"\x1b", "\x9b", "\u202e"} & set(told)
