"""The errors a person may see. Each says what happened and what to do; none carries patient data.

Anything that is not a DocGemmaError is a bug and is left to crash.
"""

from __future__ import annotations

from typing import ClassVar


class DocGemmaError(Exception):
    """An expected failure. `exit_code` is the command line's answer to it."""

    exit_code: ClassVar[int] = 4


class BadInput(DocGemmaError):
    """What the user gave cannot be used as it is."""

    exit_code = 2


class UnknownId(DocGemmaError):
    """A session, turn, image or order that does not exist."""

    exit_code = 3


class Unavailable(DocGemmaError):
    """Something needed to run is not there: a store, a server, a file."""

    exit_code = 4


class Conflict(DocGemmaError):
    """Busy, expired or changed in the meantime."""

    exit_code = 5


class ModelError(DocGemmaError):
    """The model gave nothing usable. The node's rule takes over; users see a notice, not this."""


class ModelUnreachable(ModelError):
    """Down, refused, too slow or answering with an error: asking again in this turn is pointless."""


class ModelOutputInvalid(ModelError):
    """The model answered, but not with one valid object of the schema."""


class ModelCannotSee(ModelError):
    """The server answers, but not with this image in the question. Questions in words are still welcome there."""


class HardStop(DocGemmaError):
    """A check forbids what was to be approved; only a typed reason releases it."""

    exit_code = 6
