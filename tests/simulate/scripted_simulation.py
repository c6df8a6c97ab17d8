"""A child that simulates nothing: `python scripted_simulation.py SCRIPT` reads a job and does as it is told.

SCRIPT is a JSON file: `says` goes to standard error, `code` is the exit code, `signal` ends the process,
`hang` waits, `grandchild` starts a process that outlives nothing (in a session of its own where it is "apart"),
`half` writes half a document and waits, `temporary` leaves a temporary file, `writes` takes the place of the
document. Otherwise a small document is written, and a CSV of events behind it where the job asks for that. The
job is kept as `job.json` in the script's folder.
"""

import json
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from fiche.simulate.job import SEPARATOR, job_of

GIB = 2**30


def levels(start, peak, end):
    return {"start": start * GIB, "peak": peak * GIB, "end": end * GIB}


def phase(name, order, allocated, reserved, kinds, **changes):
    live = [{"kind": kind, "bytes": n * GIB, "count": 1} for kind, n in kinds.items()]
    place = {
        "operator": "aten.mm.default",
        "module": "layers.3",
        "source": {"file": "m.py", "line": 7},
    }
    return {
        "name": name,
        "pass": "first",
        "order": order,
        "ordering": "phased",
        "declared": {"batch": 2},
        "executed": {"batch": 2},
        "device_index": 0,
        "allocated_bytes": allocated,
        "reserved_bytes": reserved,
        "at_peak": {**place, "live": live, "largest": []},
        **changes,
    }


def document():
    """A load of 5 GiB, a prefill that reaches 8, and a decode whose reserved bytes are unknown."""
    return {
        "format": "fiche-simulation/1",
        "tool": {"name": "fiche", "version": "0"},
        "simulator": {
            "python": "3.11",
            "torch": "2.13.0+cpu",
            "rules": "cuda",
            "answers": [{"asked": "torch.cuda.mem_get_info", "told": "1 B", "by": "assumed"}],
        },
        "workload": {"operation": "generation"},
        "case": "",
        "gpu": "",
        "machine": "",
        "phases": [
            phase("model_init", 0, levels(0, 5, 5), levels(0, 5, 5), {"parameter": 5}),
            phase("prefill", 1, levels(5, 8, 6), levels(5, 9, 9), {"parameter": 5, "cache": 3}),
            phase(
                "decode",
                2,
                levels(6, 7, 7),
                None,
                {"parameter": 5, "cache": 2},
                reserved_why="it was shortened",
            ),
        ],
        "peak": {
            "allocated_bytes": 8 * GIB,
            "reserved_bytes": 9 * GIB,
            "phase": "prefill",
            "pass": "first",
            "order": 1,
            "device_index": 0,
        },
        "allocator": {"algorithm": "a", "source": "s", "version": "v", "settings": {"text": ""}},
        "effects": [],
        "uncovered": [
            {
                "name": "context",
                "why": "of the driver",
                "low_bytes": None,
                "high_bytes": None,
                "source": "",
            }
        ],
        "notes": ["decode was shortened"],
        "timeline": {"device_index": 0, "allocated": [], "reserved": [], "phases": []},
    }


def main():
    script = json.loads(Path(sys.argv[1]).read_text(encoding="utf-8"))
    text = sys.stdin.read()
    Path(script["folder"], "job.json").write_text(text, encoding="utf-8")
    job = job_of(text)
    sys.stderr.write(script.get("says", ""))
    sys.stderr.flush()
    if script.get("grandchild"):
        words = [sys.executable, "-c", "import time; time.sleep(60)"]
        other = subprocess.Popen(words, start_new_session=script["grandchild"] == "apart")
        Path(script["folder"], "grandchild").write_text(str(other.pid), encoding="utf-8")
    if script.get("temporary"):
        tempfile.mkstemp()
        Path(script["folder"], "temporary").write_text(tempfile.gettempdir(), encoding="utf-8")
    told = script.get("writes", json.dumps(document())).encode()
    if script.get("half"):
        os.write(1, told[: len(told) // 2])
    if script.get("half") or script.get("hang"):
        Path(script["folder"], "hanging").touch()
        time.sleep(60)
    if "signal" in script:
        os.kill(os.getpid(), script["signal"])
    if script.get("code"):
        return script["code"]
    os.write(1, told + (SEPARATOR + b"device,event\n0,0\n" if job.events else b""))
    return 0


if __name__ == "__main__":
    sys.exit(main())
