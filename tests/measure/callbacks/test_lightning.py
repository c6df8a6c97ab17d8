"""The callback in Lightning's own Trainer, in both of its packages; the device is simulated (C7, C8, C11)."""

import json
from importlib import import_module

import pytest
from measure.simulated import MIB, simulated

pytestmark = pytest.mark.torch


@pytest.fixture(params=["lightning.pytorch", "pytorch_lightning"])
def made(tmp_path, request):
    """`made(ordering)` is a callback; `made.fit(callback)` fits a small model over six batches of four."""
    import torch

    from fiche.measure.callbacks.lightning import FicheCallback

    package = import_module(request.param)

    class Model(package.LightningModule):
        def __init__(self, fails=()):
            super().__init__()
            self.layer = torch.nn.Linear(8, 1)
            self.fails = dict(fails)
            self.passes = {"training": 0, "validation": 0}

        def _loss(self, batch, stage):
            if self.fails.get(stage) == self.passes[stage]:
                raise torch.OutOfMemoryError("CUDA out of memory. Tried to allocate 2.00 GiB.")
            self.passes[stage] += 1
            features, wanted = batch
            return torch.nn.functional.mse_loss(self.layer(features), wanted)

        def training_step(self, batch, batch_idx):
            return self._loss(batch, "training")

        def validation_step(self, batch, batch_idx):
            return self._loss(batch, "validation")

        def configure_optimizers(self):
            return torch.optim.SGD(self.parameters(), lr=0.1)

    class Made:
        path = tmp_path / "m.json"
        machine = simulated()

        def __call__(self, ordering, **words):
            return FicheCallback(self.path, ordering=ordering, device=self.machine, **words)

        def fit(self, callback, fails=(), *, validate=True, **arguments):
            rows = torch.utils.data.TensorDataset(torch.zeros(24, 8), torch.zeros(24, 1))
            loader = torch.utils.data.DataLoader(rows, batch_size=4)
            quiet = {
                "accelerator": "cpu",
                "logger": False,
                "enable_checkpointing": False,
                "enable_progress_bar": False,
                "enable_model_summary": False,
                "max_epochs": 1,
                "default_root_dir": str(tmp_path / "out"),
            }
            trainer = package.Trainer(callbacks=[callback], **{**quiet, **arguments})
            trainer.fit(Model(fails), loader, loader if validate else None)
            return trainer

        def record(self):
            return json.loads(self.path.read_text())

        def phases(self):
            return self.record()["phases"]

    return Made()


def test_steps_and_evaluations_are_phases(made):
    """The sanity check in front of the loop is none of them."""
    made.fit(made("phased"))
    told = [(p["name"], p["pass"], p["executed"]) for p in made.phases()]
    step = {"microbatch": 4, "accumulation": 1}
    assert told == [
        ("first_step", "first", step),
        *[("step", "later", step)] * 5,
        ("evaluation", "first", {"microbatch": 4}),
    ]
    assert made.phases()[0]["tensors"][0]["shape"] == [4, 8]
    assert "unfinished" not in made.record()


def test_a_step_is_all_that_it_accumulates(made):
    """Also the last one of an epoch, which accumulates less."""
    made.fit(made("phased"), validate=False, accumulate_grad_batches=4)
    told = [(p["name"], p["executed"]["accumulation"]) for p in made.phases()]
    assert told == [("first_step", 4), ("step", 2)]


def test_an_evaluation_in_the_midst_of_a_step_is_inside_it(made):
    made.fit(made("phased"), accumulate_grad_batches=6, val_check_interval=3)
    told = [(p["name"], p.get("parent")) for p in made.phases()]
    assert told[:2] == [("first_step", None), ("evaluation", 0)]


def test_the_whole_loop_is_one_phase(made):
    """C8: the un-phased loop in its real order."""
    made.fit(made("whole_loop"))
    (phase,) = made.phases()
    assert (phase["ordering"], phase["outcome"]) == ("whole_loop", "success")
    assert phase["covers"] == [
        *("forward", "loss", "backward", "optimizer_step", "first_step", "step", "evaluation")
    ]


@pytest.mark.parametrize("ordering", ["phased", "whole_loop"])
@pytest.mark.parametrize(
    ("fails", "phase"),
    [({"training": 0}, "first_step"), ({"training": 3}, "step"), ({"validation": 4}, "evaluation")],
)
def test_exhausted_memory_is_kept_with_its_phase_and_goes_on(made, ordering, fails, phase):
    """C11: Lightning tells its callbacks of exceptions."""
    import torch

    made.machine.all[0].allocate(7 * MIB)
    with pytest.raises(torch.OutOfMemoryError, match=r"Tried to allocate 2\.00 GiB"):
        made.fit(made(ordering), fails)
    last = made.phases()[-1]
    assert (last["outcome"], last["error"]["type"]) == ("failure", "torch.OutOfMemoryError")
    assert last["error"]["message"] == "CUDA out of memory. Tried to allocate 2.00 GiB."
    assert last["executed"]["microbatch"] == 4
    assert last["devices"][0]["peak"]["allocated_bytes"] == 7 * MIB
    if ordering == "whole_loop":
        assert (last["name"], last["error"]["extra"]) == ("loop", {"phase": phase})
    else:
        assert last["name"] == phase


def test_without_a_gpu_fitting_is_refused_with_one_sentence(made, tmp_path):
    """C10: this PyTorch is the CPU's."""
    from fiche import NoDevice
    from fiche.measure.callbacks.lightning import FicheCallback

    with pytest.raises(NoDevice):
        made.fit(FicheCallback(tmp_path / "cpu.json", ordering="phased"))
    assert not list(tmp_path.glob("cpu.json*"))
