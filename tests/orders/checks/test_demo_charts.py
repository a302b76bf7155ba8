"""The fictional patients end to end: what a clinician would expect of each order, written by hand.

An expectation names a check and how it ends; `-` before it says that it must not end so.
"""

from __future__ import annotations

import pytest

from docgemma.orders.model import Check
from tests.orders.checks.given import checked, demo_facts, order

ORDERS: dict[str, tuple[str, str, str, str]] = {
    "amoxicillin": ("amoxicillin", "500 mg", "three times daily", "by mouth"),
    "co-amoxiclav": ("co-amoxiclav", "500/125 mg", "three times daily", "by mouth"),
    "ceftriaxone": ("ceftriaxone", "1 g", "once daily", "intravenous"),
    "ibuprofen": ("ibuprofen", "400 mg", "three times daily", "by mouth"),
    "lisinopril": ("lisinopril", "10 mg", "once daily", "by mouth"),
    "metformin": ("metformin", "500 mg", "twice daily", "by mouth"),
    "simvastatin": ("simvastatin", "20 mg", "at bedtime", "by mouth"),
    "trimethoprim/sulfamethoxazole": ("trimethoprim/sulfamethoxazole", "160/800 mg", "twice daily", "by mouth"),
    "ciprofloxacin": ("ciprofloxacin", "500 mg", "twice daily", "by mouth"),
    "nitrofurantoin": ("nitrofurantoin", "100 mg", "twice daily", "by mouth"),
    "methotrexate": ("methotrexate", "10 mg", "once weekly", "by mouth"),
    "propranolol": ("propranolol", "40 mg", "twice daily", "by mouth"),
    "codeine": ("codeine", "30 mg", "every 6 hours", "by mouth"),
    "omeprazole": ("omeprazole", "20 mg", "once daily", "by mouth"),
    "morphine": ("morphine", "10 mg", "every 4 hours", "by mouth"),
    "warfarin": ("warfarin", "5 mg", "once daily", "by mouth"),
}

EXPECTED: dict[tuple[str, str], str] = {
    # John Smith: diabetes; sulfonamide rash; ibuprofen from the supermarket
    ("abc-123", "metformin"): "duplicate hard_stop, renal passed",
    ("abc-123", "lisinopril"): "duplicate hard_stop",
    ("abc-123", "trimethoprim/sulfamethoxazole"): "allergy hard_stop, interaction warning",
    ("abc-123", "simvastatin"): "duplicate warning",
    ("abc-123", "ibuprofen"): "duplicate hard_stop, interaction warning",
    ("abc-123", "amoxicillin"): "allergy passed, duplicate passed, dose passed, -any hard_stop",
    ("abc-123", "warfarin"): "interaction warning",
    # Maria Garcia, 1961: kidneys failing, codeine not borne
    ("def-456", "metformin"): "renal hard_stop, allergy passed",
    ("def-456", "ibuprofen"): "renal hard_stop, interaction warning",
    ("def-456", "nitrofurantoin"): "renal hard_stop",
    ("def-456", "methotrexate"): "renal hard_stop, weekly passed",
    ("def-456", "codeine"): "allergy hard_stop",
    ("def-456", "morphine"): "allergy warning",
    ("def-456", "lisinopril"): "interaction warning, renal warning",
    # Maria Garcia, 1994: 26 weeks pregnant, no known allergy
    ("ghi-789", "lisinopril"): "pregnancy hard_stop, allergy passed",
    ("ghi-789", "methotrexate"): "pregnancy hard_stop",
    ("ghi-789", "warfarin"): "pregnancy hard_stop",
    ("ghi-789", "amoxicillin"): "pregnancy passed, allergy passed, -any hard_stop, interaction not_checked",
    ("ghi-789", "ibuprofen"): "pregnancy warning",
    # James Wilson Sr.: warfarin; anaphylaxis to penicillin
    ("jkl-012", "amoxicillin"): "allergy hard_stop",
    ("jkl-012", "co-amoxiclav"): "allergy hard_stop",
    ("jkl-012", "ceftriaxone"): "allergy warning, -any hard_stop, interaction warning",
    ("jkl-012", "ibuprofen"): "interaction warning, age warning, allergy passed",
    ("jkl-012", "trimethoprim/sulfamethoxazole"): "interaction warning, allergy passed",
    ("jkl-012", "warfarin"): "duplicate hard_stop",
    ("jkl-012", "propranolol"): "duplicate warning",
    # James Wilson Jr.: nobody recorded whether there are allergies
    ("mno-345", "amoxicillin"): "allergy not_checked, -any hard_stop",
    ("mno-345", "propranolol"): "allergy not_checked, interaction warning",
    # James Wilson, 1949: fourteen orders, aspirin allergy unconfirmed
    ("pqr-678", "ibuprofen"): "allergy hard_stop, duplicate warning, renal warning",
    ("pqr-678", "omeprazole"): "duplicate hard_stop",
    ("pqr-678", "simvastatin"): "duplicate hard_stop",
    ("pqr-678", "warfarin"): "interaction warning",
    # Two of one name: only one takes levothyroxine and is free of allergies
    ("vwx-234", "amoxicillin"): "allergy passed",
    ("stu-901", "amoxicillin"): "allergy passed",
    # Márta Kovács: heart failure, eight medicines
    ("yza-567", "lisinopril"): "interaction hard_stop",
    ("yza-567", "ibuprofen"): "interaction warning, renal warning",
    ("yza-567", "warfarin"): "interaction warning, duplicate warning",
    # José Miguel: seven years old, 23 kg; amoxicillin rash unconfirmed
    ("bcd-890", "amoxicillin"): "allergy hard_stop, dose not_checked",
    ("bcd-890", "codeine"): "age hard_stop",
    ("bcd-890", "ibuprofen"): "weight hard_stop, dose not_checked",
    ("bcd-890", "metformin"): "age hard_stop",
    # Fatima Al-Haddad: migraine; sertraline and propranolol
    ("cde-321", "propranolol"): "duplicate hard_stop",
    ("cde-321", "morphine"): "allergy passed, dose passed",
    ("cde-321", "lisinopril"): "pregnancy not_checked",
    # Kwame Mensah: angioedema from lisinopril
    ("efg-654", "lisinopril"): "allergy hard_stop",
    ("efg-654", "amoxicillin"): "allergy passed, -any hard_stop",
    # Priya: latex, ciprofloxacin unconfirmed, penicillin refuted, morphine in error
    ("fgh-987", "amoxicillin"): "allergy passed, -any hard_stop",
    ("fgh-987", "ciprofloxacin"): "allergy hard_stop",
    ("fgh-987", "morphine"): "allergy passed",
    # Olúwaṣeun: ceftriaxone gave hives
    ("hij-246", "ceftriaxone"): "allergy hard_stop",
    ("hij-246", "amoxicillin"): "allergy warning, -any hard_stop",
    # Arthur Pemberton has died
    ("klm-135", "amoxicillin"): "patient hard_stop",
    ("klm-135", "trimethoprim/sulfamethoxazole"): "patient hard_stop, allergy hard_stop",
    # Siân: nitrofurantoin rash; "no known allergy" was withdrawn
    ("nop-864", "nitrofurantoin"): "allergy hard_stop",
    ("nop-864", "amoxicillin"): "allergy passed",
    ("nop-864", "ibuprofen"): "interaction warning",
}


def fits(expectation: str, found: tuple[Check, ...]) -> bool:
    name, outcome = expectation.removeprefix("-").split()
    there = any(check.outcome == outcome and name in (check.name, "any") for check in found)
    return there != expectation.startswith("-")


@pytest.mark.parametrize(("patient", "medication"), EXPECTED)
async def test_what_a_clinician_would_expect(patient: str, medication: str) -> None:
    found = await checked(order(*ORDERS[medication]), demo_facts()[patient])
    missed = [each for each in EXPECTED[patient, medication].split(", ") if not fits(each, found)]
    assert not missed, [(check.name, check.outcome, check.detail) for check in found]


@pytest.mark.parametrize("patient", sorted(demo_facts()))
async def test_whatever_is_ordered(patient: str) -> None:
    """Every stop and warning shows what it rests on; every check speaks; a living patient's name is in no line."""
    of = demo_facts()[patient]
    for medication in ("co-amoxiclav", "ibuprofen"):
        found = await checked(order(*ORDERS[medication]), of)
        assert {check.name for check in found} >= {
            "allergy", "interaction", "duplicate", "renal", "age", "pregnancy", "weight", "weekly", "dose",
        }  # fmt: skip
        assert all(check.basis for check in found if check.outcome in ("hard_stop", "warning"))
        assert all(check.detail.endswith((".", "”", "…")) for check in found)
        assert not any(of.person.name in check.detail for check in found)


def test_the_patients_are_read_as_they_are() -> None:
    found = demo_facts()
    assert found["ghi-789"].pregnant is True and found["vwx-234"].pregnant is None
    assert found["def-456"].egfr is not None and found["def-456"].egfr < 30
    assert found["bcd-890"].weight_kg == 23.2 and found["bcd-890"].age is not None and 7 < found["bcd-890"].age < 8
    assert found["klm-135"].person.deceased
    assert [entry.name for entry in found["fgh-987"].refuted] == ["Penicillin"]
    assert not found["nop-864"].stated_none and not found["mno-345"].allergies
