"""The vocabulary of "how often": phrases and abbreviations with their standard words. Hand-written, not reviewed."""

from __future__ import annotations

MOMENTS = (
    "every morning",
    *(f"{when} breakfast" for when in ("before", "with", "after")),
    "at noon",
    *(f"{when} lunch" for when in ("before", "with", "after")),
    "every evening",
    *(f"{when} dinner" for when in ("before", "with", "after")),
    "at bedtime",
    *(f"{when} meals" for when in ("before", "with", "after")),
    "on an empty stomach",
)
"""Times of the day in their order; they refine another frequency or stand alone."""

UNCOUNTED = frozenset({"before meals", "with meals", "after meals", "on an empty stomach"})
"""Moments that say nothing of how many times a day."""

DAYS = ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday")

BANNED = {
    "qd": "once daily",
    "od": "once daily",
    "qod": "every other day",
    "eod": "every other day",
    "hs": "at bedtime",
    "on": "at bedtime",
    "om": "every morning",
    "tiw": "3 times weekly",
    "biw": "twice weekly",
    "biweekly": "",
    "bi-weekly": "",
    "bimonthly": "",
}
"""Forms that are misread or mean two things, with their likely meaning. They stay as written until asked about;
"od" only where it may be an eye."""

_MEALS = {
    "meals": "meals meal food eating",
    "breakfast": "breakfast brekkie",
    "lunch": "lunch",
    "dinner": "dinner supper",
}
_SIDES = {"before": "before b4", "with": "with w/", "after": "after"}
_PHRASES = {
    "twice daily": "bid bd bds",
    "three times daily": "tid tds",
    "four times daily": "qid qds",
    "once daily": "daily dly qday q_day qdaily every_day everyday each_day",
    "every other day": (
        "every_other_day every_alternate_day alternate_days alternate_day on_alternate_days every_second_day "
        "every_2nd_day alternating_days once_every_other_day every_other_night"
    ),
    "every 3 days": "every_third_day every_3rd_day",
    "once weekly": "weekly wkly every_week each_week q_week qweek qwk q_wk qweekly",
    "every 2 weeks": "fortnightly every_fortnight once_a_fortnight every_other_week every_second_week alternate_weeks",
    "once monthly": "monthly every_month each_month q_month qmonth",
    "every 3 months": "quarterly",
    "once yearly": "yearly annually every_year once_a_year once_yearly",
    "every 1 hour": "hourly every_hour every_1_hour qh q1h",
    "as needed": (
        "prn as_needed if_needed when_needed when_required as_required if_required whenever_needed sos "
        "as_and_when_needed as_and_when as_necessary if_necessary when_necessary"
    ),
    "once now": "stat immediately_once once_now",
    "once only": (
        "once_only only_once just_once one_time one_time_only single_dose one_dose 1_dose one_off one-off "
        "one_dose_only as_a_one_off single_stat_dose once_off x1_dose x_1_dose"
    ),
    "at bedtime": (
        "qhs nightly every_night each_night at_night nocte qnight at_bedtime at_bed_time before_bed b4_bed "
        "before_bedtime before_sleep before_sleeping at_hs bedtime"
    ),
    "every morning": (
        "qam mane every_morning each_morning in_the_morning in_the_mornings mornings every_am in_the_am in_am "
        "in_morning"
    ),
    "every evening": (
        "qpm every_evening each_evening in_the_evening in_the_evenings evenings every_pm in_the_pm in_pm in_evening"
    ),
    "at noon": "at_noon at_midday midday at_lunchtime every_noon every_afternoon in_the_afternoon",
    "before breakfast": "bbf before_bf first_thing_in_the_morning",
    "after breakfast": "abf after_bf",
    "before meals": "qac before_each_meal before_every_meal ac_meals before_taking_food",
    "with meals": "with_each_meal with_every_meal with_or_after_food",
    "after meals": "qpc after_each_meal after_every_meal",
    "on an empty stomach": "on_an_empty_stomach empty_stomach on_empty_stomach",
    "every morning and at bedtime": "morning_and_night morning_&_night morning_and_bedtime mornings_and_nights",
    "every morning and every evening": "morning_and_evening morning_&_evening am_and_pm am_&_pm am/pm am+pm",
    "every morning and at noon and at bedtime": "morning_noon_and_night morning_noon_night",
    "on Monday, Tuesday, Wednesday, Thursday and Friday": "on_weekdays weekdays mon-fri monday_to_friday mon_to_fri",
    "on Monday, Wednesday and Friday": "mwf m/w/f",
    "on Saturday and Sunday": "on_weekends weekends at_weekends",
}
FIXED = {
    **{phrase.replace("_", " "): value for value, phrases in _PHRASES.items() for phrase in phrases.split()},
    **{
        f"{word} {meal}": f"{side} {meals}"
        for side, words in _SIDES.items()
        for word in words.split()
        for meals, listed in _MEALS.items()
        for meal in listed.split()
    },
    **{f"{side} evening meal": f"{side} dinner" for side in _SIDES},
}
"""Phrase in lower case → standard words."""

WEAK = {"ac": "before meals", "pc": "after meals", "am": "every morning", "pm": "every evening"}
"""Short words of everyday language: a frequency only right after another amount."""
