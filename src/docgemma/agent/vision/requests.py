"""What a message wants of an image: one that was sent before, a comparison, or places to be marked.

Pure functions over words. Whoever asks "and the left lung?" after an X-ray means that X-ray; whoever asks "what does a
chest X-ray show in tuberculosis?" means none.
"""

from __future__ import annotations

import re
from typing import Literal

from docgemma.entities.model import Entities
from docgemma.entities.words import words

Meant = Literal["this", "perhaps", "no"]
"""Whether a message without an image is about one that was sent before: plainly, only right after it, or not."""

_LONGEST = 18
"""Words of a message that can lean on what was shown before it. A longer one speaks for itself."""

_NOUN = (
    r"(?:images?|x-?rays?|cxrs?|axrs?|scans?|films?|pictures?|pics?|photos?|photographs?|slides?|ct|cts|mri|mris"
    r"|radiographs?|ultrasound|mammogram|dicom)"
)
_AGAIN = re.compile(
    rf"\b(?:this|that|these|those|same|the\s(?:same|attached|uploaded|above|current|last|previous|earlier|first|second|new|old"
    rf"|other|prior)|(?:my|our)\s(?:last|earlier|previous))\s(?:\w{{1,20}}\s){{0,2}}{_NOUN}\b"
    rf"|\b{_NOUN}\s(?:above|again|(?:that\s)?(?:i|we)\s(?:just\s)?(?:sent|attached|uploaded|showed|gave|shared))\b",
    re.IGNORECASE,
)
_THE = re.compile(rf"\bthe\s(?:\w{{1,20}}\s){{0,2}}{_NOUN}\b|\b(?:on|in)\s(?:it|there)\b", re.IGNORECASE)
_ELSEWHERE = re.compile(
    r"\b(?:chart|record|records|history|notes?|report|reports|order|book|arrange|request|repeat|schedule|refer"
    r"|indicat\w{0,20}|guideline\w{0,20}|typical\w{0,20}|usually|in\sgeneral|sensitiv\w{0,20}|should|when\sto|do\s(?:i|we)\sneed|need\san?"
    r"|evidence|studies|trials?|literature|pubmed|papers?)\b",
    re.IGNORECASE,
)
"""Speaks of images in general, of ordering one, or of what a chart or a paper says of one."""

_PLACES = re.compile(
    r"\b(?:lungs?|lobes?|hil(?:um|a|ar)|mediastin\w{0,20}|pleura\w{0,20}|heart|cardiac|aort\w{0,20}|trachea\w{0,20}|diaphragm\w{0,20}|ribs?|"
    r"clavicles?|spine|vertebra\w{0,20}|disc|discs|skull|brain|ventricles?|sulci|midline|sinus\w{0,20}|orbits?|mandible|neck|"
    r"shoulders?|humerus|elbow|wrist|hand|fingers?|hip|hips|pelvis|femur|knee|tibia|fibula|ankle|foot|toes?|bones?|"
    r"joints?|liver|spleen|kidneys?|bladder|bowel|abdomen|pancreas|breast|retina|macula|optic|apex|apices|apical|bases?|"
    r"basal|upper|lower|middle|left|right|side|sides|margins?|borders?|edges?|background|costophrenic|angles?|fissures?)\b",
    re.IGNORECASE,
)
_SIGNS = re.compile(
    r"\b(?:effusions?|pneumothorax|pneumothoraces|consolidations?|opacit\w{1,20}|infiltrat\w{1,20}|nodul\w{1,20}|mass|masses|lesions?|"
    r"fractur\w{1,20}|dislocat\w{1,20}|subluxat\w{1,20}|cardiomegaly|enlarge\w{0,20}|congestion|oedema|edema|atelecta\w{1,20}|collapse\w{0,20}|"
    r"cavit\w{1,20}|calcifi\w{1,20}|bleed\w{0,20}|h(?:a)?emorrhag\w{1,20}|infarct\w{0,20}|shift|hydrocephalus|stones?|gas|air|fluid|swelling|"
    r"thicken\w{0,20}|tumou?rs?|metasta\w{1,20}|cysts?|lines?|tubes?|catheters?|pacemaker|implants?|devices?|artefacts?|artifacts?|"
    r"abnormal\w{0,20}|normal|findings?|changes?|shadow\w{0,20}|lucenc\w{1,20}|erosions?|exudates?|microaneurysms?|drusen|asymmetr\w{1,20}|"
    r"pigment\w{0,20}|colou?rs?|ulcer\w{0,20}|rash|mole|naevus|nevus|mitos[ei]s|cells?|nuclei|glands?|necrosis)\b",
    re.IGNORECASE,
)
_LEADS = re.compile(
    r"\W{0,3}(?:(?:ok|okay|and|so|thanks|please|now|then|but|also)\W{1,3}){0,3}"
    r"(?:what\sabout|how\sabout|any|is\sthere|are\sthere|is\sthis|is\sit|is\sthat|is\sthe|are\sthe|does\sit|do\syou\ssee"
    r"|can\syou\ssee|could\s(?:it|this|that)\sbe|how\s(?:big|large|many|wide|severe)|which\s(?:side|lobe|lung|one)"
    r"|look|check|describe|and\sthe|the\s(?:left|right|upper|lower|heart|lungs?|bones?)|left|right|no\s|size)",
    re.IGNORECASE,
)
_GENERAL = re.compile(
    r"\W{0,3}(?:(?:and|so|ok|okay)\W{1,3})?(?:what(?:['’]s|\sis|\sare|\scauses?|\sdoes\s\w{1,20}\smean)\s(?!(?:this|that|it"
    r"|there|the)\b)|how\s(?:do|to|should|is|are)\b|why\b|define\b|explain\b|treat\w{0,20}\b|manage\w{0,20}\b|list\b)",
    re.IGNORECASE,
)
"""Asks what a thing is or what to do about it, not whether it is there."""

_CURES = re.compile(
    r"\b(?:cures?|treatments?|drugs?|medic\w{1,20}|antibiotics?|dos(?:e|es|age)|vaccin\w{0,20}|risk\sof|causes?\sof|guidelines?"
    r"|prognosis|therap\w{1,20}|antidotes?)\b",
    re.IGNORECASE,
)
_WHERE = re.compile(
    r"\bwhere(?:['’]s|\sis|\sare|\sexactly|\sdo\syou|\scan\syou|\son|\sin|\sabouts?)?\b|\b(?:mark|outline|highlight|locate"
    r"|localis\w{0,20}|localiz\w{0,20}|annotate|circle|point\s(?:out|to|at)|draw|box|bounding\sbox(?:es)?)\b"
    r"|\bshow\s(?:me\s)?(?:where|its?\slocation|the\s(?:location|position|place|area|region))\b"
    r"|\b(?:location|position)\sof\b",
    re.IGNORECASE,
)
_SHOW_IT = re.compile(r"\bshow\s(?:me\s)?(?:the|that|this|it|these|those)\b", re.IGNORECASE)
_COMPARE = re.compile(
    r"\b(?:compar\w{1,20}|versus|vs\.?|interval\schanges?|progress(?:ed|ion)|regress(?:ed|ion)|resol(?:ved|ution|ving)"
    r"|(?:any|what(?:['’]s|\sis|\shas)?|has\s(?:it|this|that|anything|the\s\w{1,20}(?:\s\w{1,20})?))\s(?:changed?|changes|new|different"
    r"|improved|worsened|better|worse)|what\schanged|better\sor\sworse|(?:improved|worse|better|worsened|larger|smaller"
    r"|bigger|different|changed?|changes)\s(?:\w{1,20}\s){0,2}(?:than|since|from|to)\s(?:\w{1,20}\s){0,2}(?:before|last|previous|prior"
    r"|earlier|old|first|yesterday)|since\sthe\s(?:last|previous|prior|earlier)|(?:last|previous|prior|earlier|old|first)\s"
    rf"{_NOUN})\b",
    re.IGNORECASE,
)


def asks_where(message: str) -> bool:
    """Whether places are to be marked. "What does it show?" asks for none; "show me the nodule" does."""
    if _WHERE.search(message):
        return True
    return bool(_SHOW_IT.search(message) and (_SIGNS.search(message) or _PLACES.search(message)))


def asks_to_compare(message: str) -> bool:
    """Whether two images are to be held against each other."""
    return bool(_COMPARE.search(message))


def refers_to_image(message: str, entities: Entities) -> Meant:
    """Whether a message that brings no image is about one that was sent before.

    Never where it names a person, or asks for a look-up or an entry of its own.
    """
    if entities.small_talk or entities.writes or entities.undoable or entities.drugs or entities.unlisted_drugs:
        return "no"
    if entities.person_names or entities.patient_ids or len(words(message)) > _LONGEST:
        return "no"
    again = bool(_AGAIN.search(message))
    if _ELSEWHERE.search(message) or (not again and (_GENERAL.match(message) or _CURES.search(message))):
        return "no"
    asked = {ask.tool for ask in entities.asks}
    compared = asks_to_compare(message) and not entities.labs  # "what has changed?" may be read as a look at a chart
    if asked - {"analyze_medical_image", *(("get_patient_chart",) if compared else ())} and not again:
        return "no"
    if again:
        return "this"
    if "analyze_medical_image" in asked:
        return "perhaps"
    leans = _THE.search(message) or asks_where(message) or asks_to_compare(message)
    seen = _SIGNS.search(message) or _PLACES.search(message)
    return "perhaps" if leans or (seen and _LEADS.match(message)) else "no"
