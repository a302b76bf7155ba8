"""What people react to besides drugs, and how. Hand-written, not reviewed by a clinician, and never complete.

A substance or a reaction outside these lists is still taken in the user's own words after "allergic to" and
"reaction:".
"""

from __future__ import annotations

from docgemma.entities.words import phrase_list, word_set

ALLERGENS = word_set(
    "sulfa sulfas sulpha sulphas sulfonamide sulfonamides sulphonamide sulphonamides penicillins cephalosporin "
    "cephalosporins nsaid nsaids opioid opioids opiate opiates statins quinolone quinolones fluoroquinolone "
    "fluoroquinolones macrolide macrolides tetracyclines aminoglycosides carbapenems anticonvulsants anaesthetics "
    "anesthetics latex rubber peanut peanuts groundnut groundnuts nut nuts almond almonds cashew cashews walnut "
    "walnuts hazelnut hazelnuts pistachio pistachios pecan pecans shellfish shrimp shrimps prawn prawns crab lobster "
    "squid mussels fish salmon tuna egg eggs milk dairy lactose soy soya wheat gluten sesame mustard celery lupin "
    "lentils chickpea chickpeas strawberry strawberries kiwi kiwis kiwifruit banana bananas avocado mango mangoes "
    "pineapple peach "
    "apple apples tomato tomatoes citrus coconut corn chocolate garlic honey yeast bee bees wasp wasps hornet ant "
    "pollen dust mold mould ragweed grass cat cats dog dogs horse iodine betadine contrast gadolinium nickel adhesive "
    "tape plaster plasters elastoplast micropore chlorhexidine lanolin perfume fragrance henna sulfites sulfite "
    "sulphites msg aspartame dye gelatin gelatine tartrazine brinjal aubergine"
)
PAIRS = frozenset(
    phrase_list(
        "tree nuts, tree nut, brazil nut, brazil nuts, bee stings, bee sting, bee venom, wasp stings, wasp sting, iv "
        "contrast, contrast dye, contrast media, hair dye, house dust, dust mite, dust mites, cow's milk, cows milk, "
        "ace inhibitors, ace inhibitor, beta blockers, beta blocker, sulfa drugs, sulpha drugs, sulfa drug, local "
        "anaesthetics, local anesthetics, iodine contrast, iodinated contrast, flu vaccine, flu jab, "
        "animal dander, sticking plaster, sticking plasters, food colouring, food "
        "coloring"
    )
)
SINGULAR = {
    "eggs": "egg",
    "peanuts": "peanut",
    "nuts": "nut",
    "prawns": "prawn",
    "penicillins": "penicillin",
    **dict.fromkeys(("sulfas", "sulpha", "sulphas", "sulfa drugs", "sulpha drugs", "sulfa drug"), "sulfa"),
}
REACTIONS = phrase_list(
    "anaphylactic shock, anaphylaxis, anaphylactoid reaction, angioedema, angio-oedema, angioneurotic oedema, hives, "
    "urticaria, nettle rash, welts, weals, wheals, rash, rashes, skin rash, itching, itch, itchiness, itchy, itchy "
    "skin, pruritus, eczema, dermatitis, contact dermatitis, redness, erythema, flushing, blistering, blisters, "
    "peeling skin, skin peeling, photosensitivity, burning, swelling, swollen face, swollen lips, swollen tongue, "
    "swollen throat, facial swelling, face swelling, throat swelling, tongue swelling, lip swelling, swelling of the "
    "face, swelling of the lips, oedema, edema, facial oedema, facial edema, laryngeal oedema, throat tightness, "
    "throat closing, wheezing, wheeze, wheezy, bronchospasm, shortness of breath, difficulty breathing, "
    "breathing difficulty, breathlessness, dyspnea, dyspnoea, chest tightness, tight chest, stridor, cough, "
    "asthma attack, nausea, vomiting, vomit, vomits, n&v, diarrhea, diarrhoea, stomach upset, upset stomach, "
    "upset tummy, tummy upset, gi upset, abdominal pain, stomach cramps, cramps, constipation, gi bleed, bleeding, "
    "headache, migraine, dizziness, "
    "dizzy, drowsiness, sedation, confusion, hallucinations, agitation, insomnia, tremor, seizure, seizures, fits, "
    "dystonia, dystonic reaction, oculogyric crisis, hypotension, low blood pressure, collapse, collapsed, fainting, "
    "syncope, cardiac arrest, palpitations, tachycardia, bradycardia, qt prolongation, fever, rigors, chills, red man "
    "syndrome, stevens-johnson syndrome, stevens johnson syndrome, sjs, agep, toxic epidermal necrolysis, dress "
    "syndrome, serum sickness, myalgia, muscle pain, muscle aches, myopathy, rhabdomyolysis, joint pain, tendon "
    "rupture, liver injury, jaundice, hepatitis, deranged lfts, raised lfts, neutropenia, agranulocytosis, "
    "thrombocytopenia, pancreatitis, respiratory depression, hyperkalaemia, hyperkalemia, hyponatraemia, "
    "hyponatremia, mouth ulcers, drowsy, feeling sick, being sick, throwing up, vomited, nauseous, nauseated, feeling "
    "faint, lightheaded, swelled up, swells up, swell up, swelling up, puffed up, puffs up, passed out, blacked out, "
    "low platelets"
)
