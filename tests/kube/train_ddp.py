"""Trains a small network over all ranks with DDP on gloo, and leaves a checkpoint to go on from after every few steps.

Run by torchrun in the pods of a test's job. The data of a step follow from step and rank alone, so a run that was
interrupted ends with the numbers of one that was not. FSDP2, which the product's own template uses, does not run on
processors in the PyTorch 2.6 of Debian (its stream stands for nothing there); that template is tried elsewhere.
"""

from __future__ import annotations

import json
import os
import sys
import time
from pathlib import Path
from typing import Any

STEPS, SAVE_EVERY, WIDTH = 120, 10, 64


def save(path: Path, step: int, model: Any, optimizer: Any) -> None:
    """Write a checkpoint that is there whole or not at all."""
    import torch  # type: ignore[import-not-found]

    half = path.with_suffix(".new")
    torch.save({"step": step, "model": model.state_dict(), "optimizer": optimizer.state_dict()}, half)
    half.replace(path)


def main(pause: float) -> int:
    """Train to the last step; ``pause``: seconds between steps, so that somebody can come in between."""
    import torch
    import torch.distributed as dist  # type: ignore[import-not-found]

    dist.init_process_group("gloo")
    rank, world = dist.get_rank(), dist.get_world_size()
    torch.manual_seed(0)
    torch.set_num_threads(1)
    layers = (torch.nn.Linear(WIDTH, 4 * WIDTH), torch.nn.ReLU(), torch.nn.Linear(4 * WIDTH, 1))
    model = torch.nn.parallel.DistributedDataParallel(torch.nn.Sequential(*layers))
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-3)
    path, step = Path(os.environ["CHECKPOINT_DIR"]) / "checkpoint.pt", 0
    if path.exists():
        state = torch.load(path, weights_only=True)
        model.load_state_dict(state["model"])
        optimizer.load_state_dict(state["optimizer"])
        step = state["step"]
    dist.barrier()  # nobody writes a new one before all have read this one
    print(json.dumps({"event": "start", "step": step, "rank": rank, "world": world}), flush=True)
    began, first = time.monotonic(), step
    while step < STEPS:
        generator = torch.Generator().manual_seed(step * world + rank)
        x = torch.randn(32, WIDTH, generator=generator)
        loss = ((model(x) - x.sum(1, keepdim=True) / 8) ** 2).mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        step += 1
        if rank == 0 and step % SAVE_EVERY == 0:
            save(path, step, model, optimizer)
            print(json.dumps({"event": "step", "step": step, "loss": round(loss.item(), 6)}), flush=True)
        time.sleep(pause)
    flat = torch.cat([one.detach().flatten() for one in model.parameters()])
    everyone = [torch.zeros_like(flat) for _ in range(world)]
    dist.all_gather(everyone, flat)
    rate = (step - first) / max(time.monotonic() - began, 1e-9)
    end = {"event": "end", "step": step, "norm": flat.norm().item(), "steps_per_s": round(rate, 1)}
    print(json.dumps({**end, "equal": all(bool(torch.equal(one, flat)) for one in everyone)}), flush=True)
    dist.destroy_process_group()
    return 0


if __name__ == "__main__":
    sys.exit(main(float(sys.argv[1]) if len(sys.argv) > 1 else 0.0))
