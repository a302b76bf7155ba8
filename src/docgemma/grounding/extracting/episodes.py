"""An episode of a disease is one entity with it: "acute exacerbation of COPD" is neither of its halves."""

from __future__ import annotations

from collections.abc import Sequence

from docgemma.terminology.linking.mentions import Run
from docgemma.terminology.linking.words import Word

_EPISODES = frozenset({"exacerbation", "flare"})


def with_episodes(words: Sequence[Word], runs: Sequence[Run]) -> list[Run]:
    """The runs in order, each disease joined with the episode of it that stands before."""
    joined: list[Run] = []
    for run in runs:
        last = joined[-1] if joined else None
        if last is None or run.type != "Condition" or not _episode_of(words, last, run):
            joined.append(run)
            continue
        head = " ".join(word.text for word in words[last.first : last.last])
        joined[-1] = Run(last.first, run.last, "Condition", f"{head} of {run.term}" if run.term else "")
    return joined


def _episode_of(words: Sequence[Word], one: Run, two: Run) -> bool:
    if one.type != "Condition" or words[one.last - 1].key not in _EPISODES or two.first - one.last != 1:
        return False
    return words[one.last].low == "of" and words[one.last - 1].gap == words[one.last].gap == " "
