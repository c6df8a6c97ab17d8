"""Generation with real model code on a simulated device: the order of phases, what was executed (C1, C7)."""

import itertools
import json
import socket
import subprocess
import sys
from pathlib import Path

import pytest
from measure.tiny_models import CONFIGS, SEQ2SEQ, model_folder
from measure.workloads.runs import TEXT, built, failed, last, names, raising, record_of, shape

from fiche.measure.workloads import _caches, _continued, _language, _library, generation

pytestmark = pytest.mark.torch

ASKED = {"prompt_tokens": 12, "new_tokens": 5, "sequences": 3}


def generation_of(folder, kind="llama", **options):
    return built("generation", folder, kind, **{**ASKED, **options})


def refusal(folder, kind="llama", **options):
    with pytest.raises(ValueError, match=r".") as told:
        generation_of(folder, kind, **options)
    text = str(told.value)
    assert "\n" not in text
    return text


# --- Phases and dimensions ------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("kind", "cache"), [(kind, cache) for kind in CONFIGS for cache in ("dynamic", "static")]
)
def test_phases_come_in_order_and_dimensions_are_those_of_tensors(tmp_path, kind, cache):
    workload = generation_of(tmp_path, kind, cache=cache)
    record = record_of(workload, tmp_path / "m.json")
    turn = ["encoder", "prefill", "decode"] if kind in SEQ2SEQ else ["prefill", "decode"]
    assert names(record) == ["model_init", "inputs", *turn, *turn]
    prefill, decode = last(record, "prefill"), last(record, "decode")
    rows, tokens = shape(prefill, "input_ids")
    assert (rows, tokens) == (3, 12)
    assert prefill["executed"]["prompt_tokens"] == tokens
    assert prefill["executed"]["resident_sequences"] == rows
    assert shape(decode, "input_ids") == [3, 1]
    assert shape(decode, "logits") == [3, 99]
    assert decode["executed"]["new_tokens"] == 5
    assert decode["output_check"]["passed"] is True
    if kind in SEQ2SEQ:
        assert shape(last(record, "encoder"), "input_ids") == [3, 7]
        assert decode["executed"]["encoder_tokens"] == 7


def test_the_first_turn_is_a_first_pass_and_all_others_are_later(tmp_path):
    """C7."""
    record = record_of(generation_of(tmp_path), tmp_path / "m.json", warmups=1, repeats=1)
    passes = [phase["pass"] for phase in record["phases"] if phase["name"] == "decode"]
    assert passes == ["first", "later", "later"]


def test_the_whole_loop_covers_its_phases_and_no_load_of_a_checkpoint(tmp_path):
    """C8: one un-phased run; random weights are initialised, not loaded."""
    record = record_of(generation_of(tmp_path), tmp_path / "m.json", "whole_loop")
    first, later = record["phases"]
    assert first["covers"] == ["model_init", "inputs", "prefill", "decode"]
    assert later["covers"] == ["prefill", "decode"]
    executed = {"prompt_tokens": 12, "new_tokens": 5, "resident_sequences": 3}
    assert first["executed"] == later["executed"] == executed
    assert record["workload"]["weights"] == "random"


def test_weights_beside_the_configuration_are_loaded_as_a_checkpoint(tmp_path):
    workload = generation_of(tmp_path)
    workload.language.random("cpu").save_pretrained(tmp_path / "tiny-llama")
    record = record_of(generation_of(tmp_path, weights="stored"), tmp_path / "m.json", "whole_loop")
    assert record["phases"][0]["covers"][0] == "model_load"
    assert record["workload"]["weights"] == "stored"


def test_the_record_says_what_ran_in_the_words_of_a_fiche(tmp_path):
    words = generation_of(tmp_path, cache="static", attention="eager").words
    assert words["formats"] == dict.fromkeys(("storage", "loaded", "compute", "cache"), "bf16")
    assert words["engine"]["settings"]["cache_implementation"] == "static"
    assert words["engine"]["settings"]["max_cache_len"] == 17
    assert words["attention"] == "eager"
    assert words["model"]["name"] == "tiny-llama"
    assert words["model"]["digest"].startswith("sha256:")
    embeddings, layers = 2 * 99 * 32, 2 * (2 * 32 * 32 + 2 * 16 * 32 + 3 * 64 * 32 + 2 * 32)
    assert words["model"]["parameters"] == embeddings + layers + 32


def test_a_format_may_have_pytorchs_name(tmp_path):
    assert generation_of(tmp_path, dtype="bfloat16").words["formats"]["loaded"] == "bf16"


def test_further_dimensions_of_a_case_are_executed_too(tmp_path):
    record = record_of(generation_of(tmp_path, batch=3, context_tokens=17), tmp_path / "m.json")
    executed = last(record, "decode")["executed"]
    assert (executed["batch"], executed["context_tokens"]) == (3, 17)


# --- It is what the library does --------------------------------------------------------------------


@pytest.mark.parametrize("kind", ["llama", "gemma3", "gpt2", "mamba"])
@pytest.mark.parametrize("cache", ["dynamic", "static"])
def test_tokens_are_those_of_the_librarys_own_generate(tmp_path, kind, cache):
    import torch

    workload = generation_of(tmp_path, kind, cache=cache, dtype="fp32")
    record_of(workload, tmp_path / "m.json", repeats=0)
    given = {
        **workload._ids,
        "do_sample": False,
        "max_new_tokens": 6,
    }
    workload._model.generation_config.eos_token_id = None  # random weights may say it at any time
    told = workload._model.generate(**given, use_cache=True)
    passed = _continued.Continued(workload, workload._model, workload._ids, Later())
    mine = []
    passed._phase = lambda rec, name, check=None: Phase()
    with torch.no_grad():
        passed.prefill(None)
        mine.append(passed._token)
        mask = workload._ids["attention_mask"]
        for _ in range(5):
            mask = _continued._longer(mask)
            passed._next(passed._token, mask)
            mine.append(passed._token)
    assert torch.equal(torch.cat(mine, dim=1), told[:, 12:])


class Later:
    kind = "repeat"


class Phase:
    def __enter__(self):
        return self

    def __exit__(self, *_):
        return None

    def executed(self, **dimensions):
        pass

    saw = executed

    def result(self, value):
        pass


@pytest.mark.parametrize("kind", ["llama", "qwen3", "t5"])
def test_the_cache_ends_with_prompt_and_new_tokens_together(tmp_path, monkeypatch, kind):
    made = []
    fresh = generation._caches.Caches.fresh

    def keeping(*args):
        made.append(fresh(*args))
        return made[-1]

    monkeypatch.setattr(generation._caches.Caches, "fresh", keeping)
    workload = generation_of(tmp_path, kind)
    made.clear()
    record_of(workload, tmp_path / "m.json", repeats=0)
    assert [cache.get_seq_length() for cache in made] == [17]


def test_sliding_layers_hold_their_window_once_they_decode(tmp_path, monkeypatch):
    made = []
    fresh = generation._caches.Caches.fresh
    monkeypatch.setattr(
        generation._caches.Caches, "fresh", lambda *args: made.append(fresh(*args)) or made[-1]
    )
    record_of(generation_of(tmp_path, "gemma3"), tmp_path / "m.json", repeats=0)
    sliding, full = made[-1].layers
    assert (sliding.keys.shape[-2], full.keys.shape[-2]) == (7, 17)


@pytest.mark.parametrize("kind", CONFIGS)
@pytest.mark.parametrize("cache", ["dynamic", "static"])
def test_a_cache_is_told_empty_until_tokens_came(tmp_path, monkeypatch, kind, cache):
    workload = generation_of(tmp_path, kind, cache=cache)
    fresh = workload.caches.fresh(workload.language, 7)
    assert not _caches.holds(fresh)
    kept = []
    monkeypatch.setattr(_caches.Caches, "fresh", lambda *args: kept.append(fresh) or fresh)
    record_of(workload, tmp_path / "m.json", repeats=0)
    assert _caches.holds(kept[0])


def test_a_model_that_keeps_no_token_does_not_continue_text(tmp_path, monkeypatch):
    """No step of one token without those before it passes for a decode."""
    monkeypatch.setattr(_caches, "holds", lambda cache: False)
    with pytest.raises(RuntimeError, match="kept no token"):
        record_of(generation_of(tmp_path), tmp_path / "m.json")
    kept = json.loads((tmp_path / "m.json").read_text())["phases"][-1]
    assert (kept["name"], kept["outcome"]) == ("prefill", "failure")


def test_a_quantised_cache_says_its_format_and_settings(tmp_path):
    workload = generation_of(tmp_path, cache="quantized", cache_backend="fp8")
    record = record_of(workload, tmp_path / "m.json")
    assert record["workload"]["formats"]["cache"] == "fp8_e4m3"
    assert record["workload"]["engine"]["settings"]["backend"] == "fp8"
    assert last(record, "decode")["output_check"]["passed"] is True


def test_weights_are_made_in_their_format_where_they_stay(tmp_path):
    """No tensor of another format is as large as a matrix of the model, at any moment."""
    from torch.utils._python_dispatch import TorchDispatchMode

    seen = []

    class Watching(TorchDispatchMode):
        def __torch_dispatch__(self, function, types, args=(), kwargs=None):
            made = function(*args, **(kwargs or {}))
            if hasattr(made, "dtype"):
                seen.append((str(made.dtype), made.numel()))
            return made

    workload = generation_of(tmp_path)
    with Watching():
        model = workload.language.random("cpu")
    assert max(size for dtype, size in seen if dtype == "torch.bfloat16") == 99 * 32
    assert max((size for dtype, size in seen if dtype == "torch.float32"), default=0) < 32 * 16
    assert {str(each.dtype) for each in model.parameters()} == {"torch.bfloat16"}


def test_nothing_is_fetched(tmp_path, monkeypatch):
    """C10."""
    monkeypatch.setattr(socket.socket, "connect", raising(AssertionError("a connection was tried")))
    record_of(generation_of(tmp_path), tmp_path / "m.json")


def test_numbers_that_are_no_numbers_are_told(tmp_path):
    """C14."""
    import torch

    workload = generation_of(tmp_path)
    prepared = workload.prepare

    def broken(rec, place):
        prepared(rec, place)
        with torch.no_grad():
            workload._model.lm_head.weight.fill_(float("nan"))

    workload.prepare = broken
    record = record_of(workload, tmp_path / "m.json")
    assert last(record, "decode")["output_check"]["passed"] is False


def test_a_second_process_executes_the_same(tmp_path):
    """C7: two fresh processes of one job."""
    model = model_folder(tmp_path, "llama")
    code = (
        "import sys; from pathlib import Path; sys.path.insert(0, sys.argv[1])\n"
        "from measure.workloads.runs import built, record_of\n"
        "made = built('generation', Path(sys.argv[2]), prompt_tokens=9, new_tokens=3, sequences=2)\n"
        "record_of(made, Path(sys.argv[3]))\n"
    )
    tests = str(Path(__file__).parents[2])
    told = []
    for name in ("one.json", "two.json"):
        command = [sys.executable, "-c", code, tests, str(model.parent), str(tmp_path / name)]
        subprocess.run(command, check=True, capture_output=True)
        record = json.loads((tmp_path / name).read_text())
        kept = ("name", "pass", "executed", "declared", "tensors", "outcome")
        told.append([{key: phase.get(key) for key in kept} for phase in record["phases"]])
    assert told[0] == told[1]


# --- Failures are observations -------------------------------------------------------------------


def failing(workload, phase, error, monkeypatch):
    """Let the work of a phase raise; nothing else is changed."""
    if phase == "model_init":
        monkeypatch.setattr(_language.LanguageModel, "made", raising(error))
    elif phase == "inputs":
        monkeypatch.setattr(generation, "token_ids", raising(error))
    else:
        calls = itertools.count()
        step = {"prefill": 0, "decode": 2}[phase]
        run = _continued.Continued._next

        def next_(self, ids, mask):
            if next(calls) == step:
                raise error
            return run(self, ids, mask)

        monkeypatch.setattr(_continued.Continued, "_next", next_)


EXECUTED = {
    "model_init": None,
    "inputs": None,
    "prefill": {"resident_sequences": 3, "prompt_tokens": 12, "new_tokens": 0},
    "decode": {"resident_sequences": 3, "prompt_tokens": 12, "new_tokens": 2},
}


@pytest.mark.parametrize("phase", EXECUTED)
def test_an_exhausted_device_is_kept_with_its_phase_and_raised_again(tmp_path, monkeypatch, phase):
    """C11: a failed step counts as attempted; what was not reached is not claimed."""
    import torch

    error = torch.OutOfMemoryError(TEXT)
    workload = generation_of(tmp_path)
    failing(workload, phase, error, monkeypatch)
    record = failed(workload, tmp_path / "m.json", error)
    kept = record["phases"][-1]
    assert (kept["name"], kept["outcome"]) == (phase, "failure")
    assert kept["error"]["message"] == TEXT
    assert kept.get("executed") == EXECUTED[phase]


def test_a_static_cache_that_fails_had_room_for_all_its_tokens(tmp_path, monkeypatch):
    """C11: the memory was asked for at the first token, so the failure speaks of no smaller load."""
    import torch

    error = torch.OutOfMemoryError(TEXT)
    workload = generation_of(tmp_path, cache="static")
    failing(workload, "prefill", error, monkeypatch)
    record = failed(workload, tmp_path / "m.json", error)
    assert record["phases"][-1]["executed"]["new_tokens"] == 5


def test_a_failing_encoder_is_told_as_one(tmp_path, monkeypatch):
    import torch

    error = torch.OutOfMemoryError(TEXT)
    workload = generation_of(tmp_path, "t5")
    prepared = workload.prepare

    def broken(rec, place):
        prepared(rec, place)
        workload._model.get_encoder().forward = raising(error)

    workload.prepare = broken
    kept = failed(workload, tmp_path / "m.json", error)["phases"][-1]
    assert (kept["name"], kept["outcome"]) == ("encoder", "failure")
    executed = {"resident_sequences": 3, "prompt_tokens": 12, "encoder_tokens": 7}
    assert kept["executed"] == {**executed, "new_tokens": 0}


@pytest.mark.parametrize("phase", EXECUTED)
def test_a_whole_loop_that_fails_names_the_phase_inside(tmp_path, monkeypatch, phase):
    import torch

    error = torch.OutOfMemoryError(TEXT)
    workload = generation_of(tmp_path)
    failing(workload, phase, error, monkeypatch)
    loop = failed(workload, tmp_path / "m.json", error, "whole_loop")["phases"][-1]
    assert loop["error"]["extra"] == {"phase": phase}
    assert loop.get("executed") == EXECUTED[phase]


# --- Refusals --------------------------------------------------------------------------------------


def test_a_model_that_the_library_has_not_is_refused_with_its_version(tmp_path):
    model_folder(tmp_path, "new", model_type="not-yet-invented", auto_map={"AutoConfig": "a.B"})
    text = refusal(tmp_path, "new")
    assert _library.version_of("transformers") in text
    assert "'not-yet-invented'" in text
    assert "never run" in text


def test_known_code_is_preferred_to_what_a_model_brings_along(tmp_path):
    model_folder(tmp_path, "llama", auto_map={"AutoModelForCausalLM": "evil.Model"})
    assert generation_of(tmp_path).language.configured.config.model_type == "llama"


def test_files_that_are_no_configuration_are_refused(tmp_path):
    folder = tmp_path / "tiny-llama"
    folder.mkdir()
    assert "cannot be read" in refusal(tmp_path)
    (folder / "config.json").write_text("{")
    assert "not JSON" in refusal(tmp_path)
    (folder / "config.json").write_text("[]")
    assert "not a JSON object" in refusal(tmp_path)
    (folder / "config.json").write_text("{}")
    assert "has no model of type" in refusal(tmp_path)


def test_models_of_another_kind_are_refused(tmp_path):
    model_folder(tmp_path, "ears", model_type="wav2vec2")
    assert "fiche.recorder" in refusal(tmp_path, "ears")
    model_folder(tmp_path, "packed", **CONFIGS["llama"], quantization_config={"bits": 4})
    assert "quantised" in refusal(tmp_path, "packed")


def test_what_is_not_installed_is_refused_by_name(tmp_path, monkeypatch):
    monkeypatch.setattr(_library, "find_spec", lambda name: None if name != "torch" else name)
    model_folder(tmp_path, "llama")
    assert "transformers is not installed" in refusal(tmp_path)


MISSING = [
    ({"attention": "flash_attention_2"}, "flash_attn"),
    ({"cache": "quantized", "cache_backend": "quanto"}, "optimum"),
    ({"cache": "quantized", "cache_backend": "hqq"}, "hqq"),
]


@pytest.mark.parametrize(("options", "package"), MISSING)
def test_a_missing_package_is_one_sentence(tmp_path, monkeypatch, options, package):
    there = _library.find_spec
    monkeypatch.setattr(
        _library, "find_spec", lambda name: None if name == package else there(name)
    )
    assert package in refusal(tmp_path, **options)


WRONG = [
    ({"attention": "kernels-community/flash-attn"}, "attention"),
    ({"dtype": "nf4"}, "dtype"),
    ({"cache": "paged"}, "cache"),
    ({"cache_bits": 4}, "cache_bits"),
    ({"max_cache_len": 8, "cache": "static"}, "max_cache_len"),
    ({"prompt_tokens": 0}, "prompt_tokens"),
    ({"encoder_tokens": 4}, "encoder_tokens"),
    ({"batch": 5}, "batch"),
    ({"weights": "stored"}, ".safetensors"),
    ({"weights": "downloaded"}, "weights"),
]


@pytest.mark.parametrize(("options", "word"), WRONG)
def test_what_makes_no_sense_is_one_sentence(tmp_path, options, word):
    assert word in refusal(tmp_path, **options)


def test_attention_that_a_model_has_not_is_refused_and_never_replaced(tmp_path):
    assert "transformers" in refusal(tmp_path, "mamba", attention="sdpa")


def test_a_model_with_a_state_of_its_own_is_refused(tmp_path):
    model_folder(tmp_path, "rwkv", model_type="rwkv", hidden_size=32, num_hidden_layers=1)
    assert "no cache of transformers" in refusal(tmp_path, "rwkv")


def test_a_model_with_an_encoder_quantises_no_cache(tmp_path):
    assert "encoder" in refusal(tmp_path, "t5", cache="quantized", cache_backend="fp8")
