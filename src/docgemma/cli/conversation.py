"""A conversation at the terminal: messages and slash commands over one open session."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Iterable
from pathlib import Path
from typing import TYPE_CHECKING

import click

from docgemma.agent.events import OnEvent
from docgemma.agent.record import TurnRecord
from docgemma.agent.session import Question, check_text
from docgemma.cli import chat_orders, render
from docgemma.cli.deciding import settle
from docgemma.cli.options import person, shown_on
from docgemma.cli.reading import read_image
from docgemma.cli.render import Line
from docgemma.cli.screen import screen
from docgemma.clinical import Patient
from docgemma.entities.printable import plain
from docgemma.errors import BadInput

if TYPE_CHECKING:
    from docgemma.cli.bridge import Bridge
    from docgemma.store.rows import Session

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
    *chat_orders.HELP,
    ("/sources", "what the last answer rests on"),
    ("/timeline", "what was done for the last answer"),
    ("/json", "the last answer as a turn record"),
    ("/retry", "ask again what was interrupted"),
    ("/quit", "leave (also Ctrl-D)"),
)


class Conversation:
    """Keeps what a person would expect to be remembered between two lines: session, patient, image, last answer."""

    def __init__(self, bridge: Bridge, *, piped: bool) -> None:
        self._bridge = bridge
        self._spaced = not piped  # on a terminal the prompt brings its own blank line
        self._piped = piped
        self._sessions = bridge.app.sessions
        self._owner = person()
        self._session_id: str | None = None
        self._on_screen: Patient | None = None
        self._image: bytes | None = None
        self._prior: bytes | None = None
        self._role: str | None = None
        self._last: TurnRecord | None = None
        self._orders = chat_orders.OrderCommands(bridge, session=lambda: self._session_id, shown=self._card)
        self._commands: dict[str, Callable[[str], None]] = {
            "/help": self._help,
            "/new": self._new,
            "/sessions": self._list,
            "/open": self.open,
            "/patient": self._patient,
            "/role": self._as_role,
            "/image": self._attach,
            "/prior": self._attach_prior,
            "/approve": self._orders.approve,
            "/reject": self._orders.reject,
            "/orders": self._orders.overview,
            "/undo": self._orders.undo,
            "/sources": lambda _: self._print(render.sources(self._answer().sources) or [Line("No sources.", "dim")]),
            "/timeline": lambda _: self._print(render.timeline(self._answer().timeline)),
            "/json": lambda _: click.echo(self._answer().model_dump_json()),
            "/retry": self._retry,
        }

    def take(self, line: str) -> bool:
        """Act on one line. False when the person wants to leave."""
        name, _, rest = line.partition(" ")
        if name in ("/quit", "/exit"):
            return False
        if not self._spaced:
            self._print([Line()])
            self._spaced = True
        if line.startswith("/"):
            self._command(name)(rest.strip())
        else:
            self._ask(line)
        self._spaced = not self._piped
        return True

    def _command(self, name: str) -> Callable[[str], None]:
        command = self._commands.get(name)
        if command is None:
            raise BadInput(f"There is no command {render.one_line(name, 30)}. /help lists them.")
        return command

    def open(self, session_id: str) -> None:
        """Go on with an earlier conversation, and say so when its last question was never answered."""
        if not session_id:
            raise BadInput("Say which: /open ID. /sessions lists them.")
        store = self._sessions.store
        session = self._bridge.wait(lambda: store.get_session(session_id))
        turns = self._bridge.wait(lambda: store.turns(session_id))
        self._start(session.id)
        finished = [turn.record for turn in turns if turn.record is not None]
        self._last = TurnRecord.model_validate(finished[-1]) if finished else None
        self._print([Line(f"Session {session.id}: {_title(session)} ({_turns(session.turn_count)})", "dim")])
        if self._last is not None:
            self._print([Line(f"> {render.one_line(self._last.query, 200)}", "dim")])
            self._print([Line(text) for text in plain(self._last.response).splitlines()])
        if self._bridge.wait(lambda: store.interrupted_turn(session_id)) is not None:
            self._print([Line("! The last question was cut off before its answer. /retry asks it again.", "warning")])
        self._orders.show_waiting()

    def settle(self) -> None:
        """Finish what was left open, before anything else is asked; one line when there was something."""
        if told := self._bridge.wait(lambda: settle(self._bridge.app)):
            self._print([Line(render.one_line(told), "warning", hang=2)])

    def suggest(self) -> None:
        """What an empty conversation shows."""
        settings = self._bridge.app.settings
        theirs = settings.fhir_url or "search_patient" in settings.tool_servers
        examples = EXAMPLES if theirs else (*CHART_EXAMPLES, *EXAMPLES[:2])
        self._print([Line("Ask a question, or /help. For example:", "dim"), *(Line(f"  {text}") for text in examples)])

    def _start(self, session_id: str | None) -> None:
        self._session_id = session_id
        self._on_screen = self._image = self._prior = self._last = None

    def _ask(self, text: str) -> None:
        asked = Question(
            check_text(text),
            session_id=self._session_id or self._new_session(),
            image=self._image,
            prior=self._prior,
            owner=self._owner,
            role=self._role,
        )
        self._session_id = asked.session_id
        self._turn(lambda show: self._sessions.ask(asked, show))

    def _new_session(self) -> str:
        """Made here, not by the first turn: an answer stopped half-way must still belong to this conversation."""
        return self._bridge.wait(lambda: self._sessions.store.create_session(self._owner, patient=self._on_screen)).id

    def _retry(self, _: str) -> None:
        session_id = self._session_id
        if session_id is None:
            raise BadInput("Nothing was asked in this conversation yet.")
        self._turn(lambda show: self._sessions.retry(session_id, show))

    def _turn(self, run: Callable[[OnEvent], Awaitable[TurnRecord]]) -> None:
        """One answer on the screen. Ctrl-C stops this answer, not the conversation."""
        view = screen()
        try:
            with view:
                record = self._bridge.wait(lambda: run(shown_on(view)))
                view.finish(record, [*render.details(record), *self._how_to_decide(record)])
        except KeyboardInterrupt:
            self._print([Line(), Line("Stopped. /retry asks it again.", "warning")])
            return
        finally:
            self._image = self._prior = None
        self._last = record

    def _card(self) -> str | None:
        """The order whose card was the last answer: it stands on the screen."""
        return self._last.cards[-1].id if self._last and self._last.cards else None

    def _how_to_decide(self, record: TurnRecord) -> list[Line]:
        return [
            line for card in record.cards for line in render.how_to_decide(card.id, render.checks_of(card), chat=True)
        ]

    def _help(self, _: str) -> None:
        self._print([Line(f"  {name:<15}{text}") for name, text in HELP])
        self.suggest()

    def _new(self, _: str) -> None:
        self._start(None)
        self._print([Line("A new conversation.", "dim")])

    def _list(self, _: str) -> None:
        found = self._bridge.wait(lambda: self._sessions.store.list_sessions(self._owner))
        self._print(
            [
                Line(f"  {session.id}  {session.updated_at[:16]}  {_turns(session.turn_count):>9}  {_title(session)}")
                for session in found
            ]
            or [Line("No conversations yet.", "dim")]
        )

    def _patient(self, patient_id: str) -> None:
        pinned = self._pinned()
        if not patient_id:
            who = pinned or self._on_screen
            self._print(render.patient(who) if who else [Line("No patient is set. /patient ID sets one.", "dim")])
            return
        found = self._bridge.wait(lambda: self._sessions.confirmed(patient_id, self._owner))
        if pinned is not None and pinned.confirmed and pinned.id != found.id:
            raise BadInput("This conversation is about another patient. Give /new first, then /patient ID.")
        session_id, store = self._session_id, self._sessions.store
        if session_id is None:
            self._on_screen = found
        elif pinned is None or not pinned.confirmed:
            self._bridge.wait(lambda: store.pin_patient(session_id, found))
        self._print([*render.patient(found), Line("The next question is about this patient.", "dim")])

    def _pinned(self) -> Patient | None:
        session_id = self._session_id
        if session_id is None:
            return None
        return self._bridge.wait(lambda: self._sessions.store.get_session(session_id)).patient

    def _as_role(self, role: str) -> None:
        """Whom the next questions come from: the clinic, or a reader of the knowledge base."""
        knowledge = self._bridge.app.knowledge
        roles = self._bridge.wait(knowledge.roles)
        if role in ("off", "none", "clinic"):
            self._role = None
            self._print([Line("Back to the clinic: questions go to look-ups and charts again.", "dim")])
            return
        if role:
            found = self._bridge.wait(lambda: knowledge.role(role))
            self._role = found.id
            asks = f"Questions are now answered from the knowledge base for: {render.one_line(found.name_en)}."
            self._print([Line(asks, "dim"), Line("/role off goes back.", "dim")])
            return
        here = {self._role: "  (now)"}
        self._print([Line(f"  {each.id:<22}{render.one_line(each.name_en)}{here.get(each.id, '')}") for each in roles])
        self._print([Line("/role ROLE asks as one of these; /role off goes back to the clinic.", "dim")])

    def _attach(self, file: str) -> None:
        if not file:
            raise BadInput("Say which: /image FILE.")
        self._image = read_image(Path(file).expanduser())
        self._print([Line("The image goes with your next question.", "dim")])

    def _attach_prior(self, file: str) -> None:
        if not file:
            raise BadInput("Say which: /prior FILE.")
        if self._image is None:
            raise BadInput("Attach the current image first: /image FILE.")
        self._prior = read_image(Path(file).expanduser())
        self._print([Line("The next question compares the two images.", "dim")])

    def _answer(self) -> TurnRecord:
        if self._last is None:
            raise BadInput("There is no answer in this conversation yet.")
        return self._last

    def _print(self, lines: Iterable[Line]) -> None:
        screen().lines(lines)


def _turns(count: int) -> str:
    return "1 turn" if count == 1 else f"{count} turns"


def _title(session: Session) -> str:
    return render.one_line(session.title, 60) or "untitled"
