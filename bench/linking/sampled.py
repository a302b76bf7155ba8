"""Names to concepts at a small size: a sample of the gold mentions, beside the ways that need no minutes.

Where the vocabularies are not at hand the index that ships is searched, and the rows say so.
"""

from __future__ import annotations

import random
import tempfile
import time
from collections.abc import Iterator
from functools import cache, partial
from pathlib import Path
from statistics import median

from bench.growth import FLAT, LINEAR, Curve
from bench.linking.__main__ import CACHE, full, ours, vocabulary
from bench.linking.gold import Mention, default, sets
from bench.linking.peers import rows as peers
from bench.report import Row, Skipped, skipped
from docgemma.terminology.building.shipped import shipped_concepts
from docgemma.terminology.building.wheels import ALL
from docgemma.terminology.index.building import compile_index
from docgemma.terminology.index.opening import open_index
from docgemma.terminology.search.searching import Searcher

SAMPLE, ASKED = 200, 300
SHARES = (100, 10, 1)
"""One in so many concepts of the full vocabularies."""
_DEVELOPMENT = "dev"
"""Of the splits that are there the smaller; the larger adds minutes and no other figure."""
_ABSENT = "no gold mentions beside the repository (../shared/data/linking)"


def rows() -> Iterator[Row]:
    """Accuracy of the first answer against that of each peer; the goal is to be no worse than any."""
    paths = [path for path in default() if _DEVELOPMENT in path.name.lower()] or default()
    if not paths:
        raise Skipped(_ABSENT)
    with tempfile.TemporaryDirectory(prefix="docgemma-bench-") as folder:
        index = open_index(full(CACHE) if _vocabularies() else _shipped(Path(folder)))
        of = "" if _vocabularies() else " (the index that ships)"
        names = cache(partial(vocabulary, index))
        for title, mentions in sets(paths).items():
            sampled = _sample(mentions)
            us = ours("docgemma", Searcher(index), sampled)
            what = f"{title}, {len(sampled)} mentions{of}"
            for peer in peers(sampled, names(mentions[0].type), slow=False):
                if peer.mentions:
                    yield Row(
                        f"{what}: first answer right", us.first * 100, "%", peer.way, peer.first * 100, 1.0, "higher"
                    )
                else:
                    yield skipped(f"{what}: {peer.way}", peer.said)
            yield Row(f"{what}: a search, CPU", us.milliseconds, "ms")


def growth() -> Iterator[Curve]:
    """A search for the same names in a hundredth, a tenth and all of the full vocabularies."""
    if not _vocabularies():
        raise Skipped("the vocabularies are not in .cache/terms: `make terms` fetches them")
    from docgemma.terminology.building.full import full_concepts

    concepts = list(full_concepts(CACHE, lambda *_: None))
    random.Random(3).shuffle(concepts)
    asked = [concept.names[-1] for concept in concepts[:ASKED]]
    spent, took = [], []
    for size in (len(concepts) // share for share in SHARES):
        with tempfile.TemporaryDirectory(prefix="docgemma-bench-") as folder:
            path = Path(folder) / "index.sqlite"
            begun = time.process_time()
            compile_index(concepts[:size], path)
            took.append((size, time.process_time() - begun))
            spent.append((size, _search_ms(Searcher(open_index(path)), asked)))
    yield Curve("A search for a name, CPU", "concepts in the index", "ms", tuple(spent), FLAT)
    yield Curve("Compiling the index, CPU", "concepts in the index", "s", tuple(took), LINEAR)


def _search_ms(searcher: Searcher, asked: list[str]) -> float:
    spent = []
    for name in asked:
        begun = time.process_time()
        searcher.search(name, 10, None, "")
        spent.append((time.process_time() - begun) * 1000)
    return median(spent)


def _sample(mentions: list[Mention]) -> list[Mention]:
    return random.Random(2).sample(mentions, min(SAMPLE, len(mentions)))


def _vocabularies() -> bool:
    return all((CACHE / wheel.file).is_file() for wheel in ALL)


def _shipped(folder: Path) -> Path:
    path = folder / "shipped.sqlite"
    compile_index(shipped_concepts(), path)
    return path
