"""DailyMed's list and documents."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from tests.support.fake_service import FakeService, Question, Said
from tests.support.labels import set_id

BASE = "/dailymed/services/v2"


class FakeDailyMed(FakeService):
    """`documents`: by the name in the id of each; `titles`: what the list calls them, when not the name itself."""

    def __init__(self, documents: Mapping[str, bytes], titles: Mapping[str, str] | None = None) -> None:
        super().__init__()
        self.documents = {set_id(name): document for name, document in documents.items()}
        self.titles = {set_id(name): (titles or {}).get(name, name) for name in documents}
        self.published: dict[str, str] = {}

    def answer(self, question: Question) -> Said:
        path = question.path.removeprefix(BASE)
        if path == "/spls.json":
            return Said(200, self._listed(question.params.get("drug_name", "").lower()))
        found = self.documents.get(path.removeprefix("/spls/").removesuffix(".xml"))
        if found is None:
            return Said(404, b"Not found", {"content-type": "text/plain"})
        return Said(200, found, {"content-type": "text/xml"})

    def _listed(self, name: str) -> dict[str, Any]:
        rows = [
            {
                "spl_version": 1,
                "published_date": self.published.get(id_, "May 21, 2026"),
                "title": f"{title.upper()} TABLET [EXAMPLE PHARMA]",
                "setid": id_,
            }
            for id_, title in self.titles.items()
            if name in title.lower()
        ]
        metadata = {
            "db_published_date": "Aug 11, 2026 10:15:00AM EST",
            "elements_per_page": 25,
            "total_elements": len(rows),
            "total_pages": 1,
            "current_page": 1,
            "next_page": "null",
            "next_page_url": "null",
            "previous_page": "null",
            "previous_page_url": "null",
        }
        return {"data": rows, "metadata": metadata}
