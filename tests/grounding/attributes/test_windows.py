"""Times around a criterion, and which entities they belong to."""

from __future__ import annotations

from docgemma.grounding.attributes import attributes
from tests.grounding.attributes.marked import unmarked, window
from tests.support.tables import each_of

ROWS = [
    ("[stroke|C] within 6 months prior to screening", "<=6 month @ screening"),
    ("[stroke|C] within the last 6 months", "<=6 month"),
    ("[stroke|C] within six (6) months before enrollment", "<=6 month @ enrollment"),
    ("[stroke|C] in the past 5 years", "<=5 year"),
    ("[stroke|C] during the previous 12 weeks", "<=12 week"),
    ("[stroke|C] in the past year", "<=1 year"),
    ("[stroke|C] within 24 hours of randomization", "<=24 hour @ randomization"),
    ("[fever|C] in the last 2 weeks", "<=2 week"),
    ("[fever|C], last 2 weeks", "<=2 week"),
    ("[stroke|C] 3 months ago", "3 month"),
    ("[stroke|C] less than 3 months ago", "<3 month"),
    ("[metformin|M] for at least 3 months", ">=3 month"),
    ("stable dose of [metformin|M] for ≥ 12 weeks prior to screening", ">=12 week @ screening"),
    ("[metformin|M] for more than 3 months", ">3 month"),
    ("[surgery|P] ≥ 4 weeks before the first dose of study drug", ">=4 week @ the first dose of study drug"),
    ("[surgery|P] < 4 weeks before Day 1", "<4 week @ Day 1"),
    ("[surgery|P] up to 30 days after enrolment", "<=30 day @ enrolment"),
    ("use of [antibiotics|M] during the study", "during the study"),
    ("[contraception|P] throughout the study", "throughout the study"),
    ("[type 2 diabetes|C] diagnosed at least 6 months before screening", ">=6 month @ screening"),
    ("[type 2 diabetes|C] for 6-12 months", "6..12 month"),
    ("[stroke|C] between 3 and 6 months before randomization", "3..6 month @ randomization"),
    ("[myocardial infarction|C], [stroke|C], or [TIA|C] within 6 months", "<=6 month ; <=6 month ; <=6 month"),
    ("[chemotherapy|P] within 4 weeks or [radiotherapy|P] within 2 weeks", "<=4 week ; <=2 week"),
    ("Within 6 months before screening, any [myocardial infarction|C]", "<=6 month @ screening"),
    ("In the past 5 years: [malignancy|C]", "<=5 year"),
    ("At least 3 months of [metformin|M]", ">=3 month"),
    ("[relapse|C] within 4 weeks of [chemotherapy|P]", "<=4 week @ chemotherapy ; -"),
    ("[malignancy|C] within 5 years except [basal cell carcinoma|C]", "<=5 year ; -"),
    ("[chemotherapy|P] within 4 weeks or 5 half-lives of first dose", "<=4 week @ first dose"),
    ("[asthma|C]. [stroke|C] within 6 months", "- ; <=6 month"),
    ("[Age|D] ≥ 18 years", "-"),
    ("[aged|D] 18 to 65 years", "-"),
    ("[pembrolizumab|M] every 3 weeks", "-"),
    ("[stroke|C]", "-"),
    ("[vaccination|M] within 30 days before or after enrollment", "<=30 day @ enrollment"),
    ("[malignancy|C], unless the patient has been disease free for 5 years", "-"),
    ("[corticosteroids|M] (> 10 mg of [prednisone|M]) within 14 days", "<=14 day ; -"),
    ("[QTc|L] > 470 ms", "-"),
    ("[Women|D] with [hysterectomy|P] ≥ 6 weeks prior to screening", "- ; >=6 week @ screening"),
    ("[HbA1c|L] ≥ 7.5% within 3 months of screening", "<=3 month @ screening"),
]


@each_of(("marked", "expected"), ROWS)
def test_a_time_belongs_to_the_event_beside_it(marked: str, expected: str) -> None:
    text, spans, _ = unmarked(marked)
    assert " ; ".join(window(one.window) for one in attributes(text, spans)) == expected, marked
