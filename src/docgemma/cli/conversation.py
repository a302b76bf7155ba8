"""A conversation at the terminal: messages and slash commands over one open session."""

from __future__ import annotations

import threading
from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

import click

from docgemma.agent.events import OnEvent
from docgemma.agent.record import TurnRecord
from docgemma.agent.session import Question, check_text
from docgemma.cli import services, turn_output
from docgemma.cli.chat_orders import OrderCommands
from docgemma.cli.options import person
from docgemma.cli.orders import settle
from docgemma.cli.reading import read_image
from docgemma.cli.render import Line, Style, indented, one_line, show
from docgemma.cli.screen import screen
from docgemma.clinical import Patient
from docgemma.errors import BadInput

if TYPE_CHECKING:
    from anyio.from_thread import BlockingPortal

    from docgemma.config import Settings
    from docgemma.store.rows import Session
    from docgemma.wiring.app import App

T = TypeVar("T")

EXAMPLES = (
    "Check FDA warnings for dofetilide",
    "Does warfarin interact with ibuprofen?",
    "Find recruiting trials for melanoma",
)
CHART_EXAMPLES = (
    "Find patient Maria Garcia and check her chart",
    "What meds is John Smith on?",
    "Last INR of James Wilson Sr?",
    "Prescribe metformin 500 mg for James Wilson Jr",
)
"""Of the fictional patients: where charts are on a server of its own, they are nobody."""
HELP = (
    ("/new", "start a new conversation"),
    ("/sessions", "list earlier conversations"),
    ("/open ID", "go on with one of them"),
    ("/patient [ID]", "show, or say, whom this is about"),
    ("/role [ROLE]", "ask the knowledge base as this role (/role off: back to the clinic)"),
    ("/image FILE", "attach a PNG, JPEG or DICOM image to the next question"),
    ("/prior FILE", "an earlier image, to compare the attached one with"),
    ("/approve [ID]", "approve the entry that waits (--acknowledge, override: REASON)"),
    ("/reject [ID]", "reject it; a reason may follow"),
    ("/orders", "entries that wait, and those of this conversation"),
    ("/undo ID", "mark a written entry as entered in error; the reason follows"),
    ("/sources", "what the last answer rests on"),
    ("/timeline", "what was done for the last answer"),
    ("/json", "the last answer as a turn record"),
    ("/retry", "ask again what was interrupted"),
    ("/quit", "leave (also Ctrl-D)"),
)
STOPPED = dict.fromkeys(
    ("/approve", "/reject", "/undo"), "Stopped. /orders says what became of it; nothing is written twice."
) | {"/retry": "Stopped. /retry asks it again."}
"""What Ctrl-C ends without ending the conversation, and what is said then."""


class Bridge:
    """An open application, called from the thread that has the terminal.

    So a prompt may block while connections stay alive, and Ctrl-C reaches exactly one of the two: the prompt, or the
    answer being made.
    """

    def __init__(self, app: App, portal: BlockingPortal) -> None:
        self.app = app
        self._portal = portal

    def wait(self, work: Callable[[], Awaitable[T]]) -> T:
        """Run it to its end. Ctrl-C cancels it, waits until it has let go of everything, and is raised again."""
        ended = threading.Event()

        async def run() -> T:
            try:
                return await work()
            finally:
                ended.set()

        future = self._portal.start_task_soon(run)
        try:
            return future.result()
        except KeyboardInterrupt:
            future.cancel()
            ended.wait()
            raise


@contextmanager
def open_bridge(settings: Settings) -> Iterator[Bridge]:
    """The application, opened and closed in one and the same task."""
    from anyio.from_thread import start_blocking_portal

    with start_blocking_portal() as portal, portal.wrap_async_context_manager(services.app(settings)) as opened:
        yield Bridge(opened, portal)


class Conversation:
    """Keeps what a person would expect to be remembered between two lines: session, patient, image, last answer.

    `/name TEXT` runs the method `do_name` with TEXT, here or of the orders.
    """

    def __init__(self, bridge: Bridge, *, piped: bool) -> None:
        self._bridge = bridge
        self._spaced = not piped  # on a terminal the prompt brings its own blank line
        self._piped = piped
        self._app = bridge.app
        self._sessions = bridge.app.sessions
        self._store = bridge.app.sessions.store
        self._owner = person()
        self._session_id: str | None = None
        self._on_screen: Patient | None = None
        self._image: bytes | None = None
        self._prior: bytes | None = None
        self._role: str | None = None
        self._last: TurnRecord | None = None
        self._orders = OrderCommands(bridge.app, session=lambda: self._session_id, shown=self._card)

    def begin(self, session_id: str | None) -> None:
        """Finish what was left open before anything else is asked, then the earlier conversation, or examples."""
        if settled := self._bridge.wait(lambda: settle(self._app)):
            show([Line(one_line(settled), "warning", hang=2)])
        if session_id is not None:
            self._bridge.wait(lambda: self.do_open(session_id))
        else:
            self._suggest()

    def take(self, line: str) -> bool:
        """Act on one line. False when the person wants to leave. Ctrl-C stops what has a word for it, no more."""
        name, _, rest = line.partition(" ")
        if name in ("/quit", "/exit"):
            return False
        if not self._spaced:
            show([Line()])
            self._spaced = True
        slash = line.startswith("/")
        command, text = (self._command(name), rest.strip()) if slash else (self._ask, line)
        try:
            self._bridge.wait(lambda: command(text))
        except KeyboardInterrupt:
            if slash and name not in STOPPED:
                raise
            show([Line(), Line(STOPPED[name if slash else "/retry"], "warning")])
        self._spaced = not self._piped
        return True

    def _command(self, name: str) -> Callable[[str], Awaitable[None]]:
        method = f"do_{name[1:]}"
        command: Callable[[str], Awaitable[None]] | None = getattr(self, method, None) or getattr(
            self._orders, method, None
        )
        if command is None:
            raise BadInput(f"There is no command {one_line(name, 30)}. /help lists them.")
        return command

    async def do_open(self, session_id: str) -> None:
        """Go on with an earlier conversation, and say so when its last question was never answered."""
        if not session_id:
            raise BadInput("Say which: /open ID. /sessions lists them.")
        session = await self._store.get_session(session_id)
        turns = await self._store.turns(session_id)
        self._start(session.id)
        finished = [turn.record for turn in turns if turn.record is not None]
        self._last = TurnRecord.model_validate(finished[-1]) if finished else None
        _say(f"Session {session.id}: {_title(session)} ({_turns(session.turn_count)})")
        if self._last is not None:
            _say(f"> {one_line(self._last.query, 200)}")
            show(map(Line, indented(self._last.response, "")))
        if await self._store.interrupted_turn(session_id) is not None:
            _say("! The last question was cut off before its answer. /retry asks it again.", "warning")
        await self._orders.show_waiting()

    def _suggest(self) -> None:
        """What an empty conversation shows."""
        settings = self._app.settings
        theirs = settings.fhir_url or "search_patient" in settings.tool_servers
        examples = EXAMPLES if theirs else (*CHART_EXAMPLES, *EXAMPLES[:2])
        show([Line("Ask a question, or /help. For example:", "dim"), *(Line(f"  {text}") for text in examples)])

    def _start(self, session_id: str | None) -> None:
        self._session_id = session_id
        self._on_screen = self._image = self._prior = self._last = None

    async def _ask(self, text: str) -> None:
        text = check_text(text)
        if self._session_id is None:  # not by the first turn: an answer stopped half-way must still belong to it
            self._session_id = (await self._store.create_session(self._owner, patient=self._on_screen)).id
        image, prior = self._image, self._prior
        asked = Question(text, self._session_id, image=image, prior=prior, owner=self._owner, role=self._role)
        await self._turn(lambda show: self._sessions.ask(asked, show))

    async def do_retry(self, _: str) -> None:
        session_id = self._session_id
        if session_id is None:
            raise BadInput("Nothing was asked in this conversation yet.")
        await self._turn(lambda show: self._sessions.retry(session_id, show))

    async def _turn(self, run: Callable[[OnEvent], Awaitable[TurnRecord]]) -> None:
        """One answer on the screen."""
        view = screen()
        try:
            with view:
                record = await run(view.event)
                view.finish(record, [*turn_output.details(record), *turn_output.decide_all(record, chat=True)])
        finally:
            self._image = self._prior = None
        self._last = record

    def _card(self) -> str | None:
        """The order whose card was the last answer: it stands on the screen."""
        return self._last.cards[-1].id if self._last and self._last.cards else None

    async def do_help(self, _: str) -> None:
        show(Line(f"  {usage:<15}{text}") for usage, text in HELP)
        self._suggest()

    async def do_new(self, _: str) -> None:
        self._start(None)
        _say("A new conversation.")

    async def do_sessions(self, _: str) -> None:
        found = await self._store.list_sessions(self._owner)
        for each in found:
            _say(f"  {each.id}  {each.updated_at[:16]}  {_turns(each.turn_count):>9}  {_title(each)}", "plain")
        if not found:
            _say("No conversations yet.")

    async def do_patient(self, patient_id: str) -> None:
        session_id = self._session_id
        pinned = (await self._store.get_session(session_id)).patient if session_id else None
        if not patient_id:
            who = pinned or self._on_screen
            show(turn_output.patient(who) if who else [Line("No patient is set. /patient ID sets one.", "dim")])
            return
        found = await self._sessions.confirmed(patient_id, self._owner)
        if pinned is not None and pinned.confirmed and pinned.id != found.id:
            raise BadInput("This conversation is about another patient. Give /new first, then /patient ID.")
        if session_id is None:
            self._on_screen = found
        elif pinned is None or not pinned.confirmed:
            await self._store.pin_patient(session_id, found)
        show([*turn_output.patient(found), Line("The next question is about this patient.", "dim")])

    async def do_role(self, role: str) -> None:
        """Whom the next questions come from: the clinic, or a reader of the knowledge base."""
        knowledge = self._app.knowledge
        roles = await knowledge.roles()
        if role in ("off", "none", "clinic"):
            self._role = None
            _say("Back to the clinic: questions go to look-ups and charts again.")
        elif role:
            found = await knowledge.role(role)
            self._role = found.id
            _say(f"Questions are now answered from the knowledge base for: {one_line(found.name_en)}.")
            _say("/role off goes back.")
        else:
            here = {self._role: "  (now)"}
            show(Line(f"  {each.id:<22}{one_line(each.name_en)}{here.get(each.id, '')}") for each in roles)
            _say("/role ROLE asks as one of these; /role off goes back to the clinic.")

    async def do_image(self, file: str) -> None:
        self._image = _pixels("/image", file)
        _say("The image goes with your next question.")

    async def do_prior(self, file: str) -> None:
        if file and self._image is None:
            raise BadInput("Attach the current image first: /image FILE.")
        self._prior = _pixels("/prior", file)
        _say("The next question compares the two images.")

    async def do_sources(self, _: str) -> None:
        show(turn_output.sources(self._answer().sources) or [Line("No sources.", "dim")])

    async def do_timeline(self, _: str) -> None:
        show(turn_output.timeline(self._answer().timeline))

    async def do_json(self, _: str) -> None:
        click.echo(self._answer().model_dump_json())

    def _answer(self) -> TurnRecord:
        if self._last is None:
            raise BadInput("There is no answer in this conversation yet.")
        return self._last


def _say(text: str, style: Style = "dim") -> None:
    show([Line(text, style)])


def _pixels(command: str, file: str) -> bytes:
    if not file:
        raise BadInput(f"Say which: {command} FILE.")
    return read_image(Path(file).expanduser())


def _turns(count: int) -> str:
    return "1 turn" if count == 1 else f"{count} turns"


def _title(session: Session) -> str:
    return one_line(session.title, 60) or "untitled"
