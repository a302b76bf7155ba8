"""Words of a question that asks nothing in particular of an image: "please describe this X-ray"."""

import re

GENERAL_LOOK = re.compile(
    r"(?<![\w-])(?:what(?:'s|\sis|\sare|\sdo|\scan|\sdoes)?|do|you|see|describe|analy[sz]e|interpret|interpretation|read|look|at"
    r"|here|is|this|these|that|the|a|an|in|on|of|my|attached|image|images|x-?ray|cxr|ct|mri|scan|film|picture|photo|slide"
    r"|radiograph|chest|please|findings?|tell|me|about|show|shows|shown|can|could|any|it|and|for|give|your|thoughts|report"
    r"|hello|hi|thanks|patient|what's|abnormal(?:ity|ities)?|there|anything)(?![\w-])",
    re.IGNORECASE,
)
