import os
import socket
from pathlib import Path

import pytest

from docgemma.errors import BadInput
from docgemma.ingest.problem import shown
from docgemma.knowledge.reading import files
from docgemma.knowledge.reading.contract import Note
from docgemma.knowledge.reading.files import sources
from tests.knowledge.reading.reading import HEADER, entries, of_text, reading


def names(*paths: Path) -> list[str]:
    return [source.name for source in sources(paths)]


def test_a_folder_is_read_in_a_fixed_order_whatever_the_case_of_the_suffix(tmp_path: Path) -> None:
    root = tmp_path / "kb"
    for name in ("b.CSV", "a/z.jsonl", "a/b/c.Md", "c.xlsx", "a.json"):
        of_text(root, "", name)
    assert names(root) == ["kb/a/b/c.Md", "kb/a/z.jsonl", "kb/a.json", "kb/b.CSV", "kb/c.xlsx"]


def test_hidden_files_and_folders_are_passed_over(tmp_path: Path) -> None:
    for name in ("kb/a.csv", "kb/.b.csv", "kb/.git/c.csv", "kb/.DS_Store"):
        of_text(tmp_path, "", name)
    assert names(tmp_path / "kb") == ["kb/a.csv"]


def test_other_kinds_in_a_folder_are_left_out_and_named(tmp_path: Path) -> None:
    for name in ("a.csv", "b.docx", "c.pdf"):
        of_text(tmp_path / "kb", HEADER, name)
    notes: list[Note] = []
    assert len(sources([tmp_path / "kb"], notes.append)) == 1
    assert [str(note) for note in notes] == ["kb: Not read, being of another kind: kb/b.docx, kb/c.pdf."]


def test_a_file_that_is_reached_twice_is_read_once(tmp_path: Path) -> None:
    path = of_text(tmp_path / "kb", HEADER + "A?,B\n")
    assert len(entries([path, tmp_path / "kb", path])) == 1


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("kb.pdf", "Read are: .jsonl"),
        ("kb", "Read are: .jsonl"),
        ("kb.xls", "an old Excel file"),
        ("kb.XLSM", "a workbook with macros"),
        ("kb.xlsb", "a binary workbook"),
        ("kb.ods", "an OpenDocument file"),
    ],
)
def test_a_kind_that_is_not_read_says_which_are(tmp_path: Path, name: str, said: str) -> None:
    with pytest.raises(BadInput, match=said):
        reading(of_text(tmp_path, "x", name))


@pytest.mark.parametrize("name", ["missing.csv", "a\0b.csv", "x" * 300 + ".csv"], ids=["missing", "nul", "long"])
def test_a_file_that_is_not_there(tmp_path: Path, name: str) -> None:
    with pytest.raises(BadInput, match="cannot be found"):
        reading(tmp_path / name)


def test_nothing_to_read(tmp_path: Path) -> None:
    of_text(tmp_path / "kb", "x", "notes.docx")
    with pytest.raises(BadInput, match="The folder kb holds no file to read"):
        reading(tmp_path / "kb")
    with pytest.raises(BadInput, match="Name a file or folder"):
        reading([])


def test_links_inside_count_as_what_they_lead_to(tmp_path: Path) -> None:
    path = of_text(tmp_path / "kb", HEADER + "A?,B\n", "z/real.csv")
    (tmp_path / "kb" / "link.csv").symlink_to(path)
    (tmp_path / "kb" / "round").symlink_to(tmp_path / "kb")
    assert len(entries(tmp_path / "kb")) == 1


@pytest.mark.parametrize("target", ["out.csv", "outside", "/etc/passwd", "missing.csv"])
def test_a_link_that_leads_out_of_the_folder_is_refused(tmp_path: Path, target: str) -> None:
    of_text(tmp_path / "kb", HEADER, "a.csv")
    of_text(tmp_path, HEADER, "out.csv")
    of_text(tmp_path, HEADER, "outside/b.csv")
    (tmp_path / "kb" / "link.csv").symlink_to(tmp_path / target)
    with pytest.raises(BadInput, match=r"link\.csv is a link that leads out"):
        reading(tmp_path / "kb")


def test_a_link_to_nothing_or_in_a_circle_is_refused(tmp_path: Path) -> None:
    of_text(tmp_path / "kb", HEADER, "a.csv")
    (tmp_path / "kb" / "b.csv").symlink_to("b.csv")
    with pytest.raises(BadInput, match=r"b\.csv"):
        reading(tmp_path / "kb")


def test_a_folder_or_file_given_as_a_link_is_followed(tmp_path: Path) -> None:
    path = of_text(tmp_path / "kb", HEADER + "A?,B\n")
    (tmp_path / "link").symlink_to(tmp_path / "kb")
    (tmp_path / "link.csv").symlink_to(path)
    assert len(entries(tmp_path / "link")) == len(entries(tmp_path / "link.csv")) == 1


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="no FIFOs here")
@pytest.mark.parametrize("inside", [True, False], ids=["in a folder", "named"])
def test_what_is_no_ordinary_file_is_refused_without_waiting(tmp_path: Path, inside: bool) -> None:
    (tmp_path / "kb").mkdir()
    os.mkfifo(tmp_path / "kb" / "pipe.csv")
    with pytest.raises(BadInput, match="no ordinary file"):
        reading(tmp_path / "kb" if inside else tmp_path / "kb" / "pipe.csv")


@pytest.mark.skipif(not hasattr(socket, "AF_UNIX"), reason="no such sockets here")
def test_a_socket_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    with socket.socket(socket.AF_UNIX) as made:
        made.bind("s.csv")
        with pytest.raises(BadInput, match="no ordinary file"):
            reading(Path("s.csv"))


@pytest.mark.skipif(not Path("/proc/self/environ").exists(), reason="no /proc here")
@pytest.mark.parametrize("path", ["/dev/null", "/proc/self/environ", "/proc/self", "/proc/self/fd"])
def test_the_system_is_no_source_of_knowledge(tmp_path: Path, path: str) -> None:
    (tmp_path / "link.csv").symlink_to(path)
    with pytest.raises(BadInput):
        reading(tmp_path / "link.csv")
    with pytest.raises(BadInput):
        reading(Path(path))


@pytest.mark.skipif(not hasattr(os, "geteuid") or os.geteuid() == 0, reason="everything may be read by root")
def test_a_file_that_may_not_be_read(tmp_path: Path) -> None:
    path = of_text(tmp_path, HEADER)
    path.chmod(0)
    with pytest.raises(BadInput, match="cannot be read"):
        reading(path)


@pytest.mark.parametrize(
    ("name", "size"),
    [("kb.csv", files.LARGEST + 1), ("kb.json", files.LARGEST_WHOLE + 1), ("kb.md", files.LARGEST_WHOLE + 1)],
)
def test_a_file_over_the_limit_is_refused_before_it_is_opened(tmp_path: Path, name: str, size: int) -> None:
    path = of_text(tmp_path, "", name)
    os.truncate(path, size)
    with pytest.raises(BadInput, match="Split it"):
        reading(path)


def test_a_file_that_is_replaced_after_it_was_looked_at_is_refused(tmp_path: Path) -> None:
    path = of_text(tmp_path, HEADER + "A?,B\n")
    source = sources([path])[0]
    other = of_text(tmp_path, HEADER, "other.csv")
    other.replace(path)
    with pytest.raises(BadInput, match="was replaced"):
        source.open()


def test_the_name_of_a_file_in_a_deep_folder_is_cut_from_the_front(tmp_path: Path) -> None:
    of_text(tmp_path / "kb", HEADER + "A?,B\n", "folder/" * 60 + "a.csv")
    found = sources([tmp_path / "kb"])[0]
    assert len(found.folders) == 60
    assert (found.name[0], found.name[-12:], len(found.name)) == ("…", "folder/a.csv", 200)


NASTY = {
    "line end": "a\nb",
    "colour": "a\x1b[31mb",
    "direction": "a\u202eb",
    "zero width": "a\u200bb",
    "bytes": os.fsdecode(b"a\xffb"),
}


@pytest.mark.parametrize("name", NASTY.values(), ids=NASTY)
def test_file_names_are_never_printed_as_they_are(tmp_path: Path, name: str) -> None:
    assert shown(name).isprintable()
    try:
        of_text(tmp_path / "kb", HEADER + "A?,B\n", f"{name}.csv")
    except OSError:
        pytest.skip("the file system does not take such names")
    assert names(tmp_path / "kb")[0].isprintable()
    assert len(entries(tmp_path / "kb")) == 1
