"""The phrases by which clinicians ask for a patient's data. Hand-written; not reviewed by a clinician.

They read a text in which every name and id is `SOMEONE` and every lab or vital sign is `LABVALUE`.
"""

from __future__ import annotations

import re

from docgemma.agent.requests.chart_nouns import LABVALUE, NOUN
from docgemma.agent.requests.phrases import pattern
from docgemma.entities.words import word_set

SOMEONE = "X1PERSON"
"""Stands for any name or id; no word of its own."""

CHART_WORD = pattern(NOUN)
_ADJECTIVES = r"(?:[\w'/+-]{2,20}\s{1,2}){0,4}?"
_THIS_PATIENT = (
    r"(?:(?:the|this|my|our|that)\s{1,2}(?:patient|pt|lady|gentleman|gent|man|woman|guy|girl|boy|child|kid|baby"
    r"|chap|client|resident))"
)
_OWNER = rf"(?:his|her|their|{_THIS_PATIENT}['’]?s|pts?['’]s|(?<!\d\s)patient['’]?s|{SOMEONE}(?:['’]?s?)?)"
_PERSON = rf"(?:{SOMEONE}|him|her|them|{_THIS_PATIENT}|(?:bed|room|cubicle|bay)\s\d{{1,3}})"

OF = pattern(rf"{_OWNER}\W{{1,3}}{_ADJECTIVES}(?:{NOUN})")
"""Her labs, SOMEONE's last potassium, SOMEONE: meds?"""

FOR = pattern(
    rf"(?:{NOUN})\s{{1,2}}(?:(?:result|results|values?|levels?|today|list|please|pls)\s)?(?:of|for|on|from|in"
    rf"|about|belonging\sto)?\s{{0,2}}(?:(?:the|this|my)\s)?(?:patient\s{{1,2}}|pt\s{{1,2}})?{_PERSON}"
)
"""Labs for SOMEONE, chart SOMEONE."""

STATED = re.compile(
    rf"\W{{0,4}}(?:{_OWNER})\W{{1,3}}{_ADJECTIVES}(?:{NOUN})\s(?:(?:today|now|simply|just|still|really|also|again)\s){{0,2}}(?:is|was|are|were|has|have|had|will|won['’]?t"
    r"|wont|would|isn['’]?t|hasn['’]?t|doesn['’]?t|keeps?|dropped|rose|fell|jumped|crept"
    r"|went|came|looks?|remains?|shows?|showed|improved|of|=|~|\d|include)|\W{0,4}(?:i|we)(?:['’](?:ve|m"
    r"|d))?\s(?:have\s|had\s|just\s|already\s|also\s){0,3}(?:reviewed|checked|looked|saw|seen|read|updated|wrote"
    r"|opened|printed|got|did)(?!\w)",
    re.IGNORECASE,
)
"""A part that tells what the chart says, or that it was read."""

REPORTED = pattern(
    rf"(?:{NOUN})\s(?:says?|shows?|showed|come\sback|came\sback)\s[^.?!\n]{{0,20}}?(?:for|on|of)\s{_PERSON}"
    r"|what(?:['’]?s|\sis|\swas|\shas\sbeen)\s(?:written|documented|recorded|noted|said)\s(?:in|on|at)\s[^.?!\n]{2,40}?"
    rf"\s(?:for|of|about)\s(?:(?:the\s)?(?:patient|pt)\s)?{_PERSON}"
)
"""What the letter says on SOMEONE, what is written in the last discharge of SOMEONE."""

_OPEN = (
    r"tell\sme\s(?:more\s)?about|summari[sz]e|summary\sof|summary\son|pull(?:\s(?:up|out))?|open(?:\sup)?|review"
    r"|brief\sme\son|show(?:\sme)?|catch\sme\sup\son|update\sme\son|fill\sme\sin\son|(?:bring"
    r"|get)\sme\sup\sto\s(?:speed|date)\s(?:on|with)|bring\sup|load(?:\sup)?|go\sover|run\s(?:me\s)?through"
    r"|talk\sme\sthrough|walk\sme\sthrough|overview\s(?:of|on)|run-?down\s(?:of|on)|handover\s(?:of|on|for)"
    r"|sbar\s(?:on|for)|sitrep\son|check\s(?:on|up\son)?|see|access|display|view|read\sup\son|read|(?:what['’]?s"
    r"|what\sis|whats)\s(?:new|happening|going\son|the\s(?:story|latest|situation|plan|background|deal|update"
    r"|news)|up|wrong)\s(?:with|on|for|about|in)|anything\s(?:new|else|recent|i\sshould\sknow|to\sknow|important"
    r"|interesting)\s(?:on|with|for|about|from)|any(?:thing)?\s(?:updates?|news|changes?)\s(?:on|with|for|about"
    r"|in)|(?:latest|news|updates?|info|information|details|data|all|everything|background|gist|lowdown|history"
    r"|quick\ssummary|precis|recap|one[\s-]?liner|snapshot|outline|brief|few\slines|heads[\s-]up|intel"
    r"|low-?down)\s(?:on|with|for|about|of)|how(?:['’]?s|\sis|\sare|\swas)|status\s(?:of|on)|know\sabout"
)
OPEN = pattern(
    rf"(?:{_OPEN})\s{{1,2}}(?:(?:patient|pt)\s{{1,2}})?(?:{SOMEONE}|{_THIS_PATIENT}|(?:bed|room|cubicle"
    rf"|bay)\s\d{{1,3}}|him|her(?=\W{{0,3}}$))"
)
"""Pull up SOMEONE, brief me on this patient."""

_OPENING = (
    r"(?:^\W{0,4}|[,;:()?.–—-]\s{0,2}|(?<!\w)(?:and|so|but|also|please|pls|ok|okay|hi|hey|then|or|know|tell\sme"
    r"|check|wondering|what|which|when|why|where"
    rf"|who|how|because|sorry|actually|now|just|doc|sir|doctor|{SOMEONE}(?:['’]s)?)\s{{1,2}})"
)
_SUBJECT = rf"(?:she|he|{SOMEONE}|{_THIS_PATIENT})"
SUBJECT = re.compile(
    r"(?:(?<!\w)(?:am\si|is\sit|is\sthat)\s(?:right|correct|true)\s(?:\w{2,12}\s){0,3}?|(?<![\w-])(?:what['’]?s"
    r"|whats|what|which|when['’]?s|when(?!\s(?:she|he|they)\s(?!last))|why|where|how|who|if|whether"
    r"|any\w{0,5})(?:['’]s)?\s(?:[\w'/+-]{1,20}\s{1,2}){0,6}?"
    rf"|{_OPENING}(?:is|was|were|are|has|have|had|does|did|do|isn['’]t|hasn['’]t|didn['’]t"
    r"|doesn['’]t)\s(?:(?!and\s|but\s|so\s|because\s"
    rf"|as\s)[\w'/+-]{{1,20}}\s{{1,2}}){{0,2}}?){_SUBJECT}(?:['’]s)?(?=\s\S)",
    re.IGNORECASE,
)
"""A question about somebody: its verb opens the clause, where in a statement it follows its own subject."""

SUBJECT_LAST = pattern(
    rf"(?:how\s(?:old|heavy|tall|is|are|sick)|who|where|what|what\s\w{{2,12}}|when\swas|is\sthere)\s(?:is\s"
    rf"|was\s)?(?:she|he|{_THIS_PATIENT}(?!['’]))"
)
RELATIVE = (
    r"(?:husband|wife|mum|mom|mother|father|dad|parents?|family|son|daughter|brother|sister|partner|carer|aunt"
    r"|uncle|gran\w{0,8})"
)
OWNED = re.compile(
    rf"{_OPENING}(?:what['’]?s|whats|what\s(?:is|was|are|were|about|did|does)|how['’]?s|how\s(?:is|are|was|were"
    r"|about)|when['’]?s|when\s(?:is|was|were|are|did)|where['’]?s|where\s(?:is|are)|is|are|was|were|(?:did|has"
    r"|have|does|do)(?=\s\S{1,20}\s\S{1,20}\s\S)|who['’]?s|who\s(?:is|was|are)|who|what|when"
    rf"|where)\s{_OWNER}(?=\s(?!{RELATIVE}(?!\w)))",
    re.IGNORECASE,
)
"""How are her kidneys, did his cultures come back."""

DONE_TO = pattern(
    r"(?:who|when|why|did\s(?:anyone|anybody|someone|we|they|you|gp|cardiology)|has\s(?:anyone|anybody"
    rf"|someone))\s(?:[\w'-]{{2,20}}\s){{1,4}}?(?:her|him|{SOMEONE}|{_THIS_PATIENT})"
)
"""Who started her on tramadol."""

SAID_OF = pattern(
    r"what\s(?:did|does|do|has|have)\s(?:the\s|our\s)?[\w-]{2,20}(?:\s[\w-]{2,20})?\s(?:say|said|write|written"
    r"|think|advise|advised|recommend|suggest|find|found|note|plan|want|decide)\s(?:about|for|on|with"
    r"|to\sdo\swith)\s(?:her"
    rf"|him|{SOMEONE}|{_THIS_PATIENT})"
)
"""What did cardiology write about him."""

_SUPPOSING = (
    r"(?<!me\s)(?<!check\s)(?<!see\s)(?<!know\s)(?<!out\s)(?<!confirm\s)(?<!wonder\s)(?<!verify\s)(?<!wondering\s)if"
)
""" "Tell me if she …" asks; "if she misses a dose" supposes."""

CONTENT = re.compile(
    r"\W{0,4}(?!(?:what|who|how|why|when|where|which|that|it)(?!\w))(?:the\s|her\s|his\s|our\s)?[\w-]{2,20}"
    r"(?:['’]s|\sis|\sare|\swas|\swere)\s(?:now\s|quite\s|very\s)?(?:happy|pleased|content|satisfied|fine|ok|okay)\swith\s",
    re.IGNORECASE,
)
"""Consultant's happy with her LFTs: somebody has seen them."""

FORGOTTEN = re.compile(
    rf"(?<!\w)(?:she|he|they|pt|patient|{RELATIVE})\s(?:[\w'’-]{{1,20}}\s){{0,8}}?(?:can['’]?t|cannot|couldn['’]?t|doesn['’]?t"
    r"|don['’]?t)\s(?:remember|recall|know)\s(?:what\s(?:it|that|they)\sdid|what\shappened)[^,.;?!\n]{0,40}",
    re.IGNORECASE,
)
"""Daughter can't remember what it did to him: told, and nobody asks for it."""

NOT_THE_CHART = pattern(
    rf"(?:should|can|could|would|may|might|must|shall|what\sif|{_SUPPOSING})\s(?:she|he|{SOMEONE}"
    rf"|{_THIS_PATIENT})"
    r"|(?:should|can|could|would|do|shall|must|might)\s(?:i|we)\s(?:\w{2,10}\s)?(?:give|start|treat|do|manage"
    r"|put|stop|discharge|feed|send|offer|use|keep|help|tell|advise|counsel|approach|handle|work)(?:\s|$)"
    r"|do\syou\sthink|caus(?:e|ing)\s(?:of\s)?(?:her|his)|best\s\w{3,14}\sfor|treat\s(?:her|his|him)"
    r"|(?:translate|explain|advise|counsel)\s(?:this\s)?(?:to|for|with)?\s?(?:her|him)"
)
"""Advice about the patient, not a look into the chart."""

SEARCHED_ONLY = pattern(
    r"(?:find|search|look\s?(?:ing)?\s?(?:up|for)|locate|lookup|who\sis|who['’]?s|whos|do\swe\shave"
    rf"|do\syou\shave|is\sthere|is|have\swe\sgot|got)\s(?:[\w'-]{{1,12}}\s){{0,5}}?{SOMEONE}(?:\s(?:in\s(?:the"
    r"|our)\s(?:system|records?|ehr|database)|on\s(?:the|our)\s(?:system|books|list)|registered|here"
    rf"|known\sto\sus|for\sme))?\W{{0,3}}$"
)
"""Only who it is: find SOMEONE, is there a SOMEONE in the system."""

KNOWN_HERE = pattern(
    rf"(?:is|are|do|does|did|have|has|got|know|seen)\s(?:[\w'-]{{1,12}}\s){{0,3}}?(?:an?|any\w{{0,4}}\s(?:called"
    rf"|named))\s{SOMEONE}|(?:he|she|they|{SOMEONE}|{_THIS_PATIENT})(?:['’](?:s|re)|\s(?:is|are))?\s(?:already\s"
    r"|even\s|actually\s)?(?:(?:in|on)\s(?:the|our)\s(?:system|records?|books|database|list|register)|registered"
    r"|known\s(?:to\sus|here)|one\sof\sours|an?\s(?:\w{3,10}\s)?patient\s(?:here|of\sours|with\sus)|under\s(?:us"
    r"|our\scare)|been\shere\sbefore|with\sus(?=\W{0,3}$))"
)
"""Whether somebody is a patient here at all."""

NEEDED_FOR_DRUG = pattern(
    rf"(?:given|with|considering|despite|for|on|against|to|of|about|from|by|and|plus)\s{_OWNER}\s{{1,2}}"
    r"(?:[\w'/-]{2,20}\s){0,3}?(?:meds?|medications?|medicines|med\slist|allerg(?:y|ies)|labs?|bloods|e?gfr"
    r"|creatinine|(?:renal|kidney|liver)\sfunction|chart|records?|history|problems?|comorbidities"
    rf"|inr|potassium|weight|qtc?|ecg|{LABVALUE})"
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
