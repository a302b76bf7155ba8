"""Words of a question that are not what it is about, and words that say less than others."""

from __future__ import annotations

import re

from docgemma.entities.words import word_set

BETWEEN = word_set(
    # articles, pronouns, prepositions and conjunctions
    "a an the this that these those any some all each every no not i im i'm i'd i've me my mine we us our you u your "
    "he him his she her hers it its it's they them their who whom whose which what what's whats when where why how "
    "there there's theres here of in on at by for from to into onto with without within w w/o about around regarding "
    "concerning re vs vs. versus against over under between among amongst during after before following since until "
    "till through throughout across per via as than then so and but nor if whether because due while although though "
    "however also too or only just even still ever never yet already again both either neither such more most less "
    "least much many few several other others another same own very really actually quite rather instead like e.g i.e "
    "etc "
    # verbs that carry no topic
    "is are was were be been being am isn't aren't wasn't weren't has have had having haven't hasn't do does did "
    "doing don't doesn't didn't can can't could should shouldn't would will won't may might must shall ought need "
    "needs needed want wants wanted get gets getting got give gives giving given take takes taking taken use uses "
    "used using make makes making made add adding added start starting started try tried trying put go goes going "
    "come see seen look looking looked find found finding know known tell tells told say says said saying ask asks "
    "asked asking show shows shown showing prove proves proven proved suggest suggests suggested recommend "
    "recommended recommends think believe consider considered considering help helps helped helping work works worked "
    "working prevent prevents prevented preventing reduce reduces reduced reducing decrease decreases decreased "
    "decreasing improve improves improved improving increase increases increased increasing raise raises cause causes "
    "caused causing lead leads leading affect affects affected affecting treat treats treated treating cure cures "
    "manage managing managed worsen worsens delay delays delaying protect protects trigger triggers induce associated "
    "association associate linked link relate related relationship correlate compare compared comparing comparison "
    "differ support supports supported supporting back backs backing benefit benefits beneficial effective "
    "effectiveness efficacious helpful useful safe better best worse worst good bad superior inferior lowers lowering "
    "outperform beat beats exist exists happen happens occur occurs remain become keep keeps stop stops let lets "
    "please pls plz kindly thanks thank cheers hi hello hey ok okay dear doc doctor wondering wonder curious "
    "interested check search searching searched fetch pull list send share read reading summarise summarize summary "
    "overview brief briefly quick quickly slow slows slowing induced mediated produce produces "
    # words for what is searched
    "evidence literature lit research researcher researchers study studies studied studying paper papers article "
    "articles publication publications published publish publishing journal journals data database databases pubmed "
    "medline embase cochrane europepmc google scholar pmc citation citations reference references refs abstract "
    "abstracts finding findings result results conclusion conclusions information info material report reported "
    "reports reviews review trial trials rct rcts meta-analysis meta-analyses guideline guidelines guidance consensus "
    "current currently recent recently latest newest new newer news lately today nowadays now available ongoing "
    "existing relevant important major key landmark seminal high-quality quality-controlled peer-reviewed based comma "
    "tho though oops autocorrect narrow restrict limit especially mainly particularly dig out up specifically post "
    # words that every question in medicine has
    "patient patients pt pts people person persons someone somebody anyone individuals individual subjects subject "
    "case cases adult adults human humans man's woman's population populations clinical clinically medical medically "
    "medicine clinician clinicians physician physicians practice question topic context setting settings regard "
    "regards terms possible potential optimal appropriate proper long-term short-term term one ones something "
    "anything thing things stuff lot lots bit way ways kind kinds type-of sort etc number year years yr yrs old aged "
    "age ages mr mrs ms miss dr prof mrn nhs dob id no wrote write written authors author group groups boss colleague "
    "consultant registrar mum dad plus "
    # forms of a medicine that say nothing of what it is given for
    "tablet tablets capsule capsules syrup syrups pill pills sachet sachets dispersible suspension caplet caplets "
    # everyday verbs of a story
    "coming back away washing keeps getting guided"
)
"""What stands between two things that are sought."""

FAINT = word_set(
    "treatment treatments therapy therapies therapeutic management effect effects efficacy role roles impact impacts "
    "outcome outcomes option options approach approaches strategy strategies infusion infusions injection injections "
    "supplement supplements supplementation small bad big drug drugs medication medications medicines care use usage "
    "level levels first-line first second-line line value utility intervention interventions response daily routine "
    "routinely control addition factor factors mechanism mechanisms course duration timing choice choose chance long "
    "short difference differences disease disorder condition conditions issue issues problem problems concern "
    "concerns day days week weeks month months hour hours minutes mg non iv po im sc"
)
"""Words that are left out beside others: what is sought is named without them."""

GENERAL = word_set(
    "dose doses dosing dosage safety risk risks mortality survival death deaths prevention prophylaxis diagnosis "
    "diagnostic prognosis screening symptom symptoms complication complications recurrence relapse cost costs "
    "hospitalisation hospitalization admission adherence tolerability toxicity monitoring outcome efficacy women men "
    "female male children pregnancy elderly incidence prevalence epidemiology pain surgery exercise diet acute "
    "chronic severe mild early late recovery referral follow-up adverse effect"
)
"""Words that say little by themselves: the first to go when a search is widened."""

_GROUPS = frozenset(("older adults", "preterm infants", "neonates", "infants", "preschool children", "adolescents"))
_PLACES = word_set(
    "knee hip shoulder back neck head lung liver kidney heart brain breast colon prostate skin bone bladder thyroid "
    "pancreas muscle spine ear eye throat chest stomach bowel gut blood gum tooth foot hand wrist ankle elbow nail "
    "hair scalp nerve vein joint tendon cell stem lymph bile airway tongue tonsil wound birth bed night sleep weight "
    "iron"
)
_NO_ADJECTIVES = word_set("reduced based treated exposed included")
"""They end like an adjective, and belong to the word before them: "dose reduced capecitabine"."""

_MODIFIERS = word_set(
    "acute chronic severe mild moderate early late low high type stage grade oral topical home frozen silent dry wet "
    "free deep upper lower left right open closed small large adult dual triple single double total partial full "
    "whole rapid non anti post pre fatty sickle restless broken burning hot cold third fourth prn on-demand iv sc im "
    "heavy light intermittent first-episode new-onset soft hard near far ex vivo in-hospital outpatient inpatient"
)
_MODIFYING = re.compile(
    r"(?:ic|al|ar|ary|ory|ous|ive|ed|ent|ant|able|ible|less|ine-induced|-\w+ed|-free|-onset|-dose|-acting|-risk|-line|-term)$"
)
_HEADS = word_set(
    "disease syndrome failure cancer injury infection disorder pain therapy deficiency pressure score surgery "
    "replacement transplant transplantation stenosis fracture attack arrest dysfunction insufficiency resistance "
    "supplement supplementation injection infusion vaccine vaccination inhibitor blocker agonist antagonist antibody "
    "cell transfusion training cessation withdrawal section loss gain ulcer hernia stone crisis palsy clot embolism "
    "infarction ventilation catheter factor gene mutation virus index oil block bypass repair feeding care acid "
    "monitoring prophylaxis screening stimulation nerve reflux retention incontinence apnea apnoea bacteremia "
    "bacteraemia regurgitation impairment tear sprain strain tube patch spray cream drop implant device test diet "
    "dressing bandage stocking program programme bundle protocol pathway"
)
_ENDINGS = (
    "itis",
    "osis",
    "emia",
    "aemia",
    "oma",
    "opathy",
    "algia",
    "ectomy",
    "oplasty",
    "uria",
    "penia",
    "rrhea",
    "rrhoea",
)
_NUMBER = re.compile(r"\d+[a-z]?|[ivx]{1,4}")
_LETTER = re.compile(r"[A-Za-z]\d{0,2}")


def says_little(words: str) -> bool:
    """Whether these words alone leave open what is meant."""
    return words.lower() in _GROUPS or all(map(_says_little, words.lower().split()))


def _says_little(low: str) -> bool:
    modifies_only = low in _MODIFIERS or bool(_MODIFYING.search(low)) or low.endswith("ing")
    return low in GENERAL or low in FAINT or modifies_only or low.isdecimal()


def names_disease(word: str) -> bool:
    return word.lower().endswith(_ENDINGS)


def modifies(word: str) -> bool:
    """Whether the word belongs to the one behind it: "recurrent pericarditis", "knee osteoarthritis"."""
    low = word.lower()
    numbered = bool(_NUMBER.fullmatch(low)) or (low[-1:].isdigit() and "-" in low)
    return low in _MODIFIERS or low in _PLACES or numbered or _describes(low)


def _describes(low: str) -> bool:
    return len(low) > 4 and low not in _NO_ADJECTIVES and bool(_MODIFYING.search(low))


def heads(word: str) -> bool:
    """Whether the word belongs to the one before it: "muscle pain", "hepatitis B"."""
    low = word.lower()
    alone = low if low in _HEADS else low.removesuffix("s")
    return alone in _HEADS or bool(_NUMBER.fullmatch(low) or _LETTER.fullmatch(word)) or low.endswith("ies")
