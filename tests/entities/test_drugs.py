"""The drug dictionary: what names stand for, and where they are found in a text."""

from __future__ import annotations

import re
import string
from collections.abc import Iterator

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from docgemma.entities.drugs import matcher as drug_matcher
from docgemma.entities.drugs.names import drugs_in, ingredients, is_drug, names, same_drug
from docgemma.entities.words import word_set
from tests.support.tables import each_of

_TABLE = """
Tylenol: acetaminophen | Advil: ibuprofen | Aleve: naproxen | Bayer aspirin: aspirin
Percocet: oxycodone, acetaminophen | Vicodin: hydrocodone, acetaminophen | Norco: hydrocodone, acetaminophen
Ultracet: tramadol, acetaminophen | Excedrin: acetaminophen, aspirin, caffeine
Fioricet: butalbital, acetaminophen, caffeine | OxyContin: oxycodone | Augmentin: amoxicillin, clavulanate
Bactrim DS: sulfamethoxazole, trimethoprim | Zosyn: piperacillin, tazobactam | Unasyn: ampicillin, sulbactam
Z-Pak: azithromycin | Keflex: cephalexin | Cipro: ciprofloxacin | Macrobid: nitrofurantoin
Primaxin: imipenem, cilastatin | Avycaz: ceftazidime, avibactam | Malarone: atovaquone, proguanil | Zyvox: linezolid
Entresto: sacubitril, valsartan | Diovan HCT: valsartan, hydrochlorothiazide | Hyzaar: losartan, hydrochlorothiazide
Zestoretic: lisinopril, hydrochlorothiazide | Lotrel: amlodipine, benazepril | Exforge: amlodipine, valsartan
Azor: amlodipine, olmesartan | Tribenzor: olmesartan, amlodipine, hydrochlorothiazide
Caduet: amlodipine, atorvastatin | Vytorin: ezetimibe, simvastatin | Tenoretic: atenolol, chlorthalidone
Ziac: bisoprolol, hydrochlorothiazide | Dyazide: triamterene, hydrochlorothiazide
BiDil: hydralazine, isosorbide dinitrate | Toprol-XL: metoprolol | Aggrenox: aspirin, dipyridamole | Eliquis: apixaban
Xarelto: rivaroxaban | Plavix: clopidogrel | Coumadin: warfarin | Lovenox: enoxaparin | Lipitor: atorvastatin
Crestor: rosuvastatin | Lasix: furosemide | Aldactone: spironolactone | Janumet: sitagliptin, metformin
Synjardy: empagliflozin, metformin | Xigduo XR: dapagliflozin, metformin
Trijardy XR: empagliflozin, linagliptin, metformin | Glyxambi: empagliflozin, linagliptin | Jardiance: empagliflozin
Soliqua: insulin glargine, lixisenatide | Xultophy: insulin degludec, liraglutide | Lantus: insulin glargine
Ozempic: semaglutide | Mounjaro: tirzepatide | Actoplus Met: pioglitazone, metformin | Synthroid: levothyroxine
Advair: fluticasone, salmeterol | Symbicort: budesonide, formoterol | Breo Ellipta: fluticasone, vilanterol
Trelegy: fluticasone, umeclidinium, vilanterol | Combivent: ipratropium, albuterol | DuoNeb: ipratropium, albuterol
Dulera: mometasone, formoterol | ProAir: albuterol | Spiriva: tiotropium | Singulair: montelukast
Flonase: fluticasone | Sinemet: carbidopa, levodopa | Stalevo: carbidopa, levodopa, entacapone
Symbyax: olanzapine, fluoxetine | Suboxone: buprenorphine, naloxone | Contrave: naltrexone, bupropion
Nuedexta: dextromethorphan, quinidine | Adderall: amphetamine, dextroamphetamine | Depakote: valproate
Keppra: levetiracetam | Lamictal: lamotrigine | Biktarvy: bictegravir, emtricitabine, tenofovir
Truvada: emtricitabine, tenofovir | Kaletra: lopinavir, ritonavir | Triumeq: abacavir, dolutegravir, lamivudine
Harvoni: ledipasvir, sofosbuvir | Paxlovid: nirmatrelvir, ritonavir | Juluca: dolutegravir, rilpivirine
Namzaric: memantine, donepezil | Cosopt: dorzolamide, timolol | TobraDex: tobramycin, dexamethasone
Lomotil: diphenoxylate, atropine | Diclegis: doxylamine, pyridoxine | Vimovo: naproxen, esomeprazole
Arthrotec: diclofenac, misoprostol | Humira: adalimumab | Keytruda: pembrolizumab | paracetamol: acetaminophen
salbutamol: albuterol | adrenaline: epinephrine | noradrenaline: norepinephrine | frusemide: furosemide
pethidine: meperidine | glibenclamide: glyburide | lignocaine: lidocaine | aciclovir: acyclovir
thyroxine: levothyroxine | rifampicin: rifampin | suxamethonium: succinylcholine | glyceryl trinitrate: nitroglycerin
co-amoxiclav: amoxicillin, clavulanate | co-codamol: codeine, acetaminophen
co-dydramol: dihydrocodeine, acetaminophen | co-trimoxazole: sulfamethoxazole, trimethoprim
co-careldopa: carbidopa, levodopa | co-beneldopa: benserazide, levodopa | Tazocin: piperacillin, tazobactam
Seretide: fluticasone, salmeterol | Fostair: beclomethasone, formoterol
Trimbow: beclomethasone, formoterol, glycopyrrolate | Targinact: oxycodone, naloxone | Madopar: benserazide, levodopa
Microgynon: levonorgestrel, ethinyl estradiol | Dianette: cyproterone, ethinyl estradiol | Clexane: enoxaparin
Solpadol: codeine, acetaminophen | Nurofen Plus: ibuprofen, codeine | Calpol: acetaminophen | Ventolin: albuterol
Losec: omeprazole | Epilim: valproate | Buscopan: hyoscine butylbromide | Stemetil: prochlorperazine
Zimovane: zopiclone | Adcal-D3: calcium carbonate, cholecalciferol | Rifinah: rifampin, isoniazid
Movicol: polyethylene glycol | Crocin: acetaminophen | Dolo: acetaminophen | Combiflam: ibuprofen, acetaminophen
Pan-D: pantoprazole, domperidone | Pan 40: pantoprazole | Ecosprin: aspirin | Ecosprin AV: aspirin, atorvastatin
Telma: telmisartan | Telma H: telmisartan, hydrochlorothiazide | Telma-AM: telmisartan, amlodipine
Glycomet: metformin | Glycomet GP: glimepiride, metformin | Thyronorm: levothyroxine
Montair LC: montelukast, levocetirizine | Zerodol-SP: aceclofenac, acetaminophen, serratiopeptidase
Meftal Spas: mefenamic acid, dicyclomine | Clavam: amoxicillin, clavulanate | Taxim-O: cefixime | Monocef: ceftriaxone
Azithral: azithromycin | Zanocin OZ: ofloxacin, ornidazole | Foracort: budesonide, formoterol
Duolin: ipratropium, levalbuterol | Asthalin: albuterol | Omez: omeprazole | Razo-D: rabeprazole, domperidone
Shelcal: calcium carbonate, cholecalciferol | Sinarest: acetaminophen, chlorpheniramine, phenylephrine
Amlokind-AT: amlodipine, atenolol | Vymada: sacubitril, valsartan | Lasilactone: furosemide, spironolactone
Urimax D: tamsulosin, dutasteride | Syndopa: carbidopa, levodopa | Mixtard: insulin nph, insulin regular
Istamet: sitagliptin, metformin | Wysolone: prednisolone | Eptoin: phenytoin
"""


def _rows() -> Iterator[tuple[str, frozenset[str]]]:
    for cell in _TABLE.replace("\n", "|").split("|"):
        if cell.strip():
            brand, _, parts = cell.partition(":")
            yield brand.strip(), frozenset(part.strip() for part in parts.split(","))


_ROWS = [*_rows()]


def test_the_table_is_long_enough() -> None:
    assert len(_ROWS) >= 150
    assert len(names()) >= 10_000


@each_of(("brand", "parts"), _ROWS)
def test_common_brands_and_combinations_stand_for_their_ingredients(brand: str, parts: frozenset[str]) -> None:
    assert frozenset(ingredients(brand)) == parts
    assert drugs_in(f"please check {brand} for her")[0].text == brand


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("metoprolol succinate", "metoprolol tartrate"),
        ("amlodipine besylate", "amlodipine"),
        ("Paracetamol", "acetaminophen"),
        ("sodium valproate", "divalproex"),
        ("sacubitril and valsartan", "Entresto"),
        ("valsartan/sacubitril", "Entresto"),
        ("telmisartan + amlodipine", "Telma AM"),
        ("paracétamol", "paracetamol"),
        ("co amoxiclav", "Augmentin"),
    ],
)
def test_one_drug_under_two_names(one: str, other: str) -> None:
    assert same_drug(one, other)


@pytest.mark.parametrize(
    ("one", "other"),
    [("Telma", "Telma H"), ("Pan-D", "Pan-L"), ("insulin glargine", "insulin lispro"), ("prednisone", "prednisolone")],
)
def test_a_letter_makes_another_drug(one: str, other: str) -> None:
    assert ingredients(one)
    assert not same_drug(one, other)


@pytest.mark.parametrize(
    "name", ["warfarin and ibuprofen", "warfarin/ibuprofen", "aspirin, metformin", "warfarin with"]
)
def test_two_drugs_are_not_one(name: str) -> None:
    assert not is_drug(name)


def test_every_ingredient_is_its_own_ingredient() -> None:
    known = names()
    assert {part for parts in known.values() for part in parts if known.get(part, (part,)) != (part,)} == set()


_NO_DRUGS = word_set(
    "today balance water oxygen alcohol iron glucose calcium potassium sodium magnesium caffeine albumin patient "
    "normal soma tobi started pain fever rash blood sugar salt vitamin vaccine steroid statin antibiotic plan yasmin "
    "camila alli pause "
    "advance control zinc platinum gold silver penicillins2 met his pro asp candid"
)


@each_of("word", sorted(_NO_DRUGS))
def test_everyday_words_and_people_are_no_drugs(word: str) -> None:
    assert not is_drug(word)


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("Tab Dolo-650 and T. PAN-D", ["Dolo", "PAN-D"]),
        (
            "warfarin's, aspirins; 'metformin' (ibuprofen)/digoxin",
            ["warfarin", "aspirins", "metformin", "ibuprofen", "digoxin"],
        ),
        ("metformin500mg bd", ["metformin"]),
        ("warfarin-ibuprofen interaction", ["warfarin", "ibuprofen"]),
        ("amiodarone-induced, penicillin-allergic, IV-vancomycin", ["amiodarone", "penicillin", "vancomycin"]),
        ("insulin-dependent, methicillin-resistant, non-aspirin, warfarin-like", []),
        ("premetformin metforminx x_warfarin warfarin_x", []),
        ("insulin, glargine", ["insulin", "glargine"]),
        ("insulin  glargine\nfolic\nacid", ["insulin  glargine", "folic\nacid"]),
        ("Pan day, pan d", ["pan d"]),
        ("AMOXICILLINE et paracétamol", ["AMOXICILLINE", "paracétamol"]),
        ("telmisartan/amlodipine and warfarin/ibuprofen", ["telmisartan/amlodipine", "warfarin", "ibuprofen"]),
        ("“Augmentin”… Crocin!", ["Augmentin", "Crocin"]),
    ],
)
def test_names_are_whole_words_in_the_original_text(text: str, found: list[str]) -> None:
    mentions = drugs_in(text)
    assert [mention.text for mention in mentions] == found
    assert all(text[mention.start : mention.end] == mention.text and is_drug(mention.value) for mention in mentions)


_WORDS = (
    "insulin|glargine|pan|d|day|folic|acid|co|amoxiclav|telma|h|am|warfarin|s|'s|-|/|,|.|5|500mg|metformin|vitamin|b12|b"
    "|ms|contin|x|é|ı|\u200b|\n|\r\n|\t|b6|interferon|beta-1a|650|IV-induced|WARFARIN_|Ń"
)
_PIECES = st.one_of(st.sampled_from(re.split(r"\|", _WORDS)), st.text(string.ascii_letters + " -'/é.1", max_size=6))


@given(st.lists(_PIECES, max_size=30), st.sampled_from(["", " ", "-"]))
@settings(max_examples=400, deadline=None)
def test_the_library_and_the_plain_search_find_the_same(pieces: list[str], glue: str) -> None:
    text = glue.join(pieces)
    padded = f" {text} "
    folded = drug_matcher.fold(padded)
    compiled = drug_matcher._automaton()
    assert compiled is not None
    plain = drug_matcher._unhyphenated(text, drug_matcher._plain_search(text, folded))
    assert drug_matcher._search(text, padded, folded, *compiled) == plain


@given(st.text(max_size=300))
@settings(max_examples=200, deadline=None)
def test_the_fold_keeps_every_place(text: str) -> None:
    assert len(drug_matcher.fold(text)) == len(text)
    assert all(0 <= mention.start < mention.end <= len(text) for mention in drugs_in(text))


@pytest.mark.parametrize(
    ("unit", "each"),
    [
        ("warfarin, ", 1),
        ("insulin  glargine ", 1),
        ("pan day ", 0),
        ("warfarin/ibuprofen ", 2),
        ("x1y2 ", 0),
        ("folic ", 0),
    ],
)
def test_a_hundred_kilobytes_of_one_thing_are_read(unit: str, each: int) -> None:
    times = 100_000 // len(unit)
    assert len(drugs_in(unit * times)) == each * times


@pytest.mark.parametrize(
    ("text", "parts"),
    [
        ("Prescribe Tylenol #3 1 tablet every 6 hours", {"acetaminophen", "codeine"}),
        ("Tylenol No. 3 at night", {"acetaminophen", "codeine"}),
        ("Tylenol 500 mg #3", {"acetaminophen"}),
        ("amoxicillin #3", {"amoxicillin"}),
    ],
)
def test_a_number_that_belongs_to_the_name_names_another_product(text: str, parts: set[str]) -> None:
    (drug,) = drugs_in(text)
    assert set(ingredients(drug.value)) == parts
