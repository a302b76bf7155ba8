"""Lists, clauses, brackets and exceptions: how far a time, a comparison and a negation reach."""

from __future__ import annotations

import pytest

from docgemma.grounding.attributes import attributes
from docgemma.terminology.contract import EntityType
from tests.grounding.attributes.marked import quantity, unmarked, window
from tests.support.tables import each_of

TRAILING = [
    ("[Heparin|M], [enoxaparin|M] or any other [anticoagulant|M] within 48 hours", "<=48 hour ; <=48 hour ; <=48 hour"),
    ("[Syncope|C], [palpitations|C] or [chest pain|C] in the past 3 months", "<=3 month ; <=3 month ; <=3 month"),
    (
        "[Phenytoin|M], [carbamazepine|M], or other [enzyme inducers|M] in the last 4 weeks",
        "<=4 week ; <=4 week ; <=4 week",
    ),
    (
        "Use of [clozapine|M], [olanzapine|M] or a different [antipsychotic|M] within 30 days",
        "<=30 day ; <=30 day ; <=30 day",
    ),
    (
        "[Cellulitis|C], [abscess|C], and other [skin infections|C] during the previous 2 weeks",
        "<=2 week ; <=2 week ; <=2 week",
    ),
    (
        "[Hysterectomy|P], [oophorectomy|P] or other pelvic [surgery|P] in the last 6 weeks",
        "<=6 week ; <=6 week ; <=6 week",
    ),
    ("[PCI|P], [CABG|P], or valve [surgery|P] within 90 days before consent", "<=90 day ; <=90 day ; <=90 day"),
    ("[Antifungals|M] (e.g. [fluconazole|M] or [voriconazole|M]) within 7 days", "<=7 day ; <=7 day ; <=7 day"),
    ("[Biologics|M] such as [rituximab|M] or [abatacept|M] within 6 months", "<=6 month ; <=6 month ; <=6 month"),
    (
        "[NSAIDs|M], including [ibuprofen|M] and [naproxen|M], in the 5 days before surgery",
        "<=5 day ; <=5 day ; <=5 day",
    ),
    ("[Opioids|M] (for example [morphine|M]) in the last 24 hours", "<=24 hour ; <=24 hour"),
    (
        "[Fever|C], [vomiting|C] and/or [diarrhoea|C] within 72 hours of vaccination",
        "<=72 hour ; <=72 hour ; <=72 hour",
    ),
    ("[Blood transfusion|P] or treatment with [erythropoietin|M] in the past 8 weeks", "<=8 week ; <=8 week"),
    (
        "[Keratoplasty|P], [trabeculectomy|P] or [laser therapy|P] to the study eye within 3 months",
        "<=3 month ; <=3 month ; <=3 month",
    ),
    (
        "Received [isotretinoin|M], [acitretin|M] or [phototherapy|P] in the 4 weeks prior to baseline",
        "<=4 week ; <=4 week ; <=4 week",
    ),
    ("treatment with [lithium|M] or with [valproate|M] in the last 2 months", "<=2 month ; <=2 month"),
    ("[MMR vaccine|M], or another live [vaccine|M] less than 4 weeks before transplant", "<4 week ; <4 week"),
    (
        "[UTI|C], [sinusitis|C], [otitis media|C], or [bronchitis|C] within the past month",
        "<=1 month ; <=1 month ; <=1 month ; <=1 month",
    ),
    ("[Malignancy|C] other than [skin cancer|C] in the past 5 years", "<=5 year ; -"),
    ("[Bisphosphonates|M] over the last 2 years", "<=2 year"),
    ("No [seizure|C] in the 6 months before entry", "<=6 month"),
    ("[Rituximab|M] or [ocrelizumab|M], unless stopped more than 6 months before baseline", ">6 month ; >6 month"),
    ("[Fluoxetine|M], unless discontinued at least 5 weeks before dosing", ">=5 week"),
]
DIRECT = [
    ("At least 8 weeks of [allopurinol|M] or [febuxostat|M]", ">=8 week ; >=8 week"),
    ("[gout|C] despite at least 8 weeks of [allopurinol|M]", "- ; >=8 week"),
    ("[Psoriasis|C] with a minimum of 3 months of [methotrexate|M]", "- ; >=3 month"),
    ("[Migraine|C] and at least 2 weeks since the last dose of [sumatriptan|M]", "- ; >=2 week"),
    ("At least 6 weeks since the last [surgery|P]", ">=6 week"),
    ("[Endometriosis|C], with more than 6 months since [laparoscopy|P]", "- ; >6 month"),
    ("[Osteoporosis|C] after at least 12 months of [alendronate|M] or [risedronate|M]", "- ; >=12 month ; >=12 month"),
    ("[acne|C] not responding to 12 weeks of [doxycycline|M]", "- ; 12 week"),
    ("[Relapse|C] after 6 months of [imatinib|M]", "- ; 6 month"),
    ("[Heart failure|C] on at least 4 weeks of [bisoprolol|M]", "- ; >=4 week"),
    ("[HIV|C] with ≥ 24 weeks of [antiretroviral therapy|M]", "- ; >=24 week"),
    ("[Insomnia|C]; 2 weeks or more since stopping [zolpidem|M]", "- ; >=2 week"),
]
CLAUSES = [
    ("History of [asthma|C], or any [pneumonia|C] in the last 12 months", "- ; <=12 month"),
    ("Known [cirrhosis|C], or has had [variceal bleeding|C] in the past 6 months", "- ; <=6 month"),
    ("Has [diabetes|C] or has received [insulin|M] within 30 days", "- ; <=30 day"),
    ("Patients who have [atrial fibrillation|C] or who had a [stroke|C] in the last 90 days", "- ; <=90 day"),
    ("Current [smoker|D], or use of [nicotine patches|M] in the last month", "- ; <=1 month"),
    ("[Hyperkalaemia|C] at baseline or an episode of [hypokalaemia|C] within 2 weeks", "- ; <=2 week"),
    ("Known [coeliac disease|C], or [diarrhoea|C] lasting more than 4 weeks", "- ; >4 week"),
    (
        "[Chemotherapy|P] within 4 weeks, [radiotherapy|P] within 2 weeks, or [vaccination|P] within 30 days",
        "<=4 week ; <=2 week ; <=30 day",
    ),
    ("Is on [dialysis|P] or was given [contrast media|M] in the last 3 days", "- ; <=3 day"),
    ("History of [melanoma|C], or [chemotherapy|P] within the past year", "- ; <=1 year"),
]
MIXED = [
    (
        "[Warfarin|M], [rivaroxaban|M] or other [blood thinners|M] in the week before the procedure",
        "<=1 week ; <=1 week ; <=1 week",
    ),
    (
        "[Sepsis|C], [pneumonia|C], [pyelonephritis|C] or any other serious [infection|C] within 3 months of screening",
        "<=3 month ; <=3 month ; <=3 month ; <=3 month",
    ),
    (
        "[Ketoconazole|M], [ritonavir|M] and other [CYP3A inhibitors|M] during the 14 days before dosing",
        "<=14 day ; <=14 day ; <=14 day",
    ),
    ("[Antidepressants|M] such as [sertraline|M] in the past 6 weeks", "<=6 week ; <=6 week"),
    ("[Vaccines|M] (including [BCG|M] and [yellow fever vaccine|M]) within 4 weeks", "<=4 week ; <=4 week ; <=4 week"),
    ("[Ulcerative colitis|C] that failed at least 6 weeks of [mesalazine|M]", "- ; >=6 week"),
    ("[Schizophrenia|C] treated with ≥ 4 weeks of [risperidone|M] or [paliperidone|M]", "- ; >=4 week ; >=4 week"),
    ("At least 21 days since the last [chemotherapy|P] and 14 days since [radiotherapy|P]", ">=21 day ; 14 day"),
    ("At least 6 months have elapsed since [bariatric surgery|P]", ">=6 month"),
    ("Known [haemophilia|C], or major [bleeding|C] in the past 3 months", "- ; <=3 month"),
    ("History of [anaphylaxis|C], or a [rash|C] within 24 hours of [penicillin|M]", "- ; <=24 hour ; -"),
    ("Had a [kidney transplant|P] or received [rituximab|M] in the last year", "- ; <=1 year"),
    ("[Adalimumab|M] or [etanercept|M] unless discontinued ≥ 10 weeks before visit 1", ">=10 week ; >=10 week"),
    ("[Cancer|C], except [cervical carcinoma in situ|C], in the last 5 years", "<=5 year ; -"),
    ("[Stroke|C] or [TIA|C] in the preceding 90 days, or known [atrial fibrillation|C]", "<=90 day ; <=90 day ; -"),
    ("[Myocardial infarction|C] within 6 months, known [aortic stenosis|C]", "<=6 month ; -"),
    ("[Hip fracture|C] in the 2 years prior to enrolment, [osteoporosis|C] or [osteopenia|C]", "<=2 year ; - ; -"),
    ("Stable [levothyroxine|M] for the last 3 months and [TSH|L] < 10 mIU/L", "<=3 month ; -"),
]
WINDOWS = [*TRAILING, *DIRECT, *CLAUSES, *MIXED]

QUANTITIES = [
    ("[corticosteroids|M] (more than 7.5 mg of [prednisolone|M] daily)", "- ; >7.5 mg/day"),
    ("[Opioids|M] (at least 60 mg of [morphine|M] per day)", "- ; >=60 mg/day"),
    ("[Proteinuria|C] ([UPCR|L] > 1 g/g)", "- ; >1 g/g"),
    ("[Anaemia|C] ([haemoglobin|L] below 10 g/dL)", "- ; <10 g/dL"),
    ("[Renal impairment|C] ([eGFR|L] < 45 mL/min/1.73 m2) or [dialysis|P]", "- ; <45 mL/min/1.73m2 ; -"),
    ("[Obesity|C] ([BMI|L] of 35 kg/m2 or higher)", "- ; >=35 kg/m2"),
    ("[Statins|M] (e.g. > 40 mg of [atorvastatin|M])", "- ; >40 mg"),
    ("[Vitamin D deficiency|C] (< 20 ng/mL)", "<20 ng/mL"),
    ("[Hypotension|C] ([systolic blood pressure|L] < 90 mmHg) needing [vasopressors|M]", "- ; <90 mmHg ; -"),
    ("[Thrombocytopenia|C] ([platelet count|L] < 75 x 10^9/L)", "- ; <75 10^9/L"),
    ("[inhaled corticosteroids|M] (> 500 µg of [fluticasone|M] daily)", "- ; >500 mcg/day"),
    ("[Alcohol|M] (more than 14 drinks per week)", ">14 drink/week"),
    ("[glucocorticoids|M] (no more than 5 mg of [prednisone|M] a day) and [HbA1c|L] < 8%", "- ; <=5 mg/day ; <8 %"),
    ("[Hyponatraemia|C] (serum [sodium|L] < 130 mmol/L)", "- ; <130 mmol/L"),
    ("[opioid use|M] (> 90 mg [morphine|M] equivalents per day)", "- ; >90 mg"),
    ("[neutropenia|C] (< 1.0 x 10^9/L)", "<1.0 10^9/L"),
]

NEGATIONS = [
    "no [-pulmonary embolism|C] on [CT angiography|P]",
    "No [-fracture|C] on [X-ray|P]",
    "no [-ischaemia|C] on the [ECG|P] or on [stress testing|P]",
    "Absence of [-metastases|C] on [PET|P]",
    "no [-thrombus|C] by [ultrasound|P]",
    "without [-retinal detachment|C] on [fundoscopy|P]",
    "No [-hepatocellular carcinoma|C] on [ultrasound|P] within 3 months",
    "[cancer|C] other than [squamous cell carcinoma|C]",
    "Any [neoplasm|C] except [carcinoma in situ|C] of the cervix",
    "[Arrhythmia|C] with the exception of [premature beats|C]",
    "[Neuropathy|C] apart from [carpal tunnel syndrome|C]",
    "[allergy|C] excluding seasonal [rhinitis|C]",
    "Have not been exposed to [-rituximab|M], [-ocrelizumab|M] or any other [-anti-CD20 antibody|M]",
    "has never taken [-lithium|M], [-valproate|M] or other [-mood stabilisers|M]",
    "not treated with [-insulin|M], [-liraglutide|M], or any [-sulfonylurea|M]",
    "No prior use of [-apixaban|M], [-edoxaban|M] or another [-anticoagulant|M]",
    "must not have received [-chemotherapy|P], [-radiotherapy|P] or other [-cancer therapy|P]",
    "No [-lymphoma|C] other than [mycosis fungoides|C]",
    "No [-malignancy|C] (except [basal cell carcinoma|C])",
    "No [-tumour progression|C] on [MRI|P] and no [-seizures|C]",
    "no history of [-allergy|C] to [penicillin|M], [cephalosporins|M] or other [beta-lactams|M]",
    "no [-dependence|C] on [-opioids|M]",
    "Patients on [statins|M] with no [-myopathy|C]",
    "No evidence of [-haemorrhage|C] on [CT|P] or [MRI|P]",
    "no [-relapse|C] after [transplantation|P]",
    "Never exposed to [-infliximab|M], [-golimumab|M] or another [-TNF inhibitor|M]",
    "[Skin cancer|C] apart from [basal cell carcinoma|C] or [squamous cell carcinoma|C]",
    "No [-cancer|C] apart from [basal cell carcinoma|C]",
    "no [-stenosis|C], [-dissection|C] or [-aneurysm|C] on [angiography|P]",
    "have not had [-surgery|P] or other [-procedures|P]",
    "no [-ascites|C] by [ultrasound|P] and no [-encephalopathy|C]",
]


@each_of(("marked", "expected"), WINDOWS)
def test_a_time_reaches_over_its_list_and_no_further(marked: str, expected: str) -> None:
    text, spans, _ = unmarked(marked)
    found = [window(one.window).split(" @ ")[0] for one in attributes(text, spans)]
    assert " ; ".join(found) == expected, marked


@pytest.mark.parametrize(("marked", "expected"), QUANTITIES, ids=[str(place) for place in range(len(QUANTITIES))])
def test_a_comparison_in_brackets_belongs_to_what_stands_in_them(marked: str, expected: str) -> None:
    text, spans, _ = unmarked(marked)
    assert " ; ".join(quantity(one.quantity) for one in attributes(text, spans)) == expected, marked


@pytest.mark.parametrize("marked", NEGATIONS, ids=[str(place) for place in range(len(NEGATIONS))])
def test_what_is_absent_and_what_only_stands_nearby(marked: str) -> None:
    text, spans, expected = unmarked(marked)
    assert [one.negated for one in attributes(text, spans)] == expected, marked


@pytest.mark.parametrize(
    ("text", "let_through", "asked"),
    [
        (
            "Cancer, other than basal cell carcinoma or cervical dysplasia",
            ["basal cell carcinoma", "dysplasia"],
            ["Cancer"],
        ),
        ("Total bilirubin > 1.5 x ULN, unless due to Gilbert's syndrome", ["Gilbert's syndrome"], ["bilirubin"]),
        ("Anticoagulants except aspirin", ["aspirin"], ["Anticoagulants"]),
        ("No asthma or emphysema", [], ["asthma", "emphysema"]),
    ],
    ids=["other-than", "unless", "except", "none"],
)
def test_what_an_exception_lets_through_is_put_to_a_person(text: str, let_through: list[str], asked: list[str]) -> None:
    named = [*let_through, *asked]
    spans: list[tuple[int, int, EntityType]] = [
        (text.index(name), text.index(name) + len(name), "Condition") for name in named
    ]
    found = attributes(text, spans)
    assert [name for name, each in zip(named, found, strict=True) if each.doubt] == let_through
