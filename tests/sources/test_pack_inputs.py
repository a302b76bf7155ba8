"""The files that packs of articles and trials are made from: every shape they come in, and what they must not be."""

from __future__ import annotations

import gzip
import io
import json
import shutil
import zipfile
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from docgemma.errors import BadInput
from docgemma.ingest.archives import DAMAGED, Archive, Locked
from docgemma.ingest.files import stream_of
from docgemma.sources.pack.build import Built
from docgemma.sources.pack.documents.inputs import json_records
from docgemma.sources.pack.manifest import places
from docgemma.sources.pack.parts import Unreadable
from tests.sources.document_files import (
    article,
    build_articles,
    build_trials,
    citation,
    lines,
    page,
    pubmed,
    put,
    trial,
    zipped,
)
from tests.sources.pack_files import document, shelf
from tests.support.tables import each_of

PAPERS = [article(number, f"Article {number}", "Some words. " * 5) for number in range(1, 9)]
STUDIES = [trial(number, f"Trial {number}", "Asthma") for number in range(1, 9)]
XML = pubmed(*(citation(number, f"Article {number}") for number in range(1, 9)))
SINGLE = {f"NCT{number:08}.json": json.dumps(study).encode() for number, study in enumerate(STUDIES, 1)}

ARTICLES: dict[str, bytes] = {
    "a page": json.dumps(page(PAPERS)).encode(),
    "pages in a row": lines([page(PAPERS[:4]), page(PAPERS[4:]), page([])]),
    "results in lines": lines(PAPERS),
    "results in lines, the last without an end": lines(PAPERS).rstrip(),
    "a list of results": json.dumps(PAPERS).encode(),
    "a list of pages": json.dumps([page(PAPERS[:3]), page(PAPERS[3:])]).encode(),
    "XML": XML,
    "XML without a document type": XML.replace(XML[XML.index(b"<!DOC") : XML.index(b"<PubmedArticleSet>")], b""),
    "a gzipped page": gzip.compress(json.dumps(page(PAPERS)).encode()),
    "gzipped XML": gzip.compress(XML),
    "a zip with pages and XML": zipped(
        {"1.json": json.dumps(page(PAPERS[:5])).encode(), "2.xml": XML, "READ ME.txt": b"Hello", ".hidden.json": b"?"}
    ),
}
TRIALS: dict[str, bytes] = {
    "a page": json.dumps({"studies": STUDIES, "nextPageToken": "x"}).encode(),
    "trials in lines": lines(STUDIES),
    "a list": json.dumps(STUDIES).encode(),
    "a zip of single trials": zipped(SINGLE),
    "a zip with odd names": zipped({f"../../etc/{name}": data for name, data in SINGLE.items()} | {"a/b/": b""}),
}


@pytest.mark.parametrize(("build", "shapes"), [(build_articles, ARTICLES), (build_trials, TRIALS)])
def test_the_shape_makes_no_difference(tmp_path: Path, build: Callable[..., Built], shapes: dict[str, bytes]) -> None:
    for number, (shape, data) in enumerate(shapes.items()):
        made = build(tmp_path / str(number) / "packs", put(tmp_path / str(number) / "in.dat", data))
        assert made.manifest.counts.kept == 8, shape
        assert sum(made.manifest.counts.skipped.values()) == 0, shape


def test_the_records_of_a_page_are_given_out_one_by_one() -> None:
    many = [{"n": number, "x": "y" * 5000} for number in range(700)]
    for value, path in ((page(many), ("resultList", "result")), ({"a": [1], "studies": many, "b": {}}, ("studies",))):
        assert list(json_records(stream_of(io.BytesIO(json.dumps(value).encode()).read), path)) == many


BOMB = (
    b"<!DOCTYPE PubmedArticleSet [<!ENTITY a 'aaaaaaaa'><!ENTITY b '&a;&a;&a;&a;'>]>"
    b"<PubmedArticleSet>&b;</PubmedArticleSet>"
)
HOSTILE: dict[str, bytes] = {
    "nothing at all": b"",
    "blanks": b" \n" * 9000,
    "a page of HTML": b"<html><body>404 Not Found</body></html>",
    "a picture": b"\x89PNG\r\n\x1a\n" + bytes(range(256)) * 10,
    "a text": b"PMID- 1\nTI  - Title",
    "a number": b"12",
    "Europe PMC's error": b'{"errCode": 404, "errMsg": "Not found"}',
    "only a version": b'{"version": "6.9"}',
    "results without abstracts": json.dumps(page(PAPERS, "lite")).encode(),
    "trials": json.dumps({"studies": STUDIES}).encode(),
    "trials among articles": lines([PAPERS[0], STUDIES[0]]),
    "labels": document(shelf(3)),
    "labels in lines": lines(shelf(3)),
    "cut JSON": json.dumps(page(PAPERS)).encode()[:-20],
    "a cut line": lines(PAPERS)[:-30],
    "something between": lines(PAPERS[:1]) + b"oops\n" + lines(PAPERS[1:]),
    "bottomless": b'{"resultList": {"result": ' + b"[" * 200_000 + b"]" * 200_000 + b"}}",
    "bad UTF-8": lines(PAPERS).replace(b"words", b"w\xffrds"),
    "UTF-16": lines(PAPERS).decode().encode("utf-16"),
    "XML of somebody else": b'<?xml version="1.0"?><ArticleSet><Article/></ArticleSet>',
    "cut XML": XML[:-40],
    "cut in a tag": XML[: len(XML) // 2],
    "two roots": XML + b"<PubmedArticleSet/>",
    "an entity bomb": BOMB,
    "a document type in a comment's shadow": b"<!-- <PubmedArticleSet> -->" + BOMB,
    "an unknown entity": XML.replace(b"Article 3", b"&nbsp;"),
    "deep XML": b"<PubmedArticleSet><PubmedArticle>" + b"<a>" * 100_000,
    "an encoding that nobody has": XML.replace(b"utf-8", b"x-none"),
    "an empty set": b"<PubmedArticleSet></PubmedArticle>",
    "a zip of nothing": zipped({"a.txt": b"x"}),
    "a zip with a cut file": zipped({"a.json": lines(PAPERS)[:-9]}),
    "a zip that is cut": zipped({"a.json": lines(PAPERS)})[:-30],
    "a zip in a zip": zipped({"a.zip": zipped({"a.json": lines(PAPERS)})}),
    "a zip that swells": zipped({f"{n}.json": lines(PAPERS) + b" " * 20_000_000 for n in range(4)}),
    "a gzip that is cut": gzip.compress(lines(PAPERS))[:-9],
}


SENTENCES = {
    "results without abstracts": "resultType=core",
    "trials": "docgemma pack build ctgov",
    "trials among articles": "docgemma pack build ctgov",
    "labels": "docgemma pack build openfda",
    "a zip that swells": "unpacks to far more",
    "an entity bomb": "not a file of PubMed",
    "deep XML": "deeper than real ones",
    "bottomless": "nested far deeper",
    "a cut line": "cut off",
    "cut XML": "cut off",
}


def test_what_is_no_file_of_articles_is_named_and_nothing_is_published(tmp_path: Path) -> None:
    good = put(tmp_path / "in" / "1.json", page(PAPERS))
    for what, data in HOSTILE.items():
        bad = put(tmp_path / "in" / "part-7.dat", data)
        with pytest.raises(BadInput) as caught:
            build_articles(tmp_path / "packs", good, bad)
        told = str(caught.value)
        assert told.startswith("part-7.dat ") and told.endswith(".") and len(told) < 250, what
        assert any(word in told for word in ("Give", "Download", "Build", "Save")), what
        assert SENTENCES.get(what, "") in told, what
        assert not places(tmp_path / "packs", "europepmc"), what
        shutil.rmtree(tmp_path / "packs", ignore_errors=True)


def test_the_other_kind_is_told_where_it_belongs(tmp_path: Path) -> None:
    for build, records, command in (
        (build_articles, STUDIES, "docgemma pack build ctgov"),
        (build_trials, PAPERS, "docgemma pack build europepmc"),
        (build_trials, shelf(2), "docgemma pack build openfda"),
    ):
        with pytest.raises(BadInput, match=command):
            build(tmp_path / "packs", put(tmp_path / "in.jsonl", lines(records)))


def test_pages_without_anything_are_told_as_that(tmp_path: Path) -> None:
    with pytest.raises(BadInput, match="no article"):
        build_articles(tmp_path / "packs", put(tmp_path / "in.json", page([])))


def test_a_single_citation_may_not_take_all_memory(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from docgemma.sources.pack.documents import inputs

    monkeypatch.setattr(inputs, "_LARGEST", 1_000_000)
    long = pubmed(citation(1, "Short"), citation(2, "Long " * 600_000))
    with pytest.raises(BadInput, match="far larger or deeper"):
        build_articles(tmp_path / "packs", put(tmp_path / "in.xml", long))


@settings(deadline=None, max_examples=60)
@given(st.binary(max_size=120), st.integers(1, 30))
def test_any_bytes_are_read_or_refused(data: bytes, step: int) -> None:
    for whole in (data, b'{"studies": [' + data + b"]}", lines([1]) + data):
        file = io.BytesIO(whole)
        try:
            list(json_records(stream_of(lambda _, file=file: file.read(step)), ("studies",)))  # type: ignore[misc]
        except Unreadable:
            continue


def inside(data: bytes) -> list[tuple[str, bytes]]:
    archive = Archive(io.BytesIO(data))
    found = []
    for entry in archive.entries():
        opened, pieces = archive.opened(entry), []
        while piece := opened.read(7):
            pieces.append(piece)
        found.append((entry.name, b"".join(pieces)))
    return found


@settings(deadline=None, max_examples=40)
@given(st.lists(st.binary(max_size=300), max_size=5), st.booleans(), st.booleans())
def test_a_zip_is_read_as_python_reads_it(files: list[bytes], stored: bool, large: bool) -> None:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_STORED if stored else zipfile.ZIP_DEFLATED) as archive:
        for number, data in enumerate(files):
            with archive.open(f"{number}.json", "w", force_zip64=large) as file:
                file.write(data)
    assert inside(out.getvalue()) == [(f"{number}.json", data) for number, data in enumerate(files)]


def test_a_zip_with_more_files_than_its_old_form_can_count() -> None:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as archive:
        for number in range(66_000):
            archive.writestr(zipfile.ZipInfo(str(number)), b"")
    assert Archive(io.BytesIO(out.getvalue())).count == 66_000


@settings(deadline=None, max_examples=80)
@given(st.integers(0, 10_000), st.integers(0, 7))
def test_a_damaged_zip_is_noticed_or_read_as_it_was(place: int, bit: int) -> None:
    files = {"a.json": b"Something that is long enough. " * 9, "b.json": b"Else."}
    data = bytearray(zipped(files))
    data[place % len(data)] ^= 1 << bit
    try:
        found = inside(bytes(data))
    except (*DAMAGED, Locked):
        return
    assert dict(found) == files


ENDINGS = [
    b"PK\5\6" + b"\0" * 17,
    b"PK\5\6" + b"\xff" * 18,
    b"PK\3\4",
    b"PK\6\7" + b"\xff" * 16 + b"PK\5\6" + b"\xff" * 18,
]


@each_of("data", ENDINGS)
def test_an_ending_that_leads_nowhere(data: bytes) -> None:
    with pytest.raises(zipfile.BadZipFile):
        inside(data)
