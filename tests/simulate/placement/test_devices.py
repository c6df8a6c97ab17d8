"""Layers over several devices of one process."""

import pytest
from simulate.placement.laid import simulated, workload

pytestmark = pytest.mark.torch

CONFIG = {"vocab_size": 96, "num_hidden_layers": 4}
LAYER = (2 * 32 * 32 + 2 * 16 * 32 + 3 * 64 * 32 + 2 * 32) * 2
TABLE = 96 * 32 * 2


def parameters(simulation, device):
    """Bytes of parameters at the end of the making, as asked for."""
    table, events = simulation.entries, simulation.events[device]
    alive = {}
    for op, entry in zip(events.ops, events.ids, strict=True):
        if op == 2 and events.marks[entry] == "end model_init":
            break
        if op == 0:
            alive[entry] = table.num_bytes[entry] if table.kinds[entry] == "parameter" else 0
        elif op == 1:
            del alive[entry]
    return sum(alive.values())


def test_layers_are_dealt_out_as_accelerate_does(tmp_path):
    from fiche.simulate.placement.devices import device_map

    model = workload(tmp_path, config=CONFIG).language.random("meta")
    found = device_map(model, 2)
    assert found["model.embed_tokens"] == 0
    assert found["lm_head"] == 1
    assert [found[f"model.layers.{i}"] for i in range(4)] == sorted(
        found[f"model.layers.{i}"] for i in range(4)
    )


def test_devices_together_hold_the_model_once(tmp_path):
    simulation = simulated(
        tmp_path,
        {"pipeline_parallel": 2},
        kind="generation",
        config=CONFIG,
        prompt_tokens=16,
        new_tokens=1,
    )
    held = [parameters(simulation, device) for device in (0, 1)]
    assert sum(held) == 4 * LAYER + 2 * TABLE + 32 * 2
    assert min(held) > 0


def test_the_cache_lies_with_its_layers(tmp_path):
    simulation = simulated(
        tmp_path,
        {"pipeline_parallel": 2},
        kind="generation",
        config=CONFIG,
        prompt_tokens=64,
        new_tokens=1,
    )
    ends = [each for each in simulation.phases() if each.name == "prefill"]
    caches = [
        sum(group.num_bytes for group in each.groups if group.kind == "cache") for each in ends
    ]
    # A layer's keys and values: 64 tokens, 2 heads, 8 wide, bf16.
    assert sum(caches) <= 4 * 2 * 64 * 2 * 8 * 2
    assert min(caches) > 0


def test_a_training_runs_backward_over_both(tmp_path):
    simulation = simulated(
        tmp_path, {"pipeline_parallel": 2}, config=CONFIG, microbatch=1, sequence_tokens=8
    )
    for device in (0, 1):
        (step,) = [
            each
            for each in simulation.phases()
            if each.name == "optimizer_step" and each.device == device and each.passed == "first"
        ]
        states = sum(each.num_bytes for each in step.groups if each.kind == "optimizer_state")
        assert states >= 2 * parameters(simulation, device)
