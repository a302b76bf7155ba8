"""Images at the terminal: one, two, and one that a later question means."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from docgemma.agent.record import TurnRecord
from docgemma.cli.main import run
from tests.support.images import png
from tests.support.vision_server import Eyes
from tests.support.web_server import model_beside


@pytest.fixture
def eyes(monkeypatch: pytest.MonkeyPatch) -> Iterator[Eyes]:
    """A vision model that the command is set up to ask."""
    made = Eyes(says="The effusion is small.")
    with model_beside(made) as environment:
        for name, value in environment.items():
            monkeypatch.setenv(name, value)
        yield made


@pytest.fixture
def films(tmp_path: Path) -> tuple[str, str]:
    paths = tmp_path / "Maria_Garcia_old.png", tmp_path / "Maria_Garcia_new.png"
    for path, pixels in zip(paths, (png(80, 40), png(40, 80)), strict=True):
        path.write_bytes(pixels)
    return str(paths[0]), str(paths[1])


def asked(capsys: pytest.CaptureFixture[str], *arguments: str) -> TurnRecord:
    assert run(["ask", "--json", *arguments]) == 0
    return TurnRecord.model_validate_json(capsys.readouterr().out)


def test_two_images_are_compared_and_a_later_question_means_the_new_one(
    eyes: Eyes, films: tuple[str, str], capsys: pytest.CaptureFixture[str]
) -> None:
    old, new = films
    record = asked(capsys, "--image", new, "--prior", old, "What has changed?")
    [sent] = eyes.shown
    assert (sent.schema, sent.sizes) == ("ImageComparison", [(80, 80), (80, 80)])
    assert "Garcia" not in str(sent.body)
    assert record.findings is not None
    assert record.findings.compared
    assert record.confidence == "low"
    later = asked(capsys, "--session", record.session_id, "where is the effusion?")
    assert later.findings is not None
    assert later.findings.image_id == record.findings.image_id
    assert later.findings.boxes


def test_the_answer_warns_and_tells_what_was_seen(
    eyes: Eyes, films: tuple[str, str], capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(["ask", "--image", films[0], "Is there an effusion?"]) == 0
    told = " ".join(capsys.readouterr().out.split())
    assert "The effusion is small." in told
    assert "specialist" in told
    assert "Low confidence" in told
    assert "Small left pleural effusion" in told, "what the answer rests on"


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (["--prior", "{old}", "What has changed?"], "give the current one with --image"),
        (["--image", "{new}", "--prior", "missing.png", "x"], "missing.png"),
    ],
)
def test_an_earlier_image_alone_is_refused(
    arguments: list[str], told: str, films: tuple[str, str], capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(["ask", *(each.format(old=films[0], new=films[1]) for each in arguments)]) == 2
    assert told in capsys.readouterr().err


def test_a_conversation_compares_two_images(
    eyes: Eyes, films: tuple[str, str], given: Callable[[bytes], None], capsys: pytest.CaptureFixture[str]
) -> None:
    old, new = films
    said = (f"/prior {old}", f"/image {new}", f"/prior {old}", "What has changed?", "/prior", "/quit")
    given("\n".join(said).encode())
    run(["chat"])
    told = capsys.readouterr()
    assert "Attach the current image first" in told.out + told.err
    assert "compares the two images" in told.out
    assert "Say which: /prior FILE." in told.out + told.err
    assert [sent.schema for sent in eyes.shown] == ["ImageComparison"]
