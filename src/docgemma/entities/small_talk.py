"""Talk that asks for nothing: greetings, thanks, a bare "ok", "who are you?". Nothing is looked up for it."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Container

from docgemma.entities.words import phrase_list, word_set

_LONGEST = 80
_MOST_WORDS = 12

_SOCIAL = phrase_list(
    "hi, hello, hey, hiya, howdy, greetings, namaste, gm, morning, afternoon, evening, yo, good morning, gud morning, "
    "gud mrng, good afternoon, good evening, good day, good night, goodnight, gn, thanks, thank you, thankyou, thank "
    "u, thx, tx, tks, thnx, thanx, ty, ta, cheers, many thanks, tysm, much appreciated, appreciated, appreciate it, "
    "much obliged, thanks a lot, thanks a bunch, noted with thanks, shukriya, dhanyavad, that's right, that's "
    "correct, can you help me, can you help, are you working, thanks a million, ok, okay, k, kk, okey, alright, all "
    "right, right, sure, fine, great, perfect, awesome, nice, nice one, cool, brilliant, lovely, super, excellent, "
    "good, all good, good job, well done, good to know, fair enough, makes sense, got it, gotcha, noted, understood, "
    "roger, sounds good, will do, no worries, no problem, np, you're welcome, welcome, my pleasure, yes, yep, yeah, "
    "yup, y, ya, aye, no, nope, nah, n, not really, not now, no thanks, bye, goodbye, good bye, bye bye, see you, see "
    "ya, cya, later, take care, have a good one, have a good day, have a nice day, have a good evening, have a good "
    "weekend, that's all, that is all, that's it, that's everything, nothing else, that will be all, that'll be all, "
    "i'm done, all done, sorry, my bad, oops, whoops, never mind, nevermind, nvm, forget it, apologies, excuse me, "
    "lol, haha, hahaha, hmm, hm, mm, mmm, wow, ah, oh, aha, hooray, yay, phew, ugh, how are you, how are you doing, "
    "how r u, how's it going, how is it going, how do you do, what's up, that helps, that helped, that was helpful, "
    "that is helpful, that's helpful, very helpful, helpful, who are you, who r u, what are you, what's your name, "
    "what is your name, are you there, you there, are you a bot, are you human, are you a human, are you an ai, are "
    "you real, are you ok, what can you do, what do you do, what can u do, how can you help, what can you help me "
    "with, what can you help with, what can i ask you, what can i ask, what are you for, how do you work, who made "
    "you, who built you, are you a doctor, are you a real doctor, what are your capabilities, what do you know, what "
    "can you tell me, you're a star, you are a star, you're the best, legend, help, help me, test, testing, ping, "
    "hello world, nice to meet you, pleased to meet you, let me think, one sec, one second, one moment, hang on, hold "
    "on, wait, just a sec, a moment"
)
_WITH_IT = word_set(
    "you a lot so much very again doing today there doctor doc dr docgemma gemma everyone team all sir madam ma'am "
    "mate pal friend buddy dear guys folks tomorrow soon then now for that the help indeed really me please just and "
    "but i"
)
"""Words that go along with the above and say nothing alone."""

_PHRASES = frozenset(tuple(phrase.split()) for phrase in _SOCIAL)
_LONGEST_PHRASE = max(map(len, _PHRASES))
_WORD = re.compile(r"[^\W\d_]{1,80}(?:'[^\W\d_]{1,20}){0,3}")
_POTASSIUM = re.compile(r"(?<!\w)(?:k\s?\+|(?-i:K)\s?\?)", re.IGNORECASE)
"""A bare "k" is an ok; with its charge, or asked for as it is written on a lab form, it is the ion."""

_SYMBOLS = frozenset({"So", "Sk", "Sm", "Po", "Ps", "Pe", "Pd", "Zs", "Cf", "Mn", "Cc", "Pi", "Pf"})


def is_small_talk(text: str) -> bool:
    """Social words and nothing else, or a smile or a thumb alone."""
    plain = text.strip().replace("’", "'").lower()
    if not 0 < len(plain) <= _LONGEST:
        return False
    if _POTASSIUM.search(text):
        return False
    said = tuple(_WORD.findall(plain))
    rest = _WORD.sub("", plain)
    if any(unicodedata.category(sign) not in _SYMBOLS for sign in rest):
        return False
    if not said:
        return any(unicodedata.category(sign) == "So" for sign in rest)
    return len(said) <= _MOST_WORDS and all_social(said, _PHRASES, _WITH_IT, _LONGEST_PHRASE)


def all_social(
    said: tuple[str, ...], phrases: Container[tuple[str, ...]], with_it: Container[str], longest: int
) -> bool:
    """Every word belongs to a phrase or goes along with one; the longest phrase counts."""
    place, social = 0, False
    while place < len(said):
        size = next((n for n in range(longest, 0, -1) if said[place : place + n] in phrases), 0)
        if not size and said[place] not in with_it:
            return False
        social = social or bool(size)
        place += size or 1
    return social
