"""One record of the register, from its service or its bulk files, as a Study.

A record is taken as it comes: whole modules may be missing, and things may lie where texts are promised. What cannot be
read is left empty. Only a record without a trial's number is none. Texts are Markdown with escapes, some with HTML.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from datetime import date
from html import unescape
from typing import Any

from docgemma.entities.words import phrase_list
from docgemma.sources.openfda.texts import plain
from docgemma.sources.trials.contract import Site, Study

_END = r"(?:\s[^<>]{0,500})?/?>"
_INLINE = re.compile(rf"</?(?:b|i|u|em|strong|sup|sub|a|span|font|code){_END}", re.IGNORECASE)
_TAGS = re.compile(
    rf"</?(?:p|br|ul|ol|li|div|h[1-6]|table|tbody|thead|tr|td|th|hr|pre|img|script|style|iframe){_END}", re.IGNORECASE
)
"""By name: "<18 years and >5 kg" is no tag."""

_COMMENT = re.compile(r"<!--.{0,5000}?-->", re.DOTALL)
_BULLET = re.compile(r"^[ \t]{0,40}[*•][ \t]{1,20}", re.MULTILINE)
_ESCAPED = re.compile(r"\\([\\`*_{}\[\]()#+\-.!<>~|=^$&:\"'])")
_DAY = re.compile(r"(\d{4})-(\d{2})(?:-(\d{2}))?", re.ASCII)
_NCT = re.compile(r"NCT\d{8}", re.ASCII)


def words_of(text: object, longest: int) -> str:
    """A text of the register in one line, without markup; empty for what is no text. No word of it is changed."""
    if not isinstance(text, str):
        return ""
    head = text[: 4 * longest]
    if "<" in head:
        head = _TAGS.sub(" ", _INLINE.sub("", _COMMENT.sub(" ", head)))
    if "&" in head:
        head = unescape(head)
    return plain(_ESCAPED.sub(r"\1", _BULLET.sub("", head)))[:longest].rstrip()


def day_of(text: object) -> str:
    """A month or a day as it is registered; empty for what is neither."""
    found = _DAY.fullmatch(text.strip()) if isinstance(text, str) else None
    if found is None:
        return ""
    try:
        date(int(found[1]), int(found[2]), int(found[3] or 1))
    except ValueError:
        return ""
    return found.group()


def nct_id_of(text: object) -> str:
    """The number of a trial, in capitals; empty for what has another shape."""
    found = text.strip().upper() if isinstance(text, str) and len(text) < 40 else ""
    return found if _NCT.fullmatch(found) else ""


PAGE = "https://clinicaltrials.gov/study/"
"""Where a person reads the whole record."""

FIELDS = phrase_list(
    "NCTId, BriefTitle, OfficialTitle, OverallStatus, WhyStopped, StartDate, CompletionDate, LastUpdatePostDate, "
    "LeadSponsorName, BriefSummary, Condition, Keyword, StudyType, Phase, EnrollmentCount, EnrollmentType, "
    "InterventionName, EligibilityCriteria, HealthyVolunteers, Sex, MinimumAge, MaximumAge, LocationFacility, "
    "LocationStatus, LocationCity, LocationState, LocationCountry, HasResults"
)
"""What is read here, by the register's names. Contacts are not: nobody needs their telephone numbers in an answer."""

_NAME = 300
_TEXT = 20_000
_MOST = 100
_MOST_SITES = 3_000
_NO_AGE = frozenset({"", "n/a", "na", "none", "no limit"})
_SENTINEL = 99_999_999
_NINES = 6
"""So many nines and nothing else stand for "we do not say"; a real trial of 999,999 people there is not."""


def study_of(raw: Any) -> Study | None:
    """The record as a Study; None for what is no trial. Never raises."""
    protocol = _part(raw, "protocolSection")
    identity, status = _part(protocol, "identificationModule"), _part(protocol, "statusModule")
    number = nct_id_of(identity.get("nctId"))
    if not number:
        return None
    design, about = _part(protocol, "designModule"), _part(protocol, "conditionsModule")
    who, size = _part(protocol, "eligibilityModule"), _part(design, "enrollmentInfo")
    return Study(
        nct_id=number,
        title=_title(identity),
        status=_word(status.get("overallStatus")),
        why_stopped=words_of(status.get("whyStopped"), _NAME),
        study_type=_word(design.get("studyType")),
        phases=tuple(dict.fromkeys(phase for item in _list(design.get("phases")) if (phase := _word(item)))),
        conditions=_names(about.get("conditions")),
        keywords=_names(about.get("keywords")),
        interventions=_names(_each(protocol, "armsInterventionsModule", "interventions", "name")),
        summary=words_of(_part(protocol, "descriptionModule").get("briefSummary"), _TEXT),
        criteria=words_of(who.get("eligibilityCriteria"), _TEXT),
        minimum_age=_age(who.get("minimumAge")),
        maximum_age=_age(who.get("maximumAge")),
        sex=_word(who.get("sex")),
        healthy_volunteers=_truth(who.get("healthyVolunteers")),
        enrolment=_enrolment(size.get("count")),
        enrolment_estimated=_word(size.get("type")) in ("ESTIMATED", "ANTICIPATED"),
        started=_day(status, "startDateStruct"),
        completed=_day(status, "completionDateStruct"),
        updated=_day(status, "lastUpdatePostDateStruct"),
        sponsor=words_of(_part(_part(protocol, "sponsorCollaboratorsModule"), "leadSponsor").get("name"), _NAME),
        sites=tuple(_sites(protocol)),
        has_results=isinstance(raw, Mapping) and raw.get("hasResults") is True,
        url=PAGE + number,
    )


def _title(identity: Mapping[str, Any]) -> str:
    given = words_of(identity.get("briefTitle"), _NAME) or words_of(identity.get("officialTitle"), _NAME)
    return given or "Trial without a title"


def _part(record: Any, name: str) -> Mapping[str, Any]:
    found = record.get(name) if isinstance(record, Mapping) else None
    return found if isinstance(found, Mapping) else {}


def _list(value: object) -> list[Any]:
    return value if isinstance(value, list) else [] if value is None else [value]


def _each(protocol: Mapping[str, Any], module: str, listed: str, name: str) -> list[Any]:
    items = _list(_part(protocol, module).get(listed))
    return [item.get(name) for item in items[:_MOST] if isinstance(item, Mapping)]


def _names(value: object) -> tuple[str, ...]:
    found = (words_of(item, _NAME) for item in _list(value)[:_MOST])
    return tuple(dict.fromkeys(name for name in found if name))


def _word(value: object) -> str:
    """A value of one of the register's lists, also one that is not on ours."""
    return words_of(value, 60).upper().replace(" ", "_")


def _age(value: object) -> str:
    """As registered. What is no age is kept: it is a limit all the same, and nobody may take it for none."""
    found = words_of(value, 40)
    return "" if found.casefold() in _NO_AGE else found


def _truth(value: object) -> bool | None:
    if isinstance(value, str):
        return {"true": True, "yes": True, "accepts healthy volunteers": True, "false": False, "no": False}.get(
            value.strip().lower()
        )
    return value if isinstance(value, bool) else None


def _enrolment(value: object) -> int | None:
    """How many take part; None for the numbers that stand for "not told"."""
    if not isinstance(value, int) or isinstance(value, bool) or not 0 <= value < _SENTINEL:
        return None
    digits = str(value)
    return None if len(digits) >= _NINES and set(digits) == {"9"} else value


def _day(status: Mapping[str, Any], name: str) -> str:
    return day_of(_part(status, name).get("date"))


def _sites(protocol: Mapping[str, Any]) -> Iterator[Site]:
    for item in _list(_part(protocol, "contactsLocationsModule").get("locations"))[:_MOST_SITES]:
        if not isinstance(item, Mapping):
            continue
        facility, city, state, country = (
            words_of(item.get(name), _NAME) for name in ("facility", "city", "state", "country")
        )
        if facility or city or state or country:
            yield Site(facility, city, state, country, _word(item.get("status")))
