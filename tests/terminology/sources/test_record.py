import pytest
from hypothesis import given
from hypothesis import strategies as st

from docgemma.terminology.sources.record import distinct, snomed_concept, xref


@pytest.mark.parametrize(
    ("namespace", "identifier", "expected"),
    [
        ("UMLS", "C0014544", ("UMLS", "C0014544")),
        ("UMLS_CUI", "C0014544", ("UMLS", "C0014544")),
        ("MeSH", "D004827", ("MESH", "D004827")),
        ("MSH", "D004827", ("MESH", "D004827")),
        ("MESH", "C10.228.140", None),
        ("SCTID", "84757009", ("SNOMED", "84757009")),
        ("SNOMEDCT_US_2023_03_01", "84757009", ("SNOMED", "84757009")),
        ("SNOMED_CT", "84757008", None),
        ("MONDO", "0005027", ("MONDO", "MONDO:0005027")),
        ("DOID", "DOID:1826", ("DOID", "DOID:1826")),
        ("OMIM", "PS601665", None),
        ("ICD10CM", "G40.909", ("ICD10CM", "G40.909")),
        ("ICD10CM", "G40-G47", None),
        ("Wikipedia", "Epilepsy", None),
    ],
)
def test_a_reference_is_spelled_one_way_or_left_out(
    namespace: str, identifier: str, expected: tuple[str, str] | None
) -> None:
    assert xref(namespace, identifier) == expected


@given(st.integers(0, 7), st.integers(1, 9))
def test_one_wrong_digit_is_never_a_snomed_concept(place: int, shift: int) -> None:
    right = "84757009"
    wrong = right[:place] + str((int(right[place]) + shift) % 10) + right[place + 1 :]
    assert snomed_concept(right)
    assert not snomed_concept(wrong)


@given(st.text(max_size=30))
def test_any_text_can_be_asked_about(text: str) -> None:
    assert snomed_concept(text) in (True, False)
    assert xref(text, text) is None or xref(text, text) == xref(text, text)


def test_names_are_kept_once_without_the_preferred_one() -> None:
    long = "x" * 301
    assert distinct(["Fits", "fits ", "Seizure", "", long, "two  words"], but="seizure") == ("Fits", "two words")
