"""The runner of published weights: what it passes, what it refuses to judge, and what it catches."""

import json
import subprocess
import sys
from pathlib import Path

import pytest
import run_cases

ROOT = Path(__file__).parents[1]
TRUTH = ROOT.parent / "shared" / "cases" / "truth" / "weights.jsonl"

weights = run_cases.load(run_cases.kinds()["weights"])

LLAMA = {
    "model_type": "llama",
    "hidden_size": 64,
    "intermediate_size": 128,
    "num_hidden_layers": 2,
    "num_attention_heads": 4,
    "num_key_value_heads": 2,
    "vocab_size": 100,
    "tie_word_embeddings": True,
}
# embedding 100 x 64; a layer: q and o 64 x 64, k and v 32 x 64, three of 128 x 64, two norms; a last norm
VALUES = 6400 + 2 * (2 * 4096 + 2 * 2048 + 3 * 8192 + 128) + 64


def case(kind="param_count", config=LLAMA, **expected):
    exact = {"rounding_half_unit_bytes": 0, "params": VALUES, "bytes": 2 * VALUES}
    return {
        "id": "own-1",
        "kind": kind,
        "model": "own",
        "config": config,
        "conditions": {},
        "expected": {**exact, **expected},
    }


def judged(one):
    _, complaints, said = weights.judged(one)
    return complaints, said


def test_the_worked_cases_lie_beside_the_project():
    assert TRUTH.is_file()
    assert len(TRUTH.read_text(encoding="utf-8").splitlines()) >= 70


@pytest.mark.parametrize(
    "line", TRUTH.read_text(encoding="utf-8").splitlines() if TRUTH.is_file() else []
)
def test_a_published_figure_is_met_or_not_judged(line):
    one = json.loads(line)
    complaints, _ = judged(one)
    assert [each for each in complaints if not each.startswith(weights.NOT_COVERED)] == []


def test_what_cannot_be_judged_is_few_and_says_why():
    """A case that names its fields is judged: silence is no pass."""
    left = []
    for line in TRUTH.read_text(encoding="utf-8").splitlines():
        one = json.loads(line)
        complaints, _ = judged(one)
        if complaints and len(one["config"]) > 2 and "model_type" in one["config"]:
            left.append((one["id"], complaints[0]))
    assert [each for each in left if "types by tensor are not given" not in each[1]] == []


def test_an_exact_count_passes_and_one_value_more_does_not():
    assert judged(case()) == ([], "as loaded")
    complaints, _ = judged(case(params=VALUES + 1, bytes=2 * VALUES + 2))
    assert complaints == [f"{VALUES} values, published {VALUES + 1} (+1)"]


def test_a_stored_copy_of_a_tied_head_is_told_apart():
    complaints, said = judged(case(params=VALUES + 6400, bytes=2 * (VALUES + 6400)))
    assert complaints == []
    assert "6400 of the head's own copy of the embedding" in said


def test_bytes_that_the_count_does_not_make_are_a_complaint():
    complaints, _ = judged(case(bytes=2 * VALUES + 1))
    assert complaints == [f"bytes: {2 * VALUES}, published {2 * VALUES + 1} (+1)"]


def test_int64_buffers_are_beside_the_values():
    one = case("tensor_bytes", bytes=4 * VALUES + 80)
    one["conditions"] = {"dtype": "F32", "extra_int64_elements": 10}
    assert judged(one) == ([], "as loaded, and 10 int64")


def test_a_file_holds_its_tensors_and_not_much_more():
    file = {"params": None, "bytes": 2 * VALUES + 900}
    assert judged(case("file_bytes", **file))[0] == []
    assert judged(case("file_bytes", **{**file, "bytes": 2 * VALUES - 1}))[0] != []
    assert judged(case("file_bytes", **{**file, "bytes": 3 * VALUES}))[0] != []


def test_what_an_engine_prints_is_not_below_the_parameters():
    one = case("loaded_memory", bytes=2 * VALUES + 2**20, rounding_half_unit_bytes=100)
    one["conditions"] = {"engine": "vLLM", "dtype": "bfloat16", "tensor_parallel": 1}
    assert judged(one)[0] == []
    one["expected"]["bytes"] = VALUES
    assert judged(one)[0] != []


def test_types_by_count_bound_a_printed_size():
    config = {"arch": "llama", "n_layer": 2, "n_embd": 64, "n_ff": 128, "n_head": 4}
    config |= {"n_head_kv": 2, "n_embd_head_k": 16, "n_vocab": 100}
    matrices = VALUES - 5 * 64
    one = case("gguf_log_size", config=config, bytes=5 * 64 * 4 + matrices * 34 // 32)
    one["conditions"] = {"tensor_types": {"f32": 5, "q8_0": 15}}
    assert judged(one)[0] == []
    one["conditions"] = {"tensor_types": {"f32": 5, "q4_0": 15}}
    assert judged(one)[0] != []
    one["conditions"] = {"tensor_types": {"f32": 5, "q8_0": 3}}
    assert "not covered: other tensors in the file: 5 vectors" in judged(one)[0][0]


@pytest.mark.parametrize(
    ("one", "why"),
    [
        (case(config={"image_size": 224}), "names no model type"),
        (case(config={"model_type": "clip", "note": "ViT-B/32"}), "gives no fields (ViT-B/32)"),
        (case(config={**LLAMA, "model_type": "none such"}), "no family knows"),
        (case("gguf_file_bytes", config={}), "no configuration"),
        (case("gguf_log_size", config=LLAMA), "types by tensor are not given"),
    ],
)
def test_what_cannot_be_judged_says_why(one, why):
    ((complaint,), _) = judged(one)
    assert complaint.startswith("not covered: ")
    assert why in complaint


def test_it_runs_a_file_or_a_folder_on_its_own(tmp_path):
    lines = [case(), case(params=1), case(config={"a": 1})]
    file = tmp_path / "weights.jsonl"
    file.write_text("\n".join(map(json.dumps, lines)) + "\n", encoding="utf-8")
    command = [sys.executable, ROOT / "tests" / "run_cases.py", "weights"]
    for path in (file, tmp_path):
        ended = subprocess.run([*command, path], capture_output=True, text=True, check=False)
        assert ended.returncode == 1
        assert ended.stdout.splitlines()[0] == "passed own-1 (param_count, own): as loaded"
        assert ended.stdout.splitlines()[-1] == "1 passed, 1 failed, 1 not covered"
