"""What a medicine is ordered for: "for pain", "for his UTI". Only words of the list below, so that no person is one.

Hand-written, not reviewed by a clinician.
"""

from __future__ import annotations

import re

from docgemma.entities.model import Mention

_NOUNS = (
    "pain|ache|headaches?|migraines?|fever|cough|colds?|flu|nausea|vomiting|diarrh?o?ea|constipation|heartburn|reflux|gerd|gord"
    "|dyspepsia|itch(?:ing)?|rash|eczema|acne|psoriasis|allerg(?:y|ies)|hay\\sfever|insomnia|sleep|anxiety|depression|agitation"
    "|hypertension|htn|bp|blood\\spressure|diabetes|t2dm|t1dm|dm2?|cholesterol|hyperlipid[a-z]{2,5}|angina|hf|chf|heart\\sfailure|af|afib"
    "|atrial\\sfibrillation|dvt|pe|clots?|stroke\\sprevention|vte\\sprophylaxis|prophylaxis|anticoagulation|asthma|copd|wheeze|wheezing"
    "|pneumonia|cap|bronchitis|sinusitis|tonsillitis|otitis(?:\\smedia)?|uti|cystitis|pyelonephritis|cellulitis|infections?|sepsis|abscess"
    "|thrush|candida|gout|arthritis|osteoarthritis|oa|ra|osteoporosis|neuropathy|neuralgia|epilepsy|seizures?|hypothyroidism"
    "|an?emia|iron\\sdeficiency|oedema|edema|swelling|inflammation|bph|spasms?|cramps?|cancer|malaria|tb|tuberculosis|h\\.?\\spylori|scabies"
    "|worms|smoking\\scessation|withdrawal|contraception|dysmenorrh?o?ea|menopause|vertigo|dizziness|conjunctivitis|glaucoma"
)
_INDICATION = re.compile(
    r"(?:(?<!\w)(?:for|to\streat)\s{1,2}|(?<=prn\s)|(?<=needed\s)|(?<=sos\s))"
    r"(?:(?:his|her|their|the|an?|this|pt'?s|patient'?s|suspected|presumed)\s{1,2}){0,2}"
    rf"(?P<what>(?:(?!(?:and|or|with|for)\s)[a-z][a-z-]{{1,14}}\s{{1,2}}){{0,2}}(?:{_NOUNS}))(?![\w-])",
    re.IGNORECASE,
)


def find_indications(text: str, start: int, end: int) -> tuple[Mention, ...]:
    """Reasons inside this span, as "for …" without possessives."""
    return tuple(
        Mention(m.group(), m.start(), m.end(), f"for {' '.join(m['what'].split())}")
        for m in _INDICATION.finditer(text, start, end)
    )
