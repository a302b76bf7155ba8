"""Files that are not what they should be: named in one sentence, and nothing is published."""

from __future__ import annotations

import gzip
import io
import json
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

from docgemma.errors import BadInput
from docgemma.ingest import json_values
from docgemma.sources.pack.labels.build import build
from docgemma.sources.pack.manifest import places
from tests.sources.pack_files import DAY, document, part, shelf, zipped

GOOD = document(shelf(30))
META = f'{{"meta": {{"last_updated": "{DAY}"}}, "results": '.encode()


def bomb(size: int = 100_000_000) -> bytes:
    """Much of nothing: blanks in front of a good file."""
    out = io.BytesIO()
    with (
        zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED, compresslevel=1) as archive,
        archive.open("a.json", "w") as file,
    ):
        for _ in range(size // 1_000_000):
            file.write(b" " * 1_000_000)
        file.write(GOOD)
    return out.getvalue()


def locked() -> bytes:
    data = bytearray(zipped(GOOD))
    for magic, place in ((b"PK\x03\x04", 6), (b"PK\x01\x02", 8)):
        data[data.index(magic) + place] |= 1
    return bytes(data)


def wrong_checksum() -> bytes:
    data = bytearray(zipped(GOOD))
    data[data.index(b"PK\x01\x02") + 16] ^= 1
    return bytes(data)


HOSTILE = {
    "nothing at all": b"",
    "blanks": b" \n " * 1000,
    "a page of HTML": b"<html><body>404 Not Found</body></html>",
    "a picture": b"\x89PNG\r\n\x1a\n" + bytes(range(256)) * 10,
    "a list": b"[1, 2]",
    "a text": b'"results"',
    "no results": b'{"meta": {"last_updated": "2026-08-11"}}',
    "results that are an object": META + b'{"a": 1}}',
    "results that are null": META + b"null}",
    "openFDA's error": b'{"error": {"code": "NOT_FOUND", "message": "No matches found!"}}',
    "another list of openFDA": META + b'[{"safetyreportid": "1"}, {"safetyreportid": "2"}]}',
    "no labels": META + b"[]}",
    "no date": document(shelf(3), None),
    "a date that is none": document(shelf(3), "yesterday"),
    "a day that is none": document(shelf(3), "2026-02-31"),
    "cut in a record": GOOD[: len(GOOD) // 2],
    "cut before the end": GOOD.rstrip()[:-1],
    "something after the end": GOOD + b"{}",
    "a comma too many": GOOD.replace(b"\n ]", b",\n ]"),
    "a missing comma": META + b'[{"set_id": "a"} {"set_id": "b"}]}',
    "a broken word": META + b'[{"set_id": nil, "x": "' + b"y" * 100 + b'"}]}',
    "bad UTF-8": GOOD.replace(b"\xc2\xb5mol", b"\xb5mol"),
    "UTF-16": GOOD.decode().encode("utf-16"),
    "bottomless": META + b"[" * 200_000 + b"]" * 200_000 + b"}",
    "a zip that is cut": zipped(GOOD)[:-40],
    "a zip that is cut in the middle": zipped(GOOD)[:2000],
    "two files in a zip": zipped(GOOD, "a.json", "b.json"),
    "no file in a zip": zipped(GOOD, "folder/"),
    "a zip in a zip": zipped(zipped(GOOD)),
    "a bomb": bomb(),
    "an encrypted zip": locked(),
    "a zip with a wrong checksum": wrong_checksum(),
    "a gzip that is cut": gzip.compress(GOOD)[:-100],
    "a damaged gzip": gzip.compress(GOOD)[:400] + b"\0\0\0\0" + gzip.compress(GOOD)[404:],
    "a gzip of nothing": gzip.compress(b""),
}


@pytest.mark.parametrize("data", HOSTILE.values(), ids=HOSTILE)
@pytest.mark.parametrize("beside", [False, True], ids=["alone", "beside a good one"])
def test_it_is_named_and_nothing_is_published(tmp_path: Path, data: bytes, beside: bool) -> None:
    if beside:
        part(tmp_path / "in" / "good.json", shelf(20))
    bad = tmp_path / "in" / "part-7.json.zip"
    bad.parent.mkdir(exist_ok=True)
    bad.write_bytes(data)
    with pytest.raises(BadInput, match=r"^part-7\.json\.zip .*\. (Give|Download)"):
        build([tmp_path / "in"], tmp_path / "packs")
    assert not places(tmp_path / "packs", "openfda")


@pytest.mark.parametrize("name", ["../../etc/passwd.json", "/etc/passwd", "a\\b.json", "C:\\x.json", "naïve \n.json"])
def test_the_name_inside_a_zip_does_not_matter(tmp_path: Path, name: str) -> None:
    file = tmp_path / "in" / "a.json.zip"
    file.parent.mkdir()
    file.write_bytes(zipped(GOOD, name))
    assert build([file], tmp_path / "packs").manifest.counts.kept > 0
    assert sorted(path.name for path in tmp_path.iterdir()) == ["in", "packs"]


def test_a_good_file_may_follow_a_bad_one_under_its_name(tmp_path: Path) -> None:
    first, second = part(tmp_path / "1.json", shelf(20)), tmp_path / "2.json"
    second.write_bytes(GOOD[:3000])
    with pytest.raises(BadInput, match=r"2\.json is cut off"):
        build([first, second], tmp_path / "packs")
    second.write_bytes(GOOD)
    made = build([first, second], tmp_path / "packs")
    clean = build([first, second], tmp_path / "clean")
    assert made.manifest.database_sha256 == clean.manifest.database_sha256


def test_a_file_that_cannot_be_found_or_read(tmp_path: Path) -> None:
    for path in (tmp_path / "nowhere.json", tmp_path / "a\0b.json"):
        with pytest.raises(BadInput, match="The file"):
            build([path], tmp_path / "packs")


def test_one_record_may_not_take_all_memory(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(json_values, "LONGEST", 3_000_000)
    file = tmp_path / "a.json"
    file.write_bytes(META + b'[{"set_id": "' + b"x" * 20_000_000 + b'"}]}')
    with pytest.raises(BadInput, match="far larger than real ones"):
        build([file], tmp_path / "packs")


def test_numbers_without_end_are_no_way_to_stop_it(tmp_path: Path) -> None:
    file = tmp_path / "a.json"
    records = [json.dumps(record) for record in shelf(3)]
    file.write_bytes(META + f'[{records[0]}, {{"n": {"9" * 100_000}}}, {records[1]}]}}'.encode())
    assert build([file], tmp_path / "packs").manifest.counts.kept == 2


def test_a_full_disk_is_told_and_the_same_command_goes_on(tmp_path: Path) -> None:
    """The limit on the size of a file stands for a disk that is full."""
    file = part(tmp_path / "a.json", [*shelf(60), *({"set_id": str(n), "x": "y" * 900} for n in range(3000))])
    code = (
        "import resource, signal, sys; from pathlib import Path; from docgemma.cli.main import run;"
        "signal.signal(signal.SIGXFSZ, signal.SIG_IGN);"
        "resource.setrlimit(resource.RLIMIT_FSIZE, (16_000, 16_000));"
        "sys.exit(run(['pack', 'build', 'openfda', '--from', sys.argv[1], '--out', sys.argv[2]]))"
    )
    done = subprocess.run(
        [sys.executable, "-c", code, str(file), str(tmp_path / "packs")], capture_output=True, text=True, timeout=60
    )
    assert done.returncode == 4, done.stderr
    assert "Traceback" not in done.stderr and "docgemma: The pack" in done.stderr
    assert not places(tmp_path / "packs", "openfda")
    assert build([file], tmp_path / "packs").manifest.counts.kept > 0
