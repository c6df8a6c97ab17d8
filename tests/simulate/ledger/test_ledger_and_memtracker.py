"""Under the rules of torch's own MemTracker the ledger finds its peak, to the byte, for the same programs."""

from functools import cache

import pytest
from simulate.tiny_runs import CONFIGS, tiny_run

pytestmark = pytest.mark.torch

# MemTracker hooks every module to name the bytes it holds. Such a hook keeps the gradients of a module's
# inputs until the last has come, and cannot be set where a parameter is frozen: there it counts without them.
UNHOOKED = ("t5 checkpointed", "llama lora", "qwen3_moe lora")
TRAINING = (*CONFIGS, *(f"{kind} checkpointed" for kind in CONFIGS if kind != "t5"))
INFERENCE = tuple(f"{kind} inference" for kind in CONFIGS)
PLAIN = ("convolutions", "lstm", "encoder")


@cache
def of_the_ledger(name):
    """Bytes at the start of what is watched, at its peak and at its end."""
    from fiche.simulate.simulated import run as simulate

    run = tiny_run(name)

    def program(rec):
        built = run.build()
        with rec.phase("work"):
            run.work(lambda: None, *built)

    with modules_moved():
        [phase] = simulate(program, rules="memtracker").phases()
    return phase.start_bytes, phase.peak_bytes, phase.end_bytes


def of_memtracker(name, hooked):
    """The same three of MemTracker on fake tensors of the host, with or without its hooks of modules."""
    from torch.distributed._tools.mem_tracker import MemTracker

    from fiche.simulate.ledger.ledger import Ledger

    run = tiny_run(name)

    def total(when):
        return sum(each["Total"] for each in tracker.get_tracker_snapshot(when).values())

    with Ledger(rules="memtracker").fake, modules_moved():
        tracker = MemTracker()
        if not hooked:
            tracker._mod_tracker.__class__ = without_hooks()
        built = run.build()
        tracker.track_external(*built)
        start = total("current")
        with tracker:
            run.work(tracker.reset_mod_stats, *built)
        return start, total("peak"), total("current")


def without_hooks():
    from torch.distributed._tools.mod_tracker import ModTracker

    class Unhooked(ModTracker):
        def __enter__(self):
            return self

        def __exit__(self, *error):
            pass

    return Unhooked


def modules_moved():
    """PEFT moves adapters to where their layer is: PyTorch itself refuses that for fake tensors."""
    from fiche.simulate.fake.applied import modules_moved
    from fiche.simulate.ledger.ledger import Ledger

    return modules_moved(Ledger(rules="memtracker"))


@pytest.mark.parametrize("name", [*TRAINING, *INFERENCE, *PLAIN])
def test_the_ledger_peaks_where_memtracker_does(name):
    ours = of_the_ledger(name)
    assert ours == of_memtracker(name, hooked=True)
    assert ours[1] > ours[0]


@pytest.mark.parametrize("name", UNHOOKED)
def test_the_ledger_peaks_where_memtracker_does_without_its_hooks(name):
    assert of_the_ledger(name) == of_memtracker(name, hooked=False)


@pytest.mark.parametrize("kind", sorted(set(CONFIGS) - {"t5"}))
def test_checkpointing_lowers_what_both_see(kind):
    """The comparison reaches the backward pass: its peak is not the optimizer's alone."""
    assert of_the_ledger(f"{kind} checkpointed")[1] < of_the_ledger(kind)[1]


def test_a_module_that_is_copied_is_counted_twice_and_no_more():
    """A copy among other fake tensors would be made anew at every operator, and its changes in place lost."""
    import copy

    from fiche.simulate.simulated import run

    def program(rec):
        import torch

        layer = torch.nn.Linear(8, 8, device="cuda")
        copied = copy.deepcopy(layer)
        with rec.phase("copied"):
            seen = copied.weight.t()
        assert str(seen.device) == "cuda:0"

    [phase] = run(program).phases()
    assert phase.start_bytes == phase.peak_bytes == 2 * (512 + 512)
