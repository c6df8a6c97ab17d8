"""A peak belongs to its phase, whoever resets the counter (C3): nothing is lost, nothing brought in."""

import json
import subprocess
import sys

from measure.command_runs import environment

MIB = 1 << 20
PROGRAM = """
import torch
from fiche.measure.callbacks._loop import Loop
with Loop("m.json", ordering="phased", device="cuda:0", sample_ms=0) as loop:
    torch.take(200); torch.give(190)
    loop.start()
    loop.begin_step()
    torch.take(50); torch.give(50)
    torch.cuda.reset_peak_memory_stats(0)
    torch.take(5)
    loop.end_step()
    loop.begin_step()
    torch.take(1)
    torch.cuda.reset_peak_memory_stats(1)
    loop.end_step()
    loop.stop()
    torch.cuda.reset_peak_memory_stats(0)
"""


def test_a_reset_inside_a_phase_costs_it_nothing_and_the_recorders_own_brings_nothing_in(tmp_path):
    subprocess.run(
        [sys.executable, "-c", PROGRAM], cwd=tmp_path, env=environment(), check=True, timeout=60
    )
    phases = json.loads((tmp_path / "m.json").read_text())["phases"]
    assert [p["devices"][0]["peak"]["allocated_bytes"] // MIB for p in phases] == [60, 16]
    assert [p["devices"][0]["start"]["allocated_bytes"] // MIB for p in phases] == [10, 15]
