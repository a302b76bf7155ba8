"""What the text says is absent. A minus before the words marks an entity that is negated."""

from __future__ import annotations

from docgemma.grounding.attributes import attributes
from tests.grounding.attributes.marked import unmarked
from tests.support.tables import each_of

ROWS = [
    "No history of [-seizures|C]",
    "no known [-brain metastases|C]",
    "No prior [-chemotherapy|P] or [-radiotherapy|P]",
    "No history of [-stroke|C], [-seizures|C], or [-dementia|C]",
    "Patients without [-diabetes|C]",
    "without evidence of [-metastatic disease|C]",
    "not [-pregnant|C]",
    "Not [-pregnant|C] or [-breastfeeding|C]",
    "must not be [-pregnant|C]",
    "must not have [-hepatitis B|C] or [-hepatitis C|C]",
    "has not received prior [-immunotherapy|M]",
    "not taking [-warfarin|M]",
    "non-[-pregnant|C] women",
    "[-non-pregnant|C] women",
    "free of [-infection|C]",
    "absence of [-liver cirrhosis|C]",
    "lack of [-coronary artery disease|C]",
    "denies [-alcohol abuse|C]",
    "never treated with [-insulin|M]",
    "negative for [-HIV|C]",
    "[-HIV|C] negative",
    "[-HER2|B]-negative [breast cancer|C]",
    "[-insulin|M]-naive",
    "[-treatment|P] naïve [hepatitis C|C]",
    "[-seizure|C]-free for 6 months",
    "[-Brain metastases|C] must be absent",
    "Prior [-chemotherapy|P] is not allowed",
    "[-Warfarin|M] and [-heparin|M] are not permitted",
    "Neither [-hypertension|C] nor [-diabetes|C]",
    "[malignancy|C] other than [basal cell carcinoma|C]",
    "No [-malignancy|C] except [basal cell carcinoma|C]",
    "No [-malignancy|C] other than treated [cervical cancer in situ|C]",
    "[malignancy|C] with the exception of [basal cell carcinoma|C]",
    "No [-chemotherapy|P] unless [relapse|C] occurred",
    "No [-diabetes|C] but [hypertension|C] is allowed",
    "No [-seizures|C]; [epilepsy|C] surgery planned",
    "No [-stroke|C]. [Hypertension|C] is present",
    "[hypertension|C] that is not controlled",
    "not adequately controlled [hypertension|C]",
    "[Uncontrolled hypertension|C]",
    "Not controlled [diabetes|C]",
    "no more than 2 prior lines of [chemotherapy|P]",
    "not more than 10 mg of [prednisone|M]",
    "[HbA1c|L] not exceeding 10%",
    "[HbA1c|L] no less than 7%",
    "[cancer|C], including but not limited to [melanoma|C]",
    "[asthma|C] with or without [allergic rhinitis|C]",
    "No severe [-cardiac dysfunction|C], [left ventricular ejection fraction|L] ≥ 50%",
    "no [-infection|C] requiring [antibiotics|M]",
    "no contraindication to [MRI|P]",
    "No known [-hypersensitivity|C] to [penicillin|M]",
    "no patients without [measurable disease|C]",
    "not without [risk of bleeding|C]",
    "negative [pregnancy test|P]",
    "[non-small cell lung cancer|C]",
    "[non-Hodgkin lymphoma|C]",
    "Known [HIV|C] infection",
    "History of [myocardial infarction|C]",
    "Patients with [stroke|C] are excluded",
    "[pregnancy|C] cannot be ruled out",
    "whether or not [metformin|M] is taken",
    "No [-chemotherapy|P] within 4 weeks and no [-radiotherapy|P] within 2 weeks",
    "No [-active infection|C] and adequate [renal function|L]",
    "[diabetes|C] without [-diabetic retinopathy|C]",
    "[breast cancer|C] (no [-brain metastases|C]) on [tamoxifen|M]",
    "No [-hepatitis B|C] and/or [-hepatitis C|C]",
    "no [-hypoglycemia|C] < 54 mg/dL",
    "Absence of uncontrolled [-arrhythmia|C], [-heart failure|C] and [-angina|C]",
    "[-Pregnant|C] women are not allowed",
    "No [-chemotherapy|P], histologically confirmed [lung cancer|C] and [measurable disease|C]",
    "Patients who are [-HIV|C]-negative and [hepatitis B|C]-positive",
    "Lack of response to [metformin|M]",
]


@each_of("marked", ROWS)
def test_what_is_said_to_be_absent_is_negated(marked: str) -> None:
    text, spans, expected = unmarked(marked)
    found = [one.negated for one in attributes(text, spans)]
    assert found == expected, (marked, found)
