"""The trained encoder on onnxruntime: a message with its context in, a Request out."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from docgemma.embed.wordpiece import Piece, WordPiece
from docgemma.errors import Unavailable
from docgemma.reader.card import MEND, MODEL, VOCABULARY, Card, Thresholds, read_card
from docgemma.reader.contract import Asked, Certainty, OpenQuestion, Request, Span
from docgemma.reader.decoding import FoundSpan, spans_of
from docgemma.reader.inputs import DrugFinder, Window, windows
from docgemma.reader.labels import ASKS, CARDS, FLAGS, NOT_YET, RELATIONS, TAKES, WHO, Ask

if TYPE_CHECKING:
    from numpy.typing import NDArray

WEIGHTS = Path(__file__).resolve().parent / "weights"
"""What ships in the package."""

ON_SCREEN_WEIGHTS = (1, 2)
"""How much a reading without and with the patient on screen count."""

MOST_CHARACTERS = 20_000
"""Beyond this a message is pasted text; what follows is not read."""


@dataclass(frozen=True, slots=True)
class _Heads:
    """What the heads say of a whole message."""

    tools: NDArray[Any]
    relation: NDArray[Any]
    flags: NDArray[Any]
    tags: NDArray[Any]
    owner: NDArray[Any]


class EncoderReader:
    """A reader with its weights in memory. Safe to share between threads."""

    def __init__(self, session: Any, tokens: WordPiece, card: Card, drugs: DrugFinder) -> None:
        self._session = session
        self._tokens = tokens
        self._drugs = drugs
        self.card = card

    def request(
        self,
        message: str,
        *,
        before: Sequence[str] = (),
        asked: OpenQuestion | None = None,
        patient_on_screen: bool = False,
    ) -> Request:
        read = [
            self._run(
                windows(
                    message[:MOST_CHARACTERS],
                    before=before,
                    question=(asked.kind, asked.text) if asked else None,
                    on_screen=on_screen,
                    tokens=self._tokens,
                    drugs=self._drugs,
                )
            )
            for on_screen in ((False, True) if patient_on_screen else (False,))
        ]
        heads, pieces = _together([heads for heads, _ in read]), read[0][1]
        limits = self.card.thresholds
        asks = tuple(
            Asked(ask, float(chance), certainty)
            for ask, chance in zip(ASKS, heads.tools, strict=True)
            if (certainty := _certainty(ask, float(chance), limits)) != "no"
        )
        wanted = [item.ask for item in asks]
        spans = tuple(
            Span(found.type, found.start, found.end, message[found.start : found.end], found.probability, owner)
            for found in spans_of(heads.tags, pieces)
            for owner in (_owner(found, heads.owner, wanted),)
        )
        relation = int(heads.relation.argmax())
        return Request(
            asks=asks,
            spans=spans,
            urgent=bool(heads.flags[0] >= limits.urgent),
            conditional=bool(heads.flags[1] >= limits.conditional),
            relation=RELATIONS[relation] if asked else None,
            relation_probability=float(heads.relation[relation]) if asked else 0.0,
            probabilities=tuple(
                (name, float(chance))
                for name, chance in zip((*ASKS, *FLAGS), (*heads.tools, *heads.flags), strict=True)
            ),
        )

    def _run(self, parts: Sequence[Window]) -> tuple[_Heads, list[Piece]]:
        """Windows one by one; of a token that two of them hold, the one in whose middle it lies is believed."""
        import numpy as np

        outs = [self._session.run(None, _arrays(part)) for part in parts]
        size = max(part.offset + len(part.pieces) for part in parts)
        tags, owner = np.zeros((size, outs[0][3].shape[-1])), np.zeros((size, outs[0][4].shape[-1]))
        pieces: list[Piece | None] = [None] * size
        depth = np.full(size, -1)
        for part, out in zip(parts, outs, strict=True):
            for number, piece in enumerate(part.pieces):
                place, inside = part.offset + number, min(number, len(part.pieces) - 1 - number)
                if inside > depth[place]:
                    depth[place] = inside
                    tags[place], owner[place] = out[3][0, part.first + number], out[4][0, part.first + number]
                    pieces[place] = piece
        heads = _Heads(
            tools=np.max([out[0][0] for out in outs], axis=0),
            relation=outs[0][1][0],
            flags=np.max([out[2][0] for out in outs], axis=0),
            tags=tags,
            owner=owner,
        )
        return heads, [piece for piece in pieces if piece is not None]


def _together(read: Sequence[_Heads]) -> _Heads:
    """A message is about the patient on screen only where it reads so by its own words as well: a geometric mean.

    In training a patient is on screen only where the message relies on it; in practice one nearly always is.
    """
    import numpy as np

    def mean(name: str) -> NDArray[Any]:
        logs = [np.log(np.maximum(getattr(heads, name), 1e-6)) for heads in read]
        return np.exp(np.average(logs, axis=0, weights=ON_SCREEN_WEIGHTS))

    return read[0] if len(read) == 1 else _Heads(*(mean(name) for name in _Heads.__slots__))


def _arrays(part: Window) -> dict[str, NDArray[Any]]:
    import numpy as np

    size = len(part.ids)
    message = np.zeros((1, size), np.int64)
    message[0, part.first :] = 1
    return {
        "ids": np.array([part.ids], np.int64),
        "segments": np.array([part.segments], np.int64),
        "features": np.array([part.features], np.int64),
        "mask": np.ones((1, size), np.int64),
        "message": message,
    }


def _certainty(ask: Ask, chance: float, limits: Thresholds) -> Certainty:
    if ask in NOT_YET:
        sure, offered = limits.later_sure, limits.write_offered
    elif ask in CARDS:
        sure, offered = limits.write_sure, limits.write_offered
    else:
        sure, offered = limits.read_sure, limits.read_offered
    return "sure" if chance >= sure else "offered" if chance >= offered else "no"


def _owner(found: FoundSpan, owner: NDArray[Any], wanted: Sequence[Ask]) -> Ask | None:
    """The request that a span belongs to: of those asked for that can use it, the one the tokens point at."""
    able = [ask for ask in wanted if found.type in TAKES[ask]]
    if found.type in WHO or not able:
        return None
    chances = owner[found.first : found.last].mean(axis=0)
    return max(able, key=lambda ask: float(chances[ASKS.index(ask)]))


def open_reader(drugs: DrugFinder, folder: Path | None = None) -> EncoderReader:
    """The reader of a folder, or the one that ships. Files are checked first; what is wrong is said in one sentence."""
    folder = folder or WEIGHTS
    card = read_card(folder)
    try:
        import onnxruntime as ort
    except ImportError:
        raise Unavailable(f"The reader needs onnxruntime, which is not installed. {MEND}") from None
    options = ort.SessionOptions()
    options.intra_op_num_threads = options.inter_op_num_threads = 1
    options.log_severity_level = 3
    options.graph_optimization_level = ort.GraphOptimizationLevel.ORT_ENABLE_BASIC  # as fast here, and smaller
    session = ort.InferenceSession(str(folder / MODEL), options, providers=["CPUExecutionProvider"])
    return EncoderReader(session, WordPiece.read(folder / VOCABULARY), card, drugs)
