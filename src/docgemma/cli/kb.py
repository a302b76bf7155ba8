"""`docgemma kb`: the curated entries that consultations are answered from, searched, shown and looked after."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import click

from docgemma.cli import services
from docgemma.cli.ask import kb_ask
from docgemma.cli.kb_transfer import export, ingest, language_option
from docgemma.cli.options import LANGUAGES, limit_option, person, text_argument, text_option, words_argument
from docgemma.cli.progress import PhaseProgress
from docgemma.cli.render import Output, counted, indented, moment, one_line, reports, table
from docgemma.errors import BadInput

if TYPE_CHECKING:
    from docgemma.knowledge.base import Info, KnowledgeBase
    from docgemma.knowledge.contract import Topic
    from docgemma.knowledge.entry import Entry, Language
    from docgemma.knowledge.library.library import Library, VersionRow
    from docgemma.knowledge.roles import Role
    from docgemma.knowledge.search.found import Findings, Found

LONGEST = 1_000
"""Characters of a question to search with; no entry has a longer one."""
SPOKEN: dict[Language, str] = {"en": "English", "vi": "Vietnamese"}
_ANSWER_LENGTH = 240


@click.group()
def kb() -> None:
    """The knowledge base: questions with curated answers, for each role of its own, in English and Vietnamese.

    Until own entries are brought in, demonstration entries answer: not reviewed by a clinician.
    """


for command in (ingest, kb_ask, export):
    kb.add_command(command)


@kb.command()
@text_argument("ident", metavar="ID")
@reports(services.library)
async def show(library: Library, ident: str) -> Output:
    """One entry word for word, with its versions."""
    versions = await library.history(ident)
    entry = (await library.entries([ident])).get(ident)
    return Output({"entry": entry, "versions": versions}, _entry_lines(entry, versions))


def _entry_lines(entry: Entry | None, versions: Sequence[VersionRow]) -> Iterator[str]:
    """The entry word for word, then what it was before."""
    if entry is not None:
        yield from (one_line(entry.question), "", *indented(entry.answer, ""), "")
        facts = (entry.source, entry.url, _review(entry))
        yield f"Source: {', '.join(one_line(fact) for fact in facts if fact)}"
        yield f"{entry.id}: {_place(entry)}"
    else:
        yield "This entry is not used for answers."
    yield from ("", "Versions", *(f"  {_version(each)}" for each in versions))


def _version(row: VersionRow) -> str:
    """For example: 2  current    added 2026-03-01 10:20 UTC by ann from answers.csv."""
    text = f"{row.version}  {row.state:<9}  added {moment(row.added_at)}"
    text += f" by {one_line(row.added_by)}" if row.added_by else ""
    text += f" from {one_line(row.origin)}" if row.origin else ""
    if row.state == "withdrawn":
        text += f"; withdrawn {moment(row.withdrawn_at)} by {one_line(row.withdrawn_by)}: {one_line(row.reason)}"
    return text if row.entry else f"{text}; DAMAGED, its text is not what was stored"


def _review(entry: Entry) -> str:
    """How far its words can be relied on."""
    if entry.demonstration:
        return "demonstration, not reviewed by a clinician"
    return f"reviewed {entry.reviewed}" if entry.reviewed else "not reviewed by a clinician"


def _place(entry: Entry) -> str:
    """For whom, in what language, about what."""
    parts = (entry.role, entry.language, entry.topic, entry.subtopic)
    return " / ".join(one_line(part) for part in parts if part)


@kb.command()
@text_argument("ident", metavar="ID")
@text_option("--reason", required=True, metavar="TEXT", help="Why; it is kept with the entry.")
def withdraw(ident: str, reason: str) -> None:
    """Take an entry out of use. Its versions stay, and ingesting it again brings it back.

    \b
    Example:
      docgemma kb withdraw dm-001-vi --reason "replaced by the guideline of 2026"
    """
    why = " ".join(reason.split())
    if not why:
        raise BadInput("Say why with --reason: it is kept with the entry.")
    services.within(services.library, lambda library: library.withdraw(ident, by=person(), reason=why))
    click.echo(f"{ident} is withdrawn: nothing is answered from it any more.")


@kb.command()
@reports(services.library)
async def roles(library: Library) -> Output:
    """For whom there are entries, and how many."""
    known, counts = await library.roles(), await library.counts()
    entries = {role.id: {each: counts.get((role.id, each), 0) for each in SPOKEN} for role in known}
    facts = [{**role.model_dump(), "entries": entries[role.id]} for role in known]
    heading = ("role", "audience", "English", "Vietnamese", *(f"{each} entries" for each in SPOKEN))
    rows = (
        (role.id, role.audience, role.name_en, role.name_vi, *(f"{count:,}" for count in entries[role.id].values()))
        for role in known
    )
    return Output(facts, table(heading, rows))


@kb.command()
@text_argument("ident", metavar="ID")
@click.option("--audience", type=click.Choice(["patient", "professional"]), help="Who reads its entries.")
@text_option("--name-en", metavar="TEXT", help="What it is called in English.")
@text_option("--name-vi", metavar="TEXT", help="What it is called in Vietnamese.")
@text_option("--persona", metavar="TEXT", help="In which tone a model explains to it: “a senior nurse who …”.")
@reports(services.library)
async def role(library: Library, ident: str, **given: str | None) -> Output:
    """Add a role, or change one: what is not given stays as it is. With ID alone, show it.

    What patients ask is looked through for signs of an emergency first, and their answers carry a note.

    \b
    Example:
      docgemma kb role midwife --audience professional --name-en Midwife --name-vi "Nữ hộ sinh" \\
        --persona "a senior midwife who briefs a colleague: precise and practical"
    """
    changes = {field: text for field, text in given.items() if text is not None}
    if changes:
        before = {each.id: each.model_dump() for each in await library.roles()}
        now = _new_role({**before.get(ident, {}), "id": ident, **changes})
        await library.set_role(now)
    else:
        now = await library.role(ident)
    names = f"{now.id}, for a {now.audience}: {one_line(now.name_en)} / {one_line(now.name_vi)}"
    return Output(now, [names, f"Explains as {one_line(now.persona)}"])


def _new_role(fields: Mapping[str, str]) -> Role:
    """A role as it may be stored, or BadInput that says what is missing or too long."""
    from pydantic import ValidationError

    from docgemma.knowledge.roles import Role

    missing = [f"--{field.replace('_', '-')}" for field in Role.model_fields if field not in fields]
    if missing:
        raise BadInput(f"A new role also needs {', '.join(missing)}.")
    try:
        return Role.model_validate({field: " ".join(text.split()) for field, text in fields.items()})
    except ValidationError as error:
        wrong_id = any(each["loc"][0] == "id" for each in error.errors())
        id_form = "The id of a role has 2 to 40 small letters, digits and underscores, and begins with a letter."
        lengths = "The names of a role have 1 to 80 characters, its persona 1 to 600."
        raise BadInput(id_form if wrong_id else lengths) from None


@kb.command()
@words_argument("question", "A question", LONGEST)
@click.option("--role", metavar="ROLE", help="Whose entries; without it, those of all professional roles.")
@click.option("--language", type=LANGUAGES, help="The default is the question's own.")
@text_option("--topic", default="", metavar="TOPIC", help="Only this topic.")
@limit_option(100, 10)
@reports(services.knowledge)
async def search(
    base: KnowledgeBase, question: str, role: str | None, language: Language | None, topic: str, limit: int
) -> Output:
    """Find entries, with how well each fits the question from 0 to 1.

    \b
    Examples:
      docgemma kb search "sick day rules" --role nurse
      docgemma kb search "đau răng sau khi nhổ" --role patient_dental --json
    """
    from docgemma.knowledge.index.contract import Scope
    from docgemma.knowledge.safety.language import detect

    spoken: Language = language or detect(question) or "en"
    if role is not None:
        whose: tuple[str, ...] = ((await base.role(role)).id,)
    else:  # what was written for patients is not for everybody at once
        whose = tuple(each.id for each in await base.roles() if each.audience == "professional")
    findings = await base.search(question, Scope(whose, spoken, topic), limit=limit)
    facts: dict[str, Any] = {"roles": whose, "language": spoken, "by": findings.by, "notices": findings.notices}
    facts["found"] = [
        {"relevance": round(each.relevance, 4), "fits": each.fits, **each.entry.model_dump()} for each in findings.found
    ]
    return Output(facts, _finding_lines(findings))


def _finding_lines(findings: Findings) -> Iterator[str]:
    """Best first. What does not fit is shown too: a curator wants to know what comes near."""
    yield from (f"! {one_line(notice)}" for notice in findings.notices)
    if not findings.found:
        yield "No entry comes near. `docgemma kb topics` shows what the knowledge base covers."
        return
    fitting = len(findings.fitting)
    yield f"{counted(len(findings.found), 'entry', 'entries')} found by {findings.by}, {fitting:,} fit the question:"
    for number, each in enumerate(findings.found, 1):
        yield from _found_lines(number, each)


def _found_lines(number: int, each: Found) -> Iterator[str]:
    entry = each.entry
    yield ""
    yield f"{number}. {one_line(entry.question)}"
    yield f"   {each.relevance:.2f}, {'fits' if each.fits else 'does not fit'}; {entry.id}; {_place(entry)}"
    yield f"   {one_line(entry.answer, _ANSWER_LENGTH)}"
    yield f"   Source: {one_line(entry.source)}, {_review(entry)}"


@kb.command()
@click.option("--role", metavar="ROLE", help="Only this role.")
@language_option
@reports(services.library)
async def topics(library: Library, role: str | None, language: Language | None) -> Output:
    """The topics and subtopics of every role, with how many entries each has."""
    spoken = (language,) if language else tuple(SPOKEN)
    whose = await library.roles() if role is None else (await library.role(role),)
    places = [(each.id, one) for each in whose for one in spoken]
    trees = [(who, one, tree) for who, one in places if (tree := await library.topics(who, one))]
    facts = [
        {"role": who, "language": one, "topics": [_topic_facts(each) for each in tree]} for who, one, tree in trees
    ]
    lines = [line for who, one, tree in trees for line in ("", *_tree_lines(who, one, tree))][1:]
    return Output(facts, lines or ["There are no entries here. `docgemma kb info` says what there is."])


def _topic_facts(topic: Topic) -> dict[str, Any]:
    subtopics = [{"name": name, "entries": count} for name, count in topic.subtopics]
    return {"name": topic.name, "entries": topic.entries, "subtopics": subtopics}


def _tree_lines(role: str, language: Language, topics: Sequence[Topic]) -> Iterator[str]:
    total = sum(topic.entries for topic in topics)
    yield f"{role}, {SPOKEN[language]}: {counted(total, 'entry', 'entries')}"
    for topic in topics:
        yield f"  {one_line(topic.name)} ({topic.entries:,})"
        yield from (f"    {one_line(name) or 'no subtopic'} ({count:,})" for name, count in topic.subtopics)


@kb.command()
@reports(services.knowledge)
async def index(base: KnowledgeBase) -> Output:
    """Build the index again, from the entries. The one before answers until the new one is whole."""
    with PhaseProgress(sys.stderr) as progress:
        await base.reindex(progress)
    return _described(await base.info())


@kb.command()
@reports(services.knowledge)
async def info(base: KnowledgeBase) -> Output:
    """What is in the knowledge base, and how it is searched."""
    return _described(await base.info())


def _described(info: Info) -> Output:
    by_role: dict[str, dict[str, int]] = {}
    for (role, language), count in info.by_role.items():
        by_role.setdefault(role, {})[language] = count
    facts = {
        "entries": info.entries,
        "roles": by_role,
        "languages": sorted({language for _, language in info.by_role}),
        "generation": info.generation,
        "index": info.index,
        "embedder": info.embedder,
        "demonstration": info.demonstration,
    }
    return Output(facts, _info_lines(info, len(by_role)))


def _info_lines(info: Info, roles: int) -> Iterator[str]:
    """What there is, then how it is searched."""
    yield f"{counted(info.entries, 'entry', 'entries')} for {counted(roles, 'role')}."
    for language, name in SPOKEN.items():
        parts = [f"{role} {count:,}" for (role, spoken), count in info.by_role.items() if spoken == language]
        yield f"  {name}: {', '.join(parts) or 'none'}"
    if info.demonstration:
        yield (
            "These are the demonstration entries, not reviewed by a clinician. `docgemma kb ingest` takes their place."
        )
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
