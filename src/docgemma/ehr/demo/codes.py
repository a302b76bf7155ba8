"""What the demonstration charts call things. A code stands here only where a public R4 data set or HL7's own R4 value
sets carry it with this meaning; everything else has its name in words and no code.
"""

from __future__ import annotations

from typing import NamedTuple

from docgemma.ehr.contract import Resource

LOINC = "http://loinc.org"
SNOMED = "http://snomed.info/sct"
RXNORM = "http://www.nlm.nih.gov/research/umls/rxnorm"
CVX = "http://hl7.org/fhir/sid/cvx"
UCUM = "http://unitsofmeasure.org"
HL7 = "http://terminology.hl7.org/CodeSystem/"

HTEST: Resource = {"system": f"{HL7}v3-ActReason", "code": "HTEST", "display": "test health data"}
"""HL7's mark for data that is about nobody."""


class Measured(NamedTuple):
    """A lab test or vital sign: name, unit, LOINC code with its display where verified, the usual range of an adult."""

    name: str
    unit: str
    code: str = ""
    display: str = ""
    low: str = ""
    high: str = ""


LABS: dict[str, Measured] = {
    "hba1c": Measured("Hemoglobin A1c", "%", "4548-4", "Hemoglobin A1c/Hemoglobin.total in Blood", "4.0", "5.6"),
    "glucose": Measured("Glucose", "mg/dL", "2339-0", "Glucose", "70", "99"),
    "creatinine": Measured("Creatinine", "mg/dL", "38483-4", "Creatinine", "0.6", "1.2"),
    "egfr": Measured(
        "eGFR", "mL/min/{1.73_m2}", "33914-3", "Estimated Glomerular Filtration Rate", "60"
    ),
    "urea": Measured("Urea nitrogen", "mg/dL", "6299-2", "Urea Nitrogen", "7", "20"),
    "sodium": Measured("Sodium", "mmol/L", "2947-0", "Sodium", "135", "145"),
    "potassium": Measured("Potassium", "mmol/L", "6298-4", "Potassium", "3.5", "5.1"),
    "bicarbonate": Measured("Carbon dioxide", "mmol/L", "20565-8", "Carbon Dioxide", "22", "29"),
    "calcium": Measured("Calcium", "mg/dL", "49765-1", "Calcium", "8.5", "10.5"),
    "hemoglobin": Measured("Hemoglobin", "g/dL", "718-7", "Hemoglobin [Mass/volume] in Blood", "12.0", "17.0"),
    "leukocytes": Measured(
        "White blood cells", "10*3/uL", "6690-2", "Leukocytes [#/volume] in Blood by Automated count", "4.0", "11.0"
    ),
    "platelets": Measured(
        "Platelets", "10*3/uL", "777-3", "Platelets [#/volume] in Blood by Automated count", "150", "400"
    ),
    "cholesterol": Measured("Total cholesterol", "mg/dL", "2093-3", "Total Cholesterol", high="200"),
    "ldl": Measured("LDL cholesterol", "mg/dL", "18262-6", "Low Density Lipoprotein Cholesterol", high="100"),
    "hdl": Measured("HDL cholesterol", "mg/dL", "2085-9", "High Density Lipoprotein Cholesterol", "40"),
    "triglycerides": Measured("Triglycerides", "mg/dL", "2571-8", "Triglycerides", high="150"),
    "alt": Measured(
        "Alanine aminotransferase", "U/L", "1742-6",
        "Alanine aminotransferase [Enzymatic activity/volume] in Serum or Plasma", "7", "56",
    ),
    "albumin": Measured("Albumin", "g/dL", "1751-7", "Albumin [Mass/volume] in Serum or Plasma", "3.5", "5.0"),
    "nt-probnp": Measured("NT-proBNP", "pg/mL", "33762-6", "NT-proBNP", high="125"),
    "ejection-fraction": Measured(
        "Left ventricular ejection fraction", "%", "10230-1", "Left ventricular Ejection fraction", "55", "70"
    ),
    "inr": Measured("INR", "{INR}", low="0.9", high="1.1"),
    "tsh": Measured("TSH", "m[IU]/L", low="0.4", high="4.0"),
    "uric-acid": Measured("Uric acid", "mg/dL", low="3.5", high="7.2"),
    "urine-acr": Measured("Urine albumin-creatinine ratio", "mg/g", high="30"),
    "ferritin": Measured("Ferritin", "ng/mL", low="15", high="150"),
    "reticulocytes": Measured("Reticulocytes", "%", low="0.5", high="2.5"),
    "digoxin-level": Measured("Digoxin level", "ng/mL", low="0.5", high="0.9"),
}  # fmt: skip

VITALS: dict[str, Measured] = {
    "weight": Measured("Body weight", "kg", "29463-7", "Body Weight"),
    "height": Measured("Body height", "cm", "8302-2", "Body Height"),
    "bmi": Measured("Body mass index", "kg/m2", "39156-5", "Body Mass Index"),
    "temperature": Measured("Oral temperature", "Cel", "8331-1", "Oral temperature"),
    "pulse": Measured("Heart rate", "/min", "8867-4", "Heart rate"),
    "breaths": Measured("Respiratory rate", "/min", "9279-1", "Respiratory rate"),
    "saturation": Measured("Oxygen saturation", "%", "2708-6", "Oxygen saturation in Arterial blood"),
    "gestation": Measured("Gestational age", "wk"),
    "fundal-height": Measured("Fundal height", "cm"),
}
SYSTOLIC = Measured("Systolic blood pressure", "mm[Hg]", "8480-6", "Systolic Blood Pressure")
DIASTOLIC = Measured("Diastolic blood pressure", "mm[Hg]", "8462-4", "Diastolic Blood Pressure")

PANELS: dict[str, tuple[str, str]] = {
    "Basic metabolic panel": ("51990-0", "Basic Metabolic Panel"),
    "Lipid panel": ("57698-3", "Lipid Panel"),
    "Complete blood count": ("58410-2", "Complete blood count (hemogram) panel - Blood by Automated count"),
}

NOTE_TYPES: dict[str, tuple[str, str]] = {
    "Progress note": ("11506-3", "Provider-unspecified Progress note"),
    "Consult note": ("11488-4", "Consult note"),
    "Discharge summary": ("18842-5", "Discharge summary"),
    "History and physical note": ("34117-2", "History and physical note"),
}

PROBLEMS: dict[str, tuple[str, str]] = {
    "Hypertension": ("38341003", "Hypertension"),
    "Type 2 diabetes mellitus": ("44054006", "Diabetes"),
    "Hyperlipidemia": ("55822004", "Hyperlipidemia"),
    "Obesity": ("162864005", "Body mass index 30+ - obesity (finding)"),
    "Prediabetes": ("15777000", "Prediabetes"),
    "Normal pregnancy": ("72892002", "Normal pregnancy"),
    "Asthma": ("195967001", "Asthma"),
    "Otitis media": ("65363002", "Otitis media"),
    "Gout": ("90560007", "Gout"),
    "Osteoarthritis of knee": ("239873007", "Osteoarthritis of knee"),
    "Osteoporosis": ("64859006", "Osteoporosis (disorder)"),
    "Chronic congestive heart failure": ("88805009", "Chronic congestive heart failure (disorder)"),
    "Chronic obstructive bronchitis": ("185086009", "Chronic obstructive bronchitis (disorder)"),
    "Anemia": ("271737000", "Anemia (disorder)"),
    "Chronic intractable migraine without aura": ("124171000119105", "Chronic intractable migraine without aura"),
    "Acute bronchitis": ("10509002", "Acute bronchitis (disorder)"),
    "Stroke": ("230690007", "Stroke"),
    "Appendicitis": ("74400008", "Appendicitis"),
    "Perennial allergic rhinitis": ("446096008", "Perennial allergic rhinitis"),
}

ALLERGIES: dict[str, tuple[str, str]] = {
    "Peanut": ("91935009", "Allergy to peanuts"),
    "Shellfish": ("300913006", "Shellfish allergy"),
    "Latex": ("300916003", "Latex allergy"),
    "Grass pollen": ("418689008", "Allergy to grass pollen"),
    "House dust mite": ("232350006", "House dust mite allergy"),
    "Bee venom": ("424213003", "Allergy to bee venom"),
    "Egg": ("91930004", "Allergy to eggs"),
    "No known allergy": ("716186003", "No known allergy"),
}

MEDICINES: dict[str, tuple[str, str]] = {
    "Metformin 500 mg extended-release tablet": (
        "860975", "24 HR Metformin hydrochloride 500 MG Extended Release Oral Tablet",
    ),
    "Hydrochlorothiazide 25 mg tablet": ("316049", "Hydrochlorothiazide 25 MG"),
    "Albuterol 90 mcg inhaler": ("745679", "200 ACTUAT Albuterol 0.09 MG/ACTUAT Metered Dose Inhaler"),
    "Fluticasone 44 mcg inhaler": (
        "895994", "120 ACTUAT Fluticasone propionate 0.044 MG/ACTUAT Metered Dose Inhaler",
    ),
    "Fluticasone 250 mcg / salmeterol 50 mcg inhaler": (
        "896209", "60 ACTUAT Fluticasone propionate 0.25 MG/ACTUAT / salmeterol 0.05 MG/ACTUAT Dry Powder Inhaler",
    ),
    "Allopurinol 100 mg tablet": ("197319", "Allopurinol 100 MG Oral Tablet"),
    "Clopidogrel 75 mg tablet": ("309362", "Clopidogrel 75 MG Oral Tablet"),
    "Ferrous sulfate 325 mg tablet": ("310325", "ferrous sulfate 325 MG Oral Tablet"),
    "Acetaminophen 325 mg tablet": ("313782", "Acetaminophen 325 MG Oral Tablet"),
    "Ibuprofen 200 mg tablet": ("310965", "Ibuprofen 200 MG Oral Tablet"),
    "Naproxen sodium 220 mg tablet": ("849574", "Naproxen sodium 220 MG Oral Tablet"),
    "Alendronic acid 10 mg tablet": ("904419", "Alendronic acid 10 MG Oral Tablet"),
    "Prednisone 5 mg tablet": ("312617", "predniSONE 5 MG Oral Tablet"),
    "Etonogestrel 68 mg implant": ("389221", "Etonogestrel 68 MG Drug Implant"),
}  # fmt: skip

VACCINES: dict[str, tuple[str, str]] = {
    "Influenza": ("140", "Influenza, seasonal, injectable, preservative free"),
    "Tdap": ("115", "Tdap"),
    "Td (adult)": ("113", "Td (adult) preservative free"),
    "Pneumococcal conjugate PCV13": ("133", "Pneumococcal conjugate PCV 13"),
    "Pneumococcal polysaccharide, 23 valent": ("33", "pneumococcal polysaccharide vaccine, 23 valent"),
    "Zoster": ("121", "zoster"),
    "MMR": ("03", "MMR"),
    "Varicella": ("21", "varicella"),
    "DTaP": ("20", "DTaP"),
    "IPV": ("10", "IPV"),
    "Hepatitis B, adult": ("43", "Hep B, adult"),
}

PROCEDURES: dict[str, tuple[str, str]] = {
    "Colonoscopy": ("73761001", "Colonoscopy"),
    "Transthoracic echocardiography": ("433236007", "Transthoracic echocardiography"),
    "Spirometry": ("127783003", "Spirometry (procedure)"),
    "Chest X-ray": ("399208008", "Chest X-ray"),
    "Fetal anatomy scan": ("271442007", "Fetal anatomy study"),
    "Blood typing, Rh typing": ("44608003", "Blood typing, RH typing"),
    "Bone density scan": ("312681000", "Bone density scan (procedure)"),
    "Injection of adrenaline": ("313191000", "Injection of adrenaline"),
}

VISITS: dict[str, tuple[str, str]] = {
    "Check-up": ("185349003", "Encounter for check up (procedure)"),
    "Problem visit": ("185347001", "Encounter for problem (procedure)"),
    "Prenatal visit": ("424619006", "Prenatal visit"),
    "Asthma follow-up": ("394701000", "Asthma follow-up"),
    "Follow-up": ("390906007", "Follow-up encounter"),
    "Emergency room": ("50849002", "Emergency room admission (procedure)"),
    "Inpatient stay": ("183452005", "Encounter Inpatient"),
    "Telephone call": ("185317003", "Telephone encounter (procedure)"),
}


def concept(text: str, system: str, coded: tuple[str, str] | None) -> Resource:
    """The words as a clinician wrote them, with the code beside them where there is one."""
    if coded is None:
        return {"text": text}
    code, display = coded
    return {"coding": [{"system": system, "code": code, "display": display}], "text": text}


def status(system: str, code: str) -> Resource:
    """One of HL7's own states, such as `condition-clinical` `active`."""
    return {"coding": [{"system": HL7 + system, "code": code}]}
