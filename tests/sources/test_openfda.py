from __future__ import annotations

import pytest

from docgemma.clinical import ErrorType, People, withheld
from docgemma.sources.contract import Labels, SourceError
from docgemma.sources.openfda.client import OpenFda
from tests.sources.asking import asking, soon
from tests.support.fake_openfda import FakeOpenFda
from tests.support.fake_service import Said
from tests.support.labels import derived, record

WARFARIN = record("warfarin sodium", brand="Coumadin", substances=["warfarin"], boxed_warning="WARNING: BLEEDING")
COLCHICINE = record("colchicine", brand="Gloperba", harmonised=False)
AUGMENTIN = record(
    "amoxicillin and clavulanate potassium", brand="Augmentin", substances=["amoxicillin", "clavulanate"]
)
OFLOXACIN = record("ofloxacin", warnings="Keep the acid away.")
SHELF = (OFLOXACIN, WARFARIN, COLCHICINE, AUGMENTIN)


async def look_up(fake: FakeOpenFda, drug: str, *, key: str | None = None, seconds: float = 5.0) -> Labels | None:
    async with asking(fake) as (web, url):
        return await OpenFda(web, url, key).labels(drug, ends_at=soon(seconds))


async def failure(fake: FakeOpenFda, drug: str = "warfarin", *, key: str | None = None) -> SourceError:
    with pytest.raises(SourceError) as caught:
        await look_up(fake, drug, key=key)
    return caught.value


@pytest.mark.parametrize(
    ("drug", "brand", "asked"),
    [
        ("warfarin", "Coumadin", 1),  # a whole substance name
        ("Coumadin", "Coumadin", 2),  # a brand that is not stored in capitals
        ("warfarin sodium", "Coumadin", 1),
        ("colchicine", "Gloperba", 3),  # known by its product data alone
        ("amoxicillin/clavulanate", "Augmentin", 3),
    ],
)
async def test_a_drug_is_found_by_any_of_its_names(drug: str, brand: str, asked: int) -> None:
    fake = FakeOpenFda(SHELF)
    found = await look_up(fake, drug)
    assert found is not None
    assert [label.title for label in found.labels] == [
        "Gloperba colchicine colchicine LACTOSE" if brand == "Gloperba" else f"{brand} (Example Pharma)"
    ]
    assert (found.origin, found.source, found.data_date) == ("live", "openFDA drug labels", "2026-08-11")
    assert fake.count == asked


async def test_spaces_are_spaces_and_several_labels_are_asked_for() -> None:
    fake = FakeOpenFda(SHELF)
    await look_up(fake, "warfarin sodium")
    assert "%2B" not in fake.questions[0].raw
    assert '"WARFARIN SODIUM"' in fake.queries[0]
    assert int(fake.questions[0].params["limit"]) >= 10


async def test_a_drug_that_no_label_names_is_none_after_the_whole_ladder() -> None:
    fake = FakeOpenFda(SHELF)
    assert await look_up(fake, "obeticholic acid") is None
    assert fake.count == 3


async def test_labels_of_other_drugs_are_dropped() -> None:
    """A misread query is answered with the whole shelf, and with status 200."""
    fake = FakeOpenFda(SHELF)
    everything = {"meta": {"results": {"total": 4}}, "results": list(SHELF)}
    fake.always = Said(200, everything)
    found = await look_up(fake, "warfarin")
    assert found is not None
    assert [label.brands for label in found.labels] == [("Coumadin",)]
    assert await look_up(fake, "sotalol") is None


async def test_a_filler_of_other_drugs_is_not_the_drug() -> None:
    """Every label here contains lactose; none is about it."""
    assert await look_up(FakeOpenFda((WARFARIN, OFLOXACIN)), "lactose") is None


@pytest.mark.parametrize("drug", ["warfarin\\", 'warfarin"', "warfarin\\\\", '"warfarin', "warfarin^2~"])
async def test_no_name_breaks_out_of_its_quotes(drug: str) -> None:
    fake = FakeOpenFda((OFLOXACIN,))
    assert await look_up(fake, drug) is None
    assert fake.misread == 0
    assert all('"warfarin' in query.lower() or '\\"warfarin' in query.lower() for query in fake.queries)


async def test_prescription_labels_are_fetched_when_only_others_came() -> None:
    """The warning in the box is on the prescription label; ten others came first."""
    shop = [record("ibuprofen", brand=f"Store {n}", kind="HUMAN OTC DRUG") for n in range(12)]
    hospital = record("ibuprofen", brand="Motrin", boxed_warning="WARNING: HEART AND STOMACH")
    fake = FakeOpenFda([*shop, hospital])
    found = await look_up(fake, "ibuprofen")
    assert found is not None
    assert found.labels[0].brands == ("Motrin",)
    assert len(found.labels) == 11
    assert found.total == 13
    assert fake.count == 2


async def test_a_failing_second_question_does_not_take_the_first_answer() -> None:
    shop = [record("ibuprofen", brand=f"Store {n}", kind="HUMAN OTC DRUG") for n in range(12)]
    fake = FakeOpenFda(shop)
    fake.faults = [fake_first(fake), Said(400, {"error": {"code": "BAD_REQUEST", "message": "no"}})]
    found = await look_up(fake, "ibuprofen")
    assert found is not None
    assert len(found.labels) == 10


def fake_first(fake: FakeOpenFda) -> Said:
    return Said(200, {"meta": {"results": {"total": 12}}, "results": fake.records[:10]})


@pytest.mark.parametrize(
    ("said", "error_type"),
    [
        (Said(404, b"<html>Not Found</html>"), "invalid_response"),
        (Said(404, {"error": {"code": "GONE"}}), "invalid_response"),
        (Said(404, {"message": "No matches found!"}), "invalid_response"),
        (Said(400, {"error": {"code": "BAD_REQUEST", "message": "Invalid parameter: q"}}), "invalid_response"),
        (Said(200, b""), "invalid_response"),
        (Said(200, b"<html>Welcome to the hotel network</html>"), "invalid_response"),
        (Said(200, b'{"meta": {}, "results": [{"set_'), "invalid_response"),
        (Said(200, {"meta": {}}), "invalid_response"),
        (Said(200, {"meta": {}, "results": []}), "invalid_response"),
        (Said(200, {"meta": {}, "results": ["label"]}), "invalid_response"),
        (Said(200, {"results": [WARFARIN]}), "invalid_response"),
        (Said(200, {"error": {"code": "NOT_FOUND", "message": "No matches found!"}}), "invalid_response"),
        (Said(200, [1, 2]), "invalid_response"),
        (Said(200, b"[" * 100_000), "invalid_response"),
        (Said(200, {"meta": {}, "results": [WARFARIN]}, {"content-encoding": "gzip"}), "invalid_response"),
        (Said(204, b""), "invalid_response"),
        (Said(429, {"error": {"code": "OVER_RATE_LIMIT"}}), "rate_limit"),
        (Said(500, {"error": {"code": "SERVER_ERROR", "message": "Check your request"}}), "server_error"),
        (Said(503, b"<html>down</html>"), "server_error"),
        (Said(302, b"", {"location": "https://elsewhere.invalid/"}), "invalid_response"),
    ],
)
async def test_what_is_no_answer_is_never_none(said: Said, error_type: ErrorType) -> None:
    fake = FakeOpenFda(SHELF)
    fake.always = said
    error = await failure(fake)
    assert error.error_type == error_type
    assert "warfarin" not in str(error)


async def test_a_question_that_cannot_be_parsed_is_not_asked_twice() -> None:
    fake = FakeOpenFda(SHELF)
    details = {"code": "SERVER_ERROR", "message": "Check your request", "details": "[parse_exception] Cannot parse"}
    fake.always = Said(500, {"error": details})
    assert (await failure(fake)).error_type == "invalid_response"
    assert fake.count == 1


async def test_a_fault_that_passes_is_asked_again() -> None:
    fake = FakeOpenFda(SHELF)
    fake.faults = [Said(503, b"down")]
    assert await look_up(fake, "warfarin") is not None


async def test_none_of_an_early_question_is_no_answer_when_a_later_one_fails() -> None:
    fake = FakeOpenFda(())
    none = Said(404, {"error": {"code": "NOT_FOUND", "message": "No matches found!"}})
    fake.faults = [none, Said(400, {"error": {"code": "BAD_REQUEST"}})]
    assert (await failure(fake)).error_type == "invalid_response"


async def test_a_refused_key_is_a_setting_to_mend() -> None:
    fake = FakeOpenFda(SHELF, keys=["right"])
    error = await failure(fake, key="wrong")
    assert error.error_type == "not_configured"
    assert "DOCGEMMA_OPENFDA_API_KEY" in str(error)
    assert "wrong" not in str(error)
    assert await look_up(fake, "warfarin", key="right") is not None


async def test_a_service_that_hangs_is_left_in_time() -> None:
    fake = FakeOpenFda(SHELF)
    fake.always = Said(200, b"", delay_s=30)
    with pytest.raises(SourceError) as caught:
        await look_up(fake, "warfarin", seconds=0.4)
    assert caught.value.error_type == "timeout"


async def test_a_patient_is_not_asked_for() -> None:
    fake = FakeOpenFda(SHELF)
    token = withheld.set(People(names=("Ann Warfarin Lee",)))
    try:
        error = await failure(fake, "Ann Lee")
    finally:
        withheld.reset(token)
    assert error.error_type == "patient_data"
    assert fake.count == 0


async def test_a_wrong_date_is_no_date() -> None:
    found = await look_up(FakeOpenFda(SHELF, updated="yesterday"), "warfarin")
    assert found is not None
    assert found.data_date is None


@pytest.mark.parametrize(("drug", "title"), [("lipitor", "Lipitor"), ("atorvastatin", "Lipitor"), ("Viagra", "Viagra")])
async def test_real_labels_are_found(drug: str, title: str) -> None:
    shelf = [derived(name) for name in ("cough", "haloperidol_legacy", "lipitor-orig", "lipitor-repack", "viagra")]
    found = await look_up(FakeOpenFda(shelf), drug)
    assert found is not None
    assert {label.title.split()[0] for label in found.labels} == {title}
