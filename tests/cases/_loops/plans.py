"""What a case asks to be simulated, in words that travel to a process of its own as JSON."""

import json
import re
from dataclasses import asdict, dataclass, field

# Compute capability of a GPU by a word of its name (NVIDIA's list of CUDA GPUs).
_CAPABILITIES = (
    *(("b200", (10, 0)), ("b100", (10, 0)), ("h20", (9, 0)), ("h100", (9, 0)), ("h200", (9, 0))),
    *(("gh200", (9, 0)), ("l40", (8, 9)), ("l4", (8, 9)), ("4090", (8, 9)), ("4070", (8, 9))),
    *(("6000 ada", (8, 9)), ("a100", (8, 0)), ("a10", (8, 6)), ("a6000", (8, 6)), ("3090", (8, 6))),
    *(("t4", (7, 5)), ("v100", (7, 0))),
)

_ALLOCATED = ("memory_allocated", "peak allocated", "memory allocated", "active")


class UncoveredError(Exception):
    """A case that cannot be simulated, and why, in one sentence."""


@dataclass(frozen=True)
class Plan:
    """One run of a published program.

    `make` is `module:function` in `running`, called with `arguments`; it returns a workload. `counter` is
    allocated or reserved, `operation` inference or training. `phases` are those that the published figure
    counts, all where empty. `at_most` says why the run is only the largest that the conditions allow: its
    figure is then no error, but a ceiling. `differs` names what ran otherwise than in the publication.
    """

    program: str
    make: str
    arguments: dict
    counter: str
    operation: str
    said: str
    phases: tuple = ()
    at_most: str = ""
    differs: tuple = ()
    capability: tuple = (8, 0)
    counts: str = "peak"
    settings: str = ""
    turns: tuple = ("first",)
    devices: int = 1
    notes: tuple = field(default=(), compare=False)

    def key(self):
        """What decides the simulation: two cases with the same one share a run."""
        decides = (self.make, self.arguments, self.capability, self.settings, self.turns)
        return json.dumps([*decides, self.devices, self.counter], sort_keys=True)

    def as_json(self):
        """The plan for a process of its own."""
        return json.dumps(asdict(self))


def capability(words):
    """The compute capability of the GPU that some words name; of an A100 where none is told."""
    words = words.lower()
    hits = [(words.find(name), -len(name), found) for name, found in _CAPABILITIES if name in words]
    return min(hits)[2] if hits else (8, 0)


def whole_number(told, what):
    """A count that a case states as a number, or as digits at the start of its words.

    Raises:
        UncoveredError: it is not told.
    """
    found = re.match(r"\d+", str(told))
    if isinstance(told, bool) or not found:
        raise UncoveredError(f"{what} not told")
    return int(found.group(0))


def counter_of(case):
    """Allocated or reserved.

    Raises:
        UncoveredError: another counter, or none that is stated.
    """
    words = case["expected"]["counter"].lower()
    if "not stated" in words or "not printed" in words:
        raise UncoveredError("the counter is not stated")
    if "reserved" in words:
        return "reserved"
    if any(each in words for each in _ALLOCATED):
        return "allocated"
    raise UncoveredError("the counter is not one of torch's allocator")


def config_of(case):
    """The model's configuration in transformers' words.

    Raises:
        UncoveredError: it is not shown, or not whole.
    """
    config = dict(case["config"])
    if not config.get("model_type"):
        raise UncoveredError("no configuration of a model is shown")
    needed = ("hidden_size", "num_hidden_layers", "num_attention_heads", "vocab_size")
    lacking = [name for name in needed if name not in config]
    if lacking:
        raise UncoveredError(f"the configuration is not shown whole: no {', '.join(lacking)}")
    return config
