"""Which messages go on asking about an image, want two compared, or want a place marked."""

from __future__ import annotations

from docgemma.agent.vision.requests import asks_to_compare, asks_where, refers_to_image
from docgemma.agent.vision.seen import is_specific
from tests.support.reading import understood
from tests.support.tables import each_of

THIS = (
    "What do you see on this x-ray?",
    "Is there a fracture on that film?",
    "compare with the previous film",
    "Compare this to the prior x-ray",
    "look at the same image again",
    "same image, any free air?",
    "and on the first scan?",
    "describe the image I sent",
    "Any nodule in the attached CT?",
    "has it changed since the last x-ray?",
)
PERHAPS = (
    "and the left lung?",
    "what about the heart?",
    "is there a fracture on it?",
    "any effusion?",
    "Is there a pneumothorax?",
    "where is it?",
    "Where is the nodule?",
    "mark the lesion",
    "show me the fracture",
    "how big is the nodule?",
    "which side?",
    "the right base?",
    "is the heart enlarged?",
    "do you see any free air?",
    "could it be a mass?",
    "is it worse than before?",
    "Are the margins regular?",
    "Any line or tube?",
)
NO = (
    "thanks",
    "hello",
    "What is pneumonia?",
    "how do I treat a pneumothorax?",
    "Check FDA warnings for dofetilide",
    "Does warfarin interact with ibuprofen?",
    "What does a chest x-ray typically show in tuberculosis?",
    "order a chest x-ray",
    "Should I get a CT of the head?",
    "What did the last CT in the chart show?",
    "find trials for lung cancer",
    "any papers on pleural effusion?",
    "Is there a cure for lung cancer?",
    "and John Smith's film?",
    "show me the chart of abc-123",
    "Prescribe amoxicillin 500 mg three times daily",
    "add an allergy to penicillin, rash",
    "list the causes of left heart failure",
    "what are her allergies?",
    "which antibiotic for the left lower lobe pneumonia?",
    "explain the difference between right and left heart failure",
)


@each_of("text", THIS)
def test_the_image_is_plainly_meant(text: str) -> None:
    assert refers_to_image(text, understood(text)) == "this"


@each_of("text", PERHAPS)
def test_the_image_is_meant_right_after_it_was_shown(text: str) -> None:
    assert refers_to_image(text, understood(text)) == "perhaps"


@each_of("text", NO)
def test_no_image_is_meant(text: str) -> None:
    assert refers_to_image(text, understood(text)) == "no"


@each_of(
    ("text", "wanted"),
    [
        ("Where is the nodule?", True),
        ("mark the effusion", True),
        ("Locate the fracture", True),
        ("Can you outline the heart?", True),
        ("show me where it is", True),
        ("show me the nodule", True),
        ("Point out any abnormality", True),
        ("draw a box around the lesion", True),
        ("What does this image show?", False),
        ("Show me the report", False),
        ("what do you see?", False),
        ("Is there a fracture?", False),
        ("tumour marker results", False),
        ("show the image", False),
    ],
)
def test_places_are_marked_only_where_that_is_asked(text: str, wanted: bool) -> None:
    assert asks_where(text) is wanted


@each_of(
    ("text", "wanted"),
    [
        ("compare with the previous film", True),
        ("What has changed?", True),
        ("any change since the last x-ray?", True),
        ("is it better or worse?", True),
        ("Has the effusion improved?", True),
        ("smaller than on the earlier image?", True),
        ("interval change?", True),
        ("What do you see?", False),
        ("Is there an effusion?", False),
        ("degenerative changes?", False),
        ("Describe the changes in the left lung", False),
        ("any new lesion?", True),
    ],
)
def test_two_images_are_compared_only_where_that_is_asked(text: str, wanted: bool) -> None:
    assert asks_to_compare(text) is wanted


@each_of(
    ("text", "wanted"),
    [
        ("What do you see?", False),
        ("Describe the attached image, please.", False),
        ("Is there an effusion?", True),
        ("and the left lung?", True),
    ],
)
def test_a_question_beyond_what_do_you_see(text: str, wanted: bool) -> None:
    assert is_specific(text) is wanted
