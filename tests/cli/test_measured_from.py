"""A case of a fiche becomes a job, and the record of that job covers the case (A1 to A6, C1, C8, DESIGN 4).

No library of models is needed here: a scripted run writes the record with the very words of the workload.
"""

import hashlib
import json

import pytest
from measure.records_of import (
    GENERATION,
    LEARNING,
    QLORA,
    TRAINING,
    fiche_folder,
    loop_of,
    without_libraries,
)

from fiche.cli.compile import compile_fiche
from fiche.cli.measured_from import job_words
from fiche.kernel.diagnostic import Refused

HERE = {"transformers": "5.24.0", "peft": "0.21.2"}.get


def refused(folder, case="limit", candidate="own", versions=HERE):
    with pytest.raises(Refused) as told:
        job_words(folder / "fiche.yaml", case, candidate, versions=versions)
    found = []
    for each in told.value.diagnostics:
        paths = each.message.partition(": ")[0] if each.code == "F531" else each.message.split()[0]
        found += [(each.code, path.rstrip(":")) for path in paths.split(", ")]
    return found


def job_of(folder, case="limit", candidate="own"):
    return job_words(folder / "fiche.yaml", case, candidate, versions=HERE)


def memory_of(folder):
    """The memory finding of the case on the candidate whose machine ran it, and what it leaves open."""
    decision = compile_fiche(folder / "fiche.yaml").decision
    outcome = next(one for one in decision.outcomes if one.candidate.id == "own")
    finding = next(one for one in outcome.findings if one.kind == "memory")
    return finding.verdict.name, [each.text for each in finding.conditions]


# --- From the fiche to the job ------------------------------------------------------------------


def test_a_generation_takes_every_dimension_and_format(tmp_path):
    folder = fiche_folder(tmp_path, GENERATION)
    job = job_of(folder)
    assert job["workload"] == "generation"
    assert job["options"] == {
        "name": "org/tiny",
        "revision": "0123abcd",
        "model": str(folder / "model/config.json"),
        "dtype": "bf16",
        "storage": "bf16",
        "attention": "sdpa",
        "prompt_tokens": 48,
        "new_tokens": 16,
        "sequences": 2,
        "cache": "static",
    }
    assert (job["gpu"], job["machine"], job["case"]) == ("nvidia-rtx-4090-24g", "node-7", "limit")
    assert job["seed"] == 7


def test_an_adaptation_takes_method_optimizer_and_step(tmp_path):
    options = job_of(fiche_folder(tmp_path, LEARNING))["options"]
    told = {name: options[name] for name in options if name not in ("model", "name", "revision")}
    assert told == {
        "operation": "adaptation",
        "method": "lora",
        "lora_rank": 4,
        "lora_targets": "q_proj,v_proj",
        "lora_dropout": "0.05",
        "dtype": "bf16",
        "storage": "bf16",
        "attention": "sdpa",
        "optimizer": "adamw",
        "learning_rate": "2e-4",
        "checkpointing": True,
        "zero_grad": "set_to_none",
        "foreach": "yes",
        "microbatch": 2,
        "accumulation": 4,
        "sequence_tokens": 32,
        "evaluation": True,
        "batch": 3,
        "export": True,
    }


def test_a_base_that_is_packed_names_what_it_is_stored_and_loaded_in(tmp_path):
    """A1: declared in 16 bits, loaded in four."""
    options = job_of(fiche_folder(tmp_path, QLORA))["options"]
    told = ("method", "quantize", "dtype", "storage", "double_quant", "prepare_for_kbit")
    assert [options[name] for name in told] == ["qlora", "nf4", "bf16", "bf16", "yes", "yes"]
    assert options["trainable_parameters"] == 896


def test_a_changed_candidate_is_measured_as_changed(tmp_path):
    """D10: one candidate changes the microbatch, and its job has it."""
    job = job_of(fiche_folder(tmp_path, LEARNING), candidate="smaller")
    assert job["options"]["microbatch"] == 1


def test_without_a_candidate_neither_card_nor_machine_is_claimed(tmp_path):
    job = job_words(fiche_folder(tmp_path, GENERATION) / "fiche.yaml", "limit", versions=HERE)
    assert (job["gpu"], job["machine"]) == ("", "")


def test_settings_of_the_allocator_become_variables_of_the_process(tmp_path):
    """C6: every name under which PyTorch looks; `default` unsets what was inherited."""
    folder = fiche_folder(tmp_path, GENERATION)
    assert set(job_of(folder)["environment_variables"].values()) == {""}
    changed = GENERATION.replace("settings: default", 'settings: "expandable_segments:True"')
    folder = fiche_folder(tmp_path / "other", changed)
    assert job_of(folder)["environment_variables"] == {
        "PYTORCH_ALLOC_CONF": "expandable_segments:True",
        "PYTORCH_CUDA_ALLOC_CONF": "expandable_segments:True",
        "PYTORCH_HIP_ALLOC_CONF": "expandable_segments:True",
    }


def test_a_case_that_asks_for_the_load_loads_what_lies_there(tmp_path):
    """C7: random weights are no load of a checkpoint, and the job says so."""
    text = GENERATION.replace("phases: [prefill, decode]", "phases: [model_load, prefill, decode]")
    folder = fiche_folder(tmp_path, text)
    job = job_of(folder)
    assert "model_load" in job["notes"][0]
    assert "weights" not in job["options"]
    (folder / "model/model.safetensors").write_bytes(b"")
    assert job_of(folder)["options"]["weights"] == "stored"


# --- What is refused ----------------------------------------------------------------------------

CANNOT = [
    ("name: transformers", "name: vllm", "engine.name"),
    ("devices: 1", "devices: 2, split: layers", "placement.devices"),
    ("resident: all", "resident: offload", "placement.resident"),
    ("storage: bf16", "storage: nf4", "formats.storage"),
    ("compute: bf16", "compute: fp16", "formats.compute"),
    ("cache: bf16", "cache: fp8_e4m3", "formats.cache"),
    ("attention: sdpa", "attention: flashinfer", "attention"),
    ("process: one fresh process per series", "process: five loops in one", "process"),
    ("cache_implementation: static", "block_size: 16", "engine.settings.block_size"),
    ("resident_sequences: 2", "resident_sequences: 2, images: 1", "cases.limit.images"),
    ("phases: [prefill, decode]", "phases: [prefill, transfer]", "phase"),
    ("backend: native", "backend: cudaMallocAsync", "allocator.backend"),
]


@pytest.mark.parametrize(("said", "instead", "path"), CANNOT)
def test_what_no_ready_workload_does_is_refused_with_its_place(tmp_path, said, instead, path):
    assert said in GENERATION
    folder = fiche_folder(tmp_path, GENERATION.replace(said, instead))
    assert ("F530", path) in refused(folder)


UNTOLD = [
    ("  attention: sdpa\n", "attention"),
    ("    config: model/config.json\n", "model.config"),
    ("    revision: 0123abcd\n", "model.revision"),
    ("prompt_tokens: 48, ", "cases.limit.prompt_tokens"),
    ("resident_sequences: 2, ", "cases.limit.resident_sequences"),
    (", version: 5.24.0", "engine.version"),
]


@pytest.mark.parametrize(("said", "path"), UNTOLD)
def test_what_is_untold_is_asked_for_and_never_guessed(tmp_path, said, path):
    assert said in GENERATION
    folder = fiche_folder(tmp_path, GENERATION.replace(said, ""))
    assert ("F531", path) in refused(folder)


def test_all_that_a_step_needs_is_asked_for_at_once(tmp_path):
    start = LEARNING.index("  training:")
    end = LEARNING.index("\n", start)
    folder = fiche_folder(tmp_path, LEARNING[:start] + LEARNING[end + 1 :])
    keys = ("autocast", "checkpointing", "foreach", "loss", "zero_grad")
    assert sorted(refused(folder)) == [("F531", f"training.{key}") for key in keys]


LEARNED = [
    ("name: adamw,", "name: muon,", "optimizer.name"),
    ("settings: {lr: 2e-4}", "settings: {lr: 2e-4, amsgrad: yes}", "optimizer.settings.amsgrad"),
    ("loss: full", "loss: fused", "training.loss"),
    ("checkpointing: full", "checkpointing: selective", "training.checkpointing"),
    ("lora_dropout: 0.05", "use_rslora: yes", "method.settings.use_rslora"),
    ("learned: fp32", "learned: fp16", "formats.learned"),
]


@pytest.mark.parametrize(("said", "instead", "path"), LEARNED)
def test_a_step_that_would_be_another_is_refused(tmp_path, said, instead, path):
    assert said in LEARNING
    folder = fiche_folder(tmp_path, LEARNING.replace(said, instead))
    assert ("F530", path) in refused(folder)


def test_another_version_is_refused_before_anything_runs(tmp_path):
    folder = fiche_folder(tmp_path, GENERATION)
    assert refused(folder, versions=lambda name: "5.17.0") == [("F532", "engine.version")]


def test_a_digest_stands_for_a_revision_where_it_is_that_of_the_configuration(tmp_path):
    """A1: what a ready workload reads is one file; no other digest can be vouched for."""
    folder = fiche_folder(tmp_path, GENERATION)
    digest = hashlib.sha256((folder / "model/config.json").read_bytes()).hexdigest()
    text = (folder / "fiche.yaml").read_text()
    for told, faults in (
        (f"sha256:{digest}", []),
        (digest, [("F530", "model.digest")]),
        (f"sha256:{'0' * 64}", [("F530", "model.digest")]),
    ):
        said = text.replace("revision: 0123abcd", f'digest: "{told}"')
        (folder / "fiche.yaml").write_text(said)
        assert ([] if not faults else refused(folder)) == faults
    (folder / "fiche.yaml").write_text(
        text.replace("revision: 0123abcd", f'digest: "sha256:{digest}"')
    )
    assert "revision" not in job_of(folder)["options"]


def test_a_case_or_candidate_that_is_not_there(tmp_path):
    folder = fiche_folder(tmp_path, GENERATION)
    assert refused(folder, case="usual")[0][0] == "F701"
    assert refused(folder, candidate="rented")[0][0] == "F701"


# --- The record that comes of it covers the case ---------------------------------------------------


@pytest.mark.parametrize("text", [GENERATION, LEARNING, QLORA, TRAINING])
def test_the_record_admits_the_case_it_was_made_from(tmp_path, monkeypatch, text):
    """Every strict fact of the neutral policy agrees: nothing is left to confirm but what nobody measured."""
    folder = fiche_folder(tmp_path, text)
    without_libraries(monkeypatch)
    loop_of(job_of(folder), folder / "run.json")
    assert memory_of(folder) == ("ADMISSIBLE", [])


STRICT = [
    ("workload.model.name", "org/another"),
    ("workload.model.revision", "9999"),
    ("workload.operation", "training"),
    ("workload.formats.storage", "fp16"),
    ("workload.formats.loaded", "fp32"),
    ("workload.formats.compute", "fp32"),
    ("workload.engine.name", "vllm"),
    ("workload.engine.version", "5.24.1"),
    ("workload.attention", "eager"),
    ("workload.placement.devices", 2),
    ("workload.placement.resident", "offload"),
    ("environment.allocator.backend", "cudaMallocAsync"),
    ("environment.allocator.settings", "expandable_segments:True"),
    ("environment.backend", "hip"),
    ("series.process.protocol", "five loops in one process"),
    ("gpu", "nvidia-rtx-3090-24g"),
]
OF_GENERATION = [("workload.formats.cache", "fp8_e4m3")]
OF_LEARNING = [
    ("workload.method.kind", "dora"),
    ("workload.method.rank", 8),
    ("workload.method.settings.lora_dropout", "0"),
    ("workload.optimizer.name", "sgd"),
    ("workload.training.checkpointing", "none"),
    ("workload.training.loss", "fused"),
    ("workload.training.zero_grad", "kept"),
    ("workload.training.autocast", "bf16"),
    ("workload.training.foreach", "no"),
]
EVERY = [
    *((GENERATION, path, word) for path, word in (*STRICT, *OF_GENERATION)),
    *((LEARNING, path, word) for path, word in (*STRICT, *OF_LEARNING)),
]


@pytest.mark.parametrize(("text", "path", "word"), EVERY)
def test_one_other_word_leaves_the_case_to_confirm(tmp_path, monkeypatch, text, path, word):
    folder = fiche_folder(tmp_path, text)
    without_libraries(monkeypatch)
    record = loop_of(job_of(folder), folder / "run.json")
    *steps, last = path.split(".")
    place = record
    for step in steps:
        place = place[step]
    assert place[last] != word
    place[last] = word
    (folder / "run.json").write_text(json.dumps(record))
    assert memory_of(folder)[0] == "TO_CONFIRM"


@pytest.mark.parametrize("name", ["prompt_tokens", "new_tokens", "resident_sequences"])
def test_one_token_less_leaves_the_case_to_confirm(tmp_path, monkeypatch, name):
    """D6: only executed dimensions count."""
    folder = fiche_folder(tmp_path, GENERATION)
    without_libraries(monkeypatch)
    record = loop_of(job_of(folder), folder / "run.json")
    record["phases"][0]["executed"][name] -= 1
    (folder / "run.json").write_text(json.dumps(record))
    assert memory_of(folder)[0] == "TO_CONFIRM"


def test_random_weights_leave_the_load_to_confirm(tmp_path, monkeypatch):
    """C7: model_init is not model_load."""
    text = GENERATION.replace("phases: [prefill, decode]", "phases: [model_load, prefill, decode]")
    folder = fiche_folder(tmp_path, text)
    without_libraries(monkeypatch)
    loop_of(job_of(folder), folder / "run.json")
    verdict, conditions = memory_of(folder)
    assert verdict == "TO_CONFIRM"
    assert any("model_load" in text for text in conditions)
