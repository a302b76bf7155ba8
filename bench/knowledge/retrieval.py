"""`python -m bench.knowledge.retrieval [--entries 100000] [--json]`: how well and how fast entries are found.

Everything was tuned on the questions of the split "dev"; "test" is what counts.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import tempfile
from dataclasses import asdict
from pathlib import Path
from typing import Any

from bench.knowledge.corpus import MEDQUAD, Corpus, demonstration, medquad, vectors
from bench.knowledge.refusals import Judged, absent_names, trade_off
from bench.knowledge.running import Asked, Built, ask, ask_peer, build
from bench.knowledge.scores import Scores, as_keys, scores
from docgemma.embed import Embedder, open_minilm
from docgemma.knowledge.index.layout import EXACT_UP_TO

WEIGHTS = Path(".cache/weights/minilm")
GOAL_MS = 15.0
HEAD = ("questions", "found by", "R@1", "R@5", "nDCG@10")


def main() -> None:
    parser = argparse.ArgumentParser(prog="bench.knowledge.retrieval", description=__doc__)
    parser.add_argument("--entries", type=int, default=0, help="fill MedQuAD up to this many with made-up entries")
    parser.add_argument("--exact-up-to", type=int, default=EXACT_UP_TO, help="entries from which on a graph is built")
    parser.add_argument("--demo", action="store_true", help="the demonstration entries only")
    parser.add_argument("--json", action="store_true", help="print the figures as one JSON object")
    options = parser.parse_args()
    embedder = open_minilm(WEIGHTS)
    if embedder is None:
        print(f"No embedder in {WEIGHTS}: `make embedder` brings it. Measuring words alone.")
    figures = asyncio.run(_measured(options.entries, embedder, demo_only=options.demo, exact_up_to=options.exact_up_to))
    print(json.dumps(figures, default=asdict) if options.json else "\n\n".join(map(_shown, figures)))


async def _measured(size: int, embedder: Embedder | None, *, demo_only: bool, exact_up_to: int) -> list[dict[str, Any]]:
    figures = []
    if not demo_only:
        if MEDQUAD.exists():
            figures.append(await _corpus(medquad(size), embedder, peer=True, exact_up_to=exact_up_to))
        else:
            print(f"{MEDQUAD} is not there: MedQuAD is left out. Its place is beside the repository.")
    if not size:
        figures += [await _corpus(demonstration(language), embedder) for language in ("en", "vi")]
    return figures


async def _corpus(
    corpus: Corpus, embedder: Embedder | None, *, peer: bool = False, exact_up_to: int = EXACT_UP_TO
) -> dict[str, Any]:
    made = vectors(corpus, embedder) if embedder else None
    with tempfile.TemporaryDirectory() as folder:
        built = await build(corpus, made, embedder, Path(folder) / "index", exact_up_to=exact_up_to)
        asked = await ask(corpus, embedder, Path(folder) / "index")
        rankings = {"peer Bm25": await ask_peer(corpus, Path(folder) / "peer")} if peer else {}
        named = await absent_names(corpus, made, embedder, Path(folder) / "absent") if peer and not corpus.mixed else []
    rankings |= {
        "words": asked.words,
        "meaning": asked.meaning,
        "both, fused": asked.fused,
        "both, judged": asked.found,
    }
    return {
        "corpus": corpus.name,
        "entries": len(corpus.entries),
        "quality": {
            f"{split}|{way}": _scores(corpus, split, ranked)
            for split in ("dev", "test")
            for way, ranked in rankings.items()
            if any(ranked)
        },
        "kept_and_refused": {split: trade_off(_judged(corpus, asked), split) for split in ("dev", "test")},
        "absent_names": named,
        "cost": _cost(built, asked),
    }


def _scores(corpus: Corpus, split: str, ranked: list[list[str]]) -> Scores:
    chosen = (
        (as_keys(ids, corpus.keys), question.relevant)
        for question, ids in zip(corpus.questions, ranked, strict=True)
        if question.split == split and question.relevant
    )
    return scores(list(chosen))


def _judged(corpus: Corpus, asked: Asked) -> list[Judged]:
    return [
        Judged(question, bool(question.relevant & set(as_keys(ids[:3], corpus.keys))), best)
        for question, ids, best in zip(corpus.questions, asked.found, asked.best, strict=True)
    ]


def _cost(built: Built, asked: Asked) -> dict[str, float]:
    return {
        "cpu_ms_a_question": asked.cpu_ms,
        "of_it_embedding_ms": asked.embedding_ms,
        "index_mb": built.megabytes,
        "memory_mb": asked.memory_mb,
        "build_rows_a_second": built.rows_a_second,
    }


def _shown(figure: dict[str, Any]) -> str:
    lines = [f"## {figure['corpus']}: {figure['entries']} entries", "  ".join(f"{name:12}" for name in HEAD)]
    for name, found in figure["quality"].items():
        split, _, way = name.partition("|")
        cells = (f"{split} ({found.asked})", way, *found.cells())
        lines.append("  ".join(f"{cell:12}" for cell in cells))
    for split, rows in figure["kept_and_refused"].items():
        lines += [f"{split}, from a relevance of", *(f"  {row}" for row in rows)]
    lines += figure["absent_names"]
    lines += [f"{name}: {value:.1f}" for name, value in figure["cost"].items()]
    spent = figure["cost"]["cpu_ms_a_question"]
    lines.append(f"CPU a question: {'met' if spent <= GOAL_MS else 'SHORT'} (goal {GOAL_MS:g} ms)")
    return "\n".join(lines)


if __name__ == "__main__":
    main()
