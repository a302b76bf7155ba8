"""The words by which people ask for a part of a chart. Written by hand and not reviewed by a clinician."""

from __future__ import annotations

import re

from docgemma.ehr.chart.model import Topic
from docgemma.entities.words import word_set

_IMAGING = (
    r"imaging|scans?|x-?rays?|cxr|ct|mri|ultrasounds?|sonogra\w*|usg|echo\w*|tte|radiolog\w*|ecgs?|ekgs?|mammogra\w*"
    r"|dexa|dxa|endoscop\w*|colonoscop\w*|spirometr\w*"
)
_TOPICS: tuple[tuple[Topic, str], ...] = (
    ("allergies", r"allerg\w*|intoleran\w*|nkda|nka|anaphyla\w*|adverse reactions?|contra-?indicat\w*|safe|safely"),
    (
        "medications",
        r"meds?|medications?|medicines?|medicated|drugs?|prescri\w*|rx|pills?|tablets?|inhalers?|injections?|doses?"
        r"|dosage|dosing|anticoagulat\w*|blood thinners?|antibiotics?|insulin|(?:she|he|they|patient)"
        r"(?: ever| still| now| already| currently)? (?:on|taking)|taking|repeats"
        r"|duplicates?|otc|over[- ]the[- ]counter|contracepti\w*",
    ),
    ("problems", r"problems?|diagnos\w*|conditions?|comorbid\w*|co-morbid\w*|pmh|past history|medical history|issues?"),
    ("labs", r"labs?|labwork|bloods?(?! (?:pressure|thinner|group|typ|sugar|transfus))|blood (?:tests?|work)"
             r"|lab\w* (?:results?|values?)|panels?"),
    ("vitals", r"vitals?|vital signs|growth|percentiles?|growth chart|obs"),
    ("immunisations", r"vaccin\w*|immuni[sz]\w*|jabs?|shots?|boosters?"),
    (
        "notes",
        r"notes?|letters?|discharge summar\w*|documents?|documentation|wrote|written|progress note|assessment"
        r"|impression|handover|sa(?:y|ys|id)|contra-?indicat\w*",
    ),
    (
        "encounters",
        r"visits?|encounters?|appointments?|admissions?|admitted|hospital\w*|seen|attend\w*|clinic|stays?"
        r"|a ?& ?e|emergency",
    ),
    ("reports", rf"reports?|{_IMAGING}|biops\w*|pathology|histology"),
    ("procedures", rf"procedures?|surg\w*|operations?|operated|scopes?|\w+ectomy|\w+oscopy|implants?|biops\w*"
                   rf"|transfus\w*|{_IMAGING}"),
    (
        "social",
        r"smok\w*|tobacco|cigarettes?|alcohol|drinks?|drinking|vap\w*|occupation|job|lives?|living|social"
        r"|family history|housing|screening|questionnaires?|phq\S*|gad\S*",
    ),
    ("plans", r"care plans?|plans?|goals?"),
    ("pregnancy", r"pregnan\w*|gravid\w*|gestation\w*|trimester|expecting|due date|edd|edc|lmp|antenatal|prenatal"
                  r"|(?:she|baby) due|breast-?feeding"),
    ("computed", r"egfr|gfr|kidneys?|renal|creatinine|crcl|clearance|ckd|aki|bmi|obes\w*|how old|age|aged|body mass"
                 r"|dos(?:e|es|ing|age)|safe\w*|prescri\w*|start\w*|contra-?indicat\w*"),
)  # fmt: skip
TOPICS = tuple((topic, re.compile(rf"\b(?:{cue})\b", re.I)) for topic, cue in _TOPICS)

IMAGING = re.compile(rf"\b(?:{_IMAGING})\b", re.I)
RESULTS = re.compile(r"\b(?:results?|tests?)\b", re.I)
"""Of the laboratory, unless something else is asked for: an x-ray has a result too."""

PAST = re.compile(
    r"\b(?:past|previous(?:ly)?|former(?:ly)?|old|earlier|stopped|discontinued|completed|ended|resolved|inactive|ever"
    r"|used to|history of|was (?:she|he) (?:ever )?on|had|prior)\b",
    re.I,
)
TREND = re.compile(r"\b(?:trends?|trending|over time|course|serial|last \d+|history|changed?|rising|falling)\b", re.I)
LATEST = re.compile(r"\b(?:last|latest|newest|most recent|recent)\b(?! (?:\d|few|two|three))", re.I)
COMING = re.compile(r"\b(?:next|upcoming|future|booked)\b", re.I)
ADMITTED = re.compile(r"\b(?:admissions?|admitted|hospital\w*|stays?|inpatient|emergency|a ?& ?e)\b", re.I)
WHOLE = re.compile(
    r"\b(?:summar\w*(?! (?:letter|note))|overview|whole (?:chart|record)|full (?:chart|record|history)|everything"
    r"|entire|background|tell me about|who is|story|snapshot)\b",
    re.I,
)
DISCHARGE = re.compile(r"\bdischarge summar\w*", re.I)
"""A document, and no wish for a summary."""

IN_OTHER_WORDS: tuple[tuple[re.Pattern[str], str], ...] = tuple(
    (re.compile(rf"\b(?:{said})\b", re.I), test)
    for said, test in (
        (r"weighs?|weighed", "weight"),
        (r"how tall", "height"),
        (r"an(?:a)?emi[ac]", "hemoglobin"),
        (r"(?:hypo|hyper)kal(?:a)?emi[ac]", "potassium"),
        (r"(?:hypo|hyper)natr(?:a)?emi[ac]", "sodium"),
        (r"(?:hypo|hyper)calc(?:a)?emi[ac]", "calcium"),
        (r"(?:hypo|hyper)glyc(?:a)?emi[ac]|sugars?", "glucose"),
        (r"proteinuri[ac]|albuminuri[ac]", "urine albumin-creatinine ratio"),
        (r"thrombocytop(?:a)?eni[ac]", "platelets"),
        (r"neutrop(?:a)?eni[ac]", "neutrophils"),
        (r"fever|febrile|pyrexi[ac]l?", "temperature"),
        (r"tachycardi[ac]|bradycardi[ac]", "heart rate"),
        (r"hypoxi[ac]|hypox(?:a)?emi[ac]", "oxygen saturation"),
        (r"hypotensi(?:ve|on)", "blood pressure"),
        (r"hb", "hemoglobin"),
    )
)
"""What asks for a test without naming it."""

COMMON = word_set(
    "about abnormal after again all also analyse analyze and any are ask been before being better blood both can case "
    "chart charts check could current currently date dates day days did does done dose dosing during each ever find "
    "first for from full get give given had has have her here high his history how into last lately latest level "
    "levels list listed look made make many mean medical medication medications meds more most need needs new newest "
    "normal note notes now number off old older once only other our out over past patient patients please prior "
    "prescribed previous problem problems pull read recent recently record recorded records report reports result "
    "results review said same seen she should show shown since some start started state status still stop stopped "
    "summarise summarize summary taken taking tell test tests than that the their them then there these they this "
    "time today trend under until update used using value values visit visits want was week weeks were what when "
    "where which while who whole why will with without would written year years yesterday your month months "
    "anything baby born child doctor every function going have having just kindly know like much name nurse only "
    "possible really right whats woman yes"
)
"""Words that say nothing about what is sought."""
