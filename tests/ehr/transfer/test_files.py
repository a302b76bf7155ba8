"""Which files of a folder are taken: those that lie in it, of the right kind, and nothing that leads elsewhere."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from docgemma.ehr.transfer.files import sources
from docgemma.errors import BadInput


def names(*paths: Path) -> list[str]:
    return [source.name for source in sources(paths)]


def put(path: Path) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("{}")
    return path


def test_folders_are_gone_through_in_order(folder: Path) -> None:
    for name in (
        "b.json",
        "a.ndjson",
        "sub/c.jsonl",
        "sub/d.JSON",
        "e.json.gz",
        "notes.txt",
        "x.zip",
        ".hidden.json",
        "j.json.bak",
    ):
        put(folder / name)
    assert names(folder) == ["a.ndjson", "b.json", "e.json.gz", "sub/c.jsonl", "sub/d.JSON"]


def test_links_are_not_followed(folder: Path, tmp_path: Path) -> None:
    secret = put(tmp_path / "elsewhere" / "secret.json")
    (folder / "out.json").symlink_to(secret)
    (folder / "outside").symlink_to(secret.parent, target_is_directory=True)
    (folder / "round").symlink_to(folder, target_is_directory=True)
    put(folder / "in.json")
    (folder / "again.json").symlink_to(folder / "in.json")
    (folder / "broken.json").symlink_to(folder / "nothing.json")
    (folder / "notes").symlink_to(folder / "nothing.txt")
    found = sources([folder])
    assert [source.name for source in found if not source.refused] == ["in.json"]
    assert [source.name for source in found if source.refused] == ["broken.json", "out.json", "outside"]


def test_a_folder_of_nothing_but_links_is_no_empty_one(folder: Path, tmp_path: Path) -> None:
    (folder / "out.json").symlink_to(put(tmp_path / "elsewhere" / "secret.json"))
    assert [(source.name, bool(source.refused)) for source in sources([folder])] == [("out.json", True)]


def test_what_is_no_file_is_passed_over(folder: Path) -> None:
    os.mkfifo(folder / "pipe.json")
    (folder / "folder.json").mkdir()
    put(folder / "in.json")
    assert names(folder) == ["in.json"]


@pytest.mark.parametrize(
    "name", ["a\nb.json", "\x1b[31mred.json", "..json", "-rf.json", "%2e%2e.json", "'; DROP TABLE.json"]
)
def test_hostile_names_are_shown_harmlessly(folder: Path, name: str) -> None:
    put(folder / name)
    if name.startswith("."):
        put(folder / "x.json")
    for shown in names(folder):
        assert shown.isprintable()


def test_bytes_that_are_no_text(folder: Path) -> None:
    os.close(os.open(os.fsencode(folder) + b"/\xff\xfe.json", os.O_CREAT | os.O_WRONLY))
    assert names(folder) == ["??.json"]


def test_a_file_that_comes_twice_is_taken_once(folder: Path) -> None:
    path = put(folder / "a.json")
    assert names(path, folder, path) == ["a.json"]


@pytest.mark.parametrize(
    ("name", "why"), [("no.json", "cannot be found"), ("x.zip", "is not a .json"), ("a\0b.json", "cannot be found")]
)
def test_what_was_named_must_be_there_and_of_the_right_kind(folder: Path, name: str, why: str) -> None:
    put(folder / "x.zip")
    with pytest.raises(BadInput, match=why):
        sources([folder / name])


def test_an_empty_folder_is_told(folder: Path) -> None:
    with pytest.raises(BadInput, match="to import in the folder"):
        sources([folder])


def test_a_folder_that_cannot_be_read_does_not_pass_for_an_empty_one(folder: Path) -> None:
    put(folder / "a.json")
    deep = os.open(folder, os.O_RDONLY)
    for _ in range(20):  # deeper than an address may be long: no user can list the innermost
        os.mkdir("x" * 250, dir_fd=deep)
        deeper = os.open("x" * 250, os.O_RDONLY, dir_fd=deep)
        os.close(deep)
        deep = deeper
    os.close(deep)
    with pytest.raises(BadInput, match="cannot be read"):
        sources([folder])
