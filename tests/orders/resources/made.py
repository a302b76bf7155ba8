"""Rows of the ledger as an approval leaves them, and drafts of every shape to put into them."""

from __future__ import annotations

from typing import Any

from hypothesis import strategies as st

from docgemma.orders import drafting
from docgemma.orders.drafting import Unclear
from docgemma.orders.model import Allergy, Card, Decision, Draft, Note, Prescription, Row, card_id, digest

APPROVED = Decision(who="dr.lee", may_prescribe=True)


def row(draft: Draft, decision: Decision = APPROVED, **card: Any) -> Row:
    given: dict[str, Any] = {
        "draft": draft,
        "banner": "Ann Lee, 1950-02-03",
        "text": "as approved",
        "version": "v1",
        "created_at": "2026-03-01T12:00:00.000000+00:00",
        "expires_at": "2026-03-01T13:00:00.000000+00:00",
        "proposed_by": "dr.lee",
        "session_id": "s1",
        "turn_id": "t1",
        "software": "docgemma 0.1.0, rules",
    }
    made = Card(**(given | card))
    hash_ = digest(made)
    decided = "2026-03-01T12:10:00.123456+00:00"
    return Row(
        card_id(hash_), hash_, "approved", made, decision, decided, "", "", 0, "", "", "", None, False, decided
    )  # fmt: skip


def prescribed(
    drug: str = "metformin", dose: str = "500 mg", often: str = "twice daily", notes: str = ""
) -> Prescription:
    made = drafting.prescription("p-1", drug, dose, often, notes)
    assert isinstance(made, Prescription), made
    return made


def allergic(substance: str = "penicillin", reaction: str = "rash", severity: str = "") -> Allergy:
    made = drafting.allergy("p-1", substance, reaction, severity)
    assert isinstance(made, Allergy), made
    return made


def noted(text: str = "Seen today.\n\tWell.", kind: str = "progress note", *, by_model: bool = False) -> Note:
    made = drafting.note("p-1", kind, text, by_model=by_model)
    assert isinstance(made, Note), made
    return made


_WORDS = st.text("abc déß“”<>&;,.\n\t0123 ", min_size=1, max_size=60).filter(lambda text: bool(text.strip()))
_AMOUNTS = st.sampled_from(
    [
        "5 mg",
        "0.25 mg",
        "1,000 mg",
        "12.5 mcg",
        "10 units",
        "1 million units",
        "40 mEq",
        "1 tablet",
        "half a tablet",
        "1 and a half tablets",
        "2 puffs",
        "1 drop",
        "10 mL",
        "5 mg/kg",
        "25 mcg/h",
        "0.1 mcg/kg/min",
        "15 mg/kg/day",
        "75 mg/m2",
        "875/125 mg",
        "0.1%",
        "1 tablet of 500 mg",
        "2 g",
        "2 L/min",
        "1 patch",
        "5 teaspoons",
        "2 puffs of 100 mcg",
        "20 mg/day",
    ]
)
_OFTEN = st.sampled_from(
    [
        "once daily",
        "bid",
        "every 4-6 hours as needed",
        "every 8 hours",
        "weekly",
        "on Monday and Thursday",
        "every morning and at bedtime",
        "stat",
        "once only",
        "three times daily before meals",
        "as needed",
        "every other day",
        "monthly",
        "once daily on an empty stomach",
        "every 3 months",
        "5 times daily",
        "before meals",
        "once now then twice daily",
        "every other day at bedtime",
    ]
)
_DETAILS = st.lists(
    st.sampled_from(
        [
        "by mouth", "for 7 days", "for 5-7 days", "for up to 3 weeks", "for 3 doses", "until Friday", "long term",
        "for gout", "dispense 30", "2 refills", "no refills", "supply for 1 month", "maximum 4 g in 24 hours",
        "maximum 8 tablets in 24 hours", "over 30 minutes", "keep in the fridge", "x 10 nights",
    ]
    ),
    max_size=4,
    unique=True,
).map("; ".join)  # fmt: skip
_DRUGS = st.sampled_from(["metformin", "Lipitor", "co-amoxiclav", "insulin glargine", "sacubitril and valsartan"])

_PRESCRIPTIONS = st.builds(
    lambda *given: drafting.prescription("p-1", *given), _DRUGS, _AMOUNTS, _OFTEN, _DETAILS
).filter(lambda made: not isinstance(made, Unclear))
_ALLERGIES = st.builds(
    lambda *given: drafting.allergy("p-1", *given),
    st.sampled_from(["penicillin", "peanuts", "latex", "Lipitor", "kinesio tape", "sulfa", "penicillin tablets"]),
    st.sampled_from(["rash", "unknown", "anaphylaxis", "swelling of lips, hives", "“went blue” & <fell>"]),
    st.sampled_from(["", "mild", "severe", "life-threatening", "low-risk"]),
).filter(lambda made: not isinstance(made, Unclear))
_NOTES = st.builds(
    lambda kind, text, by_model: drafting.note("p-1", kind, text, by_model=by_model),
    st.sampled_from(["progress", "discharge summary", "H&P", "ward round", "Something else", "renal consult note"]),
    _WORDS,
    st.booleans(),
).filter(lambda made: not isinstance(made, Unclear))
DRAFTS: st.SearchStrategy[Draft] = st.one_of(_PRESCRIPTIONS, _ALLERGIES, _NOTES)
DECISIONS = st.builds(
    Decision,
    who=st.sampled_from(["dr.lee", "nurse O’Neil"]),
    may_prescribe=st.booleans(),
    override=st.sampled_from(["", "benefit outweighs it, discussed with the patient"]),
    acknowledged=st.booleans(),
)
