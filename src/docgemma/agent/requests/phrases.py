"""The phrases by which clinicians ask for something. Kept apart from the logic that weighs them."""

from __future__ import annotations

import re

SOMEONE = "SOMEONE"
"""Stands for a name or an id in the text that chart patterns read."""


def _pattern(body: str) -> re.Pattern[str]:
    return re.compile(rf"(?<![\w-])(?:{body})(?![\w-])", re.IGNORECASE)


LOOKING_UP = re.compile(
    r"(?<!\w)(?:check|verify|look\s{1,2}up|lookup|review)\s{1,4}(?:(?:up|on|the|about)\s{1,4}){0,3}$", re.IGNORECASE
)
NOT_SAFETY = re.compile(
    r"\s{1,2}(?:levels?|doses?|dosing|dosage|troughs?|clearance|intake|use|trial|and\s{1,2}\w{1,30}\s{1,2}interactions?"
    r"|with\s|interactions?)",
    re.IGNORECASE,
)
"""After a drug, these make the look-up one of something else."""

INFORMATION = re.compile(r"\s(?:info|information|label|monograph|precautions)(?!\w)", re.IGNORECASE)
INFORMATION_ON = re.compile(r"(?<!\w)(?:info|information|label)\s(?:on|for|about|of)\s$", re.IGNORECASE)
CHECKING = _pattern(r"check|verify|screen|look|find|search|review|run")

SAFETY = _pattern(
    r"safety|(?:boxed|black[\s-]box|fda|drug)\s{1,2}(?:warnings?|alerts?|labels?)|warnings?(?!\s(?:signs?|symptoms?))"
    r"|fda(?!\sapprov\w{1,5})|contra-?indicat\w{1,6}|side[\s-]effects?|adverse\s{1,2}(?:effects?|events?|reactions?)"
    r"|precautions?|toxicity|black[\s-]box"
)
_ANYONE = r"(?:she|he|they|i|we|someone|one|(?:a|the|my|this)\spatient|patients|you\s(?=give|use|take))"
SAFE = _pattern(
    r"safe(?:ly)?|unsafe|dangerous|harmful|(?:is|are|be)\s[^.?!\n]{0,40}?(?:ok|okay|appropriate)"
    rf"|(?:can|may|could|should)\s{_ANYONE}\s{{0,2}}(?:take|have|use|get|give|receive|keep|continue|prescribe|start|order)"
)
INTERACTION = _pattern(
    r"(?:drug[\s-])?interactions?|interacts?|interacting|combin(?:e|es|ing|ation\sof)|together\swith"
    r"|co-?administ\w{2,9}|concomitant(?:ly)?|on\stop\sof"
)
TOGETHER = _pattern(
    r"(?:safe|safely|ok|okay|fine|problem|issue|risk)(?!\w)[^.!\n]{0,120}?(?<!\w)(?:with|and|plus|together)"
    rf"|(?:can|may|could|should)\s{_ANYONE}(?!\w)[^.!\n]{{0,120}}?(?<!\w)(?:with|and|plus|together)"
    r"|together|mix(?:ing)?"
)
JOINED = re.compile(r"\s{1,2}(?:with|plus|\+)\s{1,2}", re.IGNORECASE)
"""Between two drugs, this makes a pair of them."""

TAKING = re.compile(
    r"(?<![\w-])(?:on|takes?|taking|receiving|gets|uses|using)\s(?:[a-z-]{2,12}\s){0,2}$", re.IGNORECASE
)
"""Before a drug, this makes it one that is already taken."""

_CHART_NOUN = (
    r"charts?|records?|medical\srecords?|summary|history|meds?|medications?|med(?:ication)?\slist|medicines|labs?"
    r"|lab\s(?:results?|values?)|results?|allergies|vitals?|vital\ssigns|problems?(?:\slist)?|diagnos[ei]s|conditions"
    r"|(?:progress\s|clinical\s|last\s|latest\s)?notes?|orders|prescriptions|immuni[sz]ations|creatinine|e?gfr|potassium"
    r"|sodium|a1c|hba1c|inr|bp|blood\spressure|weight|h(?:a)?emoglobin|hgb|platelets|glucose|renal\sfunction"
    r"|kidney\sfunction|liver\sfunction|lfts|background|file|encounters|visits"
)
_ADJECTIVES = (
    r"(?:(?:current|latest|last|recent|full|active|most|home|known|drug|complete|entire|clinical|past|medical|new|own|\w{3,20}ed)"
    r"\s{1,2}){0,3}"
)
_OWNER = rf"(?:his|her|their|(?:the|this|my|that|our)\s{{1,2}}patient['’]s|patient['’]s|{SOMEONE}(?:['’]s?)?)"
CHART_WORD = _pattern(_CHART_NOUN)
CHART_OF = _pattern(rf"{_OWNER}\s{{1,2}}{_ADJECTIVES}(?:{_CHART_NOUN})")
CHART_FOR = _pattern(
    rf"(?:{_CHART_NOUN})\s{{1,2}}(?:of|for|on|from)\s{{1,2}}(?:(?:the|this|my)\s)?(?:patient\s{{1,2}}|pt\s{{1,2}})?"
    rf"(?:{SOMEONE}|him|her|them|this\spatient|the\spatient|my\spatient)"
)
_HAVING = (
    r"(?:have|has|take|takes|taking|on|get|got|gets|receive|receiving|start|started|use|using|need|allergic|diabetic|pregnant"
    r"|tolerate|had|been)"
)
ABOUT_PERSON = _pattern(
    rf"(?:what|which|when|is|are|does|did|has|any)\s[^.?!\n]{{0,60}}?(?:she|he|{SOMEONE}|(?:the|this|my)\spatient)"
    rf"\s[^.?!\n]{{0,40}}?{_HAVING}"
    rf"|(?:is|are|was|has)\s(?:she|he|{SOMEONE}|(?:the|this|my)\spatient)\s[^.?!\n]{{0,40}}?{_HAVING}"
    rf"|(?:tell\sme\sabout|summari[sz]e|pull\sup|open|review|brief\sme\son|show(?:\sme)?)\s(?:patient\s|pt\s)?{SOMEONE}"
)
CHART_COMMAND = _pattern(
    r"(?:show|list|get|open|pull\sup|review|check|read|see|summari[sz]e|display|what\s(?:are|is|were)|what's|any)"
    rf"\s(?:me\s)?(?:the\s|all\s)?{_ADJECTIVES}(?:{_CHART_NOUN})(?!\sof\s|\sfor\s|\sabout\s|\son\s)"
)
PATIENT = _pattern(r"patients?|pt|mr|mrs|ms|who")

_PUBLISHED = (
    r"studies|(?:the\s|a\s|any\s|recent\s)study(?!\sdrug)|research|literature|pubmed|(?:research\s|journal\s)?papers|articles"
    r"|publications|systematic\sreviews?|meta-analys[ei]s|rcts|randomi[sz]ed(?:\scontrolled)?\strials"
)
LITERATURE = _pattern(
    r"^\W{0,4}(?:\w{2,30}\s){1,3}studies\W{0,4}$|"
    r"(?:find|search|look|show|any|recent|latest|what|are\sthere|is\sthere|summari[sz]e|get|give|pull|check|need|review|new"
    rf"|published|current|which)(?!\w)[^.?!;\n]{{0,50}}?(?<![\w-])(?:{_PUBLISHED})"
    rf"|(?:{_PUBLISHED})\s(?:on|about|regarding|for|comparing|in|of|show\w{{0,3}}|say\w{{0,2}}|suggest\w{{0,2}}|supporting)"
    r"|evidence\s(?:for|that|on|about|supporting|behind|regarding|base\sfor|in|say\w{0,2}|against)"
    r"|(?:what|current|latest|recent|published|clinical|find|search\sfor|best|any|good)\s(?:is\sthe\s|does\sthe\s)?evidence(?!\sof|-)"
    r"|(?:has|have)\sbeen\s(?:published|studied)"
)
REFUSED = re.compile(
    r"(?<!\w)(?:do\snot|don['’]t|dont|never|no\sneed\sto|without|not)\s(?:even\s)?"
    r"(?:check|search|look|find|review|open|pull|show|read|run)(?:ing)?(?!\w)[^,.;!?\n]{0,120}",
    re.IGNORECASE,
)
"""What the user asks not to be done."""

TRIALS = _pattern(
    r"clinical\strials?|clinicaltrials\.gov"
    r"|(?<!randomised\s)(?<!randomized\s)(?<!controlled\s)trials?\s(?:for|in|on|recruiting|enrolling|open|available)"
    r"|(?:recruiting|enrolling|ongoing|open|active|new)\s[^.?!;\n]{0,40}?(?:trials?|studies)"
    r"|(?:trials?|studies)\s[^.?!;\n]{0,30}?(?:recruiting|enrolling)"
    r"|(?:find|any|list|show\sme|search\sfor)\s(?:(?!randomi|controlled)\w{2,30}\s){0,4}trials"
    r"|^\W{0,4}(?:\w{2,30}\s){1,3}trials\W{0,4}$"
    r"|(?:experimental|investigational)\s(?:treatments?|therap(?:y|ies)|drugs?|options?)"
    r"|(?:new|novel)\stherapies\sbeing\sstudied"
)

IMAGE = _pattern(
    r"images?|x-?rays?|cxr|scans?|films?|pictures?|photos?|slides?|ct|mri|radiographs?|ultrasound|ecg|ekg|lesion"
    r"|this\sone|shown|see\shere"
)
GENERAL_LOOK = _pattern(
    r"what(?:'s|\sis|\sare|\sdo|\scan|\sdoes)?|do|you|see|describe|analy[sz]e|interpret|interpretation|read|look|at|here|is|this"
    r"|these|that|the|a|an|in|on|of|my|attached|image|images|x-?ray|cxr|ct|mri|scan|film|picture|photo|slide|radiograph|chest"
    r"|please|findings?|tell|me|about|show|shows|shown|can|could|any|it|and|for|give|your|thoughts|report|hello|hi|thanks|patient"
    r"|what's|abnormal(?:ity|ities)?|there|anything"
)
