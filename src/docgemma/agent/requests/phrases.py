"""The phrases by which clinicians ask about drugs and images. Kept apart from the logic that weighs them.

Hand-written from how people ask; not reviewed by a clinician.
"""

from __future__ import annotations

import re


def pattern(body: str) -> re.Pattern[str]:
    """Whole words, in any case."""
    return re.compile(rf"(?<![\w-])(?:{body})(?![\w-])", re.IGNORECASE)


LOOKING_UP = re.compile(
    r"(?<!\w)(?:check|chk|verify|look\s{1,2}up|lookup|look\sinto|review|screen|recheck|cross-?check)\s{1,4}"
    r"(?:(?:up|on|the|about|out|drug)\s{1,4}){0,3}$",
    re.IGNORECASE,
)
NOT_SAFETY = re.compile(
    r"\s{1,2}(?:levels?|doses?|dosing|dosage|troughs?|clearance|intake|use|trial|allerg(?:y|ies)"
    r"|and\s{1,2}\w{1,30}\s{1,2}interactions?"
    r"|with\s|interactions?|was|is\s(?!safe|ok)|has|stock|price|cost|brands?)",
    re.IGNORECASE,
)
"""After a drug, these make the look-up one of something else."""

INFORMATION = re.compile(
    r"\s(?:info|information|label|monograph|precautions|datasheet|pil|smpc|bnf)(?!\w)", re.IGNORECASE
)
INFORMATION_ON = re.compile(
    r"(?<!\w)(?:info|information|label|monograph|datasheet|smpc|package\sinsert)\s(?:on|for|about|of)\s$", re.IGNORECASE
)
CHECKING = pattern(r"check|chk|verify|screen|look|find|search|review|run")

SAFETY = pattern(
    r"safety|(?:boxed|black[\s-]box|fda|drug|label)\s{1,2}(?:warnings?|alerts?|labels?)|warnings?(?!\s(?:signs?"
    r"|symptoms?))"
    r"|fda(?!\sapprov\w{1,5})|contra-?\s?indicat\w{1,6}|c/?is?(?=\s(?:of|to|for))|side[\s-]?[ae]ff?ects?"
    r"|s/e(?:['’]?s)?|ses(?=\sof)"
    r"|adverse\s{1,2}(?:effects?|events?|reactions?)|adrs?|aes?(?=\sof)|precautions?|cautions?|toxicity|toxicities"
    r"|black[\s-]box|bbw"
    r"|rems|recall(?:s|ed)?|red\sflags?|complications\s(?:of|from|with)|long[\s-]term\seffects"
    r"|(?:hazards?|dangers?|harms?|downsides?|drawbacks?|pitfalls?)(?=\s(?:of|with|from|on)\s)"
    r"|warn(?=\s)|\w{0,14}toxic|teratogen\w{0,6}|addictive|habit[\s-]forming|sedating"
)
"""Words that ask for a drug's warnings on their own."""

SAFETY_OF_EACH = pattern(
    r"safety|warnings?|alerts?|labels?|fda|contra-?\s?indications?|side[\s-]?[ae]ff?ects?|s/e(?:['’]?s)?|ses|adverse|adrs?|aes?"
    r"|c/?is?|precautions?|cautions?|toxicity|toxicities|black[\s-]box|bbw|rems|recalls?|red\sflags?|complications|effects"
)
"""What every drug has of its own; "will X and Y be toxic?" is about both together."""

HARM = pattern(
    r"harm\w{0,4}|hurts?|bother\w{0,4}|danger\w{0,6}|hazard\w{0,4}|risk\w{0,3}|wrong|bad|badly|worst|trouble\w{0,4}|problem\w{0,6}|issues?"
    r"|worr(?:y|ies|ied|ying|isome)|concern\w{0,4}|nasty|downsides?|drawbacks?|pitfalls?|complaints?|restrict(?:ions?|ed)"
    r"|limitations|forbidden|prohibited|banned|never|mistake|avoid\w{0,3}|(?:stay|keep)\s(?:away|off|clear)|steer\sclear|unsafe"
    r"|unsuitable|damag\w{1,3}|toxic\w{0,4}|poison\w{0,4}|kills?|fatal|deadly|complications?|caveats?|gotchas?|careful|beware"
    r"|off[\s-]limits|out\sof\sthe\squestion|no[\s-]no|why\snot|unwanted|unpleasant|reactions?|consequences|do(?:es)?\sto"
    r"|(?:must|should|can|could|may|ought|would|do|does)\s?(?:not|n['’]?t)|cannot|cant|mustnt|shouldnt|oughtnt|not\s(?:be\s|to\s)?"
    r"(?:given|give|have|take|taken|get|receive|use|used|allowed|suitable|eligible)|excluded|poor\scandidates?|intolerant|happens?|happening|grief|suffers?|bleeds?"
    r"|catch|snags?|not\s(?:supposed|meant|recommended|advised)|too\s(?:soon|much|early|late|many)|unwise|daft|dumb|dodgy|nuts|crazy|stupid|reckless"
    r"|how\s(?!long|often|much|many|fast|quick\w{0,2}|soon|effective|well|common|expensive|strong|potent|good|big|small|old|do|does|did|is|are"
    r"|was|to|can|could|should|would|will|frequent\w{0,2}|early|late|high|low)[a-z]{3,14}\s(?:is|are|would|was)"
)
"""What makes a "who", "what" or "how" about a drug one about what it may do to somebody."""

PLAINLY_SAFETY = pattern(
    r"warnings?(?!\s(?:signs?|symptoms?))|side[\s-]?[ae]ff?ects?|contra-?\s?indicat\w{1,6}|adverse|adrs?|s/e|boxed"
    r"|black[\s-]box|fda"
    r"|precautions?|safety"
)
"""Those that hold even beside a dose or a mechanism."""

_SOMEBODY = (
    r"(?:i|we|you|u|she|he|they|someone|one|it|(?:(?:a|an|the|my|this|that|our|your|any|those|all|most|some|these)\s)?"
    r"(?:[\w'/-]{2,20}\s){0,3}?[\w'/-]{2,20})"
)
_TAKING_IT = (
    r"(?:take|have|use|get|give|receive|keep|continue|prescribe|start|order|tolerate|restart|add|try|go\son|be\son"
    r"|stay\son|be\sgiven"
    r"|be\sput\son|be\sstarted\son|put\s\w{2,8}\son|switch\s\w{0,8}\s?to|co-?prescribe|be\staken|be\sused)"
)
MAY = pattern(
    rf"(?:can|can['’]?t|could|may|should(?:n['’]?t)?|would|might)\s(?:{_SOMEBODY}\s{{1,2}})?(?:also\s|still\s|safely\s"
    rf"|just\s|not\s|ever\s)?{_TAKING_IT}"
    rf"|(?:ok|okay|alright|fine|safe|happy|allowed|good|able)\s(?:for\s{_SOMEBODY}\s)?to\s{_TAKING_IT}"
    r"|(?:is|am|are)\s(?:i|we|she|he|they)\s(?:ok|okay|alright|allowed|able)"
    r"|what\s(?:if|happens\s(?:if|when))\s[^.!\n]{0,30}?(?:give|take|takes|add|use|start|combine|gets?|has)"
)
"""Whether somebody may have a drug."""

WHICH_OTHER = re.compile(r"\W{0,4}(?:(?:so|and|but)\s)?(?:what|which|when|where|how)\s(?!if|happens)", re.IGNORECASE)
"""Without a drug of its own this asks for another one, or for a time: "on X, what would you add?"."""

OTHER_ACT = pattern(
    rf"(?:ok|okay|safe|fine|alright)\s(?:for\s{_SOMEBODY}\s)?to\s(?!{_TAKING_IT}|stop|hold|proceed|go\sahead|carry|issue|dispense|sell|supply"
    r"|combine|mix|swap|switch|be\s|do\s(?:it|that|this|so)|leave|pause|resume)\w{2,12}"
)
""" "On X, ok to go home?": what is to be allowed is something else than the drug."""

SAFE = pattern(
    r"safe(?:ly|r|st)?|unsafe|dangerous|risky|harmful|bad\sidea|ok|okay|alright|fine|suitable|appropriate|advisable"
    r"|allowed|permissible"
    r"|contraindicated|tolerated|no-?go|avoid(?:ed)?|acceptable|kosher|a\sgood\sidea|hepatically\ssafe|compatible"
)
"""A judgement that a question about a drug asks for."""

ISSUE = pattern(
    r"(?:any|what|an|no|the|major|big)\s(?:\w{3,12}\s)?(?:issues?|problems?|concerns?|risks?|dangers?|worries|gotchas"
    r"|caveats|cautions?|alerts?|harms?)"
    r"|(?:issues?|problems?|concerns?|alerts?)\s(?:with|on|about|giving|using|for)|a\sproblem|risks?\sof"
    r"|risks?\s(?:with|on)"
    r"|risk(?=\W{0,3}$)|anything\s(?:i|we|to|else|special)\s(?:\w{2,10}\s){0,3}(?:know|worry|watch|aware|careful|look)"
    r"|watch\s(?:out\s)?for|look\sout\sfor|worry|worried|careful|keep\san\seye|be\saware|monitor(?:ing)?\s(?:for|on"
    r"|with)"
    r"|what\s(?:should|do|must|can)\s(?:i|we)\s(?:tell|warn|counsel|mention|advise)|thoughts|objections?|bad\sfor|reasons?\s(?:not|why|to\savoid)"
)
CAUSES = pattern(
    r"(?:does|do|can|could|is|are|might|would|will|did|may)\s[^.!\n]{0,80}?(?<![\w-])(?:cause|causes|causing"
    r"|leads?\sto|leading\sto|prolongs?"
    r"|worsen(?:s|ing)?|triggers?|induces?|harms?|damages?|exacerbates?|precipitates?|raises?|increases?|elevates?"
    r"|behind|responsible"
    r"|cross(?:es)?\sthe\splacenta|make\s(?:her|him|them|you|people|patients)|affects?|interfere|pass\sinto|excreted\s(?:in|into)\s(?:human\s|the\s|breast\s){0,2}milk"
    r"|a\scause)"
)
AFFECTS = pattern(
    r"affects?|affecting|raises?|increases?|reduces?|lowers?|decreases?|potentiates?|inhibits?|induces?|boosts?"
    r"|changes?|alters?|blocks?"
    r"|antagoni[sz]es?|weakens?|enhances?|effects?\sof\s[^.!\n]{1,40}?\son|effects?\son|serotonin\ssyndrome"
    r"|bleeding\srisk|qt\srisk|mess(?:es)?\s(?:with|up)|makes?|interferes?|less\seffective|throws?\soff"
)
"""One drug may do this to another."""

INTERFERES = pattern(
    r"affects?|interferes?|effects?\sof|effectiveness|less\seffective|levels?\sof|mess(?:es)?\s(?:with|up)"
)

SETTING = pattern(
    r"pregnan\w{1,3}|breast-?\s?feed\w{0,4}|lactat\w{1,3}|nursing|ckd|esrd|aki|renal\s\w{4,12}|kidney\s\w{4,12}"
    r"|hepatic\s\w{4,12}"
    r"|liver\s\w{4,12}|cirrhosis|dialysis|elderly|geriatrics?|kids?|children|child|p(?:a)?ediatrics?|infants?"
    r"|neonates?|newborns?|toddlers?"
    r"|g6pd(?:\sdeficiency)?|qtc?|(?:first|second|third|1st|2nd|3rd)\strimester|driving|alcohol|renal|hepatic|asthma"
    r"|epilepsy|glaucoma|myasthenia"
    r"|heart\sfailure|old\speople|[\w-]{3,20}\s(?:patients|pts|people|women|men)|[\w-]{3,20}\s(?:allerg(?:y|ies|ic)|anaphylaxis|hypersensitivity)"
)
"""Who or what a drug may be unsafe for."""

BARE_SETTING = re.compile(
    rf"\s{{0,2}}(?:in|during|while|and|with|\+|&|for|w|post|if)?\s{{0,2}}(?:a\s|an\s|the\s|acute\s|chronic\s"
    rf"|severe\s)?(?:{SETTING.pattern})"
    r"\W{0,3}(?:\d{1,2}\W{0,2})?$",
    re.IGNORECASE,
)
"""Right after a drug and at the end of the part: "metformin in CKD?"."""

SOLE_SETTING = re.compile(
    rf"\s{{1,2}}(?:in|during|while|and|with|&|\+)\s(?:an?\s|the\s)?(?:{SETTING.pattern})(?:\s[\w'-]{{1,14}}){{0,5}}\W{{0,3}}$"
    r"|\s{1,2}in\s(?:an?\s)?(?:[\w'-]{2,14}\s){0,2}?(?:\w{3,12}ics|smokers|drinkers|[\w-]{3,16}(?:osis|itis|aemia|emia|opathy)"
    r"|\w{3,12}\s(?:disease|failure|deficiency|impairment|syndrome|block|injury))\W{0,3}$",
    re.IGNORECASE,
)
"""After a drug with which the part begins."""

DOING = re.compile(
    r"\W{0,4}(?:(?:and|but|so|also)\W{1,3})?(?:does|do|can|could|will|might|would)\s(?:the\s|taking\s)?$", re.IGNORECASE
)
"""Right before a drug this asks what the drug does, and most of what it may do is unwanted: "does doxy stain teeth"."""

WANTED_EFFECT = re.compile(
    r"\s(?:work|treat|help|cover|come|need|require|contain|take|have|be|expire|interact|count|go|start|last|kick"
    r"|(?:lower|reduce)(?!s?\s(?:the\s|her\s|his\s){0,1}(?:seizure|platelets?|neutrophils?|white|sodium|potassium|fertility|bone))|improve|prevent|kill"
    r"|stop|bring|control|clear|settle|ease|relieve|fix|cure|act|penetrate|get|differ|target|bind|belong|show|mean|exist|cost|look|taste|also|then|and|or|with|in"
    r"|for)(?!\w)",
    re.IGNORECASE,
)
"""What a drug is given for, or what is no effect of it."""

FOOD = pattern(
    r"alcohol|drink(?:ing)?|booze|grapefruit|food|foods|milk|dairy|juice|coffee|caffeine|beer|wine|cheese|meals?"
)

INTERACTION = pattern(
    r"(?:drug[\s-])?interactions?|inter?xns?|ddis?|interacts?|interacting|combin(?:e|es|ed|ing|ation\sof|ations?)"
    r"|combo|together(?!\swe)"
    r"|co-?administ\w{2,9}|co-?prescri\w{2,5}|concomitant(?:ly)?|concurrent(?:ly)?|on\stop\sof|clash(?:es)?|conflicts?"
    r"|mix(?:es|ing|ed)?"
    r"|compatib(?:le|ility)|incompatib\w{2,6}|play(?:s)?\s(?:nice(?:ly)?|well)|get\salong"
    r"|go(?:es)?\s(?:well\s)?(?:with|together)|stack(?:ing)?|alongside|(?:at\s)?(?:the\s)?same\stime|saa?th"
)
WITH_ANYTHING = pattern(r"(?:drug[\s-])?interactions|ddis|(?:with|against)\s(?:any(?:thing)?|everything|something)")
"""Of one drug alone, with a patient at hand: with whatever that patient takes."""

JOINED = re.compile(
    r"\s{0,2}(?:(?:\d{1,4}\s?m?c?g\s)?(?:with|w/|w|plus|\+|/|alongside|on\stop\sof|together\swith|(?:be\s"
    r"|is\s)?(?:ok|okay|safe|fine|given|used)\s(?:with|w/|w)))"
    r"\s{0,2}(?:(?:the|her|his|their|my|some)\s)?",
    re.IGNORECASE,
)
"""Between two drugs, this makes a pair of them."""

TAKING = re.compile(
    r"(?<![\w-])(?:on|takes?|taking|receiving|gets|uses|using|meds\sare|medications\sare|meds|includes?"
    r"|has\sbeen\sgiven|had)[\s:]{1,3}"
    r"(?:[a-z-]{2,12}\s){0,2}$",
    re.IGNORECASE,
)
"""Before a drug, this makes it one that is already taken."""

NOT_TAKEN = pattern(
    r"allerg\w{1,6}|intoleran\w{1,3}|reactions?\sto|reacted\sto|stopped(?!\s(?:smoking|drinking|eating|alcohol|vaping))|discontinued|came\soff|taken\soff|used\sto"
    r"|previously"
    r"|no\slonger|instead\sof|failed|finished"
)
"""What is said of a drug that the patient does not take."""

OTHER_MEDS = pattern(
    r"(?:her|his|their|X{2,80}(?:['’]?s)?|(?:the|this|my)\s(?:patient|pt)['’]?s|current|existing|regular|usual|other"
    r"|home)\s"
    r"(?:(?:current|other|regular|usual|home|existing|present|chronic)\s){0,2}(?:meds?|medications?|medicines|drugs"
    r"|tablets|pills|med\slist|regimen|prescriptions)"
    r"|what\s(?:else\s)?(?:she|he|they)['’]?(?:s|re)?\s(?:is\s|are\s)?(?:already\s)?(?:on|takes|taking)"
    r"|anything\s(?:else\s)?(?:she|he|they)['’]?(?:s|re)?\s(?:is\s)?(?:on|taking|takes)"
    r"|everything\s(?:else\s)?(?:she|he)['’]?s\son|the\srest\sof\s(?:her|his|their)\s\w{4,12}"
)
"""What the patient already takes, unnamed: the chart has to say it."""

NOT_ABOUT_SAFETY = pattern(
    r"doses?|dosing|dosage|dosed|how\smuch|max(?:imum)?|half[\s-]?li(?:fe|ves)|mechanism|moa|indications?|indicated"
    r"|class|generic|brand\snames?"
    r"|onset|duration|pharmacokinetics|metabolised|metabolized|convert|conversion|equivalent|titrat\w{1,5}|cost|price"
    r"|spell|pronounce"
    r"|how\sdoes\s[^.!\n]{1,40}?\swork|difference|antidote|overdose|symptoms?\sof|signs?\sof|features\sof"
    r"|treatment\sof|manage(?:ment)?(?:\sof)?|treat"
    r"|how\slong|how\soften|how\s(?:do|should|can)\s(?:i|we|you)|why\s(?:do|does|is|are)|loading|first[\s-]line"
    r"|drug\sof\schoice|instead\sof\ssaying|take\san?\s[\w-]{3,30}\slevels?"
    rf"|used\s(?:for|to\streat)(?!\s(?:[\w-]{{1,14}}\s){{0,3}}?(?:{SETTING.pattern}|\w{{1,12}}\sold|patients?|pts?|people|babies))"
    r"|(?:oral(?:ly)?|im|iv|po|sc)\sor\s|or\s(?:im|iv|po|sc|oral(?:ly)?)"
)
"""What is general knowledge of a drug: its dose, its mechanism, how its poisoning looks."""

ANOTHER_TREATMENT = pattern(
    r"\w{0,20}(?:therapy|surgery|ectomy|plasty|scopy|dialysis|transfusion|\w{1,20}lysis|vaccines?|vaccination|transplant|anaesthesia"
    r"|anesthesia|scans?|statins?"
    r"|nsaids?|opioids?|steroids?|antibiotics?|diuretics?|blockers?|inhibitors?|antidepressants?|anticoagulants?"
    r"|sedatives?|benzos?)"
)
"""What stands in a drug's place and is none: a treatment, or a whole class."""

STATED = re.compile(
    r"\W{0,4}(?:(?:just|already|have|we|i)\s){0,2}(?:explained|discussed|counsell?ed|presented|reviewed|covered|documented|mentioned|taught"
    r"|warned|informed|went\s(?:through|over))\s|"
    r"\W{0,4}(?:she|he|they|pt|patient|the\spatient|i|we|no|denies|denied|reports|reported|has|had|there\s(?:is|are"
    r"|were|was)\sno|X{2,80})"
    r"(?:['’](?:s|re|ve|m))?\s(?!ok\s|okay\s|safe\s)(?!(?:only\s|just\s|really\s)?(?:need|want|(?:would|['’]d)\slike|wonder))",
    re.IGNORECASE,
)
"""A part that tells: "she had side effects on lisinopril"."""

ASKING = re.compile(
    r"\W{0,4}(?:(?:and|but|so|also|then|or|hi|hello|hey|please|pls|well|ok|okay|just|only|now)\W{1,3}){0,3}(?:(?:can|could)\s(?:you"
    r"|u)\s|(?:tell|let)\sme\s(?:know\s)?"
    r"|(?:(?:i|we)\s)?(?:(?:only|just|really)\s)?(?:need|want|wanted)\s(?:(?:only|just)\s)?to\sknow\s|wondering\s|i\swonder\s|(?:double\s)?(?:check|chk|confirm|verify|see|find\sout)\s)?"
    r"(?:the\s)?(?:is|are|was|am|does|do|did|can|could|should|would|will|may|might|has|have|what|whats|what['’]s|which"
    r"|who|when"
    r"|how|hows|why|any|anything|ok|okay"
    r"|safe|fine|alright|whether|if|isn['’]t|can['’]t|potential|potentially|risks?|possible|is\sit)(?!\w)",
    re.IGNORECASE,
)
JUDGED_LAST = re.compile(
    r"(?<!\w)(?<!now\s)(?<!all\s)(?<!doing\s)(?<!feels\s)(?<!feeling\s)(?<!been\s)(?<!looks\s)(?<!seems\s)(?<!feel\s)(?<!no\s)"
    r"(?:ok|okay|safe|fine|alright|allowed|advisable|contraindicated|problem|issues?|thoughts|together"
    r"|risk)\W{0,3}$",
    re.IGNORECASE,
)

IMAGE = pattern(
    r"images?|x-?rays?|cxr|scans?|films?|pictures?|photos?|slides?|ct|mri|radiographs?|ultrasound|ecg|ekg|lesion"
    r"|this\sone|shown|see\shere"
)
GENERAL_LOOK = pattern(
    r"what(?:'s|\sis|\sare|\sdo|\scan|\sdoes)?|do|you|see|describe|analy[sz]e|interpret|interpretation|read|look|at"
    r"|here|is|this"
    r"|these|that|the|a|an|in|on|of|my|attached|image|images|x-?ray|cxr|ct|mri|scan|film|picture|photo|slide"
    r"|radiograph|chest"
    r"|please|findings?|tell|me|about|show|shows|shown|can|could|any|it|and|for|give|your|thoughts|report|hello|hi"
    r"|thanks|patient"
    r"|what's|abnormal(?:ity|ities)?|there|anything"
)
_SOUGHT = (
    r"(?:papers?|studies|study|literature|evidence|articles?|research|references|citations|trials?|pubmed|charts?|records?"
    r"|labels?|monograph|interactions?|look-?ups?)"
)
REFUSED = re.compile(
    r"(?<!\w)(?:(?:do\snot|don['’]t|dont|never|no\sneed\sto|without|not)\s(?:even\s|bother\s(?:to\s)?|have\sto\s"
    r"|need\sto\s)?(?:check|search|look|find|review|open|pull|show|read|run|checking|searching)(?:ing)?(?!\w)"
    rf"|(?:not\s(?:after|looking\sfor|asking\s(?:for|about)|interested\sin|wanting|needing)|no\sneed\s(?:for|of)"
    rf"|(?:do\snot|don['’]t|dont|didn['’]t)\s(?:want|need|mean|require)|no|(?<!\w\s)not)\s(?:any\s|the\s|a\s|to\ssee\s|more\s){{0,2}}"
    rf"{_SOUGHT}(?!\w)(?=[^?\n]{{0,60}}(?:[,.;]|\sjust\s|\sonly\s|\sbut\s|\sneeded|\splease|$))"
    r"|(?:(?:i['’]?m|i\sam|we['’]re|we\sare)\s)?not\sasking\s(?:about|for)"
    r"|nothing\s(?:(?:else|more|new|there|really)\s)?to\s(?:record|add|document|chart|note|report|log|enter|write)(?!\w)"
    r"|(?:do\snot|don['’]t|dont|not)\s(?:issu|prescrib|order|writ|sav|record|document|dispens|start|giv|send|do|chang|add)"
    r"(?:e|ing)?\s(?:anything|it|that|them|this))"
    r"(?:(?!\s(?:just|only|but|instead)\s)[^,.;!?\n]){0,120}",
    re.IGNORECASE,
)
"""What the user asks not to be done."""

ENTRY_REFUSED = re.compile(
    r"\W{0,4}(?:(?:please|pls|plz|kindly|ok|okay|no|so|and|but|actually|hi|hey|sorry|wait|oh)[\s,]{1,3}){0,3}"
    r"(?:(?:do\snot|don['’]?t|(?:there['’]?s\s)?no\sneed\sto|(?:you\s)?needn['’]?t)\s(?:(?:actually|yet|bother)\s)?(?:prescribe|start|restart|give|send|issue|order|write|add|save"
    r"|record|document|enter|file|chart|put|log|dispense|renew|refill|note|commence)|hold\s(?:off|fire)\s(?:on|with))\s"
    r"(?=[^?\n]{0,400}$)(?![^\n]{0,400}\s(?<!\sit\s)(?<!\she\s)(?<!\sshe\s)(?:but|just|only|instead)\s)",
    re.IGNORECASE,
)
"""A part that begins by refusing an entry: whoever is named in it, nothing is to be looked up."""
