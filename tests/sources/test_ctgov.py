from __future__ import annotations

from pathlib import Path

import pytest

from docgemma.clinical import ErrorType, People, holding, withheld
from docgemma.sources.cache import Cache
from docgemma.sources.contract import SourceError
from docgemma.sources.ctgov.client import ClinicalTrialsGov
from docgemma.sources.trials.contract import Sought, Studies
from tests.sources.asking import asking, soon
from tests.support.fake_ctgov import FakeCtGov, trial
from tests.support.fake_service import Said

MELANOMA = trial(1, "Melanoma A", phases=["PHASE3"], interventions=["Pembrolizumab"])
BOYS = trial(2, "Melanoma in Boys", sex="MALE", ages=(None, "17 Years"))
INFANTS = trial(3, "Melanoma in Infants", "COMPLETED", ages=("3 Months", "12 Months"))
SHELF = (MELANOMA, BOYS, INFANTS, trial(4, "Gout"))


async def search(fake: FakeCtGov, sought: Sought, seconds: float = 5.0) -> Studies | None:
    async with asking(fake) as (web, url):
        return await ClinicalTrialsGov(web, f"{url}/api/v2").search(sought, ends_at=soon(seconds))


async def numbers(fake: FakeCtGov, sought: Sought) -> list[int]:
    found = await search(fake, sought)
    return [int(study.nct_id[3:]) for study in found.studies] if found else []


async def failure(fake: FakeCtGov, sought: Sought | None = None) -> SourceError:
    with pytest.raises(SourceError) as caught:
        await search(fake, sought or Sought("melanoma"))
    return caught.value


async def test_trials_come_with_their_count() -> None:
    fake = FakeCtGov(SHELF)
    found = await search(fake, Sought("melanoma"))
    assert found is not None
    assert (found.total, found.more, found.origin, found.source) == (3, False, "live", "ClinicalTrials.gov")
    assert fake.misread == 0


@pytest.mark.parametrize(
    ("sought", "expected"),
    [
        (Sought("melanoma", statuses=("COMPLETED",)), [3]),
        (Sought("melanoma", phases=("PHASE3",)), [1]),
        (Sought("melanoma", "pembrolizumab"), [1]),
        (Sought("melanoma", age_years=0.5), [2, 3]),
        (Sought("melanoma", age_years=40.0), [1]),
        (Sought("melanoma", age_years=0.0, age_to=17.0), [2, 3]),
        (Sought("melanoma", sex="female"), [1, 3]),
        (Sought("gout or sarcoma"), [4]),
        (Sought("psoriasis"), []),
        (Sought("ALL"), []),
    ],
)
async def test_each_filter_does_what_it_says(sought: Sought, expected: list[int]) -> None:
    fake = FakeCtGov(SHELF)
    assert await numbers(fake, sought) == expected
    assert fake.misread == 0


async def test_a_trial_that_its_own_record_excludes_is_never_shown() -> None:
    """A filter that the register ignores is answered with status 200 and everything."""
    fake = FakeCtGov(SHELF)
    fake.always = Said(200, {"totalCount": 2, "studies": [MELANOMA, BOYS]})
    found = await search(fake, Sought("melanoma", sex="female", age_years=40.0))
    assert found is not None
    assert [study.nct_id for study in found.studies] == ["NCT00000001"]
    assert found.total is None
    fake.always = Said(200, {"totalCount": 1, "studies": [BOYS]})
    assert (await failure(fake, Sought("melanoma", sex="female"))).error_type == "invalid_response"


async def test_pages_repeat_the_question_with_a_token() -> None:
    fake = FakeCtGov([trial(number, "Gout") for number in range(1, 26)])
    seen: list[int] = []
    for page in (1, 2, 3):
        found = await search(fake, Sought("gout", page=page))
        assert found is not None
        seen += [int(study.nct_id[3:]) for study in found.studies]
        assert (found.total, found.more) == (25, page < 3)
    assert seen == list(range(1, 26))
    first, last = fake.questions[-3].params, fake.questions[-1].params
    assert {**first, "pageToken": last["pageToken"]} == last
    beyond = await failure(fake, Sought("gout", page=4))
    assert (beyond.error_type, str(beyond)) == ("invalid_args", "These trials have 3 pages, not more.")
    assert (await failure(fake, Sought("gout", page=11))).error_type == "invalid_args"


async def test_a_token_that_ran_out_begins_anew(tmp_path: Path) -> None:
    old = FakeCtGov([trial(number, "Gout") for number in range(1, 16)])
    cache = Cache(tmp_path / "cache.sqlite")
    async with asking(old, cache=cache) as (web, url):
        register = ClinicalTrialsGov(web, f"{url}/api/v2")
        await register.search(Sought("gout"), ends_at=soon())
        old.forget_tokens()
        found = await register.search(Sought("gout", page=2), ends_at=soon())
    await cache.close()
    assert found is not None
    assert len(found.studies) == 5
    assert old.count == 4


async def test_a_trial_by_its_number() -> None:
    fake = FakeCtGov(SHELF, aliases={"NCT00000099": "NCT00000004"})
    found = await search(fake, Sought("NCT00000001", statuses=("COMPLETED",)))
    assert found is not None
    assert (found.studies[0].title, found.total) == ("Melanoma A", 1)
    moved = await search(fake, Sought("NCT00000099"))
    assert moved is not None
    assert moved.studies[0].nct_id == "NCT00000004"
    assert await search(fake, Sought("NCT99999999")) is None


@pytest.mark.parametrize(
    ("said", "error_type"),
    [
        (Said(400, b"`filter.phase` is unknown parameter", {"content-type": "text/plain"}), "invalid_response"),
        (Said(404, b"NCT number NCT00000001 not found", {"content-type": "text/plain"}), "invalid_response"),
        (Said(404, b"<html>Not Found</html>"), "invalid_response"),
        (Said(200, b""), "invalid_response"),
        (Said(200, b"<html>Welcome</html>"), "invalid_response"),
        (Said(200, b'{"studies": [{"protocolSection'), "invalid_response"),
        (Said(200, {"totalCount": 0}), "invalid_response"),
        (Said(200, {"studies": []}), "invalid_response"),
        (Said(200, {"studies": [], "totalCount": 7}), "invalid_response"),
        (Said(200, {"studies": [], "totalCount": 0, "nextPageToken": "x"}), "invalid_response"),
        (Said(200, {"studies": [{}], "totalCount": 1}), "invalid_response"),
        (Said(200, {"studies": "none", "totalCount": 0}), "invalid_response"),
        (Said(200, [1]), "invalid_response"),
        (Said(200, b"[" * 100_000), "invalid_response"),
        (Said(204, b""), "invalid_response"),
        (Said(302, b"", {"location": "https://elsewhere.invalid/"}), "invalid_response"),
        (Said(429, b"slow down"), "rate_limit"),
        (Said(500, b"oops"), "server_error"),
        (Said(503, b"<html>down</html>"), "server_error"),
    ],
)
async def test_what_is_no_answer_is_never_none(said: Said, error_type: ErrorType) -> None:
    fake = FakeCtGov(SHELF)
    fake.always = said
    error = await failure(fake)
    assert error.error_type == error_type
    assert "unknown parameter" not in str(error)
    assert "melanoma" not in str(error)


async def test_a_question_that_is_refused_is_not_asked_twice() -> None:
    fake = FakeCtGov(SHELF)
    fake.always = Said(400, b"no", {"content-type": "text/plain"})
    await failure(fake)
    assert fake.count == 1


async def test_another_404_for_a_number_is_no_answer() -> None:
    fake = FakeCtGov(SHELF)
    fake.always = Said(404, b"<html>Not Found</html>")
    assert (await failure(fake, Sought("NCT00000001"))).error_type == "invalid_response"


async def test_a_service_that_hangs_is_left_in_time() -> None:
    fake = FakeCtGov(SHELF)
    fake.always = Said(200, b"", delay_s=30)
    with pytest.raises(SourceError) as caught:
        await search(fake, Sought("melanoma"), seconds=0.4)
    assert caught.value.error_type == "timeout"


async def test_a_patient_is_not_asked_for() -> None:
    fake = FakeCtGov(SHELF)
    with holding(withheld, People(names=("Ann Lee",))):
        error = await failure(fake, Sought("melanoma of Ann Lee"))
    assert error.error_type == "patient_data"
    assert fake.count == 0
