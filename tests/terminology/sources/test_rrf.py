from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from docgemma.errors import BadInput
from docgemma.terminology.building.rrf import rrf_concepts
from docgemma.terminology.contract import Concept
from docgemma.terminology.sources.rrf import umls_concepts


def _line(
    cui: str,
    name: str,
    source: str,
    tty: str,
    code: str,
    *,
    language: str = "ENG",
    suppress: str = "N",
    best: bool = False,
) -> str:
    ts, stt, ispref = ("P", "PF", "Y") if best else ("S", "VO", "N")
    cells = [cui, language, ts, "L1", stt, "S1", ispref, "A1", "", "", "", source, tty, code, name, "0", suppress, ""]
    return "|".join(cells) + "|\n"


ASPIRIN = [
    _line("C0004057", "Acetylsalicylic Acid", "MSH", "ET", "D001241"),
    _line("C0004057", "aspirin", "RXNORM", "IN", "1191", best=True),
    _line("C0004057", "Aspirin", "MSH", "MH", "D001241"),
    _line("C0004057", "Aspirine", "MSHFRE", "MH", "D001241", language="FRE"),
    _line("C0004057", "ASA - Aspirin", "SNOMEDCT_US", "SY", "387458008", suppress="O"),
    _line("C0004057", "Aspirin (substance)", "SNOMEDCT_US", "FN", "387458008"),
]
CONTRACEPTION = [_line("C0700589", "contraception", "SNOMEDCT_US", "PT", "13197004", best=True)]


def _read(folder: Path, lines: list[str], types: list[str] | None = None) -> list[Concept]:
    (folder / "MRCONSO.RRF").write_text("".join(lines), encoding="utf-8")
    if types is not None:
        (folder / "MRSTY.RRF").write_text("".join(types), encoding="utf-8")
    return list(rrf_concepts(folder, lambda *_: None))


def test_the_umls_preferred_name_comes_first_and_codes_by_system(tmp_path: Path) -> None:
    (aspirin,) = _read(tmp_path, ASPIRIN, ["C0004057|T121|A1.4|Pharmacologic Substance|AT1||\n"])
    assert aspirin.names == ("aspirin", "Acetylsalicylic Acid", "Aspirin (substance)")
    assert (aspirin.cui, aspirin.snomed_code, aspirin.type) == ("C0004057", "387458008", "Medication")
    assert aspirin.ids == {"MESH": ("D001241",), "RXNORM": ("1191",)}


def test_without_the_umls_preferred_name_the_kind_of_term_decides() -> None:
    lines = [
        _line("C0020538", "High blood pressure", "MSH", "ET", "D006973"),
        _line("C0020538", "Hypertension", "MSH", "MH", "D006973"),
        _line("C0020538", "Hypertensive disorder", "SNOMEDCT_US", "PT", "38341003"),
    ]
    (concept,) = umls_concepts(lines, {"C0020538": "Condition"})
    assert concept.display == "Hypertensive disorder"


def test_what_has_no_kind_of_ours_is_left_out(tmp_path: Path) -> None:
    found = _read(tmp_path, [*ASPIRIN, *CONTRACEPTION], ["C0004057|T121|||\n", "C0700589|T169|||\n"])
    assert [concept.cui for concept in found] == ["C0004057"]


def test_without_mrsty_the_vocabulary_says_the_kind(tmp_path: Path) -> None:
    lines = [
        *ASPIRIN,
        _line("C0003611", "Appendectomy (procedure)", "SNOMEDCT_US", "FN", "80146002"),
        _line("C0201975", "creatinine", "LNC", "LN", "2160-0"),
    ]
    assert [concept.type for concept in _read(tmp_path, lines)] == ["Medication", "Procedure", "Lab_Value"]


def test_very_short_names_are_weak(tmp_path: Path) -> None:
    (aspirin,) = _read(tmp_path, [*ASPIRIN, _line("C0004057", "ASA", "RXNORM", "SY", "1191")])
    assert aspirin.weak == {"ASA"}


def test_a_file_that_is_something_else_is_named(tmp_path: Path) -> None:
    with pytest.raises(BadInput, match="Is it an MRCONSO"):
        _read(tmp_path, ["id,name\n", "1,aspirin\n"])
    with pytest.raises(BadInput, match="does not exist"):
        list(rrf_concepts(tmp_path / "nothing", lambda *_: None))


def test_progress_ends_at_the_size_of_the_file(tmp_path: Path) -> None:
    told: list[tuple[str, int, int]] = []
    (tmp_path / "MRCONSO.RRF").write_text("".join(ASPIRIN), encoding="utf-8")
    list(rrf_concepts(tmp_path, lambda *step: told.append(step)))
    size = (tmp_path / "MRCONSO.RRF").stat().st_size
    assert told[-1] == ("MRCONSO.RRF", size, size)


@given(st.lists(st.text(alphabet="C01|ENG\tN\\\u00e4\n", max_size=60), max_size=5))
def test_no_line_breaks_the_reader(lines: list[str]) -> None:
    for concept in umls_concepts(lines, None):
        assert concept.names[0] == concept.display
