"""Sentences as labels write them, in words of our own, and the drugs that each of them is about."""

from __future__ import annotations

from tests.drugs.pairs_of import told
from tests.support.tables import each_of

INTERACTIONS, WARNINGS, PRECAUTIONS = "drug_interactions", "warnings_and_cautions", "precautions"
FORBIDDEN, DOSAGE, PATIENTS, KINETICS = (
    "contraindications",
    "dosage_and_administration",
    "information_for_patients",
    "pharmacokinetics",
)


NAMED = [
    (
        "sildenafil",
        FORBIDDEN,
        "Do not give to patients who use organic nitrates in any form.",
        "isosorbide mononitrate",
    ),
    ("sildenafil", FORBIDDEN, "Use with a guanylate cyclase (GC) stimulator is contraindicated.", "riociguat"),
    ("simvastatin", FORBIDDEN, "Strong CYP3A4 inhibitors, gemfibrozil, danazol.", "itraconazole"),
    ("tizanidine", FORBIDDEN, "Concomitant use with fluvoxamine or ciprofloxacin.", "ciprofloxacin"),
    ("meperidine", FORBIDDEN, "Monoamine oxidase (MAO) inhibitors within the last 14 days.", "phenelzine"),
    ("lisinopril", FORBIDDEN, "Do not give within 36 hours of a neprilysin inhibitor.", "sacubitril"),
    ("warfarin", INTERACTIONS, "Non-steroidal anti-inflammatory drugs raise the risk of bleeding.", "ibuprofen"),
    ("warfarin", INTERACTIONS, "Rifampicin lowers the INR.", "rifampin"),
    ("warfarin", INTERACTIONS, "Bactrim raises the INR.", "trimethoprim"),
    ("lithium", INTERACTIONS, "Thiazides lower the renal clearance.", "hydrochlorothiazide"),
    ("lithium", INTERACTIONS, "ACE-inhibitors may raise serum levels.", "lisinopril"),
    ("digoxin", INTERACTIONS, "Quinidine, verapamil and amiodarone raise digoxin concentrations.", "amiodarone"),
    ("atorvastatin", INTERACTIONS, "Strong inhibitors of CYP 3A4 raise plasma levels.", "clarithromycin"),
    ("atorvastatin", INTERACTIONS, "Inducers of cytochrome P450 3A4 lower plasma levels.", "phenytoin"),
    ("alprazolam", INTERACTIONS, "P450 3A4 isoform inhibitors slow its clearance.", "diltiazem"),
    ("alprazolam", INTERACTIONS, "CYP3A4 inhibitors slow its clearance.", "erythromycin"),
    ("alprazolam", INTERACTIONS, "CYP3A4 inhibitors slow its clearance.", "ketoconazole"),
    ("quetiapine", INTERACTIONS, "Strong CYP3A4 inducers (e.g., phenytoin) call for more.", "carbamazepine"),
    ("metoprolol", INTERACTIONS, "Drugs that inhibit CYP2D6 raise metoprolol levels.", "paroxetine"),
    ("dabigatran", INTERACTIONS, "P-glycoprotein (P-gp) inducers such as rifampin lower exposure.", "carbamazepine"),
    ("fluoxetine", INTERACTIONS, "Other serotonergic drugs may bring on serotonin syndrome.", "tramadol"),
    ("levothyroxine", INTERACTIONS, "Calcium carbonate and ferrous sulfate bind it.", "ferrous sulfate"),
    (
        "haloperidol",
        WARNINGS,
        "Irreversible brain damage occurred in patients treated with lithium plus it.",
        "lithium",
    ),
    ("haloperidol", WARNINGS, "Caution in patients on drugs known to prolong the QT interval.", "sotalol"),
    ("haloperidol", PRECAUTIONS, "It may potentiate CNS depressants such as opiates.", "morphine"),
    ("haloperidol", PRECAUTIONS, "Levels fell in patients who were coadministered rifampin.", "rifampin"),
    ("haloperidol", PRECAUTIONS, "Should pressors be needed, epinephrine should not be used.", "epinephrine"),
    ("oxycodone", WARNINGS, "Concomitant use with benzodiazepines may cause profound sedation.", "lorazepam"),
    (
        "oxycodone",
        "boxed_warning",
        "WARNING: USE WITH BENZODIAZEPINES Concomitant use may result in death.",
        "diazepam",
    ),
    (
        "propranolol",
        WARNINGS,
        "With anaphylaxis, patients may be unresponsive to usual doses of epinephrine.",
        "epinephrine",
    ),
    ("ibuprofen", WARNINGS, "Avoid concomitant use with other NSAIDs.", "naproxen"),
    ("ibuprofen", "ask_doctor_or_pharmacist", "Ask before use if you are taking a blood thinner.", "apixaban"),
    ("ibuprofen", "ask_doctor_or_pharmacist", "Ask before use if you are taking aspirin for the heart.", "aspirin"),
    ("diphenhydramine", "when_using", "Sedatives may increase drowsiness.", "diazepam"),
    ("pseudoephedrine", "do_not_use", "If you are now taking a prescription MAOI.", "tranylcypromine"),
    ("tadalafil", DOSAGE, "Patients on an alpha-blocker: start at the lowest dose and avoid more.", "doxazosin"),
    ("colchicine", DOSAGE, "With strong CYP3A4 inhibitors the dose must be reduced.", "clarithromycin"),
    ("sildenafil", PATIENTS, "Patients should be told not to take it together with nitrates.", "nitroglycerin"),
    ("sildenafil", KINETICS, "Concomitant strong CYP3A4 inducers are expected to lower levels.", "rifampin"),
    ("sildenafil", KINETICS, "Cimetidine raised plasma sildenafil by half when given with it.", "cimetidine"),
    ("warfarin", "interactions", "Azole antifungals raise the effect.", "fluconazole"),
    ("methotrexate", WARNINGS, "Unexpectedly severe toxicity was reported with concomitant NSAIDs.", "naproxen"),
    ("clopidogrel", WARNINGS, "Avoid omeprazole and esomeprazole.", "omeprazole"),
]


@each_of(("one", "field", "text", "other"), NAMED)
def test_a_sentence_about_both_is_found(one: str, field: str, text: str, other: str) -> None:
    found = told(one, field, text, other)
    assert found
    assert not found[0].no_effect


UNRELATED = [
    ("ibuprofen", FORBIDDEN, "History of asthma or urticaria after taking aspirin or other NSAIDs.", "aspirin"),
    ("cephalexin", FORBIDDEN, "Known hypersensitivity to cephalosporins or penicillins.", "amoxicillin"),
    ("celecoxib", FORBIDDEN, "Patients with allergic-type reactions to sulfonamides.", "sulfamethoxazole"),
    ("celecoxib", FORBIDDEN, "Aspirin-sensitive asthma.", "aspirin"),
    (
        "sacubitril",
        FORBIDDEN,
        "History of angioedema related to previous treatment with an ACE inhibitor.",
        "lisinopril",
    ),
    ("ibuprofen", WARNINGS, "NSAIDs can cause serious stomach bleeding.", "naproxen"),
    ("ibuprofen", WARNINGS, "As with other NSAIDs, liver tests may rise.", "naproxen"),
    ("ibuprofen", INTERACTIONS, "NSAIDs may blunt the effect of ACE inhibitors.", "naproxen"),
    ("ibuprofen", WARNINGS, "Concomitant use of NSAIDs and anticoagulants raises the risk of bleeding.", "naproxen"),
    ("atorvastatin", WARNINGS, "Atorvastatin, like other statins, may cause myopathy.", "simvastatin"),
    (
        "atorvastatin",
        WARNINGS,
        "Liver failure was reported in patients taking statins, including atorvastatin.",
        "simvastatin",
    ),
    ("haloperidol", WARNINGS, "Elderly patients treated with antipsychotic drugs die earlier.", "quetiapine"),
    ("haloperidol", PRECAUTIONS, "As with other antipsychotic agents, prolactin rises.", "risperidone"),
    ("haloperidol", PRECAUTIONS, "Instead, phenylephrine or norepinephrine should be used.", "norepinephrine"),
    ("haloperidol", WARNINGS, "Consider central anticholinergic toxicity in the diagnosis.", "benztropine"),
    ("sertraline", "boxed_warning", "Antidepressants raised the risk of suicidal thoughts.", "mirtazapine"),
    ("clarithromycin", KINETICS, "Clarithromycin is a strong CYP3A4 inhibitor.", "itraconazole"),
    ("sildenafil", KINETICS, "Sildenafil is a weak inhibitor of CYP2C9 and CYP3A4.", "fluconazole"),
    ("atorvastatin", KINETICS, "Atorvastatin is metabolized by cytochrome P450 3A4.", "midazolam"),
    ("atorvastatin", INTERACTIONS, "Strong CYP3A4 inhibitors raise plasma levels.", "erythromycin"),
    ("atorvastatin", INTERACTIONS, "Strong CYP3A4 inhibitors raise plasma levels.", "amiodarone"),
    ("atorvastatin", INTERACTIONS, "Moderate CYP3A4 inhibitors raise plasma levels.", "ketoconazole"),
    ("metoprolol", INTERACTIONS, "CYP2D6 inhibitors raise plasma levels.", "clarithromycin"),
    ("metoprolol", INTERACTIONS, "CYP3A4 inducers have been studied.", "clarithromycin"),
    ("enoxaparin", FORBIDDEN, "Immune heparin-induced thrombocytopenia within the past 100 days.", "heparin"),
    ("apixaban", WARNINGS, "Major bleeding was rarer than with warfarin.", "warfarin"),
    ("apixaban", WARNINGS, "Fewer strokes were seen compared with warfarin.", "warfarin"),
    ("rivaroxaban", WARNINGS, "In the warfarin group, bleeding was seen in 3%.", "warfarin"),
    ("morphine", WARNINGS, "In an overdose, reversal with naloxone may be needed.", "naloxone"),
    ("penicillin v", WARNINGS, "Anaphylaxis calls for emergency treatment with epinephrine.", "epinephrine"),
    ("omeprazole", WARNINGS, "Each capsule contains lactose and phenylalanine.", "phenylalanine"),
    ("sildenafil", WARNINGS, "Patients not taking nitrates may use it.", "nitroglycerin"),
    ("furosemide", INTERACTIONS, "Nothing other than thiazides was left out of the studies.", "hydrochlorothiazide"),
    ("furosemide", INTERACTIONS, "Non-nitrate drugs for angina are on the list.", "nitroglycerin"),
    ("fluconazole", WARNINGS, "Miconazole nitrate is another azole.", "nitroglycerin"),
    ("sitagliptin", DOSAGE, "It may be used in combination with metformin.", "metformin"),
    ("warfarin", WARNINGS, "Tissue necrosis is a risk.", "aspirin"),
    ("metformin", FORBIDDEN, "Severe renal impairment.", "lisinopril"),
    ("lisinopril", WARNINGS, "Treatment of high blood pressure lowers the risk of stroke.", "amlodipine"),
    ("pseudoephedrine", "ask_doctor", "Ask a doctor before use if you have high blood pressure.", "lisinopril"),
    ("insulin", WARNINGS, "Hypoglycemia is the most common adverse reaction.", "glipizide"),
    ("rosuvastatin", "pregnancy", "Women exposed to other statins had no more malformations.", "simvastatin"),
    ("atorvastatin", WARNINGS, "Signs: weak muscles; improvement with immunosuppressive agents.", "azathioprine"),
]


@each_of(("one", "field", "text", "other"), UNRELATED)
def test_a_sentence_about_something_else_is_not(one: str, field: str, text: str, other: str) -> None:
    assert not told(one, field, text, other)
