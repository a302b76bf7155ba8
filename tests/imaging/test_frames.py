"""Several frames: which ones are drawn, that each is the one it says it is, and what happens when there is no room."""

from __future__ import annotations

import functools
from typing import Any

import numpy as np
import pytest
from pydicom.sequence import Sequence
from pydicom.uid import RLELossless

from docgemma.errors import BadInput
from docgemma.imaging import Frame, ImageFacts, from_stored, present, to_stored
from docgemma.imaging import inspect as inspect_in_time
from docgemma.imaging.dicom import Budget, decoded, drawn_frames, opened, series
from docgemma.imaging.geometry import coarse_first, spread
from docgemma.store.rows import StoredImage
from tests.imaging.phantoms import dataset, grey, items, png_chunks, rgb_pixels, saved, words
from tests.support.tables import each_of

inspect = functools.partial(inspect_in_time, timeout_s=60)  # how busy the machine is must not decide a test

CT = {"Modality": "CT", "RescaleSlope": 1, "RescaleIntercept": -1024}


def volume(count: int, **tags: Any) -> bytes:
    """Frames of 2 × 2 pixels; all of the first have the value 0, all of the second 8, and so on."""
    return grey(
        [8 * number for number in range(count) for _ in range(4)], columns=2, Rows=2, NumberOfFrames=count, **tags
    )


class Steps(Budget):
    """A clock that goes on by the same step whenever it is looked at."""

    def __init__(self, step: float) -> None:
        super().__init__(1)
        self._step, self._now = step, 0.0

    def used(self) -> float:
        self._now += self._step
        return self._now


def drawn_within(data: bytes, most: int, step: float) -> list[int]:
    file = opened(data)
    return [each.number for each in drawn_frames(file, decoded(file, 1).facts, most, Steps(step))]


@each_of(
    ("count", "most", "numbers"),
    [
        (1, 8, (1,)),
        (2, 8, (1, 2)),
        (8, 8, (1, 2, 3, 4, 5, 6, 7, 8)),
        (9, 8, (1, 2, 3, 4, 6, 7, 8, 9)),
        (120, 8, (1, 18, 35, 52, 69, 86, 103, 120)),
        (120, 2, (1, 120)),
        (120, 1, (1,)),
        (10**9, 3, (1, 500_000_001, 10**9)),
    ],
)
def test_frames_are_spread_evenly_with_both_ends(count: int, most: int, numbers: tuple[int, ...]) -> None:
    assert spread(count, most) == numbers


@each_of("count", [1, 2, 3, 4, 5, 8, 9, 85])
def test_wherever_one_stops_both_ends_are_there(count: int) -> None:
    numbers = list(range(1, count + 1))
    order = coarse_first(numbers)
    assert sorted(order) == numbers
    assert order[:2] == sorted({1, count})
    for stopped in range(3, count):  # the widest gap is at most twice what it could be, rounding aside
        gaps = np.diff(sorted(order[:stopped]))
        assert gaps.max() <= 2 * -(-(count - 1) // (stopped - 1))


async def test_every_frame_is_the_one_it_says_it_is() -> None:
    found = await inspect(volume(120, **CT))
    assert [each.number for each in found.frames] == [1, 18, 35, 52, 69, 86, 103, 120]
    for each in found.frames:
        assert png_chunks(each.picture) == {b"IHDR", b"IDAT", b"IEND"}
        units = 8 * (each.number - 1) - 1024
        expected = int((units + 1024) / 2048 * 255 + 0.5)
        assert rgb_pixels(each.picture)[0, 0].tolist() == [expected, int((max(-135, units) + 135) / 350 * 255 + 0.5), 0]
    shown = await present(found)
    assert (shown.frames, shown.ct_windows) == ((1, 18, 35, 52, 69, 86, 103, 120), True)
    assert shown.pictures == tuple(each.picture for each in found.frames)
    fewer = await present(found, most=3)
    assert fewer.frames == (1, 69, 120)
    one = await present(found, most=1, timeout_s=60)
    assert (one.frames, one.pictures) == ((1,), (found.frames[0].picture,))


@pytest.mark.parametrize(("asked", "drawn"), [(0, 0), (1, 0), (3, 3), (85, 85), (1000, 85)])
async def test_as_many_frames_as_asked_for_up_to_a_limit(asked: int, drawn: int) -> None:
    assert len((await inspect(volume(100, **CT), frames=asked)).frames) == drawn


async def test_a_single_frame_and_a_picture_have_no_frames_beside_them() -> None:
    assert (await inspect(grey([1, 2, 3, 4], columns=2))).frames == ()


async def test_frames_without_a_window_share_one_range() -> None:
    found = await inspect(volume(9, Modality="MR"), frames=9)
    greys = [int(rgb_pixels(each.picture)[0, 0, 0]) for each in found.frames]
    assert np.abs(np.array(greys) - [number / 8 * 255 for number in range(9)]).max() <= 2


async def test_frames_in_their_own_windows_and_with_their_own_slopes() -> None:
    made = dataset(words([100] * 12), 2, 2, NumberOfFrames=3, Modality="MR", PhotometricInterpretation="MONOCHROME1")
    groups = []
    for slope, centre in ((1, 100.5), (2, 200.5), (3, 200.5)):
        groups += items(
            PixelValueTransformationSequence=items(RescaleSlope=slope, RescaleIntercept=0, RescaleType="US"),
            FrameVOILUTSequence=items(WindowCenter=centre, WindowWidth=401),
        )
    made.PerFrameFunctionalGroupsSequence = Sequence(groups)
    found = await inspect(saved(made))
    greys = [int(rgb_pixels(each.picture)[0, 0, 0]) for each in found.frames]
    assert greys == [
        255 - int((value + 200 - centre) / 400 * 255 + 0.5) for value, centre in ((100, 100), (200, 200), (300, 200))
    ]


async def test_compressed_frames_and_colours() -> None:
    made = dataset(words([8 * number for number in range(20) for _ in range(4)]), 2, 2, NumberOfFrames=20, **CT)
    made.compress(RLELossless, generate_instance_uid=False)
    packed, plain = await inspect(saved(made)), await inspect(volume(20, **CT))
    assert [each.picture for each in packed.frames] == [each.picture for each in plain.frames]
    colour = {"SamplesPerPixel": 3, "BitsAllocated": 8, "BitsStored": 8, "HighBit": 7, "PlanarConfiguration": 0}
    raw = b"".join(bytes([number * 10, 0, 255 - number]) * 4 for number in range(20))
    cine = await inspect(saved(dataset(raw, 2, 2, NumberOfFrames=20, PhotometricInterpretation="RGB", **colour)))
    assert [rgb_pixels(each.picture)[1, 1].tolist() for each in cine.frames] == [
        [(each.number - 1) * 10, 0, 256 - each.number] for each in cine.frames
    ]
    assert not (await present(cine)).ct_windows


def test_when_time_is_short_fewer_frames_are_drawn_and_none_too_late() -> None:
    for tags in (CT, {"Modality": "MR"}):
        data = volume(100, **tags)
        assert len(drawn_within(data, 8, 0.0)) == 8
        assert drawn_within(data, 8, 1.0) == []
        some = drawn_within(data, 8, 0.04)
        assert 2 <= len(some) < 8
        assert (some[0], some[-1]) == (1, 100)


def test_when_room_is_short_fewer_frames_are_drawn(monkeypatch: pytest.MonkeyPatch) -> None:
    file = opened(volume(100, **CT))
    facts = decoded(file, 1).facts
    size = len(drawn_frames(file, facts, 2, Steps(0.0))[0].picture)
    monkeypatch.setattr(series, "MOST_BYTES", 4 * size)
    some = drawn_frames(file, facts, 8, Steps(0.0))
    assert (some[0].number, some[-1].number) == (1, 100)
    assert sum(len(each.picture) for each in some) <= 4 * size
    monkeypatch.setattr(series, "MOST_HELD", 3 * 8)
    assert drawn_within(volume(100, Modality="MR"), 8, 0.0) == [1, 43, 100]


async def test_a_frame_that_is_missing_is_told_and_not_passed_over() -> None:
    with pytest.raises(BadInput, match="incomplete"):
        await inspect(volume(5, **CT).replace(b"5 ", b"6 "))
    whole = volume(5, **CT)
    with pytest.raises(BadInput, match="incomplete"):
        await inspect(whole[:-4])


async def test_frames_go_into_the_store_and_come_back() -> None:
    found = await inspect(volume(12, **CT, PixelSpacing=[2, 1]))
    kept = StoredImage("img-1", None, found.media_type, found.data, created_at="", **to_stored(found))
    assert from_stored(kept) == found
    plain = ImageFacts("image/jpeg", 3, 4, b"pixels")
    stored = StoredImage("img-2", None, plain.media_type, plain.data, created_at="", **to_stored(plain))
    assert (from_stored(stored), stored.frames, stored.facts) == (plain, None, "")


@each_of("packed", [b"", b"\n", b"{}", b"[1]\n", b"[[1]]\n", b'[["a", "b"]]\n', b"\xff\xfe", b"null\nx"])
def test_stored_frames_that_cannot_be_read_are_none(packed: bytes) -> None:
    facts = ImageFacts("image/png", 1, 1, b"p", frames=(Frame(1, b"x"),))
    kept = dict(to_stored(facts)) | {"frames": packed, "facts": '{"modality": "CT"}'}
    assert from_stored(StoredImage("i", None, "image/png", b"p", created_at="", **kept)).frames == ()  # type: ignore[arg-type]
