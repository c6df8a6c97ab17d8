"""A loop seen by a callback, without any library: parts, failures, what nobody told (C7, C8, C11)."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from measure.simulated import MIB, simulated

from fiche.measure.callbacks._batch import dimensions_of
from fiche.measure.callbacks._library import needed
from fiche.measure.callbacks._loop import Loop
from fiche.measure.protocol.devices import NoDevice
from fiche.measure.protocol.recorder import recorder


class Tensor:
    """What looks like one."""

    dtype = "int64"

    def __init__(self, *shape):
        self.shape = shape


@pytest.fixture
def made(tmp_path):
    """`made(ordering=...)` is a loop on a simulated device; `made.record()` what it wrote."""

    class Made:
        machine = simulated()
        path = tmp_path / "m.json"

        def __call__(self, **words):
            return Loop(self.path, device=self.machine, **words)

        def phases(self):
            return json.loads(self.path.read_text())["phases"]

        def unfinished(self):
            return [
                each["name"] for each in json.loads(self.path.read_text()).get("unfinished", ())
            ]

    return Made()


def train(loop, steps, *, passes=1, evaluate=()):
    loop.start()
    for number in range(steps):
        loop.begin_step()
        for _ in range(passes):
            loop.passed({"input_ids": Tensor(2, 8 + number)})
        loop.end_step()
        if number in evaluate:
            loop.begin("evaluation")
            loop.passed({"input_ids": Tensor(4, 16)})
            loop.end("evaluation")
    loop.stop()


def test_phased_the_first_step_is_no_later_one(made):
    """C7: first and later passes are different phases; each step goes through its parts."""
    with made(ordering="phased") as loop:
        train(loop, 3, passes=2, evaluate=[1])
    told = [(p["name"], p["pass"], p["executed"]) for p in made.phases()]
    assert told == [
        ("first_step", "first", {"microbatch": 2, "sequence_tokens": 8, "accumulation": 2}),
        ("step", "later", {"microbatch": 2, "sequence_tokens": 9, "accumulation": 2}),
        ("evaluation", "first", {"microbatch": 4, "sequence_tokens": 16}),
        ("step", "later", {"microbatch": 2, "sequence_tokens": 10, "accumulation": 2}),
    ]
    assert made.phases()[0]["tensors"] == [{"name": "input_ids", "shape": [2, 8], "dtype": "int64"}]


def test_phased_later_steps_are_phases_up_to_a_number(made):
    """Two synced lines a step: a loop of ten thousand steps is not told step by step, and says so."""
    with made(ordering="phased", steps=2) as loop:
        train(loop, 9, evaluate=[7])
    assert [p["name"] for p in made.phases()] == ["first_step", "step", "step", "evaluation"]
    order = json.loads(made.path.read_text())["series"]["order"]
    assert "up to 2 later steps" in order


def test_whole_the_loop_is_one_phase_in_its_real_order(made):
    """C8: nothing is synchronized or reset between its parts."""
    with made(ordering="whole_loop") as loop:
        loop.start()
        before = made.machine.calls.count(("cuda:0", "synchronize"))
        for _ in range(30):
            loop.begin_step()
            loop.passed({"input_ids": Tensor(2, 8)})
            loop.end_step()
        loop.begin("evaluation")
        loop.end("evaluation")
        assert made.machine.calls.count(("cuda:0", "synchronize")) == before
        loop.stop()
    (phase,) = made.phases()
    assert (phase["ordering"], phase["pass"], phase["outcome"]) == (
        "whole_loop",
        "first",
        "success",
    )
    assert phase["covers"] == [
        *("forward", "loss", "backward", "optimizer_step", "first_step", "step", "evaluation")
    ]
    assert phase["executed"] == {"microbatch": 2, "sequence_tokens": 8, "accumulation": 1}


@pytest.mark.parametrize("ordering", ["phased", "whole_loop"])
def test_an_exception_is_kept_with_its_phase_and_goes_on(made, ordering):
    """C11: phase, dimensions, message, last values."""

    def exhausted():
        with made(ordering=ordering) as loop:
            loop.start()
            loop.begin_step()
            loop.passed({"input_ids": Tensor(64, 8)})
            made.machine.all[0].allocate(5 * MIB)
            raise RuntimeError("CUDA out of memory. Tried to allocate 2.00 GiB.")

    with pytest.raises(RuntimeError, match="out of memory"):
        exhausted()
    (phase,) = made.phases()
    assert phase["outcome"] == "failure"
    assert phase["error"]["message"] == "CUDA out of memory. Tried to allocate 2.00 GiB."
    assert phase["executed"]["microbatch"] == 64
    assert phase["devices"][0]["peak"]["allocated_bytes"] == 5 * MIB
    if ordering == "whole_loop":
        assert phase["error"]["extra"] == {"phase": "first_step"}


@pytest.mark.parametrize("ordering", ["phased", "whole_loop"])
def test_an_end_that_nobody_told_is_unknown(made, ordering):
    """C2: somebody caught the exception, and the loop began anew with smaller batches."""
    with made(ordering=ordering) as loop:
        loop.start()
        loop.begin_step()
        train(loop, 1)
    assert made.unfinished() == (["first_step"] if ordering == "phased" else ["loop"])
    assert [p["outcome"] for p in made.phases()] == ["success"]


def test_an_evaluation_that_was_decided_and_never_made_holds_no_step(made):
    with made(ordering="phased") as loop:
        loop.start()
        loop.begin("evaluation")
        loop.begin_step()
        loop.end_step()
        loop.stop()
    assert made.unfinished() == ["evaluation"]
    assert [(p["name"], p.get("parent")) for p in made.phases()] == [("first_step", None)]


def test_a_recorder_of_ones_own_is_used_and_left_open(tmp_path):
    with recorder(tmp_path / "m.json", device=simulated()) as rec:
        with Loop(ordering="phased", recorder=rec) as loop:
            train(loop, 1)
        with rec.phase("export"):
            pass
    names = [p["name"] for p in json.loads((tmp_path / "m.json").read_text())["phases"]]
    assert names == ["first_step", "export"]


def test_the_ordering_is_one_of_two_and_has_no_default(tmp_path):
    with pytest.raises(ValueError, match="phased, whole_loop, not 'both'"):
        Loop(tmp_path / "m.json", ordering="both")
    with pytest.raises(TypeError):
        Loop(tmp_path / "m.json")
    with pytest.raises(ValueError, match="0 or more"):
        Loop(tmp_path / "m.json", ordering="phased", steps=-1)


def test_without_a_gpu_nothing_is_written_and_it_is_said_when_the_loop_begins(
    tmp_path, monkeypatch
):
    """C10: a result of the CPU is never a measurement of a GPU."""
    monkeypatch.setitem(sys.modules, "torch", None)
    loop = Loop(tmp_path / "m.json", ordering="phased")
    with pytest.raises(NoDevice, match="PyTorch is not installed"):
        loop.start()
    assert loop.close() is None
    assert list(tmp_path.iterdir()) == []


PROGRAM = """
from measure.simulated import simulated
from fiche.measure.callbacks._loop import Loop
loop = Loop("m.json", ordering="phased", device=simulated())
loop.start()
loop.begin_step()
{end}
"""


@pytest.mark.parametrize(
    ("end", "outcomes", "left"),
    [
        ("raise RuntimeError('CUDA out of memory')", ["failure"], []),
        ("loop.end_step()", ["success"], []),
        ("", [], ["first_step"]),
    ],
)
def test_without_with_the_record_is_written_when_the_program_ends(tmp_path, end, outcomes, left):
    """An exception that ends the program is the failure of what was open."""
    path = os.pathsep.join([str(Path(__file__).parents[2]), str(Path(__file__).parents[3] / "src")])
    subprocess.run(
        [sys.executable, "-c", PROGRAM.format(end=end)],
        cwd=tmp_path,
        env={**os.environ, "PYTHONPATH": path},
        capture_output=True,
        check=False,
    )
    record = json.loads((tmp_path / "m.json").read_text())
    assert [p["outcome"] for p in record["phases"]] == outcomes
    assert [p["name"] for p in record.get("unfinished", ())] == left


@pytest.mark.parametrize(
    ("batch", "told"),
    [
        (
            {"input_ids": Tensor(2, 8), "labels": Tensor(2, 8)},
            {"microbatch": 2, "sequence_tokens": 8},
        ),
        (
            {"input_ids": Tensor(2, 8), "decoder_input_ids": Tensor(2, 5)},
            {"microbatch": 2, "encoder_tokens": 8, "sequence_tokens": 5},
        ),
        (
            {"pixel_values": Tensor(4, 3, 224, 256)},
            {"microbatch": 4, "images": 1, "image_height": 224, "image_width": 256},
        ),
        (
            {"input_ids": Tensor(2, 8), "pixel_values": Tensor(6, 3, 224, 256)},
            {
                "microbatch": 2,
                "sequence_tokens": 8,
                "images": 6,
                "image_height": 224,
                "image_width": 256,
            },
        ),
        # Packed patches: nothing tells how many images there are.
        (
            {"input_ids": Tensor(1, 8), "pixel_values": Tensor(1024, 1176)},
            {"microbatch": 1, "sequence_tokens": 8},
        ),
        ({"features": Tensor(5, 7)}, {"microbatch": 5}),
        ((Tensor(3, 28), Tensor(3)), {"microbatch": 3}),
        (Tensor(9), {"microbatch": 9}),
        (Tensor(), {}),
        ("text", {}),
        ([], {}),
    ],
)
def test_dimensions_are_those_that_names_and_shapes_tell(batch, told):
    """A3: what is not told has no key."""
    assert dimensions_of(batch) == told


def test_a_missing_library_is_one_sentence():
    with pytest.raises(ImportError) as missing:
        needed(("no_such_library.part", "nor_this"), "the Nothing callback")
    assert str(missing.value) == (
        "the Nothing callback needs no_such_library or nor_this, which is not installed"
    )


@pytest.mark.parametrize(
    ("module", "hidden", "said"),
    [
        (
            "trainer",
            ["transformers"],
            "the Trainer callback needs transformers, which is not installed",
        ),
        (
            "lightning",
            ["lightning", "pytorch_lightning"],
            "the Lightning callback needs lightning or pytorch_lightning, which is not installed",
        ),
        (
            "accelerate",
            ["accelerate"],
            "the Accelerate callback needs accelerate, which is not installed",
        ),
        ("vllm", ["vllm"], "the vLLM worker needs vllm, which is not installed"),
    ],
)
def test_each_callback_says_which_library_it_needs(tmp_path, module, hidden, said):
    """Each is an optional import; the other ones work without it."""
    for name in hidden:
        (tmp_path / name).mkdir()
        (tmp_path / name / "__init__.py").write_text(
            f"raise ModuleNotFoundError('no', name={name!r})"
        )
    wanted = "FicheWorker" if module == "vllm" else "*"
    program = (
        f"try:\n    from fiche.measure.callbacks.{module} import {wanted}\n"
        "except ImportError as error:\n    print(error)"
    )
    if wanted == "*":
        program = program.replace("import *", "import __name__")
    done = subprocess.run(
        [sys.executable, "-c", program],
        env={**os.environ, "PYTHONPATH": str(tmp_path)},
        capture_output=True,
        text=True,
        check=True,
    )
    assert done.stdout == said + "\n"
