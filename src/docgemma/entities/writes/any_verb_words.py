"""The words around an order told with any verb. Hand-written; what they decide is for `any_verb` to say."""

from __future__ import annotations

from docgemma.entities.grammar.verbs import ARRANGING, CHANGING, EDITING, ENDING, LOOKING, REMOVING, SHIFTING
from docgemma.entities.words import phrase_list, word_set

INFORMATION = word_set(
    "safety warning warnings interaction interactions check search summary list info information label discussion "
    "literature overview advice effects evidence trials chat conversation reminder alternatives options level levels "
    "lab labs test tests panel culture scan trough leaflet handout instructions education history study studies "
    "result results alphabetically poem essay haiku story explanation reading counselling counseling monitoring"
)
"""What is told or looked up, not ordered."""

PASSED = word_set(
    "her him them his their the a an some my this that these on with of to for in up back patient pt mr mrs ms dr "
    "please now stat today tonight tomorrow immediately urgently asap also iv im po sc sl pr oral orally intravenous "
    "topical inhaled nasal rectal subcutaneous subcut nebulised nebulized neb nebs low high lower higher small large "
    "single course courses bolus loading maintenance starting initial repeat another new fresh prn regular empirical "
    "empiric prophylactic prophylaxis slow fast modified extended immediate long short acting release sr xl er xr "
    "weekly daily nightly nocte once twice started going again either both plus and or & tab tabs tablet tablets cap "
    "caps capsule capsules inj injection syp syrup susp suspension drops cream ointment gel patch patches spray "
    "inhaler pump infusion drip generic brand branded adjusted renally weight-based broad spectrum line first second "
    "our him/her from day week weeks days month months just only more extra further additional combination triple "
    "dual it following treatment therapy prescriptions regimen meds medications kardex"
)
"""What may stand between an ordering verb and the drug."""

ON_THE_WAY = PASSED - {"or", "either", "from", "it"} | word_set(
    "out through down over into onto along across order orders script scripts prescription rx dose doses chart card "
    "record supp suppository pessary vial amp ampoule sachet puff puffs quick wee little bit supply me us you doing "
    "making make do have given put placed"
)
"""The same for a verb that is not known: particles and the nouns of an order come to it, alternatives do not."""

FORMS = word_set(
    "tab tabs tablet tablets cap caps capsule inj injection syp syrup susp neb nebs supp drops cream oint gel patch t"
)
ELSE = word_set(
    "convert compute estimate work figure clarify teach discuss define consider suggest recommend assess evaluate "
    "justify reconcile audit count measure track research google query know see view display graph plot trend hear "
    "think guess remember recall forget avoid skip miss decline refuse crush split mix dilute reconstitute flush "
    "store keep take swallow weigh say mention talk speak quiz test imagine suppose assume pretend contrast rank rate "
    "score validate ensure wonder use proscribe have try go come learn study cross-check crosscheck double-check note "
    "record document log list mark flag tag register save type jot dictate post upload file advise hand follow tweak "
    "reverse block deny question challenge appeal defer delay postpone wait report quote believe hope expect plan "
    "propose intend prefer love hate mean feel stay remain become seem look sound watch share copy paste highlight "
    "underline colour color spell pronounce bill price cost claim code compare look-up lookup optimise optimize "
    "minimise minimize maximise maximize limit restrict tell thank thanks sorry apologise"
)
"""Verbs of reading, working out, telling, recording, taking and leaving."""

NEVER = (ELSE | LOOKING | ENDING | REMOVING | EDITING | CHANGING | SHIFTING | ARRANGING) - word_set(
    "set up drop bring organize arrange request schedule"
)
NO_VERB = word_set(
    "i you he she it we they who that which what there this these those to a an the my your his her its our their of "
    "in on at by for with from into about over under not never no nor or and but if when while once before after "
    "until unless because since as than then so is are was were be been being am do does did has have had will would "
    "shall should can could may might must always often usually ever also only just still already now please both all "
    "any some each every more less most new old other another same patient pt patients mr mrs ms dr ward bed room "
    "team nurse doctor gp pharmacy pharmacist family mum mom dad wife husband son daughter mother father baby child "
    "home pain fever cough bp hr inr egfr morning evening night today tonight tomorrow yesterday discharge dose doses "
    "meds med medication drug hx history dx diagnosis plan rx script known background long-term low-dose high-dose "
    "first second third next last latest good great fine ok okay yes hi hello hey stable well better worse diet "
    "current recent previous possible proposed prn stat daily iv im po subject re per via likely max min maximum "
    "minimum target why how where whose whom whether maybe perhaps rather quite very too between against despite "
    "during want wants like self someone somebody anyone anybody everyone everybody nobody none strat age aged male "
    "female lady gentleman man woman boy girl chap sole main whole half third-line first-line second-line"
)
"""Words that open a statement, a heading or a question, or that name a thing."""

PAST = word_set(
    "took had got went came gave brought wrote ate drank kept left lost made ran saw said sent spent stood thought "
    "told felt found held began chose forgot bought rang fell broke slept spoke wore bled fed led met paid sold stole "
    "stuck threw understood dealt became swore shook forgave withdrew overdid hid shot"
)
"""After a person these tell what was done."""

NOUN_ENDINGS = (
    *("tion", "sion", "ment", "ness", "ity", "ed", "ly", "al", "ic", "ous", "ism", "itis", "osis", "emia", "aemia"),
    *("ology", "pathy", "ance", "ence", "ular", "ine", "or", "er", "ist", "ician", "ain", "algia", "uria"),
)
VERBS_THOUGH = word_set("order trigger administer deliver offer enter transfer refer cover monitor bring need feed")
STATES = word_set(
    "is are was were has had have been being does did will would should takes taking took taken started gave given "
    "who which what why how whether when if because since not no never without avoid stop stopped already ok okay "
    "safe right correct enough i we she he they it think thinks want wants ? versus vs or currently usually "
    "previously instead advise known says said told asked causing caused cause still remains due allergic see know "
    "high low"
)
"""Beside a drug and "please" alone, these say or ask something of it."""

PLEASE = word_set("please kindly")
WANTING = tuple(
    tuple(phrase.split())
    for phrase in phrase_list(
        "could do with, we could do with, i could do with, will need, i'd like, would like, i want, we want, i would "
        "like, we would like, we'd like, id like, i need, we need, we'll need, i'll need, i'm after, we're after, is "
        "to have, is to get, to have"
    )
)
"""What opens a wish; its last word stands in the verb's place."""

WAY_IN = word_set("in through")
BARE_OBJECT = word_set(
    "it this that these them other please thanks now today for to as above asap thank you both all the same too "
    "through up on a an prescription script order rx in down over out prescribed charted done sorted written started "
    "chart card kardex system him her cheers ta then patient pt stat straight away me us tonight tomorrow sign "
    "countersign"
)

ADDRESS = word_set(
    "for patient pt please kindly the this my mr mrs ms dr him her them so and hi hello bed ward new order phone "
    "telephone verbal script prescription rx request"
)
HINDI = word_set("karo kariye kijiye kardo karna dedo dijiye likho likhiye lagao chalao")
"""Imperatives that end the clause: "402 ko paracetamol 650 mg tds start karo"."""
