"""A child that measures a script instead of a GPU: `python scripted_child.py SCRIPT` reads a job.

The recorder and the child's own `main` are the product's; devices and workload are scripted, so no torch is
needed. SCRIPT is a JSON file: `limit` per option (more is an exhausted device), and lists of values of
`context` at which something else happens: `other`, `kill`, `hang`, `interrupt`, `broken`, `host`, `slow`,
`deaf`. `nobody` gives the rights of root away, `bytes` is the longest file that the child may write,
`refuse` what `find_devices` says, `message` that of `other`, `noise` goes to stderr.
"""

import json
import os
import resource
import signal
import sys
import time
from pathlib import Path

from fiche.measure import child, workloads
from fiche.measure.protocol import devices, recorder, turns

# Read before any right is given away.
__all__ = ["recorder", "turns"]

GIB = 2**30
OOM = (
    "CUDA out of memory. Tried to allocate 2.00 GiB. GPU 0 has a total capacity of 23.52 GiB of "
    "which 1.00 GiB is free."
)


class OutOfMemoryError(RuntimeError):
    """As torch names it."""


class Device:
    name, index, place = "cuda:0", 0, "cpu"

    def __init__(self):
        self.level = 0

    def synchronize(self):
        pass

    def allocated(self):
        return self.level

    def reserved(self):
        return self.level + GIB

    def peak_allocated(self):
        return self.level + 1024

    def peak_reserved(self):
        return self.level + GIB + 4096

    def reset_peaks(self):
        pass

    def empty_cache(self):
        pass


class Devices:
    def __init__(self, driver):
        self.all, self.fresh, self.driver = (Device(),), True, driver

    def environment(self):
        device = {"index": 0, "name": "Scripted GPU", "total_memory_bytes": 24 * GIB}
        return {
            "python": "3.11",
            "framework": {"name": "torch", "version": "scripted"},
            "backend": "cuda",
            "driver": self.driver,
            "devices": [device],
        }

    def use(self, device):
        return {}


class Workload:
    def __init__(self, script, options):
        self.script, self.options = script, options
        self.declared = {k: v for k, v in options.items() if isinstance(v, int) and k != "seed"}
        self.words = {"model": {"name": "scripted"}, "operation": "forward"}

    def prepare(self, rec, place):
        with rec.phase("model_load", **self.declared):
            rec.devices.all[0].level = 5 * GIB
        with rec.phase("inputs", **self.declared):
            self._happens("inputs")

    def turn(self, rec, turn):
        name = {"first": "cold_forward", "warmup": "warmup", "repeat": "warm_forward"}[turn.kind]
        passed = "first" if turn.kind == "first" else "later"
        with rec.phase(name, pass_=passed, **self.declared) as phase:
            phase.executed(**self.declared)
            self._happens(name)

    def _happens(self, name):
        script, value = self.script, self.options.get("context", 128)
        if name == script.get("at", "cold_forward"):
            for what in ("kill", "hang", "interrupt", "broken", "other", "host", "slow", "deaf"):
                if value in script.get(what, ()):
                    getattr(self, what)()
            if any(self.options.get(o, 0) > most for o, most in script.get("limit", {}).items()):
                raise OutOfMemoryError(OOM)
            if value in script.get("starved", ()):
                raise OutOfMemoryError(OOM)

    def kill(self):
        os.kill(os.getpid(), signal.SIGKILL)

    def hang(self):
        self.mark("hanging")
        time.sleep(60)

    def interrupt(self):
        os.kill(os.getppid(), signal.SIGINT)
        time.sleep(60)

    def slow(self):
        time.sleep(0.3)

    def deaf(self):
        signal.signal(signal.SIGINT, signal.SIG_IGN)
        self.hang()

    def broken(self):
        os._exit(9)

    def other(self):
        usual = "CUDA error: an illegal memory access was encountered"
        raise RuntimeError(self.script.get("message", usual))

    def host(self):
        raise RuntimeError(
            "DefaultCPUAllocator: can't allocate memory: you tried to allocate 4 bytes"
        )

    def mark(self, name):
        Path(self.script["folder"], name).write_text(str(os.getpid()), encoding="utf-8")


def main():
    script = json.loads(Path(sys.argv[1]).read_text(encoding="utf-8"))
    sys.stderr.write(script.get("noise", ""))
    if "bytes" in script:
        resource.setrlimit(resource.RLIMIT_FSIZE, (script["bytes"], script["bytes"]))
    if "nobody" in script and os.geteuid() == 0:
        os.setuid(65534)
    if "refuse" in script:

        def nothing(names=None):
            raise devices.NoDevice(script["refuse"])

        devices.find_devices = nothing
    else:
        devices.find_devices = lambda names=None: Devices(script.get("driver", "610.62"))
    workloads.build = lambda job: Workload(script, job.options)
    child._seed = lambda seed: None
    return child.main()


if __name__ == "__main__":
    sys.exit(main())
