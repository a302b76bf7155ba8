"""The vocabulary of done deeds, as patterns to build from: things of ours, and what can be said to be done to them."""

from __future__ import annotations

THING = (
    r"(?:e-?)?(?:prescriptions?|orders?|rx|scripts?|notes?|allerg(?:y|ies)|charts?|records?|ehr|emr|files?|requests?|"
    r"referrals?|refills?|documentation|entr(?:y|ies)|messages?|appointments?|pharmac(?:y|ist|ies)|"
    r"(?:medication|med|problem|allergy)\s+list|medications?|changes?|updates?|summar(?:y|ies)|instructions?|"
    r"(?:care\s+)?team|nurse|doctor|physician|provider)"
)
"""What a clinical system holds, and whom it can tell."""

STRICT = (
    r"(?:e-?|re-?)?(?:prescribed|ordered|submitted|saved|sent(?:\s+(?:off|out|over))?|placed|filed|booked|scheduled|"
    r"refilled|renewed|dispensed|faxed|e-?mailed|transmitted|forwarded|signed(?:\s+off)?|logged|charted|notified|"
    r"informed|alerted|paged|messaged|arranged|uploaded|called\s+in|put\s+in|phoned\s+in|queued|routed|finali[sz]ed)"
)
"""Participles that speak of our own acts when nothing else is said."""

CARE = r"(?:started|initiated|discontinued|stopped|switched|cancell?ed)"
"""Participles of care: an act when the sentence ends there, else a matter of what follows."""

ENTERED = r"(?:added|recorded|documented|entered|updated|created|removed|deleted|stored|registered|corrected|amended)"
LOOSE = (
    rf"(?:{ENTERED}|noted|approved|modified|changed|completed|processed|confirmed|issued|requested|written|referred|"
    r"contacted|edited|reconciled|marked|flagged|set\s+up|taken\s+care\s+of|reduced|increased|decreased|adjusted|"
    r"administered|given|made|generated|enrolled)"
)
"""Participles that are an act only when done to a thing of ours."""

DONE = rf"(?:{STRICT}|{CARE}|{LOOSE})"
DOING = (
    r"(?:(?:e-?)?prescribing|ordering|submitting|saving|sending|placing|filing|booking|scheduling|refilling|renewing|"
    r"faxing|transmitting|forwarding|adding|recording|documenting|entering|updating|notifying|informing|alerting|"
    r"contacting|logging|charting|processing|cancell?ing|discontinuing|issuing|uploading|starting|initiating|"
    r"changing|adjusting|writing|putting|calling)"
)
DO = (
    r"(?:(?:e-?)?prescribe|order|submit|save|send|place|file|book|schedule|refill|renew|fax|transmit|forward|add|"
    r"record|document|enter|update|notify|inform|alert|contact|log|chart|process|cancel|discontinue|issue|upload|"
    r"start|initiate|change|adjust|write\s+(?:a|the|an|up)|put\s+in|call\s+(?:the|in)|let\s+the|arrange|set\s+up|page|"
    rf"be\s+{DOING})"
)
ADVERB = (
    r"(?:(?:now|just|already|also|successfully|since|then|all|both|duly|officially|immediately|automatically|"
    r"electronically|promptly|properly|safely|gone\s+ahead\s+and|went\s+ahead\s+and|right\s+away|proactively|fully|"
    r"been\s+able\s+to|hereby|formally|accordingly|therefore|have)\s+)*"
)

_DONE_TO = rf"(?:has|have|had)\s+{ADVERB}been|['’](?:s|ve)\s+{ADVERB}been|(?:is|are)\s+{ADVERB}being|(?:was|were)"
PERFECT = rf"(?:{_DONE_TO}|(?:is|are|['’]s)\s+now|will\s+{ADVERB}(?:be|have\s+been)|(?:has|have)\s+gotten|got|gets)"
BE = rf"(?:{PERFECT}|is|are|['’]s)"

SELF = (
    r"\b(?:i|we|docgemma|(?:the|this|our|my)\s+(?:assistant|system|agent|ai|software|application|app|team))"
    r"(?:,[^,]{1,30},)?"
)
HAVE = r"(?:\s+(?:have|has|had|did)(?:,[^,]{1,30},)?|['’](?:ve|d|s))?\s+"
OURS = (
    r"(?:the|this|that|your|our|his|her|their|my|\w+['’]s)\s+(?:[\w-]+\s+){0,3}?"
    r"(?:charts?|records?|ehr|emr|files?|(?:\w+\s+)?lists?|system|profile|account|pharmacy|notes?)"
)
PATIENT = r"(?:(?:the|this|your|that)\s+patient|him|her|them|you|mr|mrs|ms)\b"
START = r"^\W*(?:(?:okay|ok|sure|certainly|absolutely|yes|great|perfect|done|alright|of\s+course|no\s+problem)\b\W*)*"
END = r"(?=\s*(?:[.!;:,)*_\"'”]|—|–|$))"
