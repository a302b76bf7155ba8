"""Running a suite, and going on with one that was cut off."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from docgemma.config import Settings
from docgemma.errors import BadInput, Conflict, Unavailable
from docgemma.evals.journal import Head, head_of, model_label, open_journal, read_journal
from docgemma.evals.running import planned, run_suite
from docgemma.evals.suite import CaseRecord, Variant
from tests.evals.toy import Toy, Toys, records, toys

HEAD = Head(suite="toys", model="toy model", cases="abc", settings="as set", weights="as read")
CASES = toys(True, False, True)


def settings(tmp_path: Path) -> Settings:
    return Settings(home=tmp_path, model="rules")


async def test_every_case_of_every_variant_as_often_as_asked(tmp_path: Path) -> None:
    cases = (*CASES, *toys(True, kind="round"))
    variants = (Variant(), Variant("routed", "contrary"))
    suite, heard = Toys(), list[CaseRecord]()
    run = await run_suite(suite, settings(tmp_path), cases, variants, repeat=2, concurrency=3, on_record=heard.append)
    assert len(run.records) == len(heard) == planned(suite, cases, variants, 2) == 2 * (4 + 1)
    passes = [("routed", turn, case.id) for turn in (0, 1) for case in cases]
    assert [record.key for record in run.records[:8]] == passes
    contrary = [record for record in run.records if record.variant == "contrary"]
    assert [record.scores["played"] for record in contrary] == [0.0, 0.0]


async def test_a_case_that_breaks_is_missed_and_the_rest_goes_on(tmp_path: Path) -> None:
    cases = (Toy(id="bug", kind="plain", says="bug"), Toy(id="away", kind="plain", says="away"), *CASES[:1])
    run = await run_suite(Toys(), settings(tmp_path), cases, (Variant(),))
    bug, away, fine = run.records
    assert bug.error == "An unexpected error (ZeroDivisionError). This is a bug."
    assert away.error == "The toy box is locked."
    assert bug.scores == away.scores == {"played": 0.0}
    assert bug.missed
    assert not fine.missed


async def test_a_run_that_was_cut_off_goes_on_where_it_was(tmp_path: Path) -> None:
    """Killed in the middle of a line: what is whole counts, the half is run again, nothing is run twice."""
    out = tmp_path / "records.jsonl"
    first = Toys()
    stopped = (*CASES[:2], Toy(id="stop", kind="plain", says="stop"), *CASES[2:])
    with open_journal(out, HEAD) as journal, pytest.raises(BaseException):  # noqa: B017 - a group of one
        await run_suite(first, settings(tmp_path), stopped, (Variant(),), on_record=journal.write)
    with out.open("ab") as stream:
        stream.write(b'{"scores":{"pla')
    second = Toys()
    after = tuple(case.model_copy(update={"says": "hello"}) for case in stopped)
    with open_journal(out, HEAD, resume=True) as journal:
        done = {record.id for record in journal.done}
        assert {"plain-0", "plain-1"} <= done <= {case.id for case in CASES}
        run = await run_suite(
            second, settings(tmp_path), after, (Variant(),), done=journal.done, on_record=journal.write
        )
    assert sorted(id_ for _, id_ in second.asked) == sorted({case.id for case in stopped} - done)
    assert [record.id for record in run.records] == [case.id for case in stopped]
    head, kept = read_journal(out)
    assert head.suite == "toys"
    assert {record.key: record for record in kept} == {record.key: record for record in run.records}
    assert all(json.loads(line) for line in out.read_text().splitlines())


def test_another_run_is_not_gone_on_with(tmp_path: Path) -> None:
    out = tmp_path / "records.jsonl"
    with open_journal(out, HEAD) as journal:
        journal.write(records([True])[0])
    before = out.read_bytes()
    for change, words in (
        ({"model": "other"}, "another model"),
        ({"cases": "xyz"}, "other cases"),
        ({"prompts": "p"}, "other prompts"),
        ({"settings": "s"}, "other settings"),
        ({"weights": "w"}, "another file of that model's weights"),
    ):
        with pytest.raises(Conflict, match=words), open_journal(out, HEAD.model_copy(update=change), resume=True):
            pass
    with pytest.raises(BadInput, match="--resume to go on"), open_journal(out, HEAD):
        pass
    assert out.read_bytes() == before
    assert out.stat().st_mode & 0o077 == 0


def test_another_file_under_the_same_name_and_other_settings_are_told_apart(tmp_path: Path) -> None:
    weights = tmp_path / "small.gguf"
    weights.write_bytes(b"GGUF one")
    first = head_of("toys", Settings(model="llamacpp", gguf=weights), "abc")
    assert first.parted_from(head_of("toys", Settings(model="llamacpp", gguf=weights), "abc")) == ""
    weights.write_bytes(b"GGUF two")
    assert "weights" in head_of("toys", Settings(model="llamacpp", gguf=weights), "abc").parted_from(first)
    one, other = (
        head_of("toys", Settings(model="openai", model_name="m", fast_model_name=fast), "abc")
        for fast in (None, "small")
    )
    assert one.parted_from(other) == "a run with other settings"
    assert one.apart(other) == ("settings",)
    assert one.model_copy(update={"settings": ""}).parted_from(other) == ""


def test_a_run_that_never_began_leaves_everything_as_it_was(tmp_path: Path) -> None:
    """The model cannot be reached: the records of yesterday are still there, and a new file is not in the way."""
    out, new = tmp_path / "records.jsonl", tmp_path / "new.jsonl"
    with open_journal(out, HEAD) as journal:
        journal.write(records([True])[0])
    before = out.read_bytes()
    for path in (out, new):
        with pytest.raises(Unavailable), open_journal(path, HEAD, overwrite=path == out):
            raise Unavailable("no model")
    assert out.read_bytes() == before
    with open_journal(new, HEAD) as journal:
        journal.write(records([True])[0])
    assert len(read_journal(new)[1]) == 1
    with open_journal(out, HEAD, overwrite=True) as journal:
        journal.write(records([False])[0])
    assert [record.missed for record in read_journal(out)[1]] == [True]


async def test_records_of_another_model_are_not_mixed_in(tmp_path: Path) -> None:
    """The settings may not name the model: then its name is known when it is open, and not before."""
    done = [record.model_copy(update={"model": "elsewhere"}) for record in records([True])]
    with pytest.raises(Conflict, match="elsewhere"):
        await run_suite(Toys(), settings(tmp_path), CASES, (Variant(),), done=done)


def test_what_is_no_journal_is_told_with_its_line(tmp_path: Path) -> None:
    out = tmp_path / "mine.jsonl"
    out.write_text('{"id": "a question"}\n')
    with pytest.raises(BadInput, match=r"mine\.jsonl, line 1: this is no record of an eval"):
        read_journal(out)
    out.write_text("")
    with pytest.raises(BadInput, match="holds no records"):
        read_journal(out)
    with (
        pytest.raises(BadInput, match="--resume goes on with the file of --out"),
        open_journal(None, HEAD, resume=True),
    ):
        pass


def test_a_model_is_told_by_name_and_never_by_address() -> None:
    named = Settings(model="auto", model_url="https://models.invalid/v1", model_name="medgemma")
    assert model_label(named) == "medgemma"
    assert model_label(Settings(model="auto", model_url="https://models.invalid/v1")) == "openai"
    assert model_label(Settings(model="auto", gguf=Path("some/where/small.gguf"))) == "small.gguf"
    assert model_label(Settings(model="rules", gguf=Path("small.gguf"))) == "rules"
    assert "models.invalid" not in head_of("toys", named, "abc").model_dump_json()
