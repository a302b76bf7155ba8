"""What `doctor` says about packs: which are there, whether they can be read, and how old they are."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from datetime import UTC, datetime

from docgemma.config import Finding, Settings
from docgemma.errors import Unavailable
from docgemma.sources.contract import SourceError
from docgemma.sources.literature import contract as literature
from docgemma.sources.pack.manifest import CALLED, Kind, build_command, places
from docgemma.sources.pack.reader import open_literature_packs, open_packs, open_trial_packs
from docgemma.sources.pack.verify import age_days
from docgemma.sources.trials import contract as trials

PATIENCE_S = 20.0
"""A pack of articles is compared with its checksum before it answers: a second for each gigabyte."""

OLD_DAYS = 180
COMMON = "acetaminophen"
KNOWN = "hypertension"
NAMES: dict[Kind, str] = {"openfda": "label pack", "europepmc": "article pack", "ctgov": "trial pack"}

Ask = Callable[[float], Awaitable[object]]


async def label_pack(settings: Settings) -> Finding:
    packs = open_packs(settings.packs_folder)
    if not packs:
        return _absent(settings, "openfda")
    pack = packs[0]
    return await _asked(settings, "openfda", pack.close, lambda until: pack.labels(COMMON, ends_at=until))


async def search_packs(settings: Settings) -> list[Finding]:
    """The packs that articles and trials are searched in."""
    return [await _article_pack(settings), await _trial_pack(settings)]


async def _article_pack(settings: Settings) -> Finding:
    packs, sought = open_literature_packs(settings.packs_folder), literature.Sought(concepts=((KNOWN,),))
    if not packs:
        return _absent(settings, "europepmc")
    pack = packs[0]
    return await _asked(settings, "europepmc", pack.close, lambda until: pack.search(sought, ends_at=until))


async def _trial_pack(settings: Settings) -> Finding:
    packs, sought = open_trial_packs(settings.packs_folder), trials.Sought(condition=KNOWN)
    if not packs:
        return _absent(settings, "ctgov")
    pack = packs[0]
    return await _asked(settings, "ctgov", pack.close, lambda until: pack.search(sought, ends_at=until))


def _absent(settings: Settings, kind: Kind) -> Finding:
    build = f"{build_command(kind)} --from FILES… makes one from a bulk download"
    return Finding(NAMES[kind], "off", f"No pack of {CALLED[kind].many} in {settings.packs_folder}.", build)


async def _asked(settings: Settings, kind: Kind, close: Callable[[], Awaitable[None]], ask: Ask) -> Finding:
    """Whether it has an answer does not matter: it may be a pack of another field."""
    try:
        await ask(asyncio.get_running_loop().time() + PATIENCE_S)
        place = places(settings.packs_folder, kind)[0]
    except (SourceError, Unavailable) as error:
        return Finding(NAMES[kind], "broken", str(error), "docgemma pack verify")
    finally:
        await close()
    days = age_days(place.date, datetime.now(UTC).date())
    if days is None or days > OLD_DAYS:
        age = "of a day that lies ahead" if days is None else f"{days} days old"
        build = f"{build_command(kind)} --from FILES… makes a newer one from a bulk download"
        return Finding(NAMES[kind], "missing", f"The {place.source} is {age}.", build)
    return Finding(NAMES[kind], "ok", f"The {place.source} can be read.")
