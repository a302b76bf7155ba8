"""What can be searched for: one table, per kind of resource, of names, types and the elements they look at.

The names are those of FHIR R4. What is not in the table is refused, never ignored: a search that drops a condition
would answer with other people's data.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cache
from typing import Literal, cast

ParamType = Literal["string", "token", "reference", "date", "quantity", "uri", "flag"]

_TABLE = """
*
  token     _id=id _tag=meta.tag _security=meta.security identifier
  date      _lastUpdated=meta.lastUpdated
  uri       _profile=meta.profile
Patient
  string    name family=name.family given=name.given address address-city=address.city
  string    address-country=address.country address-postalcode=address.postalCode address-state=address.state
  token     gender active telecom phone=telecom[system=phone] email=telecom[system=email]
  token     address-use=address.use language=communication.language
  date      birthdate=birthDate death-date=deceasedDateTime
  reference general-practitioner=generalPractitioner organization=managingOrganization>Organization
  reference link=link.other
  flag      deceased=deceasedBoolean|deceasedDateTime
AllergyIntolerance
  owner     patient>Patient
  token     code=code|reaction.substance category type criticality clinical-status=clinicalStatus
  token     verification-status=verificationStatus manifestation=reaction.manifestation
  token     severity=reaction.severity route=reaction.exposureRoute
  date      date=recordedDate onset=reaction.onset last-date=lastOccurrence
  reference asserter recorder
Condition
  owner     patient=subject>Patient subject
  string    onset-info=onsetString
  token     code category severity clinical-status=clinicalStatus verification-status=verificationStatus
  token     body-site=bodySite
  date      onset-date=onsetDateTime|onsetPeriod abatement-date=abatementDateTime|abatementPeriod
  date      recorded-date=recordedDate
  reference encounter>Encounter asserter
MedicationRequest
  owner     patient=subject>Patient subject
  token     code=medicationCodeableConcept status intent category priority
  date      authoredon=authoredOn date=dosageInstruction.timing.event
  reference encounter>Encounter medication=medicationReference>Medication requester intended-performer=performer
MedicationStatement
  owner     patient=subject>Patient subject
  token     code=medicationCodeableConcept status category
  date      effective=effectiveDateTime|effectivePeriod
  reference medication=medicationReference>Medication context source=informationSource part-of=partOf
MedicationAdministration
  owner     patient=subject>Patient subject
  token     code=medicationCodeableConcept status reason-given=reasonCode reason-not-given=statusReason
  date      effective-time=effectiveDateTime|effectivePeriod
  reference medication=medicationReference>Medication context performer=performer.actor
  reference request>MedicationRequest
MedicationDispense
  owner     patient=subject>Patient subject
  token     code=medicationCodeableConcept status type
  date      whenhandedover=whenHandedOver whenprepared=whenPrepared
  reference medication=medicationReference>Medication prescription=authorizingPrescription>MedicationRequest
  reference performer=performer.actor
Observation
  owner     patient=subject>Patient subject
  string    value-string=valueString
  token     code component-code=component.code combo-code=code|component.code category status method
  token     data-absent-reason=dataAbsentReason value-concept=valueCodeableConcept
  date      date=effectiveDateTime|effectivePeriod|effectiveTiming|effectiveInstant
  date      value-date=valueDateTime|valuePeriod
  quantity  value-quantity=valueQuantity component-value-quantity=component.valueQuantity
  quantity  combo-value-quantity=valueQuantity|component.valueQuantity
  reference encounter>Encounter performer specimen>Specimen based-on=basedOn part-of=partOf has-member=hasMember
  reference derived-from=derivedFrom
DiagnosticReport
  owner     patient=subject>Patient subject
  token     code category status conclusion=conclusionCode
  date      date=effectiveDateTime|effectivePeriod issued
  reference encounter>Encounter result>Observation performer results-interpreter=resultsInterpreter
  reference specimen>Specimen based-on=basedOn
DocumentReference
  owner     patient=subject>Patient subject
  string    description
  token     type category status contenttype=content.attachment.contentType format=content.format
  token     security-label=securityLabel event=context.event facility=context.facilityType
  token     setting=context.practiceSetting
  date      date period=context.period
  reference encounter=context.encounter>Encounter author authenticator custodian>Organization
  reference relatesto=relatesTo.target>DocumentReference
ClinicalImpression
  owner     patient=subject>Patient subject
  token     status finding-code=finding.itemCodeableConcept
  date      date
  reference encounter>Encounter assessor problem previous>ClinicalImpression finding-ref=finding.itemReference
Encounter
  owner     patient=subject>Patient subject
  token     status class type reason-code=reasonCode participant-type=participant.type
  date      date=period
  reference reason-reference=reasonReference diagnosis=diagnosis.condition location=location.location>Location
  reference participant=participant.individual part-of=partOf>Encounter
  reference service-provider=serviceProvider>Organization based-on=basedOn>ServiceRequest
Immunization
  owner     patient>Patient
  string    lot-number=lotNumber series=protocolApplied.series
  token     status status-reason=statusReason vaccine-code=vaccineCode
  token     target-disease=protocolApplied.targetDisease reason-code=reasonCode
  date      date=occurrenceDateTime reaction-date=reaction.date
  reference location>Location manufacturer>Organization performer=performer.actor
  reference reaction=reaction.detail>Observation
Procedure
  owner     patient=subject>Patient subject
  token     code category status reason-code=reasonCode
  date      date=performedDateTime|performedPeriod
  reference encounter>Encounter reason-reference=reasonReference performer=performer.actor location>Location
  reference based-on=basedOn part-of=partOf
CarePlan
  owner     patient=subject>Patient subject
  token     status intent category activity-code=activity.detail.code
  date      date=period
  reference encounter>Encounter activity-reference=activity.reference care-team=careTeam>CareTeam
  reference condition=addresses>Condition goal>Goal performer=activity.detail.performer part-of=partOf>CarePlan
CareTeam
  owner     patient=subject>Patient subject
  token     status category
  date      date=period
  reference encounter>Encounter participant=participant.member
Goal
  owner     patient=subject>Patient subject
  token     lifecycle-status=lifecycleStatus achievement-status=achievementStatus category
  date      start-date=startDate target-date=target.dueDate
ImagingStudy
  owner     patient=subject>Patient subject
  token     status modality=series.modality bodysite=series.bodySite series=series.uid
  token     instance=series.instance.uid reason=reasonCode
  date      started
  reference encounter>Encounter referrer interpreter performer=series.performer.actor basedon=basedOn
FamilyMemberHistory
  owner     patient>Patient
  token     code=condition.code relationship sex status
  date      date
ServiceRequest
  owner     patient=subject>Patient subject
  token     code category status intent priority requisition body-site=bodySite
  date      authored=authoredOn occurrence=occurrenceDateTime|occurrencePeriod|occurrenceTiming
  reference encounter>Encounter requester performer based-on=basedOn specimen>Specimen
Specimen
  owner     patient=subject>Patient subject
  token     accession=accessionIdentifier status type bodysite=collection.bodySite
  date      collected=collection.collectedDateTime|collection.collectedPeriod
Device
  owner     patient>Patient
  string    manufacturer model=modelNumber
  token     status type
  reference location>Location organization=owner>Organization
Coverage
  owner     patient=beneficiary>Patient beneficiary>Patient
  token     status type
  reference payor
Claim
  owner     patient>Patient
  token     status use priority
  date      created
  reference provider insurer>Organization encounter=item.encounter>Encounter
ExplanationOfBenefit
  owner     patient>Patient
  token     status
  date      created
  reference claim>Claim coverage=insurance.coverage>Coverage provider encounter=item.encounter>Encounter
RelatedPerson
  owner     patient>Patient
  string    name
  token     gender active relationship telecom
  date      birthdate=birthDate
Provenance
  token     agent-type=agent.type agent-role=agent.role
  date      recorded when=occurredDateTime|occurredPeriod
  reference target patient=target>Patient agent=agent.who entity=entity.what location>Location
Practitioner
  string    name family=name.family given=name.given address address-city=address.city
  string    address-country=address.country address-postalcode=address.postalCode address-state=address.state
  token     gender active telecom phone=telecom[system=phone] email=telecom[system=email]
  token     address-use=address.use communication
PractitionerRole
  token     active role=code specialty telecom
  date      date=period
  reference practitioner>Practitioner organization>Organization location>Location
Organization
  string    name=name|alias address address-city=address.city address-country=address.country
  string    address-postalcode=address.postalCode address-state=address.state
  token     active type address-use=address.use
  reference partof=partOf>Organization
Location
  string    name=name|alias address address-city=address.city address-country=address.country
  string    address-postalcode=address.postalCode address-state=address.state
  token     status operational-status=operationalStatus type address-use=address.use
  reference organization=managingOrganization>Organization partof=partOf>Location
Medication
  token     code status form lot-number=batch.lotNumber ingredient-code=ingredient.itemCodeableConcept
  date      expiration-date=batch.expirationDate
  reference ingredient=ingredient.itemReference manufacturer>Organization
"""
"""A line is a type and its parameters, each `name=element|element[field=value]>Target`. A name alone is the element.

Dots lead inwards and lists are looked through. `[field=value]` keeps the members that say so. `>Target` is the single
kind a reference leads to. `owner` is the reference that says whose chart it is. `*` stands for every kind.
"""

_ENTRY = re.compile(
    r"(?P<name>[\w-]+)(?:=(?P<paths>[\w.|]+))?(?:\[(?P<field>\w+)=(?P<value>\w+)\])?(?:>(?P<target>\w+))?"
)


@dataclass(frozen=True, slots=True)
class Parameter:
    """One search parameter. `paths` are the elements it looks at; the rest is as in the table."""

    name: str
    type: ParamType
    paths: tuple[tuple[str, ...], ...]
    only: tuple[str, str] | None = None
    target: str = ""
    owner: bool = False

    @property
    def shown_type(self) -> str:
        """The type in FHIR's own words."""
        return "token" if self.type == "flag" else self.type


def parameters_of(kind: str) -> dict[str, Parameter]:
    """By name. A kind that is not in the table has what every kind has."""
    known = tables()
    return known.get(kind, known["*"])


@cache
def tables() -> dict[str, dict[str, Parameter]]:
    """The whole table, read once: kind, then name. `*` is for the kinds that it does not name."""
    read: dict[str, dict[str, Parameter]] = {}
    kind = "*"
    for line in _TABLE.strip().splitlines():
        if not line.startswith(" "):
            kind = line
            read[kind] = dict(read.get("*", {}))
            continue
        label, *entries = line.split()
        for entry in entries:
            parameter = _parameter(label, entry)
            read[kind][parameter.name] = parameter
    return read


def _parameter(label: str, entry: str) -> Parameter:
    found = _ENTRY.fullmatch(entry)
    if found is None:
        raise ValueError(f"The table of search parameters has an unreadable entry: {entry}")
    paths = (found["paths"] or found["name"]).split("|")
    return Parameter(
        name=found["name"],
        type=cast("ParamType", "reference" if label == "owner" else label),
        paths=tuple(tuple(path.split(".")) for path in paths),
        only=(found["field"], found["value"]) if found["field"] else None,
        target=found["target"] or "",
        owner=label == "owner",
    )
