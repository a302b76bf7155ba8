"""The nouns under which a chart keeps things. Hand-written; not reviewed by a clinician.

`RECORDED` are kept in a chart and hardly spoken of elsewhere; `GENERAL` ("treatment", "status") are everyday words of
medicine too and need an owner or a word that picks one out.
"""

from __future__ import annotations

LABVALUE = "X1LAB"
"""Stands for any lab or vital sign; no word of its own."""

_PAPERS = (
    r"(?:[a-z]{3,10}\s)?charts?|medical\srecords?|records?|summar(?:y|ies)|file|folder|documentation"
    r"|letters?|(?:progress\s|clinical\s|last\s|latest\s|clinic\s|ward\s|nursing\s|discharge\s)?notes?"
    r"|entr(?:y|ies)|discharge\s(?:summary|letter)|reports?|referrals?|care\splan|demographics|details"
    r"|(?:red\s|vaccine\s|health\s)?card"
)
_MEDICINES = (
    r"med(?:ication|icine|icines|s)?\slist|meds?|medications?|medicines|drug\s(?:list|chart)|tablets"
    r"|prescriptions?|scripts?|allergy\s(?:list|status)|allerg(?:y|ies)|intolerances|immuni[sz]ations?"
    r"|vaccinations?|vaccines|jabs|vax\sstatus|orders"
)
_TESTS = (
    r"lab\s(?:results?|values?|work)|labs?|bloods?|blood\s(?:results?|tests?|work|gas(?:es)?|sugars?"
    r"|cultures?|groups?)|bloodwork|results?|investigations|cultures?|swabs?|smears?|sensitivities"
    r"|creatinines?|creat|e?gfrs?|potassiums?|k\+|sodiums?|na\+|a1cs?|hba1cs?|inrs?|h(?:a)?emoglobins?|hgbs?|hbs?"
    r"|platelets"
    r"|plts?|glucose|sugars?|troponins?|trops?|lactates?|crps?|tshs?|tfts|fbc|cbc|u&es?|ues|bmp|cmp|lipids"
    r"|cholesterol|urine(?:\soutput)?|lfts|pfts|spirometry|(?:renal|kidney|liver|thyroid|lung"
    r"|cardiac)\sfunction(?:\stests?)?|biops(?:y|ies)|histolog(?:y|ies)|cytology|path(?:ology)?"
)
_IMAGES = (
    r"ecgs?|ekgs?|echos?|echocardiograms?|x-?rays?|cxrs?|axrs?|scans?|mris?|cts?|imaging|ultrasounds?|usg"
    r"|uss|dopplers?|dexas?|mammograms?|angiograms?|holters?|eegs?|emgs?|endoscop(?:y|ies)|ogds?"
    r"|colonoscop(?:y|ies)|ctgs?|echo\sreports?"
)
_SIGNS = (
    r"vitals?|vital\ssigns|obs|observations|bps?|blood\spressures?|weights?|heights?|bmi|temperature|temps?"
    r"|sats|saturations?|heart\srate|pulse|hr|rr|fluid\sbalance|readings?|trends?|scores?|screens?|levels?"
    r"|troughs?|orthostatics?"
)
_ABOUT = (
    r"problem\slist|comorbidities|pmh(?:x)?|dob|date\sof\sbirth|phone\snumber|next\sof\skin|nok|mrn|gp"
    r"|resus\sstatus|code\sstatus|dna?c?p?r|respect\sform|ceiling\sof\scare|smoking\s(?:history|status)"
    r"|family\shistory|social\shistory|background|encounters?|visits?|appointments?|appts?|pacemaker"
    r"|implants?|devices?|lmp|edd|parity|occupation|mobility|baseline\sfunction|safeguarding|flags?|alerts?"
    r"|contact\s(?:number|details)|follow-?\s?ups?|c-?sections?|obstetric\shistory|surgical\shistory"
    r"|medical\shistory|drug\shistory|status|assessments?"
)
RECORDED = rf"{_PAPERS}|{_MEDICINES}|{_TESTS}|{_IMAGES}|{_SIGNS}|{_ABOUT}|{LABVALUE}"

GENERAL = (
    r"history|histories|hx|problems?|diagnos[ei]s|dx|conditions|admissions?|operations?|surger(?:y|ies)"
    r"|procedures?|age|address|treatment|regimen|doses?|data|info(?:rmation)?|workup|work-up|outcomes?|diet"
    r"|feeds?|catheters?|cannulas?|lines?|drains?|picc|stoma|dressings?|falls?|transfusions?"
    r"|allergic\sreactions?|contacts?|gestation|plan"
)
NOUN = rf"{RECORDED}|{GENERAL}"
