"""The callback in transformers' own Trainer, on a tiny model; the device is simulated (C7, C8, C11)."""

import functools
import json

import pytest
from measure.simulated import MIB, simulated
from measure.tiny_models import CONFIGS

pytestmark = pytest.mark.torch


@pytest.fixture
def made(tmp_path):
    """`made(ordering)` is a callback; `made.trainer(callback)` a Trainer with it, over 12 rows of text."""
    import torch
    import transformers

    from fiche.measure.callbacks.trainer import FicheCallback

    rows = [{"input_ids": torch.arange(16), "labels": torch.arange(16)} for _ in range(12)]

    class Made:
        path = tmp_path / "m.json"
        machine = simulated()

        def __call__(self, ordering, **words):
            return FicheCallback(self.path, ordering=ordering, device=self.machine, **words)

        def trainer(self, *callbacks, model=None, **arguments):
            chosen = {
                "per_device_train_batch_size": 2,
                "gradient_accumulation_steps": 2,
                "max_steps": 3,
                "use_cpu": True,
                "report_to": [],
                "save_strategy": "no",
                "disable_tqdm": True,
                **arguments,
            }
            settings = transformers.TrainingArguments(str(tmp_path / "out"), **chosen)
            return transformers.Trainer(
                model or self.model(),
                settings,
                train_dataset=rows,
                eval_dataset=rows[:6],
                callbacks=list(callbacks),
            )

        @staticmethod
        def model():
            kind = {key: value for key, value in CONFIGS["llama"].items() if key != "model_type"}
            return transformers.LlamaForCausalLM(transformers.LlamaConfig(**kind))

        def record(self):
            return json.loads(self.path.read_text())

        def phases(self):
            return self.record()["phases"]

    return Made()


def exhausted_at(model, nth):
    """The nth pass through the model, from 0, finds no memory."""
    import torch

    passes = []
    inner = model.forward

    @functools.wraps(inner)
    def forward(*args, **kwargs):
        passes.append(1)
        if len(passes) == nth + 1:
            raise torch.OutOfMemoryError("CUDA out of memory. Tried to allocate 2.00 GiB.")
        return inner(*args, **kwargs)

    model.forward = forward
    return model


def test_steps_evaluations_and_saves_are_phases(made):
    """A3: dimensions as the model got them; a step is all the passes that it accumulates."""
    with made("phased") as callback:
        made.trainer(
            callback,
            eval_strategy="steps",
            eval_steps=2,
            save_strategy="steps",
            save_steps=2,
            per_device_eval_batch_size=3,
        ).train()
    step = {"microbatch": 2, "sequence_tokens": 16, "accumulation": 2}
    told = [(p["name"], p["pass"], p.get("executed")) for p in made.phases()]
    assert told[:5] == [
        ("first_step", "first", step),
        ("step", "later", step),
        ("evaluation", "first", {"microbatch": 3, "sequence_tokens": 16}),
        ("export", "first", None),
        ("step", "later", step),
    ]
    assert {p["outcome"] for p in made.phases()} == {"success"}
    assert "unfinished" not in made.record()
    first = made.phases()[0]
    assert first["covers"] == ["forward", "loss", "backward", "optimizer_step"]
    assert {t["name"]: t["shape"] for t in first["tensors"]}["input_ids"] == [2, 16]


def test_evaluations_by_epoch_are_phases_too(made):
    with made("phased") as callback:
        made.trainer(callback, max_steps=-1, num_train_epochs=2, eval_strategy="epoch").train()
    names = [p["name"] for p in made.phases()]
    assert names == [
        "first_step",
        "step",
        "step",
        "evaluation",
        "step",
        "step",
        "step",
        "evaluation",
    ]


def test_the_whole_loop_is_one_phase(made):
    """C8: the un-phased loop in its real order."""
    with made("whole_loop") as callback:
        made.trainer(callback, eval_strategy="steps", eval_steps=2).train()
    (phase,) = made.phases()
    assert (phase["ordering"], phase["pass"]) == ("whole_loop", "first")
    assert phase["covers"] == [
        *("forward", "loss", "backward", "optimizer_step", "first_step", "step", "evaluation")
    ]
    assert phase["executed"]["accumulation"] == 2


@pytest.mark.parametrize("ordering", ["phased", "whole_loop"])
@pytest.mark.parametrize(("nth", "phase"), [(0, "first_step"), (3, "step"), (4, "evaluation")])
def test_exhausted_memory_is_kept_with_its_phase_and_goes_on(made, ordering, nth, phase):
    """C11: first step, a later one, the evaluation."""
    import torch

    def train():
        with made(ordering) as callback:
            model = exhausted_at(made.model(), nth)
            trainer = made.trainer(callback, model=model, eval_strategy="steps", eval_steps=2)
            made.machine.all[0].allocate(7 * MIB)
            trainer.train()

    with pytest.raises(torch.OutOfMemoryError, match=r"Tried to allocate 2\.00 GiB"):
        train()
    last = made.phases()[-1]
    assert last["outcome"] == "failure"
    assert last["error"]["type"] == "torch.OutOfMemoryError"
    assert last["error"]["message"] == "CUDA out of memory. Tried to allocate 2.00 GiB."
    assert last["executed"]["sequence_tokens"] == 16
    assert last["devices"][0]["peak"]["allocated_bytes"] == 7 * MIB
    if ordering == "whole_loop":
        assert (last["name"], last["error"]["extra"]) == ("loop", {"phase": phase})
    else:
        assert last["name"] == phase


def test_a_caught_exhaustion_leaves_its_phase_unknown(made):
    """The Trainer halves its batch and begins anew, and tells no callback why."""
    with made("phased") as callback:
        model = exhausted_at(made.model(), 0)
        made.trainer(callback, model=model, auto_find_batch_size=True, max_steps=1).train()
    assert [each["name"] for each in made.record()["unfinished"]] == ["first_step"]
    (phase,) = made.phases()
    assert (phase["name"], phase["executed"]["microbatch"]) == ("first_step", 1)


def test_an_evaluation_outside_of_training_is_no_phase(made):
    """It has no event at its beginning: half of it would be no reading of it."""
    with made("phased") as callback:
        trainer = made.trainer(callback)
        trainer.train()
        trainer.evaluate()
    assert "evaluation" not in {p["name"] for p in made.phases()}


def test_the_model_keeps_no_hook(made):
    model = made.model()
    with made("phased") as callback:
        made.trainer(callback, model=model, max_steps=1).train()
    assert not model._forward_pre_hooks


def test_without_a_gpu_training_is_refused_with_one_sentence(made, tmp_path):
    """C10: this PyTorch is the CPU's."""
    from fiche import NoDevice
    from fiche.measure.callbacks.trainer import FicheCallback

    trainer = made.trainer(FicheCallback(tmp_path / "cpu.json", ordering="phased"))
    with pytest.raises(NoDevice):
        trainer.train()
    assert not list(tmp_path.glob("cpu.json*"))
