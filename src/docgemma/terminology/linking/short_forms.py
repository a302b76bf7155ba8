"""Short forms that the text itself defines: "major depressive disorder (MDD) … an episode of MDD".

The bracket that defines it is the same mention once more and is left out; later uses stand for the long form.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from docgemma.terminology.contract import EntityType
from docgemma.terminology.linking.mentions import Run
from docgemma.terminology.linking.words import Word
from docgemma.terminology.names.abbreviations import defined

Kind = EntityType | None


def definitions(text: str, context: str = "") -> dict[str, str]:
    """Short form → long form, from the text and from what stands above it. The text's own definition wins."""
    return {**(defined(context) if context else {}), **defined(text)}


def in_brackets(words: Sequence[Word], text: str, meanings: Mapping[str, str]) -> frozenset[int]:
    """The words that only define a short form: "(NSCLC)", "[MRI]"."""
    found: set[int] = set()
    for place, word in enumerate(words):
        before = text[max(0, word.start - 1) : word.start]
        if before in {"(", "["} and any(text.startswith(short, word.start) for short in meanings):
            end = place
            while end < len(words) and not words[end].gap.startswith((")", "]", ";", ",")):
                end += 1
            if end - place <= 3 and text[word.start : words[min(end, len(words) - 1)].end] in meanings:
                found.update(range(place, end + 1))
    return frozenset(found)


def short_runs(
    words: Sequence[Word], meanings: Mapping[str, str], skipped: frozenset[int], kind_of: Callable[[str], Kind]
) -> list[Run]:
    """The uses of a short form outside its definition, with the type of its long form."""
    found = []
    for place, word in enumerate(words):
        long = meanings.get(word.text)
        if long is None or place in skipped:
            continue
        kind = kind_of(long)
        if kind is not None:
            found.append(Run(place, place + 1, kind, long))
    return found
