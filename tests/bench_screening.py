"""How fast a market is screened against a fiche, as whole processes: reading, judging, deciding.

    python tests/bench_screening.py [rounds]

Made in a temporary folder: 100 000 and 1 000 000 offers of 60 cards, 12 sellers and some thousands of prices,
and a fiche with ten musts.
"""

from __future__ import annotations

import os
import random
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
SECONDS, MEBIBYTES, FEW, MANY = 1.2, 300, 100_000, 1_000_000
HEADER = (
    "id,seller,kind,gpu,cards_per_lot,price.amount,price.covers,price.per,interruptible,tax.basis,region,"
    "observed_on,stock.free,declared_memory.value,declared_memory.counter,source"
)
REGIONS = ("FR", "DE", "US", "JP", "IS", "CA", "FI", "NO", "SE", "US-TX-3", "EUR-IS-2", "AP-IN-1")
FICHE = """\
fiche: 1
title: One campaign on a rented card
date: 2026-11-29
author: A. Martin
policy: neutral
workload:
  model: {name: meta-llama/Llama-3.1-8B-Instruct, revision: 0e9e39f249a16976918f6564b8830bc894c89659,
          parameters: 8030261248, layers: 32, attention_heads: 32, kv_heads: 8, head_dim: 128}
  operation: generation
  engine: {name: transformers, version: 5.17.0}
  formats: {storage: bf16, loaded: bf16, compute: bf16, cache: bf16}
  placement: {devices: 1, resident: all}
  cases:
    - {id: usual, role: usual, prompt_tokens: 1200, new_tokens: 300, resident_sequences: 4,
       concurrent_requests: 4}
  duration: {value: 160 h, because: "one working week of nights and days"}
requirements:
  - {id: memory, kind: memory, level: must, cases: [usual]}
  - {id: quality, kind: quality, level: must, metric: exact_match, dataset: docs-qa, at_least: 0.62}
  - {id: compatibility, kind: software, level: must, component: transformers, version: 5.17.0}
  - {id: precision, kind: precision, level: must, format: bf16}
  - {id: budget, kind: cost, level: must, at_most: 300 USD, tax: excluded}
  - {id: start, kind: delivery, level: must, by: 2026-12-05}
  - {id: main-memory, kind: host_memory, level: must, at_least: 64 GiB}
  - {id: agreement, kind: document, level: must, document: Data processing agreement}
  - {id: quiet, kind: power, level: must, at_most: 400 W}
  - {id: capacity, kind: capacity, level: must, at_least: 20 GiB}
candidates:
  - {id: at-hand, gpu: nvidia-rtx-4090-24g, cards: 1}
"""


def bench_screening(rounds: int = 3) -> list[str]:
    """Print a line a length; the names of what is beyond its bound."""
    missed = []
    with tempfile.TemporaryDirectory() as place:
        folder = Path(place)
        (folder / "fiche.yaml").write_text(FICHE, encoding="utf-8")
        few, many = folder / "few.csv", folder / "many.csv"
        few.write_text(offers(FEW), encoding="utf-8")
        seconds, mebibytes = measured(folder, few, rounds)
        kept = seconds <= SECONDS and mebibytes <= MEBIBYTES
        missed += [] if kept else ["screening"]
        print(
            f"screening {FEW:9,} offers {seconds:6.2f} s CPU   {mebibytes:6.1f} MiB RSS   "
            f"{'within' if kept else 'BEYOND'} {SECONDS} s, {MEBIBYTES} MiB  ({rounds} rounds)",
            flush=True,
        )
        many.write_text(offers(MANY), encoding="utf-8")
        longer, more = measured(folder, many, 1)
        ratio = (longer / MANY) / (seconds / FEW)
        print(
            f"screening {MANY:9,} offers {longer:6.2f} s CPU   {more:6.1f} MiB RSS   "
            f"a row takes {ratio:.2f} of what it takes among {FEW:,}",
            flush=True,
        )
        missed += [] if ratio <= 1.2 else ["screening grows faster than its rows"]
    return missed


def measured(folder: Path, file: Path, rounds: int) -> tuple[float, float]:
    process(folder, file)  # the first run fills the caches
    runs = [process(folder, file) for _ in range(rounds)]
    return statistics.median(run[0] for run in runs), max(run[1] for run in runs)


def process(folder: Path, file: Path) -> tuple[float, float]:
    """User and system seconds of a whole process, and the most MiB that it held."""
    environment = {k: v for k, v in os.environ.items() if k != "PYTHONDONTWRITEBYTECODE"}
    program = [str(Path(sys.executable).with_name("fiche")), "catalog", "screen"]
    started = subprocess.Popen(
        [*program, str(folder / "fiche.yaml"), str(file)],
        env=environment,
        stdout=subprocess.DEVNULL,
    )
    _, status, used = os.wait4(started.pid, 0)
    started.returncode = os.waitstatus_to_exitcode(status)
    if started.returncode:
        raise subprocess.CalledProcessError(started.returncode, program)
    return used.ru_utime + used.ru_stime, used.ru_maxrss / 1024


def offers(count: int) -> str:
    """Rows with the variety of a real market: cards, sellers, prices, regions, terms that are told or not."""
    chance = random.Random(6)
    from fiche.load.builtin import blocks

    cards = [name for name in blocks("cards") if "oam" not in name][:58]
    cards += ["nvidia-rtx-8000-48g", "B300"]
    worth = {card: chance.uniform(0.1, 9) for card in cards}
    lines = [HEADER]
    for place in range(count):
        card, seller = chance.choice(cards), chance.randrange(12)
        lot = (1, 1, 1, 2, 4, 8)[chance.randrange(6)]
        price = worth[card] * lot * chance.uniform(0.7, 1.6)
        spot = ("", "false", "true")[seller % 3]
        memory = "24564 MiB,provider_declared" if seller == 4 and "24g" in card else ","
        lines.append(
            f"o{place:07},provider {seller},rent,{card},{lot},{price:.2f} USD,lot,1 h,{spot},"
            f"{('', 'excluded')[seller % 2]},{chance.choice(REGIONS)},2026-11-{1 + seller:02},"
            f"{('', '1', '8')[seller % 3]},{memory},listing.csv:{place + 2} column Price"
        )
    return "\n".join(lines) + "\n"


if __name__ == "__main__":
    bench_screening(int(sys.argv[1]) if sys.argv[1:] else 3)
