"""How much a sentence is like the exemplars of each kind: by meaning, with a sentence embedder, or by shared words."""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING, Literal, Protocol

from docgemma.agent.requests.ways import DRUG, PATIENT, Kind, Way
from docgemma.embed import Embedder
from docgemma.entities.words import words

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray


@dataclass(frozen=True, slots=True)
class Score:
    """How strongly the exemplars of a kind speak for it, and how near the nearest of them is (0 to 1)."""

    support: float
    similarity: float


Scores = Mapping[Kind, Score]


class Likeness(Protocol):
    """A way to compare. Thresholds belong to it: what is near differs from one to the other."""

    by: Literal["meaning", "words"]
    least_support: float
    least_lead: float
    least_similarity: float

    def scores(self, sentence: str) -> Scores:
        """Each kind's score for a masked sentence."""
        ...


class ByMeaning:
    """Kernel ridge regression over sentence vectors: every exemplar votes, near ones most, and twins share a vote."""

    by: Literal["meaning", "words"] = "meaning"
    least_support, least_lead, least_similarity = 0.4, 0.15, 0.45
    _SMOOTHING = 0.5

    def __init__(self, embedder: Embedder, ways: Sequence[Way]) -> None:
        import numpy as np

        self._embedder = embedder
        self._kinds = tuple(dict.fromkeys(way.kind for way in ways))
        self._exemplars = embedder.embed([_readable(way.text) for way in ways])
        self._member = np.array([[way.kind == kind for kind in self._kinds] for way in ways])
        near = self._nearness(self._exemplars) + self._SMOOTHING * np.eye(len(ways), dtype=np.float32)
        self._weights = np.linalg.solve(near, self._member.astype(np.float32))

    def scores(self, sentence: str) -> Scores:
        import numpy as np

        vector = self._embedder.embed([_readable(sentence)])
        support = (self._nearness(vector) @ self._weights)[0]
        nearest = np.where(self._member.T, self._exemplars @ vector[0], 0.0).max(axis=1)
        return {kind: Score(float(support[place]), float(nearest[place])) for place, kind in enumerate(self._kinds)}

    def _nearness(self, vectors: NDArray[np.float32]) -> NDArray[np.float32]:
        """Cosines, plus one so that the weights can also learn how common a kind is."""
        return vectors @ self._exemplars.T + 1


class ByWords:
    """Cosine of the words and pairs of words, rare ones counting more; a kind is as near as its best two exemplars."""

    by: Literal["meaning", "words"] = "words"
    least_support, least_lead, least_similarity = 0.3, 0.1, 0.4
    _BEST = 2
    _UNKNOWN = 1.0
    """The weight of what no exemplar has: low, because it is mostly what is asked about, not how."""

    def __init__(self, ways: Sequence[Way]) -> None:
        self._owner = [way.kind for way in ways]
        parts = [_parts(way.text) for way in ways]
        self._having: dict[str, list[int]] = defaultdict(list)
        for place, found in enumerate(parts):
            for part in found:
                self._having[part].append(place)
        self._length = [self._norm(found) for found in parts]

    def scores(self, sentence: str) -> Scores:
        asked = _parts(sentence)
        length = self._norm(asked) or 1.0
        shared: dict[int, float] = defaultdict(float)
        for part in sorted(asked):
            for place in self._having.get(part, ()):
                shared[place] += self._weight(part) ** 2
        near: dict[Kind, list[float]] = {kind: [0.0] * self._BEST for kind in self._owner}
        for place, value in shared.items():
            near[self._owner[place]].append(value / (length * self._length[place]))
        best = {kind: sorted(values)[-self._BEST :] for kind, values in near.items()}
        return {kind: Score(sum(values) / self._BEST, values[-1]) for kind, values in best.items()}

    def _weight(self, part: str) -> float:
        known = len(self._having.get(part, ()))
        return math.log((1 + len(self._owner)) / (1 + known)) if known else self._UNKNOWN

    def _norm(self, parts: frozenset[str]) -> float:
        return math.sqrt(sum(self._weight(part) ** 2 for part in sorted(parts)))


def _readable(text: str) -> str:
    """Stand-ins as words that the embedder knows."""
    return text.replace(DRUG, "drug").replace(PATIENT, "patient")


def _parts(text: str) -> frozenset[str]:
    """Words and neighbours; the ends of the sentence count as neighbours too."""
    found = [word.low for word in words(text) if word.low[0].isalnum()]
    return frozenset([*found, *(f"{one} {other}" for one, other in pairwise(["", *found, ""]))])
