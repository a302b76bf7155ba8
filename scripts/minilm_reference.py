"""The published model in plain numpy with 32-bit numbers: what the quantised one is measured against."""

from __future__ import annotations

import math
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from docgemma.embed.minilm import open_minilm
from docgemma.embed.wordpiece import WordPiece
from scripts.minilm_graph import EPSILON, HEADS, LAYERS, WIDTH
from scripts.safetensors_file import Tensors

Numbers = NDArray[np.float32]

SENTENCES = tuple(
    line
    for line in """
any red flags with this drug
is it alright to give these two at once
what do the guidelines say about blood pressure targets in the elderly
has anyone shown that early mobilisation helps after stroke
what is being tested for advanced pancreatic cancer
how has she been overnight
did his potassium come back
what is the mechanism of action of metformin
Can warfarin and amiodarone be taken together?
thanks, that was helpful
pt c/o SOB x3 days, no CP, afebrile
explain heart failure to a patient in plain words
Who discovered penicillin?
starting dose of lisinopril in CKD 3b
what's the weather like today
bring me up to speed on the lady in bed 4
does turmeric really lower CRP?
is there proof that statins help the over-eighties
side effects of long term PPI use
where can I enrol my patient for gene therapy
Differential for acute monoarthritis
Wie geht es Ihnen?
Bệnh nhân bị sốt xuất huyết nên uống gì?
naïve café résumé coöperate
the quick brown fox jumps over the lazy dog
1.5 mg/kg q6h prn, max 4 g/day
COVID-19 booster timing after monoclonal antibodies
how do I calculate the anion gap
what should I watch for on amiodarone
she takes lithium, would ibuprofen be a problem
we ran out of coffee in the break room
order of the cranial nerves mnemonic
what trials are open for ALS
a trial of steroids was not helpful
interpretation of an elevated troponin in renal failure
list her allergies
which antibiotics cover Pseudomonas
read the last note of the patient
can pregnant women have the flu jab
latest data on SGLT2 inhibitors in HFpEF
define sepsis
what does NNT mean
is grapefruit a problem with simvastatin
any experimental options left for him
I need a summary of the evidence on probiotics
my shift ends at seven
write me a poem about kidneys
what are the warning signs of stroke
tell me about the renin angiotensin system
ok
a
""".strip().splitlines()
)


class Reference:
    """BERT as its authors wrote it down, one text at a time."""

    def __init__(self, tensors: Tensors) -> None:
        self._tensors = tensors

    def vector(self, ids: list[int]) -> Numbers:
        words = self._tensors["embeddings.word_embeddings.weight"][ids]
        places = self._tensors["embeddings.position_embeddings.weight"][: len(ids)]
        kind = self._tensors["embeddings.token_type_embeddings.weight"][0]
        state = self._normalised(words + places + kind, "embeddings.LayerNorm")
        for layer in range(LAYERS):
            state = self._layer(state, f"encoder.layer.{layer}")
        mean = state.mean(axis=0)
        return np.asarray(mean / np.linalg.norm(mean), dtype=np.float32)

    def _layer(self, state: Numbers, prefix: str) -> Numbers:
        query, key, value = (
            self._linear(state, f"{prefix}.attention.self.{part}").reshape(len(state), HEADS, -1).transpose(1, 0, 2)
            for part in ("query", "key", "value")
        )
        scores = query @ key.transpose(0, 2, 1) / math.sqrt(WIDTH // HEADS)
        weights = np.exp(scores - scores.max(axis=-1, keepdims=True))
        weights /= weights.sum(axis=-1, keepdims=True)
        mixed = (weights @ value).transpose(1, 0, 2).reshape(len(state), WIDTH)
        mixed = self._linear(mixed, f"{prefix}.attention.output.dense")
        state = self._normalised(mixed + state, f"{prefix}.attention.output.LayerNorm")
        inner = self._linear(state, f"{prefix}.intermediate.dense")
        curve = np.vectorize(math.erf, otypes=[np.float32])(inner / math.sqrt(2))
        inner = self._linear(inner * (1 + curve) / 2, f"{prefix}.output.dense")
        return self._normalised(inner + state, f"{prefix}.output.LayerNorm")

    def _linear(self, state: Numbers, prefix: str) -> Numbers:
        return state @ self._tensors[f"{prefix}.weight"].T + self._tensors[f"{prefix}.bias"]

    def _normalised(self, state: Numbers, prefix: str) -> Numbers:
        centred = state - state.mean(axis=-1, keepdims=True)
        spread = np.sqrt((centred**2).mean(axis=-1, keepdims=True) + EPSILON)
        scaled = centred / spread * self._tensors[f"{prefix}.weight"] + self._tensors[f"{prefix}.bias"]
        return np.asarray(scaled, dtype=np.float32)


def compare(folder: Path, reference: Reference) -> tuple[float, float]:
    """Mean and lowest cosine between the built model and the original over the sentences."""
    built = open_minilm(folder)
    assert built is not None
    tokens = WordPiece.read(folder / "vocab.txt")
    vectors = built.embed(SENTENCES)
    cosines = [
        float(np.dot(vector, reference.vector(tokens.ids(text))))
        for vector, text in zip(vectors, SENTENCES, strict=True)
    ]
    return sum(cosines) / len(cosines), min(cosines)
