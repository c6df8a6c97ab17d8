"""Training with real model code on a simulated device: steps, what learns, what fails (B6, C7, D7)."""

import tempfile

import pytest
from measure.records_of import GENERATION, LEARNING, fiche_folder, with_piece
from measure.simulated import MIB
from measure.tiny_models import CONFIGS, SEQ2SEQ, model_folder
from measure.workloads.runs import TEXT, built, failed, last, names, raising, record_of, shape

from fiche.measure.workloads import _language, _library, _steps, training

pytestmark = pytest.mark.torch

ASKED = {"microbatch": 2, "accumulation": 2, "sequence_tokens": 11}
STEP = ["forward", "loss", "backward"] * 2 + ["optimizer_step"]


def training_of(folder, kind="llama", **options):
    return built("training", folder, kind, **{**ASKED, **options})


def refusal(folder, **options):
    with pytest.raises(ValueError, match=r".") as told:
        training_of(folder, **options)
    text = str(told.value)
    assert "\n" not in text
    return text


# --- Phases and dimensions ------------------------------------------------------------------------


def test_the_first_turn_has_a_first_step_then_one_more_then_evaluation_and_export(tmp_path):
    """C7, and states lie beside gradients and activations only from the second step on."""
    workload = training_of(tmp_path, evaluation=True, batch=3, export=True)
    record = record_of(workload, tmp_path / "m.json")
    first = ["model_init", "inputs", "first_step", *STEP, *STEP, "evaluation", "export"]
    assert names(record) == [*first, *STEP, "evaluation"]
    parents = [phase.get("parent") for phase in record["phases"]]
    assert parents == [None, None, None, *[2] * len(STEP), *[None] * (2 * len(STEP) + 3)]


def test_only_the_first_microbatch_of_the_first_step_is_a_first_pass(tmp_path):
    record = record_of(training_of(tmp_path), tmp_path / "m.json", repeats=0)
    firsts = [phase["name"] for phase in record["phases"] if phase["pass"] == "first"]
    assert firsts == [
        *("model_init", "inputs", "first_step"),
        *("forward", "loss", "backward", "optimizer_step"),
    ]


@pytest.mark.parametrize("kind", CONFIGS)
def test_executed_dimensions_are_those_of_tensors(tmp_path, kind):
    record = record_of(training_of(tmp_path, kind), tmp_path / "m.json", repeats=0)
    forward, loss = last(record, "forward"), last(record, "loss")
    rows, tokens = shape(loss, "labels")
    assert (rows, tokens) == (2, 11)
    assert shape(forward, "logits") == [rows, tokens, 99]
    assert forward["executed"]["microbatch"] == rows
    assert forward["executed"]["sequence_tokens"] == tokens
    assert last(record, "optimizer_step")["executed"]["accumulation"] == 2
    assert last(record, "optimizer_step")["output_check"]["passed"] is True
    if kind in SEQ2SEQ:
        assert shape(forward, "input_ids") == [2, 7]
        assert forward["executed"]["encoder_tokens"] == 7


def test_the_whole_loop_of_the_first_turn_covers_all_its_phases(tmp_path):
    """C8."""
    workload = training_of(tmp_path, evaluation=True, batch=3, export=True)
    first, later = record_of(workload, tmp_path / "m.json", "whole_loop")["phases"]
    assert set(first["covers"]) == {
        *("model_init", "inputs", "first_step", "forward", "loss", "backward"),
        *("optimizer_step", "evaluation", "export"),
    }
    assert first["executed"] == {**ASKED, "batch": 3}
    assert set(later["covers"]) == {
        *("forward", "loss", "backward", "optimizer_step"),
        "evaluation",
    }


def test_an_evaluation_has_a_batch_of_its_own_and_no_graph(tmp_path):
    """D7."""
    record = record_of(training_of(tmp_path, evaluation=True, batch=3), tmp_path / "m.json")
    evaluation = last(record, "evaluation")
    assert shape(evaluation, "logits") == [3, 11, 99]
    assert evaluation["executed"] == {"batch": 3, "sequence_tokens": 11}
    assert evaluation["output_check"]["passed"] is True


def test_an_export_is_counted_and_gone(tmp_path, monkeypatch):
    """D7: bytes of the files, and nothing stays behind."""
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path / "scratch"))
    (tmp_path / "scratch").mkdir()
    workload = training_of(tmp_path, export=True)
    record = record_of(workload, tmp_path / "m.json", repeats=0)
    check = last(record, "export")["output_check"]
    stored = sum(each.numel() * 2 for each in workload._steps.learner.model.parameters())
    assert check["passed"] is True
    assert int(check["method"].split()[0]) > stored
    assert list((tmp_path / "scratch").iterdir()) == []


# --- What a step does --------------------------------------------------------------------------------


def layer_calls(workload, tmp_path):
    """How often one layer ran over a first turn: two steps of two microbatches."""
    calls = []
    prepared = workload.prepare

    def watched(rec, place):
        prepared(rec, place)
        layer = workload._steps.learner.model.get_decoder().layers[0]
        layer.self_attn.register_forward_hook(lambda *_: calls.append(1))

    workload.prepare = watched
    record_of(workload, tmp_path / "m.json", repeats=0)
    return len(calls)


def test_checkpointing_runs_each_layer_again_in_the_backward_pass(tmp_path):
    """D7: memory for time."""
    assert layer_calls(training_of(tmp_path), tmp_path) == 4
    (tmp_path / "m.json").unlink()
    assert layer_calls(training_of(tmp_path, checkpointing=True), tmp_path) == 8


def test_a_step_changes_the_weights_and_lets_go_of_gradients(tmp_path):
    workload = training_of(tmp_path, dtype="fp32", learning_rate="0.1")
    before = {}
    prepared = workload.prepare

    def watched(rec, place):
        prepared(rec, place)
        model = workload._steps.learner.model
        before.update({name: each.detach().clone() for name, each in model.named_parameters()})

    workload.prepare = watched
    record_of(workload, tmp_path / "m.json", repeats=0)
    model = workload._steps.learner.model
    assert all(not each.equal(before[name]) for name, each in model.named_parameters())
    assert all(each.grad is None for each in model.parameters())


def test_gradients_that_are_kept_lie_there_between_steps(tmp_path):
    workload = training_of(tmp_path, zero_grad="kept")
    record_of(workload, tmp_path / "m.json", repeats=0)
    assert all(each.grad is not None for each in workload._steps.learner.model.parameters())
    assert workload.words["training"]["zero_grad"] == "kept"


def test_an_accumulated_step_is_the_step_of_one_larger_batch(tmp_path):
    """A2: microbatches are averaged, as one mean over all of them."""
    import torch

    gradients = []
    for microbatch, accumulation in ((4, 1), (2, 2)):
        torch.manual_seed(1)
        workload = training_of(
            tmp_path,
            dtype="fp32",
            microbatch=microbatch,
            accumulation=accumulation,
            zero_grad="kept",
        )
        learner = workload._learner("cpu")
        ids = torch.arange(44).view(4, 11)
        given = {"input_ids": ids[:microbatch], "labels": ids[:microbatch]}
        steps = _steps.Steps(learner, workload.declared, given, {})
        for number in range(accumulation):
            part = ids[number * microbatch : (number + 1) * microbatch]
            steps._trained = {"input_ids": part, "labels": part}
            steps._microbatch(Silent(), number, first=False)
        gradients.append(learner.model.lm_head.weight.grad)
    assert torch.allclose(*gradients, atol=1e-7)


class Silent:
    """A recorder that records nothing."""

    def phase(self, name, **told):
        return self

    def __enter__(self):
        return self

    def __exit__(self, *_):
        return None

    def executed(self, **dimensions):
        pass

    saw = executed


@pytest.mark.parametrize(("cast", "dtype"), [("bf16", "bfloat16"), ("fp16", "float16")])
def test_autocast_computes_in_another_format_than_the_weights(tmp_path, cast, dtype):
    workload = training_of(tmp_path, dtype="fp32", train_dtype=cast)
    record = record_of(workload, tmp_path / "m.json", repeats=0)
    logits = next(seen for seen in last(record, "forward")["tensors"] if seen["name"] == "logits")
    assert logits["dtype"] == dtype
    weights = workload._steps.learner.model.parameters()
    assert {str(each.dtype) for each in weights} == {"torch.float32"}
    assert workload.words["training"]["autocast"] == cast
    assert workload.words["formats"]["compute"] == cast
    assert workload.words["formats"]["loaded"] == "fp32"


STATES = [
    ("adamw", "AdamW", 2, "bfloat16"),
    ("adamw_torch_fused", "AdamW", 2, "bfloat16"),
    ("sgd", "SGD", 0, ""),
    ("adafactor", "Adafactor", 2, "float32"),
]


@pytest.mark.parametrize(("name", "kind", "states", "dtype"), STATES)
def test_an_optimizer_is_the_one_that_its_name_stands_for(tmp_path, name, kind, states, dtype):
    """B6: its states, as they are after a step."""
    workload = training_of(tmp_path, optimizer=name)
    record_of(workload, tmp_path / "m.json", repeats=0)
    optimizer = workload._steps.learner.optimizer
    assert type(optimizer).__name__ == kind
    matrix = workload._steps.learner.model.lm_head.weight
    kept = [
        each
        for each in optimizer.state[matrix].values()
        if getattr(each, "ndim", 0) and each.numel()
    ]
    assert len(kept) == states
    assert {str(each.dtype) for each in kept} <= {f"torch.{dtype}"}


def test_momentum_is_a_state_of_sgd(tmp_path):
    workload = training_of(tmp_path, optimizer="sgd", momentum="0.9")
    record_of(workload, tmp_path / "m.json", repeats=0)
    states = workload._steps.learner.optimizer.state.values()
    assert all(state["momentum_buffer"] is not None for state in states)
    assert workload.words["optimizer"]["settings"]["momentum"] == "0.9"


# --- Adapters -----------------------------------------------------------------------------------------


def test_of_an_adapted_model_the_adapters_alone_learn_and_are_saved(tmp_path):
    """B6: r x (inputs + outputs) of each target; peft keeps them in fp32 beside 16-bit weights."""
    workload = training_of(
        tmp_path, method="lora", lora_rank=4, lora_targets="q_proj,v_proj", export=True
    )
    record = record_of(workload, tmp_path / "m.json", repeats=0)
    learned = 2 * (4 * (32 + 32) + 4 * (32 + 16))
    told = record["workload"]
    assert told["operation"] == "adaptation"
    assert told["method"] == {"kind": "lora", "rank": 4}
    assert told["adapters"]["trainable_parameters"] == learned
    assert told["formats"]["learned"] == "fp32"
    assert told["extensions"] == {"peft": _library.version_of("peft")}
    model = workload._steps.learner.model
    assert sum(each.numel() for each in model.parameters() if each.requires_grad) == learned
    written = int(last(record, "export")["output_check"]["method"].split()[0])
    assert learned * 4 < written < 99 * 32 * 2 * 4


def test_checkpointed_layers_pass_gradients_to_adapters(tmp_path):
    """The second matrix of an adapter starts at zero, and leaves it by a gradient alone."""
    workload = training_of(tmp_path, lora_rank=4, checkpointing=True, learning_rate="0.1")
    record_of(workload, tmp_path / "m.json", repeats=0)
    named = workload._steps.learner.model.named_parameters()
    second = [each for name, each in named if "lora_B" in name]
    assert all(bool(each.abs().sum() > 0) for each in second)


def test_a_count_that_the_fiche_states_is_held_to_what_is_learned(tmp_path):
    workload = training_of(tmp_path, lora_rank=4, lora_targets="q_proj", trainable_parameters=512)
    assert workload.words["method"]["trainable_parameters"] == 512
    assert "512 are learned" in refusal(
        tmp_path, lora_rank=4, lora_targets="q_proj", trainable_parameters=7
    )


# --- Failures are observations --------------------------------------------------------------------------


def failing(workload, phase, error, monkeypatch):
    """Let the work of a phase raise; nothing else is changed."""
    where = {
        "model_init": (_language.LanguageModel, "made"),
        "inputs": (training, "token_ids"),
        "loss": (_steps.Learner, "loss"),
        "backward": (_steps.Steps, "_backward"),
        "optimizer_step": (_steps.Steps, "_update"),
    }
    if phase in where:
        monkeypatch.setattr(*where[phase], raising(error))
        return
    prepared = workload.prepare

    def broken(rec, place):
        prepared(rec, place)
        model = workload._steps.learner.model
        if phase == "export":
            model.save_pretrained = raising(error)
        else:
            wanted = phase == "forward"
            run = model.forward

            def forward(*args, **kwargs):
                if model.training is wanted:
                    raise error
                return run(*args, **kwargs)

            model.forward = forward

    workload.prepare = broken


INSIDE = {"microbatch": 2, "accumulation": 1, "sequence_tokens": 11}
EXECUTED = {
    "model_init": None,
    "inputs": None,
    "forward": INSIDE,
    "loss": INSIDE,
    "backward": INSIDE,
    "optimizer_step": {**INSIDE, "accumulation": 2},
    "evaluation": {"batch": 3, "sequence_tokens": 11},
    "export": None,
}


@pytest.mark.parametrize("phase", EXECUTED)
def test_an_exhausted_device_is_kept_with_its_phase_and_raised_again(tmp_path, monkeypatch, phase):
    """C11, and D7: a failing evaluation is none of the training."""
    import torch

    error = torch.OutOfMemoryError(TEXT)
    workload = training_of(tmp_path, evaluation=True, batch=3, export=True)
    failing(workload, phase, error, monkeypatch)
    record = failed(workload, tmp_path / "m.json", error)
    kept = last(record, phase)
    assert kept["outcome"] == "failure"
    assert kept["error"]["message"] == TEXT
    assert kept.get("executed") == EXECUTED[phase]
    outcomes = {phase["outcome"] for phase in record["phases"] if phase is not kept}
    if phase in ("forward", "loss", "backward", "optimizer_step"):
        step = last(record, "first_step")
        assert step["outcome"] == "failure"
        assert step["executed"] == EXECUTED[phase]
    else:
        assert outcomes <= {"success"}


@pytest.mark.parametrize("phase", EXECUTED)
def test_a_whole_loop_that_fails_names_the_phase_inside(tmp_path, monkeypatch, phase):
    import torch

    error = torch.OutOfMemoryError(TEXT)
    workload = training_of(tmp_path, evaluation=True, batch=3, export=True)
    failing(workload, phase, error, monkeypatch)
    loop = failed(workload, tmp_path / "m.json", error, "whole_loop")["phases"][-1]
    assert loop["outcome"] == "failure"
    assert loop["error"]["extra"] == {"phase": phase}


# --- Refusals ---------------------------------------------------------------------------------------------

MISSING = [
    ({"method": "lora"}, "peft"),
    ({"quantize": "nf4"}, "bitsandbytes"),
    ({"optimizer": "adamw_8bit"}, "bitsandbytes"),
]


@pytest.mark.parametrize(("options", "package"), MISSING)
def test_a_missing_package_is_one_sentence(tmp_path, monkeypatch, options, package):
    there = _library.find_spec
    monkeypatch.setattr(
        _library, "find_spec", lambda name: None if name == package else there(name)
    )
    assert package in refusal(tmp_path, **options)


WRONG = [
    ({"method": "full", "lora_rank": 4}, "lora_rank"),
    ({"method": "lora", "double_quant": "yes"}, "double_quant"),
    ({"lora_targets": "nowhere"}, "nowhere"),
    ({"operation": "training", "lora_rank": 4}, "operation"),
    ({"optimizer": "lion"}, "optimizer"),
    ({"momentum": "0.9"}, "momentum"),
    ({"optimizer": "adafactor", "foreach": "yes"}, "foreach"),
    ({"learning_rate": "fast"}, "learning_rate"),
    ({"loss": "fused"}, "loss"),
    ({"dtype": "fp16", "train_dtype": "bf16"}, "train_dtype"),
    ({"batch": 2}, "batch"),
    ({"sequence_tokens": 1}, "sequence_tokens"),
]


@pytest.mark.parametrize(("options", "word"), WRONG)
def test_what_makes_no_sense_is_one_sentence(tmp_path, options, word):
    assert word in refusal(tmp_path, **options)


def test_layers_that_cannot_be_checkpointed_are_refused(tmp_path):
    model_folder(tmp_path, "xlnet", model_type="xlnet", d_model=32, n_layer=1, n_head=2, d_inner=32)
    with pytest.raises(ValueError, match="no checkpointing"):
        training_of(tmp_path, "xlnet", checkpointing=True)


def test_a_model_that_learns_other_than_announced_is_a_failure(tmp_path, monkeypatch):
    """No record says of a model what it is not."""
    workload = training_of(tmp_path)
    found = training._adapters.learned_of
    monkeypatch.setattr(
        training._adapters, "learned_of", lambda model: found(model.get_input_embeddings())
    )
    with pytest.raises(RuntimeError, match="announced"):
        record_of(workload, tmp_path / "m.json")


# --- From a fiche to a verdict -----------------------------------------------------------------------------


@pytest.mark.parametrize("text", [GENERATION, LEARNING])
def test_the_record_of_a_job_from_a_fiche_admits_its_case(tmp_path, text):
    """C8, DESIGN 4: with the true words of true model code; the device is simulated, and so is its peak."""
    from measure.records_of import watched

    from fiche.cli.compile import compile_fiche
    from fiche.cli.measured_from import job_words
    from fiche.measure.child import merged
    from fiche.measure.protocol.recorder import recorder
    from fiche.measure.protocol.turns import measured
    from fiche.measure.workloads import ready

    text = text.replace("version: 5.24.0", f"version: {_library.version_of('transformers')}")
    folder = fiche_folder(tmp_path, text)
    job = job_words(folder / "fiche.yaml", "limit", "own")
    workload = ready(job["workload"])
    made = workload.build(workload.checked(job["options"]))
    devices = watched()
    prepared = made.prepare

    def prepare(rec, place):
        prepared(rec, place)
        devices.all[0].allocate(9 * 1024 * MIB)

    made.prepare = prepare
    words = merged(made.words, job["words"])
    told = {"case": job["case"], "gpu": job["gpu"], "machine": job["machine"]}
    with recorder(folder / "run.json", device=devices, workload=words, **told) as rec:
        settings = {"warmups": 0, "repeats": 0, "empty_cache": "never"}
        measured(rec, made, ordering="whole_loop", **settings)
    with_piece(folder)
    decision = compile_fiche(folder / "fiche.yaml").decision
    outcome = next(one for one in decision.outcomes if one.candidate.id == "own")
    finding = next(one for one in outcome.findings if one.kind == "memory")
    assert (finding.verdict.name, finding.conditions) == ("ADMISSIBLE", ())
