"""The card says what the weights are: these files, made of these messages."""

from __future__ import annotations

import hashlib

from docgemma.reader.card import MODEL, VOCABULARY, read_card
from docgemma.reader.encoder import WEIGHTS
from training.reader.export import data_hash

CARD = read_card(WEIGHTS)


def test_the_card_names_the_files_that_ship() -> None:
    hashes = {name: hashlib.sha256((WEIGHTS / name).read_bytes()).hexdigest() for name in (MODEL, VOCABULARY)}
    assert CARD.files == hashes


def test_the_weights_were_trained_on_the_messages_that_are_here() -> None:
    assert (CARD.data, CARD.messages) == data_hash(), "The training data changed: train again with `make reader`."


def test_a_write_needs_more_certainty_than_a_look_up_and_an_offer_less_than_both() -> None:
    limits = CARD.thresholds
    assert 0 < limits.read_offered < limits.read_sure <= limits.write_sure < 1
    assert 0 < limits.write_offered < limits.write_sure
