"""Trains a small transformer over all ranks with FSDP2 (``fully_shard``), and always leaves a checkpoint to go on from.

Run by torchrun: NCCL on accelerators, gloo on CPUs. SIGTERM (a preemption, a drained node) ends the current step, saves
and exits with 0 only if all steps are done; started again it goes on from the newest whole checkpoint. It deliberately
needs nothing but PyTorch and makes its own data, so that a first run proves the cluster and not a data set.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import shutil
import signal
import sys
import time
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

KEEP_CHECKPOINTS = 2  # the newest may be torn by a power cut
EXIT_UNFINISHED = 75  # EX_TEMPFAIL: Volcano sees a failed pod and restarts the job
_COMPLETE = "complete.json"


@dataclass(frozen=True)
class Options:
    """What the command line says; sizes are counts, ``learning_rate`` is per step."""

    steps: int = 100
    batch: int = 8
    sequence: int = 128
    width: int = 256
    heads: int = 4
    layers: int = 4
    vocabulary: int = 512
    learning_rate: float = 3e-4
    save_every: int = 50
    seed: int = 1
    checkpoints: str = ""


def parse_options(words: list[str]) -> Options:
    """Return the options; a wrong number ends the program with one line."""
    parser = argparse.ArgumentParser(description="FSDP2 training of a small transformer")
    for name, value in asdict(Options()).items():
        parser.add_argument("--" + name.replace("_", "-"), type=type(value), default=value)
    options = Options(**vars(parser.parse_args(words)))
    if options.width % options.heads:
        parser.error(f"--width {options.width} must be a multiple of --heads {options.heads}")
    for name in ("steps", "batch", "sequence", "layers", "vocabulary", "save_every"):
        if getattr(options, name) < 1:
            parser.error(f"--{name.replace('_', '-')} must be 1 or more")
    return options


def whole_checkpoints(folder: Path) -> list[int]:
    """Return the steps of the checkpoints that were written to their end, oldest first."""
    found = []
    for path in folder.glob("step-*"):
        match = re.fullmatch(r"step-(\d+)", path.name)
        if match and (path / _COMPLETE).is_file():
            found.append(int(match[1]))
    return sorted(found)


def stale_checkpoints(folder: Path, keep: int = KEEP_CHECKPOINTS) -> list[Path]:
    """Return what may be removed: torn checkpoints older than the newest whole one, and whole ones beyond ``keep``."""
    whole = whole_checkpoints(folder)
    kept = set(whole[-keep:])
    newest = whole[-1] if whole else -1
    stale = []
    for path in sorted(folder.glob("step-*")):
        match = re.fullmatch(r"step-(\d+)", path.name)
        if match and int(match[1]) not in kept and int(match[1]) < newest:
            stale.append(path)
    return stale


def batch_seed(seed: int, step: int, rank: int) -> int:
    """Return the seed of one rank's batch at one step: the same after a restart, different for every rank and step."""
    return (seed * 1_000_003 + step) * 65_537 + rank


class StopRequest:
    """Remembers SIGTERM and SIGINT until the step in progress is done."""

    def __init__(self) -> None:
        self.asked = False

    def install(self) -> None:
        """Take over both signals."""
        for number in (signal.SIGTERM, signal.SIGINT):
            signal.signal(number, self._ask)

    def _ask(self, number: int, frame: object) -> None:
        self.asked = True


def make_model(options: Options, device: Any) -> Any:
    """Return a causal transformer on ``device``, its blocks sharded one by one and then the rest."""
    import torch
    from torch import nn
    from torch.distributed.fsdp import fully_shard

    class Block(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.before, self.after = nn.LayerNorm(options.width), nn.LayerNorm(options.width)
            self.attention = nn.MultiheadAttention(options.width, options.heads, batch_first=True)
            self.mlp = nn.Sequential(
                nn.Linear(options.width, 4 * options.width), nn.GELU(), nn.Linear(4 * options.width, options.width)
            )

        def forward(self, x: Any, mask: Any) -> Any:
            normed = self.before(x)
            x = x + self.attention(normed, normed, normed, attn_mask=mask, need_weights=False)[0]
            return x + self.mlp(self.after(x))

    class Transformer(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.tokens = nn.Embedding(options.vocabulary, options.width)
            self.places = nn.Embedding(options.sequence, options.width)
            self.blocks = nn.ModuleList(Block() for _ in range(options.layers))
            self.head = nn.Linear(options.width, options.vocabulary)

        def forward(self, ids: Any) -> Any:
            length = ids.shape[1]
            mask = torch.triu(torch.full((length, length), float("-inf"), device=ids.device), diagonal=1)
            x = self.tokens(ids) + self.places(torch.arange(length, device=ids.device))
            for block in self.blocks:
                x = block(x, mask)
            return self.head(x)

    torch.manual_seed(options.seed)
    model = Transformer().to(device)
    for block in model.blocks:
        fully_shard(block)
    fully_shard(model)
    return model


def make_batch(options: Options, step: int, rank: int, device: Any) -> Any:
    """Return token sequences with a rule in them (each is the one before plus a stride), so that loss must fall."""
    import torch

    generator = torch.Generator().manual_seed(batch_seed(options.seed, step, rank))
    start = torch.randint(options.vocabulary, (options.batch, 1), generator=generator)
    stride = torch.randint(1, 4, (options.batch, 1), generator=generator)
    ids = (start + stride * torch.arange(options.sequence + 1)) % options.vocabulary
    return ids.to(device)


def save(folder: Path, step: int, model: Any, optimizer: Any) -> None:
    """Write one checkpoint; it counts only once its last file is there."""
    import torch.distributed as dist
    import torch.distributed.checkpoint as dcp
    from torch.distributed.checkpoint.state_dict import get_state_dict

    path = folder / f"step-{step}"
    if dist.get_rank() == 0 and path.exists():
        shutil.rmtree(path)  # torn by an earlier run
    dist.barrier()
    weights, moments = get_state_dict(model, optimizer)
    dcp.save({"model": weights, "optimizer": moments}, checkpoint_id=str(path))
    dist.barrier()
    if dist.get_rank() == 0:
        half = path / (_COMPLETE + ".new")
        half.write_text(json.dumps({"step": step}))
        half.replace(path / _COMPLETE)
        for old in stale_checkpoints(folder):
            shutil.rmtree(old, ignore_errors=True)
    dist.barrier()


def resume(folder: Path, model: Any, optimizer: Any) -> int:
    """Load the newest whole checkpoint; return the step to go on with."""
    import torch.distributed.checkpoint as dcp
    from torch.distributed.checkpoint.state_dict import get_state_dict, set_state_dict

    whole = whole_checkpoints(folder)
    if not whole:
        return 0
    weights, moments = get_state_dict(model, optimizer)
    state = {"model": weights, "optimizer": moments}
    dcp.load(state, checkpoint_id=str(folder / f"step-{whole[-1]}"))
    set_state_dict(model, optimizer, model_state_dict=state["model"], optim_state_dict=state["optimizer"])
    return whole[-1]


def any_rank(asked: bool, device: Any) -> bool:
    """Return True on every rank when one of them was asked: all must leave the loop at the same step."""
    import torch
    import torch.distributed as dist

    flag = torch.tensor([int(asked)], device=device)
    dist.all_reduce(flag, op=dist.ReduceOp.MAX)
    return bool(flag.item())


def train(options: Options, stop: StopRequest) -> int:
    """Run the loop; return the number of steps done in all."""
    import torch
    import torch.distributed as dist
    from torch import nn

    gpu = torch.cuda.is_available()
    device = torch.device("cuda", int(os.environ.get("LOCAL_RANK", "0"))) if gpu else torch.device("cpu")
    if gpu:
        torch.cuda.set_device(device)
    dist.init_process_group("nccl" if gpu else "gloo")
    try:
        rank, folder = dist.get_rank(), Path(options.checkpoints) if options.checkpoints else None
        model = make_model(options, device)
        optimizer = torch.optim.AdamW(model.parameters(), lr=options.learning_rate)  # after sharding: DTensors
        step = resume(folder, model, optimizer) if folder else 0
        if rank == 0:
            print(json.dumps({"event": "start", "step": step, "ranks": dist.get_world_size()}), flush=True)
        while step < options.steps:
            began = time.monotonic()
            ids = make_batch(options, step, rank, device)
            logits = model(ids[:, :-1])
            loss = nn.functional.cross_entropy(logits.flatten(0, 1), ids[:, 1:].flatten())
            loss.backward()
            nn.utils.clip_grad_norm_(model.parameters(), 1.0)
            optimizer.step()
            optimizer.zero_grad()
            step += 1
            if rank == 0:
                row = {"event": "step", "step": step, "loss": round(loss.item(), 4)}
                print(json.dumps({**row, "seconds": round(time.monotonic() - began, 4)}), flush=True)
            stopping = any_rank(stop.asked, device)
            if folder and (stopping or step == options.steps or step % options.save_every == 0):
                save(folder, step, model, optimizer)
            if stopping:
                break
        return step
    finally:
        dist.destroy_process_group()


def main(words: list[str]) -> int:
    """Train; exit code 0 when all steps are done, 75 when asked to stop before."""
    options = parse_options(words)
    if not options.checkpoints and os.environ.get("CHECKPOINT_DIR"):
        options = Options(**{**asdict(options), "checkpoints": os.environ["CHECKPOINT_DIR"]})
    stop = StopRequest()
    stop.install()
    done = train(options, stop)
    return 0 if done >= options.steps else EXIT_UNFINISHED


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
