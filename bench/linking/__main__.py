"""`python -m bench.linking [FILE…]`: accuracy and CPU on gold mentions, beside five other ways in the same run.

The convention is that of the literature on these sets: a mention counts as right when the first answer carries one of
its identifiers; of a composite (`D1|D2`) any counts, and the share with all of them among the answers is told beside.
Identifiers are MeSH and OMIM: a concept without one is passed over (`passed over: no` counts it as a miss).
"""

from __future__ import annotations

import argparse
import sys
import time
from dataclasses import replace
from itertools import pairwise
from pathlib import Path

from bench.linking.gold import Mention, default, known, named, sets
from bench.linking.peers import Names, Row, rows
from docgemma.terminology.index.building import compile_index
from docgemma.terminology.index.opening import Index, open_index
from docgemma.terminology.search.searching import Searcher
from docgemma.terminology.search.variants import Means

CACHE = Path(__file__).parents[2] / ".cache" / "terms"
_ASKED = 10
_BINS = (0.0, 0.1, 0.3, 0.5, 0.7, 0.8, 0.9, 0.95, 1.01)
_ABLATIONS = {
    "- definitions in the text": replace(Means(), definitions=False),
    "- clinical abbreviations": replace(Means(), clinical=False, formulas=False),
    "- phrases and compounds": replace(Means(), phrases=False, compounds=False),
    "- composites": replace(Means(), composites=False),
    "- learnt words": replace(Means(), learnt=False),
    "- misspellings": replace(Means(), slips=False),
    "- all soft search": replace(Means(), soft=False),
}


def main() -> None:
    parser = argparse.ArgumentParser(prog="bench.linking", description=__doc__)
    parser.add_argument("files", nargs="*", type=Path, help="PubTator files; else those of ../shared/data/linking")
    parser.add_argument("--index", type=Path, help="an index file; else the full one, made once under .cache/terms")
    parser.add_argument("--wheels", type=Path, help="a folder with the pinned wheels, for machines without network")
    parser.add_argument("--fast", action="store_true", help="without the slow peers")
    parser.add_argument("--ablations", action="store_true", help="also ours without each of its means")
    options = parser.parse_args()
    paths = options.files or default()
    if not paths:
        parser.error("no gold mentions: name PubTator files")
    index = open_index(options.index or full(options.wheels))
    about = index.about()
    print(f"{about.concepts:,} concepts, {about.names:,} names, version {about.version}")
    for title, mentions in sets(paths).items():
        report(title, mentions, index, slow=not options.fast, ablations=options.ablations)


def full(wheels: Path | None) -> Path:
    """The full index, made from the pinned wheels the first time."""
    path = CACHE / "full.sqlite"
    if not path.is_file():
        from docgemma.terminology.building.full import full_concepts

        begun = time.perf_counter()
        compile_index(full_concepts(wheels, lambda what, done, of: None), path)
        size = path.stat().st_size / 1e6
        print(f"full index built in {time.perf_counter() - begun:.0f} s, {size:.0f} MB", file=sys.stderr)
    return path


def report(title: str, mentions: list[Mention], index: Index, *, slow: bool, ablations: bool) -> None:
    composite = sum(mention.several for mention in mentions)
    print(f"\n{title}: {len(mentions):,} mentions, {composite} of them composites")
    print(f"  {'':28s} {'mentions':>8s} {'acc@1':>7s} {'acc@5':>7s} {'ms CPU':>7s}")
    told(ours("docgemma", Searcher(index), mentions))
    told(ours("  without a type", Searcher(index), mentions, typed=False))
    told(ours("  without a context", Searcher(index), mentions, context=False))
    told(ours("  passed over: no", Searcher(index), mentions, passing=False))
    for what, means in _ABLATIONS.items() if ablations else ():
        told(ours(f"  {what}", Searcher(index, means), mentions))
    every(mentions, Searcher(index))
    for row in rows(mentions, vocabulary(index, mentions[0].type), slow=slow):
        told(row)
    reliability(mentions, Searcher(index))


def told(row: Row) -> None:
    if row.mentions == 0:
        print(f"  {row.way:28s} {row.said}")
        return
    shares = f"{row.first:7.1%} {row.five:7.1%} {row.milliseconds:7.2f}"
    print(f"  {row.way:28s} {row.mentions:8,d} {shares}  {row.said}".rstrip())


def ours(
    way: str,
    searcher: Searcher,
    mentions: list[Mention],
    *,
    typed: bool = True,
    context: bool = True,
    passing: bool = True,
) -> Row:
    """The search as others call it: the mention, its type and the text that it stands in."""
    first = five = 0
    begun = time.process_time()
    for mention in mentions:
        around = mention.document if context else ""
        candidates = searcher.search(mention.text, _ASKED, mention.type if typed else None, around)
        answers = (known(candidates) if passing else [named(candidate.ids) for candidate in candidates])[:5]
        first += bool(answers and answers[0] & mention.ids)
        five += any(ids & mention.ids for ids in answers)
    spent = time.process_time() - begun
    return Row(way, len(mentions), first / len(mentions), five / len(mentions), 1000 * spent / len(mentions))


def every(mentions: list[Mention], searcher: Searcher) -> None:
    """Composites: are all the things that are named among as many answers?"""
    several = [mention for mention in mentions if mention.several]
    whole = 0
    for mention in several:
        answers = known(searcher.search(mention.text, _ASKED, mention.type, mention.document))[: len(mention.ids)]
        whole += mention.ids <= frozenset().union(*answers)
    if several:
        print(f"  composites: all of their identifiers found for {whole} of {len(several)}")


def reliability(mentions: list[Mention], searcher: Searcher) -> None:
    """Whether a confidence is the share of answers that are right. Unjudged answers do not count."""
    judged: list[tuple[float, bool]] = []
    for mention in mentions:
        candidates = searcher.search(mention.text, 1, mention.type, mention.document)
        if candidates and named(candidates[0].ids):
            judged.append((candidates[0].confidence, bool(named(candidates[0].ids) & mention.ids)))
    print("  confidence: mean of the bin → share that is right (answers)")
    for low, high in pairwise(_BINS):
        inside = [(confidence, right) for confidence, right in judged if low <= confidence < high]
        if inside:
            mean = sum(confidence for confidence, _ in inside) / len(inside)
            right = sum(right for _, right in inside) / len(inside)
            print(f"    {mean:.2f} → {right:.2f} ({len(inside):,})")


def vocabulary(index: Index, kind: str) -> Names:
    """The names of concepts of one type that have an identifier of the annotators, preferred names first."""
    preferred: Names = []
    others: Names = []
    for number in range(index.about().concepts):
        entry = index.entry(number)
        ids = named(entry.ids)
        if ids and entry.type == kind:
            for place, name in enumerate(index.names_of(number)):
                (others if place else preferred).append((name, ids))
    return preferred + others


if __name__ == "__main__":
    main()
