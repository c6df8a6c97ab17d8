"""Records of the story's workload, written by the recorder while a simulated device plays a program's part.

Nothing is measured: the card's name, its total and every counter are what a scenario says.
"""

import copy
import json

from measure.simulated import MIB, SimulatedDevice, SimulatedDevices
from scenarios.story import GPU, LIMIT, MACHINE, PHASES, VISIBLE, WORKLOAD, files, found, judged
from scenarios.story import oom as message

from fiche.measure.protocol.recorder import recorder

GB = 10**9
KEPT, PEAK = 16_500_000_000, 20_000_000_000
CONTEXT = 400 * MIB  # what the process holds beside its allocator
RANDOM = ("model_init", "inputs", "prefill", "decode")
_SAID = ("model", "operation", "engine", "formats", "attention", "placement")


def words(**changes):
    """The words of a record, with facts changed by path (`engine__version`), or left out by None."""
    said = copy.deepcopy({key: WORKLOAD[key] for key in _SAID})
    said["model"] = {key: said["model"][key] for key in ("name", "revision")}
    for path, value in changes.items():
        *steps, last = path.split("__")
        holder = said
        for step in steps:
            holder = holder[step]
        if value is None:
            del holder[last]
        else:
            holder[last] = value
    return said


class Machine(SimulatedDevices):
    """The story's machine.

    `reading` is account (a true peak), now (checkpoints alone) or none; `others` are bytes.
    """

    def __init__(
        self,
        num_devices=1,
        reading="account",
        others=0,
        card="NVIDIA GeForce RTX 4090",
        allocator=None,
        used=None,
    ):
        super().__init__([SimulatedDevice(index, []) for index in range(num_devices)])
        self.reading, self.others, self.card = reading, others, card
        self.allocator = allocator or {"backend": "native", "settings": "default"}
        self.used = self.all if used is None else (self.all[used],)
        self.seen = self.all
        self.uses = {device.name: self._uses(device) for device in self.all}
        self._largest = {}

    def environment(self):
        made = {**super().environment(), "allocator": self.allocator}
        made["devices"] = [
            {"index": device.index, "name": self.card, "total_memory_bytes": VISIBLE}
            for device in self.seen
        ]
        return made

    def only(self, index):
        """Measure one of the devices that the process sees."""
        self.all = (self.all[index],)
        return self

    def _uses(self, device):
        def told():
            held, peak = device.levels[1] + CONTEXT, device.peaks[1] + CONTEXT
            self._largest[device.name] = max(self._largest.get(device.name, 0), peak)
            read = {}
            if self.reading in ("account", "now"):
                read["process_device_bytes"] = (held, "nvml_process_used")
            if self.reading == "account":
                counter = "nvml_accounting_max_memory_usage"
                read["process_device_peak"] = (self._largest[device.name], counter)
            if self.others is not None:
                read["other_processes_bytes"] = (self.others, "nvml_processes")
            return read

        return told


class OutOfMemoryError(RuntimeError):
    """As PyTorch names it."""


def oom(**told):
    return OutOfMemoryError(message(**told).partition(": ")[2].strip())


def serve(
    rec,
    devices,
    names=PHASES,
    executed=LIMIT,
    kept=KEPT,
    peak=PEAK,
    error=None,
    at="prefill",
    each=None,
):
    """The program: it holds `kept` from its first phase on, `peak` in its last or where it fails."""
    for name in names:
        with rec.phase(name) as phase:
            if executed:
                phase.executed(**executed)
            if each:
                each(phase)
            for device in devices:
                if name == names[0]:
                    device.allocate(kept)
                elif name in (names[-1], at):
                    device.allocate(peak - kept)
                    device.release(peak - kept)
            if error is not None and name == at:
                raise error


def loop(**told):
    """What runs as one whole loop."""

    def run(rec, machine):
        with rec.whole_loop("loop"):
            serve(rec, machine.used, **told)

    return run


def phased(**told):
    return lambda rec, machine: serve(rec, machine.used, **told)


def run_of(folder, program, machine=None, said=None, gpu=GPU, where=MACHINE, **told):
    """The record of a program as a dict, whatever became of the program."""
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / f"run-{len(list(folder.iterdir()))}.json"
    machine = Machine(**machine or {}) if machine is None or isinstance(machine, dict) else machine
    rec = recorder(
        path,
        device=machine,
        workload=said or words(),
        gpu=gpu,
        machine=where,
        case="limit",
        sample_ms=0,
        **told,
    )
    try:
        with rec:
            program(rec, machine)
    except (Exception, KeyboardInterrupt):  # noqa: BLE001 - it stands in the record
        pass
    (written,) = [each for each in folder.glob(f"{path.stem}*") if each.suffix == ".json"]
    return json.loads(written.read_text(encoding="utf-8"))


def decided(folder, *records, fiche=None, **more):
    """decision.json of the story with these records, the first in place of its run."""
    fiche["pieces"] += [{"id": f"run-{n}", "file": f"run-{n}.json"} for n in range(1, len(records))]
    named = {("run.json" if n == 0 else f"run-{n}.json"): each for n, each in enumerate(records)}
    return judged(folder / "fiche", fiche, {**files(), **named, **more})


def memory_of(decision, device=None):
    """(verdict, why, what would settle it) of the one finding on memory."""
    told = found(decision, device=device)
    settles = " | ".join(each["text"] for each in told["conditions"])
    return told["verdict"], told["reason_code"], f"{told['reason']} | {settles}"
