"""Only a plain success is an answer: anything else may be part of one, or somebody else's."""

from __future__ import annotations

import pytest

from docgemma.ehr.client.outcomes import body_of
from docgemma.ehr.contract import EhrError
from docgemma.fetch.door import Reply

ALLERGIES = b'{"resourceType":"Bundle","type":"searchset"}'


def test_a_success_is_its_body() -> None:
    assert body_of(Reply(200, {}, ALLERGIES)) == {"resourceType": "Bundle", "type": "searchset"}


@pytest.mark.parametrize("status", [201, 202, 203, 204, 206, 300, 301, 302, 304, 307, 400, 401, 404, 500, 503])
def test_no_other_status_is_one_whatever_its_body_says(status: int) -> None:
    with pytest.raises(EhrError, match=f"status {status}"):
        body_of(Reply(status, {"location": "https://evil.example/fhir"}, ALLERGIES))
