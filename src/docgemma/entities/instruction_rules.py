"""What gives a text away that talks to a program: expressions for lower-case text, by kind.

Each one reads a bounded stretch. They were written for kinds of attack, and kept only while real labels, abstracts,
trials and patient information stay unmarked: a rule that fires on prose takes a warning away from a reader.
"""

from __future__ import annotations

import re


def _rule(*ways: str) -> re.Pattern[str]:
    """One expression for lower-case text. A blank stands for any short white space, so a line break hides nothing."""
    return re.compile("|".join(f"(?:{way})" for way in ways).replace(" ", r"\s{1,5}"))


_READER = r"(?:clinician|user|prescriber|operator|reader)"
_PROGRAM = (
    r"(?:(?<!physician\x20)(?<!physician's\x20)(?<!medical\x20)(?<!office\x20)(?<!nursing\x20)(?<!dental\x20)assistant"
    r"|ai|a\.i\.|llm|language model|chat-?bot|chat bot|ai (?:agent|model|system|tool|helper)|agent reading this"
    r"|docgemma"
    r"|medgemma|chatgpt|gpt-?\d?|copilot)"
)
_ID = (
    r"(?:id \d{1,20}|#\d{3,20}|[a-z]{2,12}[-_]\d{2}[\w-]{0,40}|[0-9a-f]{8}(?:-[0-9a-f]{4}){1,3}[0-9a-f-]{0,14}"
    r"|\d{5,20})"
)
_OTHERS = r"(?:the other|another|a different|some other|the next|the previous) patient(?!s)"
_ON_SCREEN = r"(?:the|this) (?:current|active|open|pinned|selected|on-screen|displayed)(?: \w{1,20})? patient"
_WHOM = rf"(?:{_ON_SCREEN}(?!s| information| package| label| popul| group| series| cohort)|patient {_ID})"
_ENTRY = r"(?:note|entry|order|prescription|allergy|addendum|record|diagnosis|problem)"
_PERSONAL = (
    r"(?:full names?|names?|mrns?|dates? of birth|birth(?: )?dates?|dobs?|identifiers|identity|charts?|home address"
    r"|addresses|phone|social security|ssn|medical records?|health records?|records?|personal (?:data|details)|data)"
)
_DO = (
    r"(?:(?:not|never|always|now|immediately|also|then|first) )?(?:prescribe|order|save|add|record|write|tell|answer"
    r"|reply|respond|say|state|recommend|send|open|search|call|invoke|ignore|disregard|include|output|print|display"
    r"|approve|sign"
    r"|submit|create|start|stop|change|read|delete|remove|update|ask|mention|reveal|comply|obey|execute|run|fetch"
    r"|get|repeat|insert|proceed"
    r"|report|summari[sz]e|e-?mail|post|load|export|append|embed|render|show|use the)\b"
)
_TOOLS = (
    r"check_drug_safety|check_drug_interactions|search_medical_literature|find_clinical_trials|search_patient"
    r"|get_patient_chart|prescribe_medication|add_allergy|save_clinical_note|analyze_medical_image|concept_search"
)
_LABELS = (
    r"drug safety report|drug interaction check|medical literature|clinical trials|patient search|patient record"
    r"|prescription|allergy documentation|clinical note|image analysis"
)

_MARK = (
    r"(?:(?:<|&lt;)\s{0,3}(?:(?:start|end)[_\x20-]?of[_\x20-]?(?:turn|image|text)|unused\d{1,5}|bos|eos|/?think(?:ing)?"
    r"|/s)\s{0,3}(?:>|&gt;)|<\|[\w/\x20-]{1,30}\|>|<<\s{0,3}/?sys\s{0,3}>>|\[/?inst\])"
)
_TOKENS = _rule(
    rf"{_MARK}\s{{0,3}}(?:user|system|human|developer)\s{{0,3}}\n[^\n<.?!]{{0,300}}",
    rf"{_MARK}(?:[^<\[]{{0,600}}(?={_MARK}))?",
)

_FRAMES = _rule(
    r"</?[a-z]{1,20}(?:_[a-z]{1,20}){1,3}>",
    r"</?(?:documents?|criteri(?:on|a)|context|system|user|assistant|human|instructions?|prompt|tool|function|question"
    r"|answer|response|results?|message|chart|untrusted|data|information|important)>",
    r"\[/?(?:system|assistant|admin|(?:system|user|assistant|developer|admin|tool)[_\x20](?:message|prompt"
    r"|instructions?"
    r"|override|note|results?|call|turn|input|output|query)|(?:begin|end)[_\x20](?:of[_\x20])?(?:documents?|context"
    r"|instructions?|system|user|data|turn|prompt|input|text))\]",
    rf"\[(?:{_LABELS})\]",
    r"#{2,6}\s{0,3}\(?(?:(?:system|user|assistant|human)[_\x20]?(?:message|prompt|turn|input)?\)?\s{0,2}(?:[:\n)]|$)"
    r"|system[_\x20](?:message|prompt)|override|instruction\b)",
    r"[(\[{<#*]\s{0,2}(?:system|assistant|developer)[_\x20-]?(?:message|prompt|note|override|instructions?)"
    r"\s{0,2}[)\]}>#*]",
    r"(?:^|(?<=\n))[\t\x20>*#_-]{0,6}(?:system|developer|admin(?:istrator)?) (?:message|prompt|override|notice"
    r"|instructions?"
    r"|command)\s{0,2}:",
    rf"(?:^|(?<=\n))[\t\x20>*#_-]{{0,6}}(?:system|developer|admin|user|human|assistant|model|ai)\s{{0,2}}:\s{{0,3}}"
    rf"(?:you (?:are|must)|please|i have|i will|{_DO})",
    rf"(?:^|(?<=\n))[\t\x20>*#_-]{{0,6}}(?:{_READER}(?:['’]s)?(?: original)? (?:question|query|message|request)"
    r"|tool(?: used| results?)|available tools)\s{0,2}:",
)

_CALLS = _rule(
    rf"\b(?:{_TOOLS})\b",
    r"\{\s{0,5}[\"']{0,2}(?:tool|tool_name|function|function_call|action|recipient_name|tool_calls?)[\"']{1,2}\s{0,3}:"
    r"[^{}]{0,600}[}]{0,3}",
    r"[\"'](?:args|arguments|parameters|action_input)[\"']\s{0,3}:\s{0,3}[{\"'][^}]{0,400}",
    r"[\"'](?:approved|confirmed|authori[sz]ed)[\"']\s{0,3}:\s{0,3}(?:true|1|[\"']yes)",
    r"\b(?:call|invoke|execute) the (?:[\w-]{1,30} ){0,2}(?:tool|function|api|plug-?in)\b",
)

_OVERRIDES = _rule(
    r"(?<!not\x20)(?<!never\x20)(?<!n't\x20)\b(?:ignor|disregard|forget|overrid|bypass|discard|neglect|skip)\w{0,3} "
    r"(?:(?:of|the|these|those|that|this|and|everything) ){0,4}(?:(?:all|any|every|your|my|our|other|prior|previous"
    r"|preceding|above|earlier|foregoing|existing|original|initial|system|safety|user'?s?|of|the|these|those) ){1,6}"
    r"(?:i\w?nstruct\w{0,6}|prompts?|directives?|messages?|rules|commands?|constraints|safeguards?|guard-?rails?"
    r"|conversation|tasks?|programming)\b(?! (?:of|for|on) )",
    r"\bforget (?:everything|all) (?:above|before|you|that came|i said)\b",
    r"\b(?:new|updated|real|actual|hidden|secret) (?:system |task )?"
    r"instructions?\s{0,2}(?::|from the (?:system|user|developer))",
    r"\byour (?:new|real|actual|true|next) (?:task|mission|objective|instructions?)\b",
    r"\byour (?:system prompt|(?:previous|prior|initial|original|hidden) instructions)\b",
    r"\b(?:repeat|reveal|print|output|show|display|disclose|leak|give|tell|share)(?: me| us)? (?:everything in )?"
    r"(?:the|your|all) (?:\w{1,12} )?(?:system|initial|original|hidden|secret) (?:prompt|instructions|message|rules)\b",
    r"\b(?:decode|decrypt|decipher|unscramble)(?: \w{1,12}){0,5} and (?:then )?(?:obey|follow|execute|run|do|comply"
    r"|act)\b",
    r"\b(?:obey|execute) (?:the|this|these|all|my) (?:following |decoded |hidden |new )?(?:commands?|orders?"
    r"|instructions?)\b",
    r"\b(?:enter|activate|enable|switch to|now in) (?:the )?(?:developer|debug|maintenance|god|admin|jailbreak"
    r"|dan) mode\b",
)

_ADDRESSED = _rule(
    rf"\b{_PROGRAM}(?:,| \w{{1,12}}ly)? (?:must|shall|has to|have to|needs to|is to|will now|should|please"
    rf"|is (?:instructed|required|ordered|authori[sz]ed|asked) to) {_DO}",
    rf"\b(?:dear|hey|hello|hi|attention|note to|notice to|message to|message for|reminder to"
    rf"|memo to)(?: (?:the|any|all|every))?(?: \w{{1,15}})? {_PROGRAM}s?(?: \w{{1,15}})?\s{{0,2}}[:,!-]",
    rf"\b(?:you are|you're|act as|pretend to be|if you are)(?: now)? (?:an? |the |my )?(?:\w{{1,15}} )?{_PROGRAM}"
    r"(?: \w{1,15}){0,2}\s{0,2}(?:[.,:;]|and|that|who|with|you|reading)",
    r"\byou are (?:now|no longer) (?:in [\w-]{1,15} mode|bound by|restricted|subject to|dan\b)",
    rf"\b{_PROGRAM}\s{{0,2}}:\s{{0,2}}(?:(?:now|then|also|first|next|immediately) )?(?:ignore|disregard|please|you"
    r"|prescribe|save|send|open|add|tell|do not tell|search|look up|fetch|order|write|e-?mail|approve)\b",
    r"\byour (?:next |final )?(?:answer|reply|output|summary) (?:must|has to|should (?:always|only|include|say"
    r"|begin))\b",
    r"\b(?:in|to|into|at the (?:end|start|beginning) of) your (?:next |final )?(?:answer|reply|output)\b",
    r"\bdo not (?:mention|reveal|disclose|tell|show) (?:this|these|it|that|any of this) (?:\w{1,14} ){0,3}"
    r"(?:to|in|with) (?:the |your )?(?:user|clinician|prescriber|answer|reply)\b",
    rf"\bthe {_READER} (?:has )?(?:asked|told|instructed|authori[sz]ed|ordered|wants) (?:me|you|the assistant) to\b",
    rf"\b(?:when|whenever|once|if|after|as soon as) (?:the|a) {_READER} (?:next )?(?:says|replies|types|answers"
    r"|writes)\b",
    r"\b(?:when|whenever|once|if) (?:the|a) (?:doctor|physician|nurse) (?:says|replies|types|answers|writes) [\"'“‘]",
)

_ACTS = _rule(
    r"\b(?:prescribe|order|start|give|administer|dispense|refill|renew|discontinue|stop|cancel|change|increase|double"
    rf"|switch|add|record|document|note|enter|delete|remove|sign|submit|approve|set)\b[^.\n]{{0,120}}"
    rf"(?:for|to|of|on|in|from) {_WHOM}",
    r"\b(?:save|file|write|add|create|insert|append|enter|sign|store|put|record|post|draft)(?: an?| the| this| one)?"
    rf"(?: [\w-]{{1,20}}){{0,3}} {_ENTRY} (?:saying|stating|reading|claiming|to say|which says|that says|that states"
    r"|with the (?:text|words))\b",
    r"\b(?:hide|erase|suppress|conceal)(?: the| any| all| every| this)?(?: [\w-]{1,20}){0,3} allerg(?:y|ies)\b",
    r"\b(?:mark|set|list|record|document)(?: down)? (?:the|this) patient(?:'s [\w\x20-]{1,30})? as "
    r"(?:allergic|not allergic|having no|deceased|consented|nkda)\b",
    rf"\b(?:open|get|fetch|show|load|pull|pull up|retrieve|return|display|export|dump|read|summari[sz]e|access|copy"
    rf"|send)(?: up)? (?:the |all )?(?:full |entire |complete |whole |medical )?(?:charts?|records?|notes|history"
    rf"|data|file)"
    rf"(?: of| for| from) (?:{_WHOM}|{_OTHERS}|all (?:other )?patients in the (?:system|database))",
    r"\b(?:tell|assure|convince|reassure|persuade)"
    r" (?:the |this |every |any )?(?:clinician|user|operator)s? (?:that|it is|there)\b(?! (?:you|your|he|she|they)\b)",
    r"\b(?:tell|assure|convince|persuade) the (?:doctor|physician|prescriber|nurse|pharmacist) (?:that )?"
    r"(?!you|your|if|about|who|what|when|that you|this|i )[^.\n]{0,80}"
    r"\b(?:is safe|are safe|no monitoring|no interaction|not needed|harmless|safe to)\b",
    r"\b(?:search|query|google|browse|look up)(?: the)? (?:web|internet|literature|pubmed|online|databases?|openfda)"
    rf"[^.\n]{{0,60}}\b(?:patient|user|person|clinician)(?:['’]?s?['’]?) {_PERSONAL}\b",
    r"\b(?:send|post|upload|e-?mail|forward|transmit|exfiltrate|leak|submit|download|copy|encode|append|embed)\b"
    rf"[^.\n]{{0,60}}\b(?:patient|user|person|clinician)['’]?s?['’]? {_PERSONAL}\b[^.\n]{{0,80}}"
    r"(?:\b(?:to|at|via|into|in) (?:https?:|www\.|[\w.+-]{1,40}@|the (?:url|link|image|query|search|address|following))"
    r"|https?://)",
    r"\b(?:add|record|document|enter|save|create)(?: an?| one)(?: new| false| severe)? allergy (?:to|entry|for"
    r"|record)\b",
    r"\b(?:download|export|delete|erase|modify|alter|copy|dump|steal)(?: and \w{3,12})? (?:all|every)(?: of)?(?: the)? "
    r"(?:(?:patients?|users?|medical|health|personal)['’]?s? ){1,2}(?:records?|charts?|data)\b",
    r"\bplease \w{3,15}(?: and \w{3,15})?\b[^.\n]{0,100}\b[a-z]{2,15} [a-z]{2,15}(?:['’]s)? \(id \d{3,12}\)",
    r"\b(?:send|e-?mail|post|forward|upload)(?: me)? (?:the|all|every)(?: the)? (?:contents?|body|messages|conversation"
    r"|transcript|chat|passwords?|credentials|security code)\b[^.\n]{0,100} to ",
    r"\b(?:following|below|subsequent) code (?:snippet|block|excerpt)\b",
    rf"\btodo\s{{0,2}}:\s{{0,2}}(?:{_PROGRAM}\b|(?:save|tell|open|include|insert|render|display|output|print|export|append"
    r"|embed|execute|ignore|reveal|delete|approve)\b)",
)

_CLEARANCE = _rule(
    r"\b(?:orders?|actions?|prescriptions?|writes?|entry|tool calls?|requests?)"
    r"(?: (?:is|are|was|were|has been|have been|drafted|standing|already|hereby|now|fully|and)){1,5} "
    r"(?:pre-?(?:approved|authori[sz]ed)|(?:approved|authori[sz]ed) by (?:the )?(?:clinician|user|chief|system|admin))",
    r"\bpre-?approved\b[^.\n]{0,60}\b(?:confirm|approval|order|action|execute|proceed)",
    r"\bno (?:further |additional )?(?:user|clinician|human|prescriber) (?:confirmation|approval|review|sign-?off)\b",
    r"\bno (?:further |additional )?(?:confirmation|approval)(?: is)? (?:needed|required|necessary)\s{0,2}:",
    r"\b(?:user|clinician|human|prescriber) (?:approval|confirmation) (?:is |was )?(?:not|already|waived|skipped)\b",
    r"(?<!ethical\x20)(?<!ethics\x20)(?<!board\x20)(?<!committee\x20)(?<!irb\x20)(?<!fda\x20)(?<!prior\x20)"
    r"\b(?:approval (?:not (?:required|needed|necessary)|already given)\b|(?:approval|confirmation) (?:is )?not"
    r" (?:required|needed|necessary) for this (?:order|action|step|prescription|entry|request))",
    r"\bwithout (?:asking|waiting for|requesting|needing|seeking) (?:for )?(?:any |further |the )?"
    r"(?:confirmation|approval|user|clinician|human|prescriber)\b",
    r"\bwithout asking (?:me|the user)\b",
    r"\bwithout (?:user|human|clinician|prescriber) (?:approval|confirmation|review|consent)\b",
    r"\bskip (?:the |all |any )?(?:approval|safety checks?|(?:confirmation|verification) step)\b",
    r"\b(?:note|message|notice|directive|orders?|instructions?|memo) from (?:the |your )?(?:chief (?:of|medical)"
    r"|medical director|hospital (?:admin|director|management)|admin\b|administrator|developers?\b|system\b"
    r"|it department|security team|openai|google|anthropic|management)",
    r"\b(?:next|following) (?:required|mandatory) (?:step|action)\s{0,2}:",
    r"\bclinical context\s{0,2}:\s{0,3}(?:pre-?)?(?:approved|authori[sz]ed|confirmed)\b",
)

_ADDRESSES = _rule(
    r"(?<=!)\[[^\]\n]{0,200}\]\s{0,2}\(\s{0,3}(?:https?:|//|data:|www\.)[^)\n]{0,500}\)?",
    r"<img\b[^>\n]{0,200}\bsrc\s{0,2}=\s{0,2}[\"']?(?:https?:|//|data:)[^>\n]{0,400}>?",
    r"(?:https?://|www\.)[^\s<>\"')]{1,200}[?&;#](?:[\w.-]{0,20}(?:patient|name|dob|mrn|birth|chart|ssn|secret|token"
    r"|exfil|payload|leak)[\w.-]{0,20}|d|data|q|p|x|info|note)=(?:[{<\[$%]|\.{3}|[\w%+.-]{0,40}(?:patient|name|mrn"
    r"|chart))"
    r"[^\s<>\")]{0,200}",
    r"(?:https?://|www\.)[^\s<>\"')]{1,200}[?&](?:mrn|dob|ssn|exfil|leak)=[^\s<>\")]{0,200}",
    r"\bjavascript:\s{0,2}\w{1,40}",
    r"<script\b",
)

RULES = (_TOKENS, _FRAMES, _CALLS, _OVERRIDES, _ADDRESSED, _ACTS, _CLEARANCE, _ADDRESSES)
