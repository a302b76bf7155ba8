"""Train the reader's request head.

    python -m training.reader.train --out FOLDER [--leave-out d h] [--seed 1] [--steps 3000]
        [--teachers a.npz b.npz] [--start a.npz]

Needs PyTorch; on a GPU one seed takes two minutes, going on from trained weights on two cores a quarter of an hour.
Writes FOLDER/weights.npz (half precision) and FOLDER/scores.json: the figures on the sources that were left out.
"""

from __future__ import annotations

import argparse
import json
import math
import random
import sys
import time
from collections.abc import Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import replace
from functools import partial
from pathlib import Path

import numpy as np
import torch
from torch import Tensor
from torch.nn import functional as F

from docgemma.embed.wordpiece import WordPiece
from docgemma.entities.drugs.names import drugs_in, names
from docgemma.reader.decoding import spans_of
from training.marks import FOLDER, Marked, read, read_all
from training.reader.base import VOCABULARY, load
from training.reader.batches import IGNORE, Example, example, padded
from training.reader.graph import restored
from training.reader.model import ReaderModel
from training.reader.score import Read, report
from training.vary import Pool, follows, vary

ENCODER_RATE, HEADS_FASTER = 1.5e-4, 6
TOGETHER = 48
MOST_TOKENS = 4096
MASKED = 0.03
LONGEST_JOINED = 1500
"""Letters: what fits into one window of the encoder."""

SHOWN, HIDDEN = 0.25, 0.1
"""How often a message without a patient on screen is learned with one, and one with a patient without."""

WARM_UP = 0.1
SMOOTH = (0.01, 0.98)


def drug_places(text: str) -> list[tuple[int, int]]:
    return [(drug.start, drug.end) for drug in drugs_in(text)]


def varied(
    numbered: tuple[int, list[Marked]], pool: Pool, tokens: WordPiece, *, hints: bool, joined: float
) -> list[Example]:
    """One pass over the messages, each with other values, a share of them said in one breath with others."""
    number, messages = numbered
    dice = random.Random(number)  # noqa: S311
    find = drug_places if hints else (lambda _: [])
    alone = [message for message in messages if not (message.question or message.before)]
    told = [message for message in alone if not message.asks]

    def one(message: Marked) -> Marked:
        if not number:
            return message
        message = vary(message, pool, dice)
        if dice.random() < (HIDDEN if message.on_screen else SHOWN):
            message = replace(message, on_screen=not message.on_screen)
        if message.question or message.before or dice.random() >= joined:
            return message
        for _ in range(dice.choice((1, 1, 1, 2, 3, 5, 10))):
            other = vary(dice.choice(told if dice.random() < 0.6 else alone), pool, dice)
            pair = (message, other) if dice.random() < 0.5 else (other, message)
            if len(message.text) + len(other.text) < LONGEST_JOINED:
                message = follows(*pair, dice)
        return message

    found = [example(one(message), tokens, find) for message in messages]
    dice.shuffle(found)
    return found


def passes(
    messages: list[Marked], count: int, seed: int, *, hints: bool, joined: float, workers: int = 8
) -> list[Example]:
    """`count` varied passes, the first of each seed as written."""
    names_ = [name for name in names() if name.isascii() and 3 < len(name) < 22 and name.count(" ") < 2]
    tokens = WordPiece.read(VOCABULARY)
    make = partial(varied, pool=Pool(messages, names_), tokens=tokens, hints=hints, joined=joined)
    work = [(seed * 1000 + number if number else 0, messages) for number in range(count)]
    with ProcessPoolExecutor(workers) as pool:
        return [item for part in pool.map(make, work) for item in part]


def tensors(examples: Sequence[Example], device: str) -> dict[str, Tensor]:
    return {name: torch.from_numpy(value).to(device, non_blocking=True) for name, value in padded(examples).items()}


def loss_of(out: dict[str, Tensor], batch: dict[str, Tensor], soft: dict[str, Tensor] | None) -> Tensor:
    low, span = SMOOTH
    tools = F.binary_cross_entropy_with_logits(out["tools"], low + span * batch["tools"])
    flags = F.binary_cross_entropy_with_logits(out["flags"], low + span * batch["flags"])
    tags = F.cross_entropy(
        out["tags"].flatten(0, 1), batch["tags"].flatten(), ignore_index=IGNORE, label_smoothing=0.02
    )
    total = 4 * tools + 2 * flags + tags
    if (batch["owner"] != IGNORE).any():
        total = total + 0.5 * F.cross_entropy(out["owner"].flatten(0, 1), batch["owner"].flatten(), ignore_index=IGNORE)
    if (batch["relation"] != IGNORE).any():
        total = total + F.cross_entropy(out["relation"], batch["relation"], ignore_index=IGNORE, label_smoothing=0.02)
    if soft is not None:
        inside = batch["message"].bool()
        told = F.binary_cross_entropy_with_logits(out["tools"], soft["tools"])
        told_flags = F.binary_cross_entropy_with_logits(out["flags"], soft["flags"])
        told_tags = -(soft["tags"] * F.log_softmax(out["tags"], -1)).sum(-1)[inside].mean()
        told_relation = -(soft["relation"] * F.log_softmax(out["relation"], -1)).sum(-1)
        asked = batch["relation"] != IGNORE
        total = 0.4 * total + 4 * told + 2 * told_flags + told_tags
        if asked.any():
            total = total + told_relation[asked].mean()
    return total


def pace(done: float) -> float:
    """The share of the peak learning rate: a short rise, then a cosine down to nothing."""
    return done / WARM_UP if done < WARM_UP else 0.5 * (1 + math.cos(math.pi * (done - WARM_UP) / (1 - WARM_UP)))


def soft_labels(teachers: Sequence[ReaderModel], batch: dict[str, Tensor]) -> dict[str, Tensor] | None:
    """What several trained readers believe together."""
    if not teachers:
        return None
    device = batch["ids"].device.type
    with torch.no_grad(), torch.autocast(device, torch.bfloat16):
        outs = [teacher(*given(batch)) for teacher in teachers]
    mean = {}
    for name in ("tools", "flags"):
        mean[name] = torch.stack([out[name].float().sigmoid() for out in outs]).mean(0)
    for name in ("tags", "relation"):
        mean[name] = torch.stack([out[name].float().softmax(-1) for out in outs]).mean(0)
    return mean


def batches(examples: Sequence[Example], together: int, dice: random.Random) -> list[Sequence[Example]]:
    """All examples once, those of like length together and of long ones fewer: little is computed for padding."""
    order = dice.sample(examples, len(examples))
    found: list[Sequence[Example]] = []
    for first in range(0, len(order), 16 * together):
        waiting = sorted(order[first : first + 16 * together], key=lambda item: -len(item.ids))
        while waiting:
            size = max(1, min(together, MOST_TOKENS // len(waiting[0].ids)))
            found.append(waiting[:size])
            waiting = waiting[size:]
    dice.shuffle(found)
    return found


def given(batch: dict[str, Tensor]) -> tuple[Tensor, ...]:
    return tuple(batch[name] for name in ("ids", "segments", "features", "mask", "message"))


def train(
    examples: Sequence[Example],
    steps: int,
    seed: int,
    device: str,
    teachers: Sequence[ReaderModel] = (),
    rate: float = ENCODER_RATE,
    seconds: float = math.inf,
    drop: float = 0.1,
    together: int = TOGETHER,
    start: Path | None = None,
) -> ReaderModel:
    """One seed. It ends after `steps` or `seconds`; the learning rate follows whichever is nearer. It begins with
    the published encoder, or goes on from trained weights."""
    torch.manual_seed(seed)
    dice = random.Random(seed)  # noqa: S311
    model = ReaderModel(drop)
    if start:
        model.load_state_dict(restore(start, "cpu").state_dict())
        model.words.requires_grad_(False)  # half of all numbers, and known by now: on a processor it saves a third
    else:
        model.load_base(load())
    model.to(device).train()
    heads = [value for name, value in model.named_parameters() if name.split(".")[0] in HEADS_NAMES]
    body = [value for name, value in model.named_parameters() if name.split(".")[0] not in HEADS_NAMES]
    body = [value for value in body if value.requires_grad]
    peaks = [rate, rate * HEADS_FASTER]
    groups = [{"params": part, "lr": peak} for part, peak in zip((body, heads), peaks, strict=True)]
    optimizer = torch.optim.AdamW(groups, weight_decay=0.01)
    waiting: list[Sequence[Example]] = []
    started = time.time()
    for step in range(steps):
        done = max(step / steps, (time.time() - started) / seconds)
        if done >= 1:
            break
        for group, peak in zip(optimizer.param_groups, peaks, strict=True):
            group["lr"] = peak * pace(done)
        if not waiting:
            waiting = batches(examples, together, dice)
        batch = tensors(waiting.pop(), device)
        soft = soft_labels(teachers, batch)
        hide = (torch.rand(batch["ids"].shape, device=device) < MASKED) & batch["mask"].bool() & (batch["ids"] > 1000)
        batch["ids"] = batch["ids"].masked_fill(hide, 103)
        optimizer.zero_grad(set_to_none=True)
        with torch.autocast(device, torch.bfloat16):
            out = model(*given(batch))
        loss = loss_of({name: value.float() for name, value in out.items()}, batch, soft)
        loss.backward()
        torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optimizer.step()
        if step % 250 == 0:
            sys.stderr.write(f"step {step} loss {loss.item():.3f} {time.time() - started:.0f} s\n")
    return model.eval()


HEADS_NAMES = frozenset({"tools", "looks", "seen", "relation", "flags", "tags", "owner", "features"})


@torch.no_grad()
def read_messages(models: Sequence[ReaderModel], messages: Sequence[Marked], device: str, *, hints: bool) -> list[Read]:
    """What the models believe together of each message."""
    tokens = WordPiece.read(VOCABULARY)
    find = drug_places if hints else (lambda _: [])
    found: list[Read] = []
    for first in range(0, len(messages), 64):
        part = messages[first : first + 64]
        examples = [example(message, tokens, find) for message in part]
        batch = tensors(examples, device)
        soft = soft_labels(models, batch)
        assert soft is not None
        owner = torch.stack([model(*given(batch))["owner"].float().softmax(-1) for model in models]).mean(0)
        for row, message in enumerate(part):
            size, start = len(examples[row].ids), examples[row].first
            found.append(
                Read(
                    message,
                    soft["tools"][row].cpu().numpy(),
                    soft["tags"][row, start : size - 1].cpu().numpy(),
                    owner[row, start : size - 1].cpu().numpy(),
                    soft["relation"][row].cpu().numpy(),
                    soft["flags"][row].cpu().numpy(),
                    tokens.pieces(message.text)[: size - 1 - start],
                )
            )
    return found


def save(model: ReaderModel, path: Path) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    np.savez(
        path, **{name: value.detach().cpu().numpy().astype(np.float16) for name, value in model.state_dict().items()}
    )


def restore(path: Path, device: str) -> ReaderModel:
    """A trained reader: what `save` wrote, or a reader that was exported."""
    model = ReaderModel()
    if path.suffix == ".onnx":
        weights = restored(path)
    else:
        with np.load(path) as kept:
            weights = {name: kept[name].astype(np.float32) for name in kept}
    model.load_state_dict({name: torch.tensor(value) for name, value in weights.items()})
    return model.to(device).eval()


def write_predictions(found: Sequence[Read], path: Path) -> None:
    """What was believed of each message, for calibration."""
    with path.open("w", encoding="utf-8") as sink:
        for item in found:
            spans = [
                (span.type, span.start, span.end, round(span.probability, 3))
                for span in spans_of(item.tags, item.pieces)
            ]
            line = {
                "id": item.message.id,
                "tools": [round(float(chance), 4) for chance in item.tools],
                "relation": [round(float(chance), 4) for chance in item.relation],
                "flags": [round(float(chance), 4) for chance in item.flags],
                "spans": spans,
            }
            sink.write(json.dumps(line) + "\n")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--leave-out", nargs="*", default=[])
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--steps", type=int, default=3000)
    parser.add_argument("--passes", type=int, default=6)
    parser.add_argument("--no-hints", action="store_true", help="without the drug dictionary's word")
    parser.add_argument("--teachers", nargs="*", type=Path, default=[])
    parser.add_argument("--seconds", type=float, default=math.inf, help="an end to the training, whatever the steps")
    parser.add_argument("--rate", type=float, default=ENCODER_RATE)
    parser.add_argument("--joined", type=float, default=0.2, help="share of messages said in one breath with others")
    parser.add_argument("--start", type=Path, help="go on from these (.npz or .onnx), not from the published encoder")
    parser.add_argument("--more", nargs="*", type=Path, default=[], help="further files of marked messages")
    parser.add_argument("--drop", type=float, default=0.1)
    parser.add_argument("--batch", type=int, default=TOGETHER)
    parser.add_argument("--together", action="store_true", help="train nothing: score the teachers together")
    parser.add_argument("--workers", type=int, default=8)
    options = parser.parse_args()
    device = "cuda" if torch.cuda.is_available() else "cpu"
    hints = not options.no_hints
    every = read_all(FOLDER) + [message for path in options.more for message in read(path)]
    kept = [message for message in every if message.source not in options.leave_out]
    apart = [message for message in every if message.source in options.leave_out]
    models = [restore(path, device) for path in options.teachers]
    if not options.together:
        examples = passes(
            kept, options.passes, options.seed, hints=hints, joined=options.joined, workers=options.workers
        )
        models = [
            train(
                examples,
                options.steps,
                options.seed,
                device,
                models,
                options.rate,
                options.seconds,
                options.drop,
                options.batch,
                options.start,
            )
        ]
        save(models[0], options.out / "weights.npz")
    if apart:
        found = read_messages(models, apart, device, hints=hints)
        options.out.mkdir(parents=True, exist_ok=True)
        write_predictions(found, options.out / "read.jsonl")
        scores = report(found)
        (options.out / "scores.json").write_text(json.dumps(scores, indent=1) + "\n", encoding="utf-8")
        sys.stdout.write(f"{options.out.name}: {json.dumps(scores)}\n")


if __name__ == "__main__":
    main()
