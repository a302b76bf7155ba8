"""Arguments agree by meaning; each rule can also say no."""

from __future__ import annotations

from docgemma.evals.meaning import Value, agrees
from tests.support.tables import each_of

SAME: list[tuple[str, Value, object]] = [
    ("patient_id", "abc-123", "ABC-123"),
    ("patient_id", "448812", "MRN 448812"),
    ("patient_id", "402", "patient 402"),
    ("drug_name", "acetaminophen", "Tylenol"),
    ("drug_name", "dofetilid", "Dofetilid"),
    ("medication_name", "metformin", "metformin"),
    ("drug_names", ["warfarin", "ibuprofen"], ["Advil", "warfarin"]),
    ("dosage", "500 mg", "0.5 g"),
    ("dosage", "1 tablet", "1 tab"),
    ("dosage", "a thin layer", "A thin  layer"),
    ("frequency", "twice daily", "BID"),
    ("frequency", "every 8 hours", "q8h"),
    ("frequency", "three times daily as needed", "as needed three times daily"),
    ("substance", "penicillin", "Penicillin"),
    ("substance", "peanuts", "peanut"),
    ("substance", "sulfa", "sulfa drugs"),
    ("reaction", "rash", "rash on both arms"),
    ("severity", "moderate", "Moderate"),
    ("name", "Mrs Garcia", "garcia"),
    ("name", "Anne-Marie Lefèvre", "anne marie lefevre"),
    ("note_type", "progress", "progress note"),
    ("note_text", "Feels better.\nEating well.", "Feels better. Eating well."),
    ("status", "not yet recruiting", "NOT_YET_RECRUITING"),
    ("condition", "melanoma", "metastatic melanomas"),
    ("query", "SGLT2 inhibitors in heart failure", "SGLT2 inhibitor heart failure outcomes"),
    ("query", "Wilson's disease", "wilson disease"),
    ("query", "effect of mirtazapine", "mirtazapine effects"),
]
OTHER: list[tuple[str, Value, object]] = [
    ("patient_id", "abc-123", "abc-124"),
    ("patient_id", "abc-123", "123"),
    ("drug_name", "hydralazine", "hydroxyzine"),
    ("drug_name", "dofetilide", "dofetilid"),
    ("drug_names", ["warfarin", "ibuprofen"], ["warfarin"]),
    ("drug_names", ["warfarin", "ibuprofen"], ["warfarin", "aspirin"]),
    ("drug_names", ["warfarin", "ibuprofen"], ["warfarin", "ibuprofen", "aspirin"]),
    ("drug_names", ["warfarin", "ibuprofen"], "warfarin, ibuprofen"),
    ("drug_name", "warfarin", ["warfarin"]),
    ("dosage", "500 mg", "500 mcg"),
    ("dosage", "500 mg", "50 mg"),
    ("dosage", "500 mg", ""),
    ("frequency", "twice daily", "three times daily"),
    ("frequency", "twice daily as needed", "twice daily"),
    ("frequency", "twice daily", "after the weekend"),
    ("substance", "penicillin", "penicillin hives"),
    ("substance", "peanut", "walnut"),
    ("reaction", "anaphylaxis", "rash"),
    ("severity", "severe", "mild"),
    ("name", "James Wilson", "Wilson"),
    ("name", "James Wilson", "James Wilson Smith"),
    ("note_type", "progress", "discharge"),
    ("note_text", "Feels better. Eating well.", "Feels better."),
    ("note_text", "Feels better.", "Feels better. Eating well."),
    ("note_text", "Feels better", "feels better"),
    ("status", "recruiting", "not yet recruiting"),
    ("condition", "breast cancer", "cancer"),
    ("query", "SGLT2 inhibitors in heart failure", "heart failure"),
    ("query", "metformin in CKD", "metformin CKD for Maria Garcia"),
    ("query", "metformin in CKD", "metformin CKD abc-123"),
    ("condition", "CKD", "CKD 448812"),
]


@each_of(("name", "expected", "got"), SAME)
def test_the_same(name: str, expected: Value, got: object) -> None:
    assert agrees(name, expected, got)


@each_of(("name", "expected", "got"), OTHER)
def test_not_the_same(name: str, expected: Value, got: object) -> None:
    assert not agrees(name, expected, got)
