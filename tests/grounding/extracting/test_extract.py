"""The entities of a criterion by rules: spans, types and search terms as people annotate criteria."""

from __future__ import annotations

import pytest

from docgemma.grounding.extracting.extract import extract
from docgemma.grounding.extracting.model import Extracted
from docgemma.terminology.contract import Linked
from docgemma.terminology.linking.linking import find
from tests.support.tables import each_of
from tests.terminology.linking.vocabulary import lexicon

SHORT = {
    "Cond": "Condition", "Med": "Medication", "Proc": "Procedure",
    "Lab": "Lab_Value", "Demo": "Demographic", "Bio": "Biomarker",
}  # fmt: skip

CASES = {
    # measured
    "counts": ("Absolute neutrophil count (ANC) ≥ 1.5 x 10^9/L", "Absolute neutrophil count/Lab"),
    "corrected QT": ("QTcF > 470 ms", "QTcF/Lab"),
    "performance status": ("ECOG performance status 0-1", "ECOG performance status/Lab"),
    "clearance": ("creatinine clearance below 60 mL/min", "creatinine clearance/Lab"),
    "body mass index": ("BMI between 18 and 35 kg/m2", "BMI/Lab"),
    "an unlisted score": ("NAFLD activity score of 4 or more", "NAFLD activity score/Lab"),
    "an unlisted short name": ("IGA ≥ 3 and ABC score of at least 4", "IGA/Lab | ABC score/Lab"),
    "a short name that is not compared": ("XYZ group", ""),
    "measured, not given": ("serum testosterone < 50 ng/dL", "serum testosterone/Lab"),
    "measured by its unit": ("testosterone above 300 ng/dL", "testosterone/Lab"),
    "given, not measured": ("testosterone gel; prednisone > 10 mg/day", "testosterone/Med | prednisone/Med"),
    "the level of it": ("castrate level of testosterone", "testosterone/Lab"),
    "a level of a measurement": ("hemoglobin levels", "hemoglobin/Lab"),
    "how an organ works": ("adequate renal function", "renal function/Lab"),
    "how it does not": ("impaired renal function", "impaired renal function/Cond"),
    "a test's result": ("hepatitis B surface antigen positive", "hepatitis B surface antigen/Lab"),
    "an antibody that is a result": ("anti-XY antibody positive", "anti-XY antibody/Lab"),
    # biomarkers
    "gene and alteration": ("BRAF V600E or EGFR exon 19 deletion", "BRAF V600E/Bio | EGFR exon 19 deletion/Bio"),
    "receptor state": ("ER-positive, HER2-negative tumour", "ER-positive/Bio | HER2-negative/Bio | tumour/Cond"),
    "expression": ("PD-L1 expression ≥ 1%", "PD-L1 expression/Bio"),
    "two letters need a state": ("brought to the ER; HR > 100 bpm", "HR/Lab"),
    "a gene without support": ("MET with the team, CAT questionnaire", "MET/Bio"),
    "variant alone": ("T790M mutation", "T790M mutation/Bio"),
    "aimed at, not present": ("prior anti-EGFR therapy", "anti-EGFR therapy/Med"),
    "inhibitors of it": ("strong CYP3A4 inhibitors or a PD-1 inhibitor", "CYP3A4 inhibitors/Med | PD-1 inhibitor/Med"),
    # medicines and procedures
    "classes": ("immunosuppressive drugs, systemic steroids", "immunosuppressive drugs/Med | systemic steroids/Med"),
    "live vaccine": ("Live attenuated vaccine within 28 days", "Live attenuated vaccine/Med"),
    "drug endings": ("any -mab such as newlimumab", "newlimumab/Med"),
    "surgery": ("recent major surgery or an appendectomy", "major surgery/Proc | appendectomy/Proc"),
    "transplants": ("allogeneic stem cell transplantation", "allogeneic stem cell transplantation/Proc"),
    # conditions
    "grading words outside": ("severe, uncontrolled hypertension; known asthma", "hypertension/Cond | asthma/Cond"),
    "unlisted disease by its head": ("clinically significant cardiovascular disease", "cardiovascular disease/Cond"),
    "unlisted disease by its ending": ("history of chronic prostatitis", "chronic prostatitis/Cond"),
    "a disease and its place": ("fracture of the left hip", "fracture of the left hip/Cond"),
    "a head alone is nothing": ("any disease, disorder or abnormality", ""),
    "misspelt heads": ("hypertention, renal impairement", "hypertention/Cond | renal impairement/Cond"),
    "hyphenated cause": ("drug-induced liver injury", "drug-induced liver injury/Cond"),
    "proven by biopsy": ("biopsy-proven prostatitis", "biopsy/Proc | prostatitis/Cond"),
    "an episode of a disease": ("Acute exacerbation of asthma", "Acute exacerbation of asthma/Cond"),
    "two diseases, no episode": ("Asthma of the type of gout", "Asthma/Cond | gout/Cond"),
    "a type behind its disease": ("epilepsy type 1, gout of type 2", "epilepsy type 1/Cond | gout/Cond"),
    "a grading word": ("mild cognitive impairment, mild asthma", "mild cognitive impairment/Cond | asthma/Cond"),
    "grade, onset": ("high-grade dysplasia; late-onset asthma", "high-grade dysplasia/Cond | late-onset asthma/Cond"),
    "cells of it": ("on 1% of tumour cells", ""),
    "measured in millimetres": ("central corneal thickness of 500 µm", "central corneal thickness/Lab"),
    "statistics outside": ("mean pain score of 4", "pain score/Lab"),
    "how a scan is made": ("contrast-enhanced tomography", "contrast-enhanced tomography/Proc"),
    # people
    "a nation's people": ("Japanese men, healthy Korean volunteers", "Japanese/Demo | men/Demo | Korean/Demo"),
    "two peoples": ("Chinese or Taiwanese adults", "Chinese/Demo | Taiwanese/Demo | adults/Demo"),
    "descent": ("of Ashkenazi Jewish descent", "Ashkenazi Jewish/Demo"),
    "colour of people": ("white adults, white cell count above 4", "white/Demo | adults/Demo | white cell count/Lab"),
    "no people": ("Chinese herbal medicine, French guidelines, German-speaking", "herbal medicine/Med"),
    "age named": ("Adults aged 18 to 65 years", "Adults/Demo | aged/Demo"),
    "years of age": ("18 years of age or older", "age/Demo"),
    "age by its unit": ("≥ 18 years old", "years old/Demo"),
    "no second age": ("Women, 21 years or older", "Women/Demo"),
    "childbearing": ("Women of childbearing potential", "Women of childbearing potential/Demo"),
    "pregnancy": ("Non-pregnant, not breast-feeding", "pregnant/Demo | breast-feeding/Demo"),
    "two kinds of people": ("Pregnant women", "Pregnant/Demo | women/Demo"),
    "about something else": ("weight-related problems", ""),
    "shared heads": ("hepatic or renal impairment", "hepatic/Cond | renal impairment/Cond"),
    "falls": ("two falls last year", "falls/Cond"),
    # nothing
    "consent": ("Able to give written informed consent", ""),
    "autumn": ("Moves abroad before the fall 2026 visit", ""),
    "logistics": ("Lives within 50 km of the study centre", ""),
    "life expectancy": ("Life expectancy of more than 12 weeks", ""),
    "language": ("English-speaking and able to fill in questionnaires", ""),
    "language of a trial": ("Any other reason, in the opinion of the investigator", ""),
}  # fmt: skip


def extracted(text: str, context: str = "") -> list[Extracted]:
    mentions = [
        Linked(text=text[span.start : span.end], start=span.start, end=span.end, type=span.type, term=span.term)
        for span in find(text, lexicon(), context)
    ]
    return extract(text, mentions, context)


@each_of("case", list(CASES))
def test_entities_with_their_types(case: str) -> None:
    text, expected = CASES[case]
    wanted = [tuple(one.rsplit("/", 1)) for one in expected.split(" | ")] if expected else []
    assert [(one.text, one.entity_type) for one in extracted(text)] == [(name, SHORT[kind]) for name, kind in wanted]


@pytest.mark.parametrize(
    ("text", "term"),
    [
        ("HbA1c ≥ 7 %", "hemoglobin A1c"),
        ("lactating", "breastfeeding"),
        ("Breast or ovarian cancer", "Breast cancer"),
        ("immunosuppressive agents", "immunosuppressive agents"),
        ("cold sores", "herpes labialis"),
    ],
)
def test_search_terms_are_the_standard_ones(text: str, term: str) -> None:
    assert extracted(text)[0].search_term == term


def test_rules_work_without_an_index() -> None:
    found = extract("Severe hepatic impairment, ALT/AST ratio > 2 and radiotherapy in women aged 40", [])
    assert [(one.text, one.entity_type) for one in found] == [
        ("hepatic impairment", "Condition"),
        ("AST ratio", "Lab_Value"),
        ("radiotherapy", "Procedure"),
        ("women", "Demographic"),
        ("aged", "Demographic"),
    ]


def test_an_abbreviation_may_be_defined_above_the_criterion() -> None:
    found = extract("Untreated CLX for a year", [], "Patients with chronic lymphangitis xanthosis (CLX):")
    assert [(one.text, one.entity_type, one.search_term) for one in found] == [
        ("CLX", "Condition", "chronic lymphangitis xanthosis")
    ]


def test_a_mention_outside_the_text_is_left_out() -> None:
    assert extract("Able to swallow", [Linked(text="elsewhere", start=40, end=49, type="Condition")]) == []
