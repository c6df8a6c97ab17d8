"""Whole-process medians of the commands people wait for, as ratios against a floor of the same run.

    make bench                  all of it
    python tests/bench.py --rounds 11 --only help,check

Prints one line a measurement: what, median, floor, difference or ratio, the bound it is held to.
Nothing here is asserted by the test suite: a busy machine may miss a bound without a defect.
"""

from __future__ import annotations

import argparse
import ast
import os
import statistics
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path

from bench_archive import bench_archive
from bench_logs import bench_logs
from bench_models import bench_models
from bench_recorder import bench_recorder
from bench_records import bench_records
from bench_screening import bench_screening
from bench_simulate import bench_simulate
from bench_snapshot import bench_snapshot

ROOT = Path(__file__).resolve().parent.parent
SAMPLE = ROOT / "samples" / "serving" / "fiche.yaml"
FICHE = [str(Path(sys.executable).with_name("fiche"))]

# A command with the options of `check` and `report` that does nothing: what any Typer program costs.
NOOP = '''
from pathlib import Path
from typing import Annotated, Optional
import typer

app = typer.Typer(rich_markup_mode=None, pretty_exceptions_enable=False)


@app.command()
def noop(
    fiche: Annotated[Path, typer.Argument()],
    output: Annotated[Optional[Path], typer.Option("-o", "--output")] = None,
    formats: Annotated[str, typer.Option("--formats")] = "html,pdf,json",
    force: Annotated[bool, typer.Option("--force")] = False,
    require_retained: Annotated[bool, typer.Option("--require-retained")] = False,
    json: Annotated[bool, typer.Option("--json")] = False,
) -> None:
    """Do nothing."""


@app.command()
def other() -> None:
    """Do nothing else, so that `noop` is a command by name."""


app()
'''

# The published dimensions of Llama-3.1-8B.
CONFIG = """{"architectures": ["LlamaForCausalLM"], "model_type": "llama", "hidden_size": 4096,
 "intermediate_size": 14336, "num_hidden_layers": 32, "num_attention_heads": 32,
 "num_key_value_heads": 8, "vocab_size": 128256, "tie_word_embeddings": false,
 "max_position_embeddings": 131072, "torch_dtype": "bfloat16"}"""
LOAD = ["--tokens", "8192", "--sequences", "4", "--cache", "bf16"]
ENGINE = ["--engine", "vllm", "--engine-version", "0.28.0"]

WEASYPRINT_ALONE = """
import sys
from weasyprint import HTML
HTML(filename=sys.argv[1]).write_pdf(sys.argv[2])
"""


@dataclass(frozen=True)
class Contest:
    """A command, its floor, and how far above the floor it may be."""

    name: str
    command: list[str]
    floor: list[str]
    factor: float
    extra_s: float

    def bound(self, floor_s: float) -> float:
        return floor_s * self.factor + self.extra_s


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rounds", type=int, default=15)
    parser.add_argument("--only", default="")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        contests = prepared(Path(folder))
        wanted = set(options.only.split(",")) - {""}
        missed = [
            contest.name
            for contest in contests
            if not wanted or contest.name in wanted
            if not within(contest, options.rounds)
        ]
    if not wanted or "models" in wanted:
        missed += bench_models(max(options.rounds // 3, 1))
    if not wanted or "logs" in wanted:
        missed += bench_logs(max(options.rounds // 5, 1))
    if not wanted or "snapshot" in wanted:
        missed += bench_snapshot(max(options.rounds // 5, 1))
    if not wanted or "records" in wanted:
        missed += bench_records(max(options.rounds // 5, 1))
    if not wanted or "recorder" in wanted:
        missed += bench_recorder(max(options.rounds // 3, 1))
    if not wanted or "simulate" in wanted:
        missed += bench_simulate()
    if not wanted or "screening" in wanted:
        missed += bench_screening(max(options.rounds // 5, 1))
    if not wanted or "archive" in wanted:
        missed += bench_archive(options.rounds)
    print("all within their bounds" if not missed else f"beyond its bound: {', '.join(missed)}")
    return 0


def prepared(folder: Path) -> list[Contest]:
    noop = folder / "noop.py"
    noop.write_text(NOOP, encoding="utf-8")
    floor = [sys.executable, str(noop), "noop", str(SAMPLE)]
    html = folder / "html"
    run([*FICHE, "report", str(SAMPLE), "-o", str(html), "--formats", "html,json"])
    alone = folder / "alone.py"
    alone.write_text(WEASYPRINT_ALONE, encoding="utf-8")
    out = ["-o", str(folder / "out"), "--force"]
    return [
        *estimating(folder),
        Contest("help", [*FICHE, "--help"], [sys.executable, "-c", "import typer"], 2.0, 0.0),
        Contest("check", [*FICHE, "check", str(SAMPLE)], floor, 1.0, 0.1),
        Contest(
            "html",
            [*FICHE, "report", str(SAMPLE), *out, "--formats", "html"],
            [*floor, *out, "--formats", "html"],
            1.0,
            0.1,
        ),
        Contest(
            "pdf",
            [*FICHE, "report", str(SAMPLE), *out, "--formats", "pdf"],
            [sys.executable, str(alone), str(html / "report.html"), str(folder / "alone.pdf")],
            1.25,
            0.2,
        ),
    ]


def estimating(folder: Path) -> list[Contest]:
    """`fiche estimate` on a local configuration, against a command with its options that does nothing."""
    model = folder / "model"
    model.mkdir()
    (model / "config.json").write_text(CONFIG, encoding="utf-8")
    noop = folder / "noop_estimate.py"
    noop.write_text(noop_of(ROOT / "src" / "fiche" / "cli" / "estimate.py"), encoding="utf-8")
    load = ["--model", str(model), *LOAD]
    thousand = ["--sweep", "context=" + ",".join(str(1024 * n) for n in range(1, 1001)), "--csv"]
    floor = [sys.executable, str(noop), "estimate"]
    return [
        Contest(
            "engine", [*FICHE, "estimate", *load, *ENGINE], [*floor, *load, *ENGINE], 1.0, 0.06
        ),
        Contest("untold", [*FICHE, "estimate", *load], [*floor, *load], 1.0, 0.06),
        Contest(
            "sweep",
            [*FICHE, "estimate", *load, *ENGINE, *thousand],
            [*floor, *load, *ENGINE, *thousand],
            1.0,
            1.0,
        ),
    ]


def noop_of(command: Path) -> str:
    """A program with the options of a command's module and nothing in its body."""
    tree = ast.parse(command.read_text(encoding="utf-8"))
    for node in tree.body:
        if isinstance(node, ast.FunctionDef) and node.name == command.stem:
            node.body = node.body[:1]
    app = (
        "app = typer.Typer(rich_markup_mode=None, pretty_exceptions_enable=False)\n"
        f"app.command()({command.stem})\n"
        "app.command('other')(lambda: None)\napp()\n"
    )
    return ast.unparse(tree) + "\n" + app


def within(contest: Contest, rounds: int) -> bool:
    """Measure both in turns, so that a slow minute of the machine slows both."""
    ours, floors = [], []
    seconds(contest.floor), seconds(contest.command)  # the first run fills the caches of both
    for _ in range(rounds):
        floors.append(seconds(contest.floor))
        ours.append(seconds(contest.command))
    ours_s, floor_s = statistics.median(ours), statistics.median(floors)
    bound_s = contest.bound(floor_s)
    held = "within" if ours_s <= bound_s else "BEYOND"
    print(
        f"{contest.name:6} {ours_s * 1000:8.1f} ms   floor {floor_s * 1000:8.1f} ms   "
        f"ratio {ours_s / floor_s:5.2f}   above {(ours_s - floor_s) * 1000:+8.1f} ms   "
        f"{held} {bound_s * 1000:.1f} ms  ({rounds} rounds)",
        flush=True,
    )
    return ours_s <= bound_s


def seconds(command: list[str]) -> float:
    start = time.perf_counter()
    run(command)
    return time.perf_counter() - start


def run(command: list[str]) -> None:
    environment = {**os.environ, "NO_COLOR": "1", "COLUMNS": "100"}
    # As installed: Python keeps what it has compiled, unless this machine forbids it.
    environment.pop("PYTHONDONTWRITEBYTECODE", None)
    subprocess.run(command, check=True, env=environment, stdout=subprocess.DEVNULL, cwd=ROOT)


if __name__ == "__main__":
    raise SystemExit(main())
