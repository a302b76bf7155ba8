"""The phrases by which a clause asks, tells or orders when the patient is known.

Hand-written; not reviewed by a clinician. They read a text in which every name, id, lab and vital sign is a stand-in.
"""

from __future__ import annotations

import re

from docgemma.agent.requests.chart_nouns import NOUN, RECORDED
from docgemma.agent.requests.phrases import pattern

CLAUSE = re.compile(r"[;:()\n–—]|,(?!\d)|\s-{1,2}\s|(?<!\w)(?:but|because)(?!\w)|\.\s")
LEAD = re.compile(
    r"\W{0,4}(?:(?:hi|hey|hello|ok|okay|so|and|also|then|now|just|only|really|quick|quickly|oh|sir|madam"
    r"|ma['’]?am|doc|doctor|sorry|morning|actually|again|first|next|well|yes|no\sworries|thanks|btw|anyway|plus"
    r"|meanwhile|today|urgently)(?!\w)\W{0,3}){0,4}",
    re.IGNORECASE,
)
ANY_NOUN = pattern(NOUN)
RECORD_NOUN = pattern(RECORDED)
_A_NUMBER = r"[<>~]?\s?\d{1,6}(?:[.,/:-]\d{1,4}){0,3}(?!\s{0,2}(?:months?|weeks?|days?|hours?|hrs?|years?|yrs?)(?!\w))"
VALUE = pattern(
    rf"(?:{NOUN})(?:\s(?:is|was|of|at|now|today|this\smorning|still|only|up\sto|down\sto|high|low|around|about"
    r"|approx|came\sback"
    rf"|on\s\w{{2,14}}|this\sam)){{0,3}}\s{{0,2}}[=:~]?\s{{0,2}}{_A_NUMBER}"
)
"""A noun and what was measured: "K 5.4", "weight today 64"."""

GENERAL = pattern(
    r"how\s(?:to|should|often)|how\s(?:long\s)?(?:do|does|can|could|would)\s(?:i|we|you|u|one|a|an|it)"
    r"|why\s(?:do|does|is\sit|would)|when\s(?:do|should|to|would)|what\s(?:causes|happens|affects|raises|lowers"
    r"|to)|what\s(?:do|does)\s(?:a|an|it|this|that|low|high|raised)(?!\s(?:report|letter|note))|(?:do"
    r"|does)\s(?:we|i|you|one)(?=\s(?!have|know|hold|keep))|should|shall|(?:can|could|will|would)(?=\s(?!i\s"
    r"|we\s|you\s|u\s|some|any|please|pls|be\s|like\s|love\s)\w)|(?:what['’]?s|is|are)\s(?:the\s|an?\s)?(?:usual"
    r"|typical|target|expected|average)(?=\s(?!med|gp\s|carer|pharmacy))|(?:ideal|acceptable|safe|reference"
    r"|optimal|maximum|minimum|healthy)(?=\s\w)"
    rf"|normal\s(?:\w{{2,14}}\s){{0,2}}(?:{NOUN})|normal\s(?:range|values?|limits?)|ranges?|cut-?\s?offs?"
    r"|thresholds?|criteria|guidelines?|guidance|protocols?|polic(?:y|ies)|nice|formulae?|calculat\w{1,4}"
    r"|interpret\w{0,8}|defin\w{1,6}|explain|means?|meaning|significance|mechanism|causes?|causing"
    r"|differentials?|ddx|management|manage|approach|first[\s-]line|second[\s-]line|indicat\w{2,6}|role\sof"
    r"|sensitivity|specificity|accura\w{2,5}|reliab\w{2,6}|best(?!\s(?:peak|previous))|difference|(?:versus"
    r"|vs)(?=\s(?!now|today|last|previous|baseline|admission|before|then))|required|recommended|advisable|needed"
    r"|necessary|before\s(?:starting|giving|using|prescribing)|monitor(?:ed|ing)?|signs\sof|symptoms\sof"
    r"|risks?\sof|prevent\w{0,4}|example|template|(?:starting|loading|maintenance|usual)\s(?:\w{2,12}\s)?doses?"
    r"|(?:doses?|dosing|treatment|regimen)\s(?:of|for|in)|tips?|tricks?|advice|ideas?|suggestions?|(?:in|for"
    r"|among)\s(?:the\s|all\s|most\s|a\s|an\s)?(?:[\w-]{3,20}\s){0,2}?(?:adults?|children|kids|women|men"
    r"|patients|people|newborns?|neonates?|infants?|babies|elderly|toddlers|pregnancy|teenagers|adolescents"
    r"|males|females|suspected|\w{3,20}itis|sepsis|diabetics|diabetes)|(?:low|high|raised|elevated|falling"
    r"|rising|deranged)\s(?:\w{2,14}\s)?and|treat|treating"
)
"""Medicine in general."""

POLITE = pattern(r"please|pls|plz|plse|kindly|thx|ta|for\sme")
TAG = re.compile(
    r"(?:yet|or\snot|how\smuch|how\smany|when|what|which|any|anything|have\swe|do\swe\shave|got\sit|on\sfile"
    r"|on\srecord|in\sthe\ssystem|in\sthe\snotes|available|documented|recorded|listed|charted)\W{0,3}$",
    re.IGNORECASE,
)
IN_PLACE = re.compile(
    r"(?<!sure\s)(?<!know\s)(?<!idea\s)(?<!\w)(?:how\smuch|how\smany|what|when|which|or\snot)\W{0,3}$", re.IGNORECASE
)
"""A question word that stayed where the answer would stand: "the card is showing what"."""

FETCH = re.compile(
    r"(?:i|we)(?:['’]?d|\swould|['’]?m|\sam|\sjust|\sonly|\sreally|\salso){0,2}\s(?:need|want|like|require"
    r"|looking|after|wanted|see)(?!\w)|(?:can|could|may|will|would|cud|cld)\s(?:i|we|you|u|someone)(?!\w)"
    r"|(?:need|want|wanted|wanna|show|get|grab|give|gimme|share|list|trend|plot|graph|tell|fetch|find|see|pull"
    r"|bring|open|print|compare|remind|look|lookup|view|display|check|read|summari[sz]e|let\sme|lemme|looking"
    r"|any|anything|requesting|wondering|provide|retrieve|dig|have\s(?:you|u|we)\sgot|have\syou|review"
    r"|confirm)(?!\w)",
    re.IGNORECASE,
)
"""Opens a wish to see something."""

_ONE_OF = r"(?:last|latest|most\srecent|current|previous|today['’]?s|yesterday['’]?s)"
_DEFINITE = rf"(?:the|this|that|these|those|his|her|their|our|recent|{_ONE_OF})"
_PLAIN_WORD = r"(?!of\s|for\s|in\s|with\s|to\s|a\s|an\s|on\s)[\w'’/+-]{1,20}\s"
_HEAD = (
    r"(?=\W{0,3}$|\s(?:(?:of|for|in|at|on|from)\s(?:the|his|her|this|that|last|file|record|here|admission|clinic"
    r"|booking|discharge)(?!\w)|today|now|since|like|doing|looking|then|this|please|pls|again|and|or|yesterday"
    r"|trending|trend|saying|over|results?|levels?|readings?|values?|reports?|date|list|status)|['’]?s\s)"
)
"""What may follow the noun that is asked for; another noun would be the one meant: "the ECG changes in PE"."""

PRESENT = re.compile(
    r"(?:what|which|who|where|how|when)(?:['’]?s|\sis"
    rf"|\sare)\s{_DEFINITE}\s(?:{_PLAIN_WORD}){{0,3}}?(?:{RECORDED}){_HEAD}"
    r"|(?:what|which|who|where|how|when)(?:['’]?s|\sis|\sare)\s(?:the\s|his\s"
    rf"|her\s)?{_ONE_OF}\s(?:{_PLAIN_WORD}){{0,3}}?(?:{NOUN}){_HEAD}"
    r"|what(?:['’]?s|\sis|\sare)\s[\w\s'’/+-]{2,40}?\s(?:last|previous|this\sadmission|on\sfile"
    r"|in\sthe\s(?:notes|chart|record))(?!\w)"
    rf"|(?:what|which)\s(?:{_PLAIN_WORD}){{0,2}}(?:do|have)\swe\s"
    rf"|how\smany\s(?:{_PLAIN_WORD}){{0,2}}?(?:{NOUN})(?!\w)(?![^?]{{0,40}}\s(?:do|does|can|need)(?!\w))"
    r"|(?:is|are)\s(?:there|the|this|that|any\w{0,5}|his|her|these|those|it)(?!\w)|(?:do|have)\s(?:we|you"
    r"|u)\s(?:have|know|got|hold|any)(?!\w)|(?:does|do)\s(?:the|his|her|this"
    r"|any\w{0,5})\s(?:\w{2,14}\s)?(?:chart|record|notes?|report|letter|summary|file|scan|list|ecg|echo"
    r"|results?)(?!\w)|what\s(?:does|do)\s(?:the|his|her|this)(?!\w)",
    re.IGNORECASE,
)
"""A question in the present tense about one thing that is there."""

PAST = re.compile(
    r"(?:(?<!sure\s)(?<!that['’]s\s)(?<!thats\s)(?<!is\s)(?<!exactly\s)(?<!understand\s)(?<!\w)(?:what|when|who"
    r"|where|why|which|how)(?:\s(?!you|i\s|we\s|she\s|he\s|they\s)[\w'/+-]{2,20}){0,4}?\s(?:was|were|did|had|has"
    r"|have|hasn['’]t|wasn['’]t|didn['’]t)(?:\s(?!you(?!\w)|i(?!\w))\w|$)|(?:what|who)\s(?:grew|happened|changed"
    r"|came)(?!\w)|^(?:was|were|did|has|had|have|hasn['’]t|didn['’]t|wasn['’]t)\s(?:the|this|that|there"
    r"|any\w{0,5}|they|we|someone|his|her|it|a|an|all)(?!\w)|^(?:did|has|was)\s(?:baby|mum|mother|child|pt"
    r"|patient|bed\s\d{1,2})\s\w|^whether\s[\w\s'-]{2,40}?\s(?:was|were|has|had|did)(?!\w)|^(?:has|did|was|were"
    r"|have)\s[\w-]{2,20}\s(?:been|come|see|seen|review|reviewed|write|written|say|call|called|give|given|start"
    r"|started|done|visit|visited|signed|attend)(?!\w))",
    re.IGNORECASE,
)
NOT_THIS_ONE = pattern(
    r"you|your|discovered|invented|approved|licensed|published|introduced|withdrawn|first\s(?:used|described)"
    r"|trials?|stud(?:y|ies)|papers?|guidelines?|guidance|nice|who\sguid\w{1,6}|fda|evidence|researchers?|market"
    r"|weekend|match|news|traffic|weather|rota|shift|holiday|lunch|canteen|(?<!family\s)(?<!mdt\s)meeting"
    r"|teaching|exam|rates?\sof|supposed|mean|question|point|joke|people|patients|adults|children|women"
)
"""In the past tense, but not of this patient."""

_SAID_OF = (
    r"(?:is|are|was|were|has|have|had|isn['’]t|wasn['’]t|looks?|looked|look|came|come|went|remains?|remained"
    r"|shows?|showed|suggests?|sent|done|taken|given|normal|stable|fine|ok|okay|good|bad|better|worse|clear"
    r"|unremarkable|pending|awaited|due|improv\w{1,4}|nad|up|down|low|high|raised|elevated|negative|positive"
    r"|satisfactory|reassuring|unchanged|settled|settling|rising|falling|held|in\ssitu|not|all\sok|tomorrow"
    r"|later|next|before|prior|already|of|to|[\w-]{3,16}ed|noted|seen|loss|gain|pain|bearing|away|as|if|when"
    r"|then|though)"
)
PREDICATE = pattern(
    rf"(?:{NOUN})(?:\s(?:all|both|still|now|today|also|just|again|then|this\smorning)){{0,2}}\s{_SAID_OF}"
)
SPEAKER = re.compile(
    r"(?:i|we|she|he|they|it|pt|patient|this(?!\s(?:admission|morning|week|month|year))|that|there|wife|husband"
    r"|mum|mom|mother|father|dad|son|daughter|sister|brother|family|nurse|gp|lab)(?:['’](?:s|re|ve|d|m"
    rf"|ll))?(?!\w)(?!\s(?:{NOUN})(?!\w))|im(?!\w)|ive(?!\w)|hes(?!\w)|shes(?!\w)|(?:my|his|her|their"
    r"|the)\s(?:mum|mom|mother|father|dad|wife|husband|son|daughter|sister|brother|family|partner|carer)(?!\w)",
    re.IGNORECASE,
)
"""Opens a statement by its subject."""

TELLS = re.compile(
    r"(?:no|nil|not|never|none|denies|without|nkda|on|with|under|stable|well|better|known|awaiting|pending"
    r"|likely|probably|possible|continue|repeat|order|book|send|take|arrange|request|chase|do|recheck|monitor"
    r"|refer|schedule|draw|add|update|record|stop|start|hold|give|increase|reduce|change|write|document|put|save"
    r"|file|enter|log|prescribe|titrate|aim|plan|remove|insert|await|discuss|consider|if|took|gave|sent|did|done"
    r"|saw|seen|had|told|found|got|was|were|thanks|thank|cheers|great|perfect|brilliant|lovely|nice|avoid|prep"
    r"|consent|when|once|after|before|since|as|while|because|although|though|until|unless|that['’]?s|thats"
    r"|(?!(?:documented|recorded|detailed|scheduled|updated|prescribed|listed"
    r"|reported)(?!\w))[\w-]{3,16}ed)(?!\w)",
    re.IGNORECASE,
)
"""Opens a statement without a subject, or an order."""

PICKED = pattern(
    r"(?:last|latest|recent|previous|prev|prior|past|current|old|older|earlier|baseline|booking|home"
    r"|yesterday['’]?s|today['’]?s|overnight|all|full|complete|entire|available|most\srecent|antenatal|pre-?op"
    r"|post-?op|outpatient)\s"
    rf"(?:(?!of\s|and\s|with\s|in\s|on\s)[\w'’/+-]{{1,20}}\s){{0,3}}?(?:{RECORDED})"
)
_TIME = (
    r"(?:\s(?:since|for|from|over|during|in|on|at|before|after|until|to|this|last|past|the|of|and|today"
    r"|yesterday|overnight|now|tonight|hours?|hrs?|days?|weeks?|months?|years?|yrs?|midnight|noon|morning"
    r"|evening|night|nights|admission|visits?|booking|birth|clinic|discharge|op|surgery|theatre|review|(?:mon"
    r"|tues|wednes|thurs|fri|satur|sun)day|(?:jan|febr)uary|march|april|may|june|july|august|(?:sept|nov"
    r"|dec)ember|october|two|three|four|five|six|\d{1,4}(?:/\d{1,2})?|few|couple|back|ago|vs|so|far|week|again"
    r"|as\swell|too|x\d)){0,8}"
)
FRAGMENT = re.compile(
    r"(?!(?:what|whats|which|how|why|when|where|who|is|are|does|do|define|describe)(?!\w))(?:the\s)?(?:(?!(?:low"
    r"|high|raised|normal|no|poor|good|chest\spain|new|known|possible|likely|severe|acute|chronic|abnormal"
    rf"|stable)(?!\w))[\w'’/+-]{{2,16}}\s){{0,2}}?(?:{RECORDED})(?:\s(?:{NOUN})){{0,2}}(?:\s?(?:and|or|&|plus|/"
    rf"|\+|with)\s?(?:(?:the|last|latest|any)\s)?(?:{RECORDED}"
    rf"|[\w'’+-]{{1,20}}(?:\s[\w'’+-]{{2,16}})?)){{0,3}}{_TIME}(?:\ssince\s[\w\s'’/-]{{2,60}})?\W{{0,3}}",
    re.IGNORECASE,
)
"""Nothing but nouns of the chart, and since when."""

PICKED_ALONE = re.compile(
    r"(?:(?:the|any|and|also|just|only|his|her|please|pls|what|about)\s){0,3}(?:last|latest|previous|prev"
    r"|most\srecent|current|baseline)\s(?!(?:week|night|time|one|month|year|question|thing|few|minute|chance"
    r"|resort|guid\w{3,7}|evidence|advice|practice|recommend\w{2,8}|thinking|patient)(?!\w))"
    rf"(?!\w{{2,20}}\s{_SAID_OF}(?!\w))[a-z][\w'/+-]{{1,20}}(?:\s(?:date|times?|dates|of|and|or|with|on|in|the"
    rf"|her|his|please|pls|[\w'-]{{3,12}})){{0,3}}\W{{0,3}}",
    re.IGNORECASE,
)
"""Picked out and nothing said of it: "last QTc", "previous sections?". Whatever it is, the chart has it."""

WISH = pattern(
    r"show|check|pull|see|need|needs|want|wants|get|find|tell|know|give|list|ask(?:s|ing|ed)?\s(?:for|about|if"
    r"|what|when|whether|how)|wondering|what['’]?s?|whats|which|when|how|any|open|can|could"
)
LATER = pattern(
    r"tomorrow|next\s(?:week|month|visit|clinic|year)|in\s(?:a|one|two|three|\d{1,2})\s(?:days?|weeks?|months?)"
    r"|going\sforward"
)
""" "Bloods tomorrow": what is to come is not in the chart."""
