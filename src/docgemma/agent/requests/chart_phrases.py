"""The phrases by which clinicians ask for a patient's data. Hand-written; not reviewed by a clinician.

They read a text in which every name and id is `SOMEONE` and every lab or vital sign is `LABVALUE`.
"""

from __future__ import annotations

import re

from docgemma.agent.requests.phrases import pattern
from docgemma.entities.words import word_set

SOMEONE = "X1PERSON"
LABVALUE = "X1LAB"
"""Stand-ins that are no words of their own."""

_NOUN = (
    r"charts?|records?|medical\srecords?|summary|history|histories|pmh(?:x)?|hx|meds?|medications?|med(?:ication|icine"
    r"|s)?\slist|medicines|drug\slist"
    r"|tablets|labs?|lab\s(?:results?|values?|work)|bloods?|blood\s(?:results?|tests?|work|gas(?:es)?|sugars?"
    r"|cultures?)|results?|allerg(?:y|ies)"
    r"|allergy\s(?:list|status)|intolerances|vitals?|vital\ssigns|obs|observations|problems?(?:\slist)?|diagnos[ei]s"
    r"|dx|conditions|comorbidities"
    r"|(?:progress\s|clinical\s|last\s|latest\s|clinic\s|ward\s|nursing\s|discharge\s)?notes?|documentation|letters?"
    r"|discharge\s(?:summary|letter)"
    r"|orders|prescriptions?|scripts?|immuni[sz]ations?|vaccinations?|vaccines|jabs|vax\sstatus|creatinine|creat|e?gfr"
    r"|potassium|k\+|sodium|na\+|a1c|hba1c"
    r"|inr|bp|bps|blood\spressures?|weight|height|bmi|h(?:a)?emoglobin|hgb|hb|platelets|plts?|glucose|sugars?"
    r"|cultures?|troponins?|trops?|lactate"
    r"|crp|tsh|tfts|fbc|cbc|u&es?|ues|bmp|cmp|lipids|cholesterol|urine(?:\soutput)?|(?:renal|kidney|liver|thyroid|lung"
    r"|cardiac)\sfunction(?:\stests?)?|lfts|pfts"
    r"|background|file|folder|encounters?|visits?|admissions?|appointments?|appts?|ecgs?|ekgs?|echos?|x-?rays?|cxrs?"
    r"|scans?|mris?|cts?|imaging|ultrasounds?|reports?"
    r"|operations?|surger(?:y|ies)|procedures?|biops(?:y|ies)|path(?:ology)?|demographics|details|dob|date\sof\sbirth"
    r"|age|address|phone\snumber|next\sof\skin"
    r"|nok|gp|mrn|resus\sstatus|code\sstatus|status|care\splan|treatment|regimen|doses?|trends?|temperature|temps?"
    r"|sats|saturations?|heart\srate|pulse|hr|rr"
    r"|family\shistory|social\shistory|smoking\s(?:history|status)|data|info(?:rmation)?|workup|work-up|referrals?"
    rf"|{LABVALUE}"
)
CHART_WORD = pattern(_NOUN)
_ADJECTIVES = r"(?:[\w'/+-]{2,20}\s{1,2}){0,4}?"
_THIS_PATIENT = (
    r"(?:(?:the|this|my|our|that)\s{1,2}(?:patient|pt|lady|gentleman|gent|man|woman|guy|girl|boy|child|kid|baby|chap"
    r"|client|resident))"
)
_OWNER = rf"(?:his|her|their|{_THIS_PATIENT}['’]?s|pts?['’]s|patient['’]?s|{SOMEONE}(?:['’]?s?)?)"
_PERSON = rf"(?:{SOMEONE}|him|her|them|{_THIS_PATIENT}|(?:bed|room|cubicle|bay)\s\d{{1,3}})"

OF = pattern(rf"{_OWNER}\W{{1,3}}{_ADJECTIVES}(?:{_NOUN})")
"""Her labs, SOMEONE's last potassium, SOMEONE: meds?"""

FOR = pattern(
    rf"(?:{_NOUN})\s{{1,2}}(?:(?:result|results|values?|levels?|today|list|please|pls)\s)?(?:of|for|on|from|in|about"
    rf"|belonging\sto)?\s{{0,2}}"
    rf"(?:(?:the|this|my)\s)?(?:patient\s{{1,2}}|pt\s{{1,2}})?{_PERSON}"
)
"""Labs for SOMEONE, chart SOMEONE."""

STATED = re.compile(
    rf"\W{{0,4}}(?:{_OWNER})\W{{1,3}}{_ADJECTIVES}(?:{_NOUN})\s(?:today\s|now\s)?(?:is|was|are|were|has|have|had|went"
    rf"|came|looks?|remains?|shows?|showed|improved|of|=|~"
    r"|\d|include)"
    r"|\W{0,4}(?:i|we)(?:['’](?:ve|m|d))?\s(?:have\s|had\s|just\s|already\s|also\s){0,3}(?:reviewed|checked|looked|saw"
    r"|seen|read|updated|wrote|opened|printed|got|did)(?!\w)",
    re.IGNORECASE,
)
"""A part that tells what the chart says, or that it was read."""

REPORTED = pattern(
    rf"(?:{_NOUN})\s(?:says?|shows?|showed|come\sback|came\sback)\s[^.?!\n]{{0,20}}?(?:for|on|of)\s{_PERSON}"
)

_OPEN = (
    r"tell\sme\s(?:more\s)?about|summari[sz]e|summary\sof|summary\son|pull(?:\s(?:up|out))?|open(?:\sup)?|review"
    r"|brief\sme\son|show(?:\sme)?|catch\sme\sup\son|update\sme\son"
    r"|fill\sme\sin\son|(?:bring|get)\sme\sup\sto\s(?:speed|date)\s(?:on|with)|bring\sup|load(?:\sup)?|go\sover"
    r"|run\s(?:me\s)?through|talk\sme\sthrough|walk\sme\sthrough"
    r"|overview\s(?:of|on)|run-?down\s(?:of|on)|handover\s(?:of|on|for)|sbar\s(?:on|for)|sitrep\son|check\s(?:on"
    r"|up\son)?|see|access|display|view|read\sup\son|read"
    r"|(?:what['’]?s|what\sis|whats)\s(?:new|happening|going\son|the\s(?:story|latest|situation|plan|background|deal"
    r"|update|news)|up|wrong)\s(?:with|on|for|about|in)"
    r"|anything\s(?:new|else|recent|i\sshould\sknow|to\sknow|important|interesting)\s(?:on|with|for|about|from)"
    r"|any(?:thing)?\s(?:updates?|news|changes?)\s(?:on|with|for|about|in)"
    r"|(?:latest|news|updates?|info|information|details|data|all|everything|background|gist|lowdown|history"
    r"|quick\ssummary|precis|recap)\s(?:on|with|for|about|of)"
    r"|how(?:['’]?s|\sis|\sare|\swas)|status\s(?:of|on)|know\sabout"
)
OPEN = pattern(
    rf"(?:{_OPEN})\s{{1,2}}(?:(?:patient|pt)\s{{1,2}})?(?:{SOMEONE}|{_THIS_PATIENT}|(?:bed|room|cubicle"
    rf"|bay)\s\d{{1,3}}|him|her(?=\W{{0,3}}$))"
)
"""Pull up SOMEONE, brief me on this patient."""

_ASKED = (
    r"(?:what['’]?s|whats|what|which|when['’]?s|when|why|where|how|is|was|were|are|has|have|had|does|did|do|who"
    r"|if|whether|any\w{0,5})"
)
_SUBJECT = rf"(?:she|he|{SOMEONE}|{_THIS_PATIENT})"
SUBJECT = pattern(rf"{_ASKED}(?:['’]s)?\s(?:[\w'/+-]{{1,20}}\s{{1,2}}){{0,6}}?{_SUBJECT}(?:['’]s)?(?=\s\S)")
SUBJECT_LAST = pattern(
    rf"(?:how\s(?:old|heavy|tall|is|are|sick)|who|where|what|what\s\w{{2,12}}|when\swas|is\sthere)\s(?:is\s"
    rf"|was\s)?(?:she|he|{_THIS_PATIENT}(?!['’]))"
)
OWNED = pattern(
    r"(?:what['’]?s|whats|what\s(?:is|was|are|were|about|did|does)|how['’]?s|how\s(?:is|are|was|were|about)|when['’]?s"
    r"|when\s(?:is|was|were|are|did)|where['’]?s"
    rf"|where\s(?:is|are)|is|are|was|were|did|has|have|does|do|who['’]?s|who\s(?:is|was|are)|who|what|when"
    rf"|where)\s{_OWNER}(?=\s(?!husband"
    rf"|wife|mum|mother|father|family|son|daughter))"
)
"""How are her kidneys, did his cultures come back."""

DONE_TO = pattern(
    rf"(?:who|when|why|did\s(?:anyone|anybody|someone|we|they|you|gp|cardiology)|has\s(?:anyone|anybody"
    rf"|someone))\s(?:[\w'-]{{2,20}}\s){{1,4}}?"
    rf"(?:her|him|{SOMEONE}|{_THIS_PATIENT})"
)
"""Who started her on tramadol."""

SAID_OF = pattern(
    r"what\s(?:did|does|do|has|have)\s(?:the\s|our\s)?[\w-]{2,20}(?:\s[\w-]{2,20})?\s(?:say|said|write|written|think|advise"
    rf"|advised|recommend|suggest|find|found|note|plan|want|decide)\s(?:about|for|on|with|to\sdo\swith)\s(?:her|him|{SOMEONE}"
    rf"|{_THIS_PATIENT})"
)
"""What did cardiology write about him."""

_SUPPOSING = (
    r"(?<!me\s)(?<!check\s)(?<!see\s)(?<!know\s)(?<!out\s)(?<!confirm\s)(?<!wonder\s)(?<!verify\s)(?<!wondering\s)if"
)
""" "Tell me if she …" asks; "if she misses a dose" supposes."""

NOT_THE_CHART = pattern(
    rf"(?:should|can|could|would|may|might|must|shall|what\sif|{_SUPPOSING})\s(?:she|he|{SOMEONE}|{_THIS_PATIENT})"
    r"|(?:should|can|could|would|do|shall|must|might)\s(?:i|we)\s(?:\w{2,10}\s)?(?:give|start|treat|do|manage|put|stop"
    r"|discharge|feed|send|offer|use|keep|help|tell|advise"
    r"|counsel|approach|handle|work)(?:\s|$)|do\syou\sthink|caus(?:e|ing)\s(?:of\s)?(?:her|his)|best\s\w{3,14}\sfor"
    r"|treat\s(?:her|his|him)"
    r"|(?:translate|explain|advise|counsel)\s(?:this\s)?(?:to|for|with)?\s?(?:her|him)"
)
"""Advice about the patient, not a look into the chart."""

SEARCHED_ONLY = pattern(
    rf"(?:find|search|look\s?(?:ing)?\s?(?:up|for)|locate|lookup|who\sis|who['’]?s|whos|do\swe\shave|do\syou\shave"
    rf"|is\sthere|is|have\swe\sgot|got)\s"
    rf"(?:[\w'-]{{1,12}}\s){{0,5}}?{SOMEONE}(?:\s(?:in\s(?:the|our)\s(?:system|records?|ehr|database)|on\s(?:the"
    rf"|our)\s(?:system|books|list)|registered|here|known\sto\sus|for\sme))?\W{{0,3}}$"
)
"""Only who it is: find SOMEONE, is there a SOMEONE in the system."""

KNOWN_HERE = pattern(
    rf"(?:he|she|they|{SOMEONE}|{_THIS_PATIENT})(?:['’](?:s|re)|\s(?:is|are))?\s(?:already\s|even\s|actually\s)?(?:(?:in|on)\s"
    r"(?:the|our)\s(?:system|records?|books|database|list|register)|registered|known\sto\sus|one\sof\sours"
    r"|been\shere\sbefore|with\sus(?=\W{0,3}$))"
)
"""Whether somebody is a patient here at all."""

NEEDED_FOR_DRUG = pattern(
    rf"(?:given|with|considering|despite|for|on|against|to|of|about|from|by|and|plus)\s{_OWNER}\s{{1,2}}"
    r"(?:[\w'/-]{2,20}\s){0,3}?(?:meds?|medications?|medicines|med\slist|allerg(?:y|ies)|labs?"
    rf"|bloods|e?gfr|creatinine|(?:renal|kidney|liver)\sfunction"
    rf"|chart|records?|history|problems?|comorbidities|inr|potassium|weight|qtc?|ecg|{LABVALUE})"
)
"""In a question about a drug these say that the chart has to be read too."""

COMMAND_WORDS = word_set(
    "show list get open pull up review check chk read see summarise summarize display what what's whats is are were "
    "was any the me all and of on in at a pls please plz now today today's yesterday last latest recent current "
    "active full most home known drug complete entire clinical past medical new own give tell about for can could you "
    "u i need want quick quickly again also then just how hows how's did does do say says said shows showed come back "
    "there any? this that week morning tonight admission since when which status trend trends like been so far "
    "overnight ok okay hi hey thanks thx ta his her from during first next previous baseline abnormal result results "
    "value values level levels look looking yet out they they're them their chest abdo abdominal head knee hip brain "
    "lumbar pelvis he she have has got we on-going ongoing chronic recorded documented"
)
"""With a patient on screen a part of nothing but these and a noun of the chart asks for that chart: "last K?"."""

DEFINITION = re.compile(
    r"\W{0,4}(?:what(?:['’]?s|\sis|\sare|\sdoes|\sdo)|define|explain|how\s(?:do|does|is|are))\s(?:a\s|an\s)?$",
    re.IGNORECASE,
)
"""Right before the noun this asks what the thing is."""
