"""A model that was shown nothing says so in many ways, none of which is a finding; a model that looked is heard."""

from __future__ import annotations

from docgemma.agent.vision.findings import read_comparison, read_findings
from docgemma.agent.vision.schemas import ImageComparison, ImageFindings
from tests.support.images import xray
from tests.support.tables import each_of
from tests.support.vision_server import ANSWERS

NOTHING_SEEN = (
    "No image was provided.",
    "No image provided",
    "I don't see any image.",
    "I do not see an image attached to your message",
    "I don't see an image",
    "There is no image.",
    "There's no image in this message",
    "The image is not visible to me",
    "The image did not load",
    "The image failed to load.",
    "The image could not be loaded",
    "The image was not included",
    "Image not provided",
    "Image not found",
    "No picture was attached",
    "Please upload the image",
    "Please provide the image so that I can analyze it",
    "Please attach an X-ray",
    "No X-ray was provided",
    "No chest X-ray image is attached.",
    "I cannot view images",
    "I can't see images",
    "I am unable to view the image",
    "As a text-based AI model, I cannot",
    "I'm a language model and don't have the ability to see images",
    "As an AI language model I cannot interpret medical images",
    "Unable to assess: no image",
    "Without the image, it is not possible to determine",
    "I would need to see the image",
    "Cannot be determined without the image",
    "Image missing",
    "The image is missing",
    "No visual input",
    "No visual data available",
    "Image data is empty",
    "Sorry, but I can't assist with that.",
    "I'm sorry, I can't help with identifying this image",
    "The provided image cannot be displayed",
    "Not provided",
    "N/A",
    "None",
    "No findings could be generated because no picture was supplied",
    "[image]",
    "<image>",
    "image_0.png",
    "I haven't received an image",
    "You have not attached any image",
    "It seems that the image wasn't attached",
    "The image was not uploaded",
    "no images were uploaded",
    "I cannot interpret the scan as I have no access to it",
    "Image unavailable",
    "No radiograph was supplied",
)
SEEN = (
    "No pleural effusion or pneumothorax visible",
    "No nodule is visible in the image",
    "The image is not centred; apex cannot be seen",
    "No prior image available for comparison",
    "Cannot exclude a small pneumothorax on this image",
    "The left costophrenic angle is not included in the image",
    "The image is limited by rotation",
    "No displaced fracture on the images provided",
    "The lateral image was not provided",
    "Cannot assess the apices on this image",
    "The study is limited; no lateral view was provided",
    "Unable to see the right hemidiaphragm",
    "The image is underexposed, retrocardiac area cannot be assessed",
    "No previous film is available",
    "Image quality is poor",
    "No text on the image",
    "The lower lobe is missing",
    "No foreign body is seen in the image provided",
    "There is no image evidence of fracture",
    "No image findings of pneumonia",
    "No radiographic evidence of disease is provided by this image",
    "No picture of heart failure",
    "The image is blank",
    "Please correlate clinically",
    "No acute cardiopulmonary abnormality",
    "Normal chest radiograph",
    "No change from the image before",
)


@each_of("said", NOTHING_SEEN)
def test_no_finding_comes_out_of_an_answer_without_eyes(said: str) -> None:
    for answer in (xray(said), xray(impression=said), xray(said, said, impression=said)):
        read = read_findings(ImageFindings.model_validate(answer), image_id="i", modality="", asked="")
        assert read is None, answer


@each_of("said", SEEN)
def test_what_was_seen_is_kept(said: str) -> None:
    read = read_findings(ImageFindings.model_validate(xray(said)), image_id="i", modality="", asked="")
    assert read is not None
    assert read.findings == (said,)


def compared(*changes: str) -> bool:
    answer = ImageComparison.model_validate(ANSWERS["ImageComparison"] | {"changes": list(changes)})
    return read_comparison(answer, image=("i", ""), prior=("p", "unknown"), asked="") is not None


def test_no_change_is_an_answer_and_no_second_image_is_none() -> None:
    assert compared("None")
    assert compared()
    assert not compared("I do not see an image to compare with")
