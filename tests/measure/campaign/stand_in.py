"""Stands in for `fiche measure` and `fiche run` in tests: a record from the simulated device.

It measures nothing. `--width 13` fails as a workload does (3), `--width 99` is refused (2), `--width 77`
crashes, `--width 88` writes no record. `--sleep N` waits in its phase, and `--hold FILE` as long as that
file is there. What follows `--`, as in `fiche run`, is a Python program that is run instead.
"""

import json
import os
import signal
import subprocess
import sys
import time
from itertools import pairwise
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[2]))

from measure.simulated import MIB, simulated

from fiche.measure.protocol.recorder import recorder


def options(words):
    return {n[2:]: v for n, v in pairwise(words) if n.startswith("--")}


def interrupted(*_):
    raise KeyboardInterrupt


def main(words):
    if "--" in words:
        place = words.index("--")
        Path(options(words[:place])["output"]).mkdir()
        end = subprocess.run([sys.executable, *words[place + 1 :]], check=False)
        return end.returncode
    told = options(words)
    width = int(told.get("width", 64))
    if width == 99:
        print("no usable GPU was found: this is a stand-in", file=sys.stderr)
        return 2
    if width == 77:
        raise RuntimeError("the stand-in crashes")
    if width == 88:
        return 0
    devices = simulated()
    (device,) = devices.all
    cards = os.environ.get("CUDA_VISIBLE_DEVICES")
    Path(told["output"]).with_name("cards").write_text(repr(cards), encoding="utf-8")
    plan = json.loads(os.environ["FICHE_PLAN"])
    workload = {"model": {"name": "stand-in"}, "operation": "generation"}
    signal.signal(signal.SIGTERM, interrupted)
    signal.signal(signal.SIGINT, interrupted)
    try:
        with recorder(told["output"], device=devices, workload=workload, plan=plan) as rec:
            with rec.phase("model_load"):
                device.allocate(width * MIB)
            with rec.phase("prefill", prompt_tokens=128) as phase:
                phase.executed(prompt_tokens=128, width=width)
                Path(told["output"]).with_name("in-prefill").touch()
                time.sleep(float(told.get("sleep", 0)))
                while Path(told.get("hold", "/nowhere")).exists():
                    time.sleep(0.05)
                device.allocate(2 * MIB)
                if width == 13:
                    raise MemoryError("out of memory, says the stand-in")
                phase.output(True, "compared with itself")
    except MemoryError as error:
        print(f"MemoryError: {error}", file=sys.stderr)
        return 3
    except KeyboardInterrupt:
        return 130
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
