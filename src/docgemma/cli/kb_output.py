"""What `docgemma kb` shows. What others wrote is cleaned of anything a terminal obeys."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

from docgemma.cli.render import counted, moment, one_line, table
from docgemma.entities.printable import plain

if TYPE_CHECKING:
    from docgemma.cli.kb_intake import Intake
    from docgemma.knowledge.base import Info
    from docgemma.knowledge.contract import Topic
    from docgemma.knowledge.entry import Entry, Language
    from docgemma.knowledge.ingesting import BadRows, Ingested
    from docgemma.knowledge.library.library import VersionRow
    from docgemma.knowledge.reading.contract import Problem
    from docgemma.knowledge.roles import Role
    from docgemma.knowledge.search.found import Findings, Found

LANGUAGES: dict[Language, str] = {"en": "English", "vi": "Vietnamese"}
DEMONSTRATION = (
    "These are the demonstration entries, not reviewed by a clinician. `docgemma kb ingest` takes their place."
)

_ANSWER_LENGTH = 240

Branches = Sequence[tuple[str, "Language", Sequence["Topic"]]]
"""The tree of every role and language that was asked for."""


def review(entry: Entry) -> str:
    """How far its words can be relied on."""
    if entry.demonstration:
        return "demonstration, not reviewed by a clinician"
    return f"reviewed {entry.reviewed}" if entry.reviewed else "not reviewed by a clinician"


def place(entry: Entry) -> str:
    """For whom, in what language, about what."""
    parts = (entry.role, entry.language, entry.topic, entry.subtopic)
    return " / ".join(one_line(part) for part in parts if part)


def finding_lines(findings: Findings) -> Iterator[str]:
    """Best first. What does not fit is shown too: a curator wants to know what comes near."""
    for notice in findings.notices:
        yield f"! {one_line(notice)}"
    if not findings.found:
        yield "No entry comes near. `docgemma kb topics` shows what the knowledge base covers."
        return
    fitting = len(findings.fitting)
    yield f"{counted(len(findings.found), 'entry', 'entries')} found by {findings.by}, {fitting:,} fit the question:"
    for number, each in enumerate(findings.found, 1):
        yield ""
        yield from _found_lines(number, each)


def _found_lines(number: int, each: Found) -> Iterator[str]:
    entry, fits = each.entry, "fits" if each.fits else "does not fit"
    yield f"{number}. {one_line(entry.question)}"
    yield f"   {each.relevance:.2f}, {fits}; {entry.id}; {place(entry)}"
    yield f"   {one_line(entry.answer, _ANSWER_LENGTH)}"
    yield f"   Source: {one_line(entry.source)}, {review(entry)}"


def finding_facts(findings: Findings, roles: Sequence[str], language: Language) -> dict[str, Any]:
    found = [
        {"relevance": round(each.relevance, 4), "fits": each.fits, **each.entry.model_dump()} for each in findings.found
    ]
    return {
        "roles": list(roles),
        "language": language,
        "by": findings.by,
        "notices": list(findings.notices),
        "found": found,
    }


def topic_lines(branches: Branches) -> Iterator[str]:
    if not branches:
        yield "There are no entries here. `docgemma kb info` says what there is."
    for number, (role, language, topics) in enumerate(branches):
        total = sum(topic.entries for topic in topics)
        yield from [""] if number else []
        yield f"{role}, {LANGUAGES[language]}: {counted(total, 'entry', 'entries')}"
        for topic in topics:
            yield f"  {one_line(topic.name)} ({topic.entries:,})"
            for name, count in topic.subtopics:
                yield f"    {one_line(name) or 'no subtopic'} ({count:,})"


def topic_facts(branches: Branches) -> list[dict[str, Any]]:
    return [
        {
            "role": role,
            "language": language,
            "topics": [
                {
                    "name": topic.name,
                    "entries": topic.entries,
                    "subtopics": [{"name": name, "entries": count} for name, count in topic.subtopics],
                }
                for topic in topics
            ],
        }
        for role, language, topics in branches
    ]


def role_lines(roles: Sequence[Role], counts: Mapping[tuple[str, str], int]) -> Iterator[str]:
    rows = [("role", "audience", "English", "Vietnamese", *(f"{name} entries" for name in LANGUAGES))]
    for role in roles:
        names = one_line(role.name_en), one_line(role.name_vi)
        rows.append((role.id, role.audience, *names, *(f"{counts.get((role.id, each), 0):,}" for each in LANGUAGES)))
    return table(rows)


def role_facts(role: Role, counts: Mapping[tuple[str, str], int]) -> dict[str, Any]:
    return {**role.model_dump(), "entries": {each: counts.get((role.id, each), 0) for each in LANGUAGES}}


def one_role_lines(role: Role) -> Iterator[str]:
    yield f"{role.id}, for a {role.audience}: {one_line(role.name_en)} / {one_line(role.name_vi)}"
    yield f"Explains as {one_line(role.persona)}"


def entry_lines(entry: Entry | None, versions: Sequence[VersionRow]) -> Iterator[str]:
    """The entry word for word, then what it was before."""
    if entry is not None:
        yield one_line(entry.question)
        yield ""
        yield from plain(entry.answer).splitlines()
        yield ""
        facts = (entry.source, entry.url, review(entry))
        yield f"Source: {', '.join(one_line(fact) for fact in facts if fact)}"
        yield f"{entry.id}: {place(entry)}"
    else:
        yield "This entry is not used for answers."
    yield ""
    yield "Versions"
    for each in versions:
        yield f"  {_version(each)}"


def _version(row: VersionRow) -> str:
    """For example: 2  current    added 2026-03-01 10:20 UTC by ann from answers.csv."""
    text = f"{row.version}  {row.state:<9}  added {moment(row.added_at)}"
    text += f" by {one_line(row.added_by)}" if row.added_by else ""
    text += f" from {one_line(row.origin)}" if row.origin else ""
    if row.state == "withdrawn":
        text += f"; withdrawn {moment(row.withdrawn_at)} by {one_line(row.withdrawn_by)}: {one_line(row.reason)}"
    return text if row.entry else f"{text}; DAMAGED, its text is not what was stored"


def version_facts(row: VersionRow) -> dict[str, Any]:
    return {**asdict(row), "entry": row.entry.model_dump() if row.entry else None}


def refused_lines(error: BadRows) -> Iterator[str]:
    """Everything that somebody should look at, and at last what became of it."""
    yield from _problems(error.problems, error.count)
    yield f"docgemma: {error} Correct them, or leave them out with --skip-bad."


def refused_facts(error: BadRows) -> dict[str, Any]:
    return {"written": False, "bad": error.count, "problems": [asdict(each) for each in error.problems]}


def ingested_lines(done: Ingested, intake: Intake, *, dry: bool = False) -> Iterator[str]:
    """What came of the rows first, then what else changed and what somebody should look at."""
    taken = f"{counted(done.rows, 'row')} {'would be ' if dry else ''}taken"
    back = f", {done.brought_back:,} brought back" if done.brought_back else ""
    yield (
        f"{taken}: {done.new:,} new, {done.changed:,} changed, {done.unchanged:,} there before{back}; "
        f"{done.withdrawn:,} withdrawn, {done.skipped:,} skipped."
    )
    if done.demonstration_out:
        out = counted(done.demonstration_out, "demonstration entry", "demonstration entries")
        verb = "would be" if dry else "was" if done.demonstration_out == 1 else "were"
        yield f"{out} {verb} taken out: own knowledge answers now. `docgemma kb ingest --demo` loads them again."
    if intake.bad:
        yield f"Skipped: {intake.bad:,}. These are NOT in the knowledge base:"
        yield from _problems(intake.problems, intake.bad)
    for note in intake.notes:
        yield f"Note: {one_line(str(note))}"
    if dry:
        yield "That was a trial: nothing was changed."


def ingested_facts(done: Ingested, intake: Intake, *, dry: bool = False) -> dict[str, Any]:
    return {
        "written": not dry,
        **asdict(done),
        "problems": [asdict(each) for each in intake.problems],
        "notes": [str(note) for note in intake.notes],
    }


def _problems(problems: Sequence[Problem], count: int) -> Iterator[str]:
    for each in problems:
        yield f"  {one_line(str(each))}"
    if count > len(problems):
        yield f"  and {count - len(problems):,} more."


def info_lines(info: Info) -> Iterator[str]:
    """What there is, then how it is searched."""
    whose = {role for role, _ in info.by_role}
    yield f"{counted(info.entries, 'entry', 'entries')} for {counted(len(whose), 'role')}."
    for language, name in LANGUAGES.items():
        parts = [f"{role} {count:,}" for (role, spoken), count in info.by_role.items() if spoken == language]
        yield f"  {name}: {', '.join(parts) or 'none'}"
    if info.demonstration:
        yield DEMONSTRATION
    yield from _index_lines(info)


def _index_lines(info: Info) -> Iterator[str]:
    index = info.index
    if index is None:
        yield "There is no index: nothing can be found. `docgemma kb index` builds it."
        return
    behind = "" if index.generation == info.generation else f", BEHIND state {info.generation} of the entries"
    yield f"Index: {counted(index.entries, 'entry', 'entries')}, state {index.generation}{behind}."
    if index.embedder:
        yield f"Searched by words and meaning ({one_line(index.embedder)}, {index.dimensions} dimensions)."
    else:
        yield "Searched by words alone: no embedder was there when the index was built."


def info_facts(info: Info) -> dict[str, Any]:
    by_role: dict[str, dict[str, int]] = {}
    for (role, language), count in info.by_role.items():
        by_role.setdefault(role, {})[language] = count
    return {
        "entries": info.entries,
        "roles": by_role,
        "languages": sorted({language for _, language in info.by_role}),
        "generation": info.generation,
        "index": asdict(info.index) if info.index else None,
        "embedder": info.embedder,
        "demonstration": info.demonstration,
    }
