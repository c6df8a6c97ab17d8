"""A loop of one's own under Accelerate; the device is simulated (C7, C8, C11)."""

import json

import pytest
from measure.simulated import MIB, simulated

pytestmark = pytest.mark.torch


@pytest.fixture
def made(tmp_path):
    """`made.train(ordering, steps)` runs a loop; `made.phases()` is what it wrote."""
    import torch
    from accelerate import Accelerator
    from accelerate.state import AcceleratorState, GradientState

    from fiche.measure.callbacks.accelerate import watch

    class Made:
        path = tmp_path / "m.json"
        machine = simulated()

        def __init__(self):
            AcceleratorState._reset_state(reset_partial_state=True)
            GradientState._reset_state()
            self.accelerator = Accelerator(cpu=True, gradient_accumulation_steps=2)
            model = torch.nn.Linear(8, 1)
            self.model, self.optimizer = self.accelerator.prepare(
                model, torch.optim.SGD(model.parameters(), lr=0.1)
            )

        def train(self, ordering, passes, fails=None):
            scheduler = None
            with watch(self.accelerator, self.path, ordering=ordering, device=self.machine) as loop:
                for number in range(passes):
                    features = torch.zeros(4, 8)
                    with self.accelerator.accumulate(self.model):
                        with loop.phase("forward", (features,), microbatch=4):
                            loss = self.model(features).mean()
                        if fails == number:
                            loss.register_hook(exhausted)
                        self.accelerator.backward(loss)
                        self.optimizer.step()
                        # A scheduler made late wraps `step` once more.
                        scheduler = scheduler or torch.optim.lr_scheduler.StepLR(self.optimizer, 5)
                        self.optimizer.zero_grad()

        def phases(self):
            return json.loads(self.path.read_text())["phases"]

    def exhausted(_):
        raise torch.OutOfMemoryError("CUDA out of memory. Tried to allocate 2.00 GiB.")

    return Made()


def test_what_goes_through_the_accelerator_is_a_phase(made):
    """While gradients accumulate, `step` does nothing and is none."""
    made.train("phased", 4)
    told = [(p["name"], p["pass"], p.get("executed")) for p in made.phases()]
    forward = {"microbatch": 4}
    assert told == [
        ("forward", "first", forward),
        ("backward", "first", None),
        ("forward", "later", forward),
        ("backward", "later", None),
        ("optimizer_step", "first", None),
        ("forward", "later", forward),
        ("backward", "later", None),
        ("forward", "later", forward),
        ("backward", "later", None),
        ("optimizer_step", "later", None),
    ]
    assert made.phases()[0]["declared"] == {"microbatch": 4}


def test_the_whole_loop_is_one_phase(made):
    """C8: the parts only give it their names."""
    made.train("whole_loop", 4)
    (phase,) = made.phases()
    assert (phase["ordering"], phase["outcome"]) == ("whole_loop", "success")
    assert phase["covers"] == ["forward", "backward", "optimizer_step"]
    assert phase["executed"] == {"microbatch": 4}


@pytest.mark.parametrize("ordering", ["phased", "whole_loop"])
def test_exhausted_memory_in_the_backward_pass_is_kept_and_goes_on(made, ordering):
    """C11: the phase, the message and the last values."""
    import torch

    made.machine.all[0].allocate(7 * MIB)
    with pytest.raises(torch.OutOfMemoryError, match=r"Tried to allocate 2\.00 GiB"):
        made.train(ordering, 4, fails=2)
    last = made.phases()[-1]
    assert (last["outcome"], last["error"]["type"]) == ("failure", "torch.OutOfMemoryError")
    assert last["devices"][0]["peak"]["allocated_bytes"] == 7 * MIB
    if ordering == "whole_loop":
        assert (last["name"], last["error"]["extra"]) == ("loop", {"phase": "backward"})
    else:
        assert last["name"] == "backward"


def test_all_is_put_back(made):
    """Twice the same: the second one is no phase in a phase, though a scheduler keeps the first's `step`."""
    made.train("phased", 2)
    made.optimizer.step()
    for owner, name in ((made.accelerator, "backward"), (made.accelerator, "prepare_optimizer")):
        assert name not in vars(owner)
    first = len(made.phases())
    made.path.unlink()
    made.train("phased", 2)
    assert len(made.phases()) == first


def test_an_optimizer_that_is_prepared_meanwhile_is_followed(made, tmp_path):
    import torch

    from fiche.measure.callbacks.accelerate import watch

    path = tmp_path / "late.json"
    with watch(made.accelerator, path, ordering="phased", device=made.machine):
        model = torch.nn.Linear(8, 1)
        model, optimizer = made.accelerator.prepare(
            model, torch.optim.SGD(model.parameters(), lr=0.1)
        )
        made.accelerator.backward(model(torch.zeros(2, 8)).mean() * 1)
        optimizer.step()
    names = [p["name"] for p in json.loads(path.read_text())["phases"]]
    assert names == ["backward", "optimizer_step"]


def test_the_ordering_is_one_of_two_and_has_no_default(made, tmp_path):
    from fiche import NoDevice
    from fiche.measure.callbacks.accelerate import watch

    with pytest.raises(ValueError, match="phased, whole_loop, not 'both'"):
        watch(made.accelerator, tmp_path / "n.json", ordering="both").__enter__()
    with pytest.raises(TypeError):
        watch(made.accelerator, tmp_path / "n.json")
    with pytest.raises(NoDevice):
        watch(made.accelerator, tmp_path / "n.json", ordering="phased").__enter__()
    assert list(tmp_path.glob("n.json*")) == []
