"""Published cases as simulations: what their conditions become, what is refused, and how errors are told."""

import json
from argparse import Namespace
from pathlib import Path

import pytest
import run_cases

ROOT = Path(__file__).parents[1]
TRUTH = ROOT.parent / "shared" / "cases" / "truth" / "peaks.jsonl"

simulate = run_cases.load(run_cases.kinds()["simulate"])
LLAMA = {
    "model_type": "llama",
    "hidden_size": 64,
    "intermediate_size": 128,
    "vocab_size": 256,
    "num_hidden_layers": 2,
    "num_attention_heads": 4,
    "num_key_value_heads": 2,
    "head_dim": 16,
}


def case(conditions, counter="torch.cuda.max_memory_allocated() / 1e9", config=LLAMA, **further):
    expected = {"bytes": 10_000_000, "rounding_half_unit_bytes": 5, "counter": counter}
    expected["unit_meaning"] = "exact"
    named = {"id": "peaks-1", "kind": "peak", "family": "one", "model": "a model"}
    told = {"conditions": conditions, "config": config, "confidence": "high", "expected": expected}
    return {**named, **told, **further}


LITGPT = {
    "framework": "litgpt",
    "method": "LoRA",
    "dtype": "bf16-true",
    "gpu": "1 x A100-40GB",
    "micro_batch_size": 2,
    "longest_sample_tokens": 32,
    "quantization": "None",
}
QWEN = {
    "engine": "transformers 4.46.0, torch 2.3.1",
    "gpu": "A100 80GB",
    "gpus": 1,
    "batch_size": 1,
    "input_tokens": 24,
    "generated_tokens": 8,
    "quantisation": "BF16",
}


def test_a_finetuning_of_litgpt_is_its_longest_sample():
    plan = simulate.planned(case(LITGPT))
    assert plan.make == "litgpt:finetune"
    assert (plan.arguments["rows"], plan.arguments["tokens"]) == (2, 32)
    assert plan.arguments["shape"]["lora_on"] == ("query", "value")
    assert (plan.counter, plan.operation, plan.at_most) == ("allocated", "training", "")


def test_a_length_that_is_only_cut_makes_a_ceiling():
    told = {**LITGPT, "max_seq_len": 512}
    del told["longest_sample_tokens"]
    plan = simulate.planned(case(told))
    assert plan.arguments["tokens"] == 512
    assert "512" in plan.at_most


def test_other_pairs_than_the_defaults_are_not_guessed():
    why = simulate.planned(case({**LITGPT, "trainable_parameters": 7}))
    assert "other matrices" in why


@pytest.mark.parametrize(
    ("words", "packed", "dtype"),
    [
        ("BF16", "", "bf16"),
        ("GPTQ-Int4", "gptq4", "fp16"),
        ("AWQ", "awq", "fp16"),
        ("FP8", "fp8", "bf16"),
    ],
)
def test_a_speed_benchmark_keeps_the_format_of_its_checkpoint(words, packed, dtype):
    plan = simulate.planned(case({**QWEN, "quantisation": words}))
    assert (plan.arguments["packed"], plan.arguments["dtype"]) == (packed, dtype)
    assert (plan.phases, plan.capability) == (("prefill", "decode"), (8, 0))


def test_a_figure_without_its_prefill_is_read_as_one():
    note = "activations of a whole-prompt prefill are not in the figure"
    assert simulate.planned(case(QWEN, notes=note)).phases == ("decode",)


@pytest.mark.parametrize(
    ("changed", "reason"),
    [
        ({"gpus": 2}, "several GPUs"),
        ({"quantisation": "INT3"}, "no kernels"),
        ({"input_tokens": "about 20 words"}, "input length"),
    ],
)
def test_what_is_not_told_is_not_guessed(changed, reason):
    assert reason in simulate.planned(case({**QWEN, **changed}))


def test_another_counter_is_not_torchs():
    assert "counter" in simulate.planned(case(QWEN, counter="VRAM column, counter not stated"))


def test_an_engine_without_a_loop_is_named():
    assert "llm.c" in simulate.planned(case({"framework": "llm.c"}))


def test_a_configuration_that_is_not_whole_is_refused():
    why = simulate.planned(case(QWEN, config={"model_type": "llama", "hidden_size": 64}))
    assert "not shown whole" in why


def test_no_name_of_a_case_decides():
    one, other = case(QWEN), case(QWEN, id="peaks-2", family="two", model="another")
    assert simulate.planned(one).key() == simulate.planned(other).key()


@pytest.mark.parametrize(
    ("num_bytes", "error"),
    [(10_000_004, 0.0), (10_100_005, 0.01), (9_900_000, -0.0099995)],
)
def test_rounding_of_a_printed_figure_is_no_error(num_bytes, error):
    expected = {"bytes": 10_000_000, "rounding_half_unit_bytes": 5}
    assert simulate.signed_error(num_bytes, expected) == pytest.approx(error, abs=1e-7)


def test_the_nearer_reading_of_an_unknown_unit_counts():
    expected = {"bytes": 100, "bytes_if_binary": 107, "rounding_half_unit_bytes": 0}
    assert simulate.signed_error(106, expected) == pytest.approx(-1 / 107)


def outcome(peak):
    return {"phases": [{"name": "prefill", "allocated": {"start": 0, "peak": peak, "end": 0}}]}


def test_a_case_fails_beyond_its_aim_and_passes_within():
    asked = case(QWEN)
    plan = simulate.planned(asked)
    near = simulate.judged(asked, plan, outcome(10_050_000))
    far = simulate.judged(asked, plan, outcome(10_200_000))
    assert near["complaints"] == []
    assert near["said"].startswith("+0.50 % allocated")
    assert far["complaints"][0].startswith("+2.00 %")


def test_a_ceiling_is_held_to_no_aim_and_may_not_be_below():
    told = {**LITGPT, "max_seq_len": 512}
    del told["longest_sample_tokens"]
    asked = case(told)
    plan = simulate.planned(asked)
    assert simulate.judged(asked, plan, outcome(30_000_000))["complaints"] == []
    assert simulate.judged(asked, plan, outcome(9_000_000))["complaints"]


def test_a_child_that_breaks_is_a_complaint():
    asked = case(QWEN)
    broken = simulate.judged(asked, simulate.planned(asked), "RuntimeError: no")
    assert broken["complaints"][0].startswith("broke: ")


def test_under_and_over_estimates_are_told_apart():
    line = simulate.told_errors([-0.02, 0.01, 0.03])
    assert "under 1, median -2.00 %" in line
    assert "over 2, median +2.00 %, worst +3.00 %" in line


def test_every_published_case_has_a_plan_or_a_reason():
    told = [json.loads(line) for line in TRUTH.read_text(encoding="utf-8").splitlines()]
    plans = [
        simulate.planned(one) for one in told if one["kind"] in ("peak", "steady", "component")
    ]
    assert all(plans)
    assert sum(not isinstance(plan, str) for plan in plans) >= 120


@pytest.fixture
def file(tmp_path):
    """Three cases of tiny models, one of them without a loop."""
    lines = [case(LITGPT), case(QWEN, id="peaks-2"), case({"framework": "llm.c"}, id="peaks-3")]
    path = tmp_path / "peaks.jsonl"
    path.write_text("".join(json.dumps(one) + "\n" for one in lines), encoding="utf-8")
    return path


@pytest.mark.torch
def test_a_file_of_cases_is_simulated(file, tmp_path, capsys):
    options = Namespace(only="", limit_seconds=120, processes=2, json=tmp_path / "found.json")
    found = list(simulate.run(file, options))
    assert [name.split()[0] for name, *_ in found] == ["peaks-1", "peaks-2", "peaks-3"]
    written = json.loads(options.json.read_text(encoding="utf-8"))
    assert written[0]["phase"] in ("forward", "loss", "backward")
    # 37,184 values of 2 bytes lie there at least: table, head, and two layers.
    assert written[1]["simulated_bytes"] > 2 * 37_184
    assert found[2][1][0].startswith(simulate.NOT_COVERED)
    assert "2 of 3 simulated" in capsys.readouterr().out


@pytest.mark.torch
def test_a_simulation_over_its_time_is_a_complaint(file):
    options = Namespace(only="peaks-2", limit_seconds=0.01, processes=1, json=None)
    ((_, complaints, _),) = simulate.run(file, options)
    assert complaints[0].endswith("over 0.01 s")
