"""More ways in which labels name a partner, in words of our own: pairs that nobody may miss."""

from __future__ import annotations

from collections.abc import Iterator

from tests.drugs.pairs_of import told
from tests.support.tables import each_of

WRITTEN = """
# contraindications
simvastatin + clarithromycin: Concomitant administration of strong CYP3A4 inhibitors (e.g., itraconazole, HIV
    protease inhibitors, boceprevir, erythromycin, nefazodone).
sertraline + linezolid: Use of MAOIs intended to treat psychiatric disorders within 14 days, or in a patient being
    treated with linezolid or intravenous methylene blue.
sertraline + pimozide: Pimozide.
ciprofloxacin + tizanidine: Concomitant administration with tizanidine.
carbamazepine + nefazodone: Nefazodone; MAO inhibitors; delavirdine.
dofetilide + sulfamethoxazole and trimethoprim: Concomitant use of verapamil, cimetidine, trimethoprim, or
    ketoconazole is contraindicated.
potassium chloride + benztropine: Anticholinergic agents that delay passage through the gut.
tamoxifen + warfarin: Women who need coumarin-type anticoagulant therapy.
sumatriptan + rizatriptan: Use within 24 hours of an ergotamine-containing medicine or another 5-HT1 agonist.
sumatriptan + dihydroergotamine: Use within 24 hours of an ergotamine-containing medicine or another 5-HT1 agonist.
colchicine + cyclosporine: Patients with renal impairment should not be given it with P-gp or strong CYP3A4
    inhibitors.
nitroglycerin + tadalafil: Patients who are using a phosphodiesterase-5 (PDE-5) inhibitor.
nitroglycerin + sildenafil: Do not use in patients taking PDE-5 inhibitors, such as avanafil.
phenelzine + pseudoephedrine: Meperidine, dextromethorphan, sympathomimetics.
ketorolac + ibuprofen: In patients currently receiving aspirin or NSAIDs because of the cumulative risk.
ketorolac + pentoxifylline: Probenecid and pentoxifylline.
eplerenone + ketoconazole: Concomitant strong CYP3A inhibitors.
ivabradine + clarithromycin: In combination with strong cytochrome CYP3A4 inhibitors.
ranolazine + rifampin: Taking strong inhibitors of CYP3A. Taking inducers of CYP3A.
# dosage_and_administration
simvastatin + diltiazem: Patients taking verapamil, diltiazem, or dronedarone: do not exceed 10 mg daily.
lamotrigine + ethinyl estradiol: Estrogen-containing oral contraceptives: maintenance doses may need to be
    increased.
# drug_interactions
warfarin + sertraline: Drugs that increase bleeding risk: antiplatelet agents (aspirin, clopidogrel), NSAIDs, SSRIs.
warfarin + metronidazole: CYP2C9 inhibitors: amiodarone, metronidazole, fluconazole.
warfarin + ciprofloxacin: CYP450 interactions: CYP2C9, 1A2 and 3A4 inhibitors or inducers alter the INR.
methotrexate + trimethoprim: Trimethoprim/sulfamethoxazole has been reported to increase bone marrow suppression.
methotrexate + omeprazole: Proton pump inhibitors may delay clearance.
lisinopril + aliskiren: Aliskiren: do not use in patients with diabetes.
digoxin + verapamil: P-glycoprotein inhibitors may raise levels.
digoxin + metoprolol: Calcium channel blockers and beta-blockers have additive effects on AV conduction.
clopidogrel + omeprazole: CYP2C19 inhibitors: avoid.
clopidogrel + warfarin: NSAIDs, warfarin, SSRIs: increased bleeding.
levothyroxine + cholestyramine: Bile acid sequestrants (e.g., colestipol) prevent absorption.
ciprofloxacin + calcium carbonate: Antacids, sucralfate, multivitamins and other products containing multivalent
    cations lower absorption.
insulin glargine + propranolol: Beta-blockers may mask hypoglycemia.
glipizide + aspirin: Salicylates and sulfonamides may potentiate the hypoglycemic action.
clozapine + fluvoxamine: Strong CYP1A2 inhibitors: reduce to one third.
amiodarone + warfarin: Warfarin: potentiation of the anticoagulant response is almost always seen.
allopurinol + azathioprine: Mercaptopurine or azathioprine: reduce to one third.
spironolactone + lithium: Lithium: reduced clearance.
rivaroxaban + rifampin: Avoid combined P-gp and strong CYP3A inducers.
rivaroxaban + ketoconazole: Combined P-gp and strong CYP3A inhibitors increase exposure.
quinapril + tetracycline: Tetracycline absorption falls.
phenytoin + isoniazid: Drugs that may increase levels include amiodarone, fluoxetine, isoniazid, omeprazole.
estradiol + st john's wort: Inducers of CYP3A4 such as St. John's wort preparations lower levels.
amlodipine + simvastatin: Do not exceed doses greater than 20 mg daily of simvastatin.
insulin + pioglitazone: Thiazolidinediones: fluid retention.
tacrolimus + voriconazole: When used with strong CYP3A inhibitors, monitor.
# boxed_warning
methotrexate + ibuprofen: Unexpectedly severe (sometimes fatal) bone marrow suppression has been reported with
    concomitant NSAIDs.
tramadol + alprazolam: RISKS FROM CONCOMITANT USE WITH BENZODIAZEPINES OR OTHER CNS DEPRESSANTS: may result in
    profound sedation.
lamotrigine + valproic acid: Rash risk rises when coadministered with valproate.
fentanyl + ketoconazole: Use with all CYP3A4 inhibitors may result in an increase in plasma concentrations.
gentamicin + vancomycin: Concurrent use of other potentially nephrotoxic drugs, such as cisplatin, vancomycin,
    should be avoided.
gentamicin + bumetanide: The concurrent use of gentamicin with potent diuretics, such as ethacrynic acid or
    furosemide, should be avoided.
ergotamine + clarithromycin: Serious ischemia has been associated with CYP 3A4 inhibitors including protease
    inhibitors and macrolide antibiotics.
# warnings_and_cautions
tramadol + linezolid: Serotonin syndrome may occur with SSRIs, SNRIs, tricyclics, triptans and linezolid.
tramadol + amitriptyline: The risk of seizures is increased in patients taking antidepressants.
lisinopril + spironolactone: Hyperkalemia: risk factors include potassium-sparing diuretics, potassium supplements
    and potassium-containing salt substitutes.
lisinopril + potassium chloride: Hyperkalemia: risk factors include potassium-sparing diuretics, potassium
    supplements and potassium-containing salt substitutes.
lisinopril + losartan: Dual blockade of the renin-angiotensin system with angiotensin receptor blockers raises the
    risk of renal failure.
ciprofloxacin + prednisone: Tendon rupture: risk is increased in patients taking corticosteroids.
ciprofloxacin + amiodarone: Avoid in patients taking Class IA or III antiarrhythmics.
ciprofloxacin + theophylline: Serious reactions in patients receiving theophylline concurrently.
metformin + iohexol: Iodinated contrast: stop before the procedure.
metformin + topiramate: Carbonic anhydrase inhibitors may increase the risk of lactic acidosis.
metformin + glipizide: Insulin secretagogues increase hypoglycemia risk when combined.
valproate + meropenem: Carbapenem antibiotics may reduce serum concentrations to subtherapeutic levels.
bupropion + olanzapine: Seizure risk with concomitant antipsychotics, theophylline or systemic steroids.
linezolid + pseudoephedrine: Unless monitored, not for patients receiving adrenergic agents, e.g., pseudoephedrine.
# warnings
digoxin + furosemide: Hypokalemia from diuretics increases toxicity.
carbamazepine + ethinyl estradiol: Oral contraceptives may be less effective.
clozapine + lorazepam: Orthostatic hypotension, cardiac arrest: caution with benzodiazepines.
amiodarone + simvastatin: Grapefruit juice. Simvastatin doses above 20 mg raise the risk of myopathy.
dofetilide + sotalol: Drugs that prolong the QT interval: not recommended with class I or class III antiarrhythmic
    agents.
naproxen + prednisone: Stomach bleeding: the chance is higher if you take a blood thinning (anticoagulant) or
    steroid drug.
naproxen + ibuprofen: Stomach bleeding: the chance is higher if you take other drugs containing prescription or
    nonprescription NSAIDs (aspirin, ibuprofen, naproxen, or others).
verapamil + atenolol: Concomitant therapy with beta-adrenergic blockers may result in additive negative effects on
    heart rate.
lithium + haloperidol: Neuroleptics: an encephalopathic syndrome has occurred.
azathioprine + enalapril: Combination with ACE inhibitors may induce anemia.
# precautions
theophylline + erythromycin: Cimetidine, erythromycin and enoxacin: reduce dose.
lithium + furosemide: Caution should be used when lithium and diuretics or ACE inhibitors are used.
propranolol + reserpine: Patients receiving catecholamine-depleting drugs such as reserpine should be closely
    observed.
doxycycline + warfarin: Because tetracyclines depress prothrombin activity, patients on anticoagulants may need
    less.
prednisone + aspirin: Aspirin should be used cautiously in conjunction with corticosteroids in hypoprothrombinemia.
# do_not_use
acetaminophen + Percocet: with any other drug containing acetaminophen (prescription or nonprescription).
dextromethorphan + selegiline: if you are now taking a prescription monoamine oxidase inhibitor (MAOI) (certain
    drugs for depression).
# ask_doctor_or_pharmacist
acetaminophen + warfarin: Ask a doctor before use if you are taking the blood thinning drug warfarin.
aspirin + metformin: if you are taking a prescription drug for diabetes, gout, or arthritis
"""


def _cases() -> Iterator[tuple[str, str, str, str]]:
    """A section is a line with "#"; a case is "one + other: sentence", and what is indented belongs to it."""
    field = ""
    for line in WRITTEN.replace("\n    ", " ").strip().splitlines():
        if line.startswith("# "):
            field = line[2:]
            continue
        drugs, _, text = line.partition(": ")
        one, _, other = drugs.partition(" + ")
        yield one, field, text, other


@each_of(("one", "field", "text", "other"), list(_cases()))
def test_the_partner_is_recognised(one: str, field: str, text: str, other: str) -> None:
    found = told(one, field, text, other)
    assert found
    assert not found[0].no_effect
