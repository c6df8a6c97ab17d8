"""A long decode in a few steps: the same allocated levels as all of its steps, in a fraction of the time."""

import pytest
from measure.tiny_models import model_folder
from simulate.children import decode_of

pytestmark = pytest.mark.torch


@pytest.mark.parametrize(
    ("kind", "options"),
    [
        ("llama", {"prompt_tokens": 40, "new_tokens": 100}),
        ("gemma3", {"prompt_tokens": 5, "new_tokens": 90}),
        ("gemma3", {"prompt_tokens": 30, "new_tokens": 90}),
        ("llama", {"prompt_tokens": 8, "new_tokens": 90, "cache": "static"}),
        ("t5", {"prompt_tokens": 3, "encoder_tokens": 7, "new_tokens": 90}),
    ],
)
def test_a_jump_ends_where_all_steps_do(tmp_path, monkeypatch, kind, options):
    """Start, peak and end in bytes, what is alive at the peak, and the dimensions that ran (A3)."""
    options = {
        "model": str(model_folder(tmp_path, kind)),
        "dtype": "bf16",
        "sequences": 2,
        **options,
    }
    short, skipped, notes = decode_of(options)
    monkeypatch.setattr("fiche.simulate.decoding.MOST_STEPS", 10_000)
    whole, none, silent = decode_of(options)
    assert (skipped, none, silent) == (options["new_tokens"] - 16, 0, [])
    assert f"of {options['new_tokens']} steps the first 8 and the last 8 were run" in notes[0]
    for level in ("start_bytes", "peak_bytes", "end_bytes", "executed"):
        assert getattr(short, level) == getattr(whole, level), level
    assert alive(short) == alive(whole)


def alive(phase):
    found = {}
    for each in phase.groups:
        found[each.kind] = found.get(each.kind, 0) + each.num_bytes
    return found


def test_a_cache_of_another_kind_runs_all_its_steps(tmp_path):
    """A quantised cache packs tokens block by block: where a jump would end is not known."""
    options = {
        "model": str(model_folder(tmp_path, "llama")),
        "dtype": "bf16",
        "cache": "quantized",
        "cache_backend": "fp8",
        "prompt_tokens": 4,
        "new_tokens": 70,
    }
    _, skipped, notes = decode_of(options)
    assert (skipped, notes) == (0, [])


def test_every_step_runs_where_it_is_asked_for(tmp_path):
    """Then what the allocator holds is known to the end: no phase is shortened, and no note says so."""
    from fiche.simulate.job import Job
    from fiche.simulate.simulated import simulated
    from fiche.simulate.workload import workload_of

    options = {"model": str(model_folder(tmp_path, "llama")), "dtype": "bf16", "new_tokens": 70}
    workload = workload_of(Job(workload="generation", options=options, every_step=True))
    simulation = simulated(workload, turns=("first",))
    decode = next(each for each in simulation.phases() if each.name == "decode")
    assert decode.executed["new_tokens"] == 70
    assert "reserved_why" not in simulation.spans[decode.order].notes
    assert workload.notes == []
