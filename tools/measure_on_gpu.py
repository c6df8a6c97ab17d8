"""Measures prepared loads on a GPU in under 12 minutes: `python tools/measure_on_gpu.py FOLDER`.

FOLDER, which must be new, receives the environment, one fiche a load with the installed versions in it, two
records of each (phase by phase, and the whole loop) and its simulation, then two tables. `beside.md`: what the
formulas say of a phase beside what was observed there. `simulated.md`: what the simulation says of it,
allocated and reserved, beside the four counters, each difference in bytes and percent. Nothing is
fitted, nothing is left out.

The loads are a dense network and models shaped like two public ones, with random weights: nothing is
downloaded. Run it with the Python that has fiche, PyTorch for the card, transformers and peft. Exit codes: 0
done; 2 nothing to measure with, and nothing written; 3 a load failed (its record is kept) or time ran out.
"""

from __future__ import annotations

import argparse
import contextlib
import hashlib
import json
import os
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from importlib import metadata
from importlib.util import find_spec
from pathlib import Path

MODELS = Path(__file__).with_name("models")
FICHE = (sys.executable, "-m", "fiche")
DONE, REFUSED, GATE = 0, 2, 3
_LOOK = "from fiche.measure.protocol.devices import find_devices as f; import sys; f(sys.argv[1])"
_DENSE = (
    *("--batch", "2", "--context", "128", "--width", "1024", "--dtype", "float32"),
    *("--warmup", "3", "--repeats", "5"),
)


@dataclass(frozen=True)
class Load:
    """One load: its id, the folder of its configuration, what its fiche says further, and its case."""

    id: str
    model: str
    said: str
    case: str
    attention: str = "sdpa"


def _generation() -> str:
    """A generation in bf16, with a cache that grows."""
    formats = "  formats: {storage: bf16, loaded: bf16, compute: bf16, cache: bf16}\n"
    return f"  operation: generation\n{formats}"


def _learning(
    operation: str = "training",
    *,
    optimizer: str = "adamw",
    checkpointing: str = "none",
    loaded: str = "bf16",
    foreach: str = "yes",
    method: str = "",
) -> str:
    """A training or an adaptation, as a fiche says it; products are computed in bf16."""
    autocast = "none" if loaded == "bf16" else "bf16"
    learned = ", learned: fp32" if method else ""
    settings = "lr: 1e-5, momentum: 0.9" if optimizer == "sgd" else "lr: 1e-5"
    lines = (
        f"operation: {operation}",
        f"method: {method}" if method else "",
        f"formats: {{storage: {loaded}, loaded: {loaded}, compute: bf16{learned}}}",
        f"optimizer: {{name: {optimizer}, settings: {{{settings}}}}}",
        f"training: {{checkpointing: {checkpointing}, loss: full, zero_grad: set_to_none, "
        f"autocast: {autocast}, foreach: {foreach}}}",
    )
    return "".join(f"  {line}\n" for line in lines if line)


def _tokens(prompt: int, new: int, sequences: int) -> str:
    dimensions = f"prompt_tokens: {prompt}, new_tokens: {new}, resident_sequences: {sequences}"
    return f"{dimensions}, phases: [prefill, decode]"


def _steps(microbatch: int, accumulation: int, tokens: int) -> str:
    shape = f"microbatch: {microbatch}, accumulation: {accumulation}, sequence_tokens: {tokens}"
    return f"{shape}, phases: [first_step, forward, loss, backward, optimizer_step]"


_LORA = "{kind: lora, rank: 16, targets: [q_proj, k_proj, v_proj, o_proj]}"
_SMALL, _LARGE = "llama-3.2-1b-shape", "llama-3.1-8b-shape"
LOADS = (
    Load("generation-1b", _SMALL, _generation(), _tokens(4096, 64, 4)),
    Load("generation-1b-long", _SMALL, _generation(), _tokens(16384, 16, 1)),
    Load("generation-1b-eager", _SMALL, _generation(), _tokens(2048, 16, 1), "eager"),
    Load("generation-8b", _LARGE, _generation(), _tokens(4096, 64, 2)),
    Load("training-1b", _SMALL, _learning(), _steps(2, 2, 1024)),
    Load("training-1b-recomputed", _SMALL, _learning(checkpointing="full"), _steps(4, 1, 2048)),
    Load("training-1b-autocast", _SMALL, _learning(loaded="fp32"), _steps(2, 1, 1024)),
    Load("training-1b-one-by-one", _SMALL, _learning(foreach="no"), _steps(2, 1, 1024)),
    Load(
        "training-1b-fused",
        _SMALL,
        _learning(optimizer="adamw_torch_fused", foreach="no"),
        _steps(2, 1, 1024),
    ),
    Load("training-1b-sgd", _SMALL, _learning(optimizer="sgd"), _steps(2, 1, 1024)),
    Load("lora-1b", _SMALL, _learning("adaptation", method=_LORA), _steps(2, 2, 1024)),
    Load(
        "lora-8b-recomputed",
        _LARGE,
        _learning("adaptation", method=_LORA, checkpointing="full"),
        _steps(1, 1, 1024),
    ),
)


def fiche_text(load: Load, digest: str, gpu: str, machine: str) -> str:
    """A fiche of one case, with the version of the engine that will run."""
    version = metadata.version("transformers")
    at = f", machine: {machine}" if machine else ""
    return f"""\
fiche: 1
title: What the formulas say of {load.id}, beside what is observed
date: {time.strftime("%Y-%m-%d")}
author: whoever ran tools/measure_on_gpu.py
workload:
  model: {{name: {load.model}, digest: "sha256:{digest}", config: model/config.json}}
{load.said}\
  engine: {{name: transformers, version: {version}}}
  attention: {load.attention}
  allocator: {{backend: native, settings: default}}
  process: one fresh process per series
  placement: {{devices: 1, resident: all}}
  cases:
    - {{id: limit, role: limit, {load.case}}}
requirements:
  - {{id: memory, kind: memory, level: must}}
candidates:
  - {{id: this-card, gpu: {gpu}, cards: 1{at}}}
"""


class Watch:
    """How much time is left for all of it, and how a command is ended that would take longer."""

    def __init__(self, minutes: float) -> None:
        self._end = time.monotonic() + 60 * minutes

    def run(self, command: Sequence[str]) -> int | None:
        """The exit code; None where time ran out, the records of finished phases kept."""
        left = self._end - time.monotonic()
        if left <= 0:
            return None
        started = subprocess.Popen(command, start_new_session=True)
        try:
            return started.wait(timeout=left)
        except subprocess.TimeoutExpired:
            _end(started)
            return None
        except KeyboardInterrupt:
            _end(started)
            raise


def _end(started: subprocess.Popen[bytes]) -> None:
    for sent, grace in ((signal.SIGINT, 15), (signal.SIGTERM, 5), (signal.SIGKILL, 5)):
        with contextlib.suppress(ProcessLookupError):
            os.killpg(started.pid, sent)
        with contextlib.suppress(subprocess.TimeoutExpired):
            started.wait(timeout=grace)
            return


def measured(
    folder: Path, asked: argparse.Namespace, fiche: Sequence[str], loads: Sequence[Load]
) -> int:
    """Environment, dense network and every load, one after another; the worst exit code."""
    watch, worst = Watch(asked.minutes), DONE
    for command in (
        [*fiche, "environment", "-o", str(folder / "environment.json")],
        [*fiche, "measure", "--device", asked.device, *_DENSE, "-o", str(folder / "dense.json")],
        *(_command(load, folder, asked, fiche) for load in loads),
        *(_simulation(folder / load.id, fiche) for load in loads),
    ):
        code = watch.run(command)
        if code == REFUSED:
            return REFUSED
        if code is None:
            _say("time is up: the rest was neither measured nor simulated")
            return GATE
        worst = max(worst, code)
    return worst


def _command(
    load: Load, folder: Path, asked: argparse.Namespace, fiche: Sequence[str]
) -> list[str]:
    """Write the fiche of a load, and say how it is measured."""
    mine = folder / load.id
    shutil.copytree(MODELS / load.model, mine / "model")
    digest = hashlib.sha256((mine / "model" / "config.json").read_bytes()).hexdigest()
    text = fiche_text(load, digest, asked.gpu or _ANY, asked.machine)
    (mine / "fiche.yaml").write_text(text, encoding="utf-8")
    named = ["--candidate", "this-card"] if asked.gpu else []
    told = ["--device", asked.device, "--warmup", "1", "--repeats", "2"]
    source = ["--from", str(mine / "fiche.yaml"), "--case", "limit", *named]
    return [*fiche, "measure", *source, *told, "-o", str(mine / "m.json")]


def _simulation(mine: Path, fiche: Sequence[str]) -> list[str]:
    """The same case on fake tensors: no GPU is touched."""
    source = ["--from", str(mine / "fiche.yaml"), "--case", "limit"]
    return [*fiche, "simulate", *source, "-o", str(mine / "simulation.json")]


# Some card must stand in a fiche; without --gpu no record claims it.
_ANY = "nvidia-h100-sxm5-80g"


COUNTERS = ("allocated", "reserved", "process", "outside the allocator")


# --- What the formulas say, beside what was seen ------------------------------------------------

Row = tuple[str, ...]
_HEAD = (
    *("load", "phase", "computed, at least", "computed, at most", "observed allocated peak"),
    *("less the least", "in percent", "reserved peak", "device use of the process"),
)


def beside(folder: Path, loads: Sequence[Load]) -> str:
    """A table in Markdown, bytes in full; an empty cell was not read, `open` has no computed end."""
    rows = [row for load in loads for row in _rows(folder / load.id, load.id)]
    lines = [_line(_HEAD), _line(["---"] * len(_HEAD)), *(_line(row) for row in rows)]
    return "\n".join(lines) + "\n"


_SIMULATED_HEAD = (
    *("load", "phase", "counter", "simulated peak", "observed peak"),
    *("simulated less observed", "in percent"),
)


def simulated(folder: Path, loads: Sequence[Load]) -> str:
    """A table in Markdown: each counter of each phase, simulated and observed, bytes in full.

    The last two of the four counters have no simulated figure: contexts and libraries hold memory that
    no allocator of the process knows of.
    """
    rows = [row for load in loads for row in _simulated_rows(folder / load.id, load.id)]
    lines = [_line(_SIMULATED_HEAD), _line(["---"] * len(_SIMULATED_HEAD)), *map(_line, rows)]
    return "\n".join(lines) + "\n"


def _simulated_rows(folder: Path, name: str) -> Iterator[Row]:
    computed, seen = _simulation_of(folder / "simulation.json"), _observed(folder / "m.json")
    for phase, told in computed.items():
        for counter in COUNTERS if phase in seen else ():
            yield _simulated_row(name, phase, counter, told.get(counter), seen[phase].get(counter))
    whole = _observed(folder / "m.whole.json").get("loop")
    if whole is not None and computed:
        for counter in COUNTERS:
            peaks = [told[counter] for told in computed.values() if counter in told]
            most = max(peaks, default=None)
            yield _simulated_row(name, "whole loop", counter, most, whole.get(counter))


def _simulated_row(
    name: str, phase: str, counter: str, computed: int | None, seen: int | None
) -> Row:
    if computed is None or seen is None:
        return (name, phase, counter, _cell(computed), _cell(seen), "", "")
    less = computed - seen
    percent = f"{100 * less / seen:+.2f} %" if seen else ""
    return (name, phase, counter, str(computed), str(seen), str(less), percent)


def _cell(told: int | None) -> str:
    return "" if told is None else str(told)


def _simulation_of(path: Path) -> dict[str, dict[str, int]]:
    """The largest of each counter over all passes of a phase, on the one device."""
    if not path.is_file():
        return {}
    found: dict[str, dict[str, int]] = {}
    for phase in json.loads(path.read_text(encoding="utf-8"))["phases"]:
        mine = found.setdefault(phase["name"], {})
        for counter in ("allocated", "reserved"):
            told = phase.get(f"{counter}_bytes")
            if told is not None:
                mine[counter] = max(told["peak"], mine.get(counter, 0))
    return found


def _line(cells: Sequence[str]) -> str:
    return f"| {' | '.join(cells)} |"


def _rows(folder: Path, name: str) -> Iterator[Row]:
    """One row a phase that both know, then the whole loop beside the largest phase."""
    computed = _computed(folder / "fiche.yaml")
    seen = _observed(folder / "m.json")
    for phase, (low, high) in computed.items():
        if phase in seen:
            yield _row(name, phase, low, high, seen[phase])
    whole = _observed(folder / "m.whole.json").get("loop")
    if whole is not None and computed:
        low = max(low for low, _ in computed.values())
        highs = [high for _, high in computed.values()]
        yield _row(name, "whole loop", low, None if None in highs else max(highs), whole)


def _row(name: str, phase: str, low: int, high: int | None, seen: dict[str, int]) -> Row:
    allocated = seen.get("allocated")
    less = None if allocated is None else allocated - low
    percent = "" if less is None or not low else f"{100 * less / low:+.2f} %"
    told = (allocated, less, percent, seen.get("reserved"), seen.get("process"))
    cells = ["" if each is None else str(each) for each in told]
    return (name, phase, str(low), "open" if high is None else str(high), *cells)


def _computed(fiche: Path) -> dict[str, tuple[int, int | None]]:
    """Bytes of each phase as `fiche estimate` has them: the sum of the items alive in it."""
    from fiche.cli.compile import importers
    from fiche.cli.estimates import estimate_of
    from fiche.load.fiche import load_fiche

    found = estimate_of(load_fiche(fiche, importers()).fiche.workload)
    totals = [total for _, phases in found.phases for total in phases]
    return {
        each.phase: (
            int(each.total.low),
            None if each.total.high is None else int(each.total.high),
        )
        for each in totals
    }


def _observed(path: Path) -> dict[str, dict[str, int]]:
    """The largest of each counter over all successful passes of a phase, on the one device."""
    if not path.is_file():
        return {}
    found: dict[str, dict[str, int]] = {}
    for phase in json.loads(path.read_text(encoding="utf-8"))["phases"]:
        if phase["outcome"] != "success" or not phase.get("devices"):
            continue
        device = phase["devices"][0]
        peak, process = device.get("peak", {}), device.get("process_device_bytes", {})
        told = {
            "allocated": peak.get("allocated_bytes"),
            "reserved": peak.get("reserved_bytes"),
            "process": process.get("peak", process.get("sampled_max")),
            "outside the allocator": device.get("outside_allocator_bytes", {}).get("bytes"),
        }
        mine = found.setdefault(phase["name"], {})
        for name, read in told.items():
            if read is not None:
                mine[name] = max(read, mine.get(name, 0))
    return found


def _say(text: str) -> None:
    sys.stderr.write(f"{text}\n")


def _look(device: str) -> str:
    """Why nothing can be measured here, empty where it can; asked in a process of its own."""
    for name in ("torch", "transformers", "peft"):
        if find_spec(name) is None:
            return f"{name} is not installed in this Python, and these loads run in it"
    command = [sys.executable, "-c", _LOOK, device]
    told = subprocess.run(command, capture_output=True, text=True, check=False)
    lines = told.stderr.strip().splitlines()
    return "" if told.returncode == 0 else (lines[-1] if lines else "no device").split(": ", 1)[-1]


def main(
    arguments: Sequence[str] | None = None,
    *,
    fiche: Sequence[str] = FICHE,
    loads: Sequence[Load] = LOADS,
    look: Callable[[str], str] = _look,
) -> int:
    """Measure everything into a new folder and write the table; the exit code."""
    asked = _asked(arguments)
    folder = Path(asked.folder)
    refusal = look(asked.device)
    if not refusal and folder.exists():
        refusal = f"{folder} exists already: name a new folder, for no measurement is overwritten"
    if refusal:
        _say(refusal)
        return REFUSED
    folder.mkdir(parents=True)
    code = measured(folder, asked, fiche, loads)
    done = [load for load in loads if (folder / load.id / "fiche.yaml").is_file()]
    (folder / "beside.md").write_text(beside(folder, done), encoding="utf-8")
    (folder / "simulated.md").write_text(simulated(folder, done), encoding="utf-8")
    _say(f"{folder}: beside.md and simulated.md have what was computed beside what was observed")
    return code


def _asked(arguments: Sequence[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(description="Measure prepared loads on a GPU.")
    parser.add_argument("folder", help="a new folder for all that is written")
    parser.add_argument("--device", default="cuda:0")
    parser.add_argument("--gpu", default="", help="id of the card in a catalog, for the records")
    parser.add_argument("--machine", default="", help="name of the machine, for the records")
    parser.add_argument("--minutes", type=float, default=11.0, help="for all of it; 11 if left out")
    return parser.parse_args(arguments)


if __name__ == "__main__":
    sys.exit(main())
