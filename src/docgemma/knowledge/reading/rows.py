"""From a raw row to an entry or a problem, and what was said before under the same id."""

from __future__ import annotations

from dataclasses import replace
from datetime import date

from pydantic import ValidationError

from docgemma.errors import BadInput
from docgemma.knowledge.entry import Entry, id_from
from docgemma.knowledge.reading import fields
from docgemma.knowledge.reading.columns import folded
from docgemma.knowledge.reading.contract import FIELDS, Cell, Field, Options, Problem, Raw, Row
from docgemma.knowledge.reading.dates import Unclear, reviewed
from docgemma.knowledge.reading.fields import Refused
from docgemma.knowledge.reading.ledger import Ledger

_FILLED: tuple[Field, ...] = ("role", "language", "source", "topic", "subtopic", "reviewed")
_FILL = "Fill it in, or remove the row."


class Rows:
    """All rows of one ingest, and what was said under which id."""

    def __init__(self, options: Options, last: date) -> None:
        self._options = options
        self._last = last
        self._ledger = Ledger()
        self.repeated = 0
        """Rows that said the same as one before, and were taken once."""

    def take(self, file: str, raw: Raw) -> Row | Problem | None:
        """None for a row that says the same as one before under the same id."""
        try:
            entry = self._entry(raw)
            return Row(file, raw.row, entry) if self._is_new(entry, file, raw) else None
        except Refused as refused:
            return Problem(file, raw.row, str(refused))
        except ValidationError as error:
            place = error.errors(include_input=False, include_url=False)[0]["loc"]
            return Problem(file, raw.row, f"The {place[0] if place else 'row'} cannot be used as it is. Correct it.")

    def _entry(self, raw: Raw) -> Entry:
        values: dict[Field, str] = {field: self._text(field, raw) for field in FIELDS if field != "reviewed"}
        question = fields.needed(values, "question", _FILL)
        answer = fields.needed(values, "answer", _FILL)
        role = fields.role(values["role"])
        language = fields.language(values["language"], question, answer)
        given = fields.identifier(values["id"]) if self._options.ids == "file" else ""
        key = question if self._options.ids == "file" else f"{question}\n{answer}"
        return Entry(
            id=given or id_from(role, language, key),
            question=question,
            answer=answer,
            role=role,
            topic=fields.needed(values, "topic", "Add a column for it, or give --topic for all rows."),
            subtopic=values["subtopic"],
            language=language,
            source=fields.needed(values, "source", "Add a column for it, or give --source for all rows."),
            url=fields.url(values["url"]),
            reviewed=self._reviewed(raw),
        )

    def _text(self, field: Field, raw: Raw) -> str:
        return fields.text(field, self._chosen(field, raw), allow_orders=self._options.allow_orders)

    def _chosen(self, field: Field, raw: Raw) -> Cell:
        """What the row says, else the operator, else the place of the file."""
        said = raw.cells.get(field)
        if said is None or (isinstance(said, str) and not said.strip()):
            said = getattr(self._options, field, "") if field in _FILLED else ""
        return said or raw.hints.get(field)

    def _reviewed(self, raw: Raw) -> str:
        written = self._chosen("reviewed", raw)
        if isinstance(written, str):
            written = fields.text("reviewed", written, allow_orders=True)
        try:
            return reviewed(written, self._last) if written else ""
        except Unclear as error:
            raise Refused(str(error)) from None

    def _is_new(self, entry: Entry, file: str, raw: Raw) -> bool:
        """Refused where the id stands for something else already: which of the two holds, only a person knows."""
        before = self._ledger.seen(entry.id, entry.digest, file, raw.row)
        if before:
            raise Refused(self._conflict(entry, raw, before))
        self.repeated += before is not None
        return before is None

    def _conflict(self, entry: Entry, raw: Raw, place: str) -> str:
        if self._options.ids == "content":
            return f"The same question and answer stand in {place} with another topic, source, link or date. Keep one."
        if raw.cells.get("id"):
            return (
                f"The id '{entry.id}' stands in {place} with other content. Give each entry an id of its own, "
                "or have the ids made from the content (--ids content)."
            )
        return f"The same question to the same role is answered otherwise in {place}. Keep one, or use --ids content."


def checked(options: Options, last: date) -> Options:
    """What holds for all rows is judged once, and refused as a whole."""
    unknown = [name for name in options.columns if name not in FIELDS]
    if unknown:
        raise BadInput(
            f"There is no field '{unknown[0][:40]}' to map a column to. The fields are: {', '.join(FIELDS)}."
        )
    named = [folded(name) for name in options.columns.values()]
    if "" in named or len(set(named)) < len(named):
        raise BadInput("Each --map needs a column of its own, with a name in letters or digits.")
    try:
        given = {field: fields.text(field, getattr(options, field), allow_orders=False) for field in _FILLED}
        if given["role"]:
            fields.role(given["role"])
        if given["language"]:
            fields.language(given["language"], "", "")
        if given["reviewed"]:
            reviewed(given["reviewed"], last)
    except (Refused, Unclear) as error:
        raise BadInput(f"What was given for all rows cannot be used: {error}") from None
    return replace(
        options,
        role=given["role"],
        language=given["language"],
        source=given["source"],
        topic=given["topic"],
        subtopic=given["subtopic"],
        reviewed=given["reviewed"],
    )
