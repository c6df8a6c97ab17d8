"""Fiches of a tiny model, and records of a scripted loop that bear the words of a ready workload."""

import json
from pathlib import Path

from measure.simulated import MIB, SimulatedDevice, SimulatedDevices
from measure.tiny_models import CONFIGS

from fiche.measure.child import merged
from fiche.measure.protocol.recorder import recorder
from fiche.measure.workloads import _adapters, _caches, _language, _library, ready
from fiche.measure.workloads._configured import Configured

_HEAD = """\
fiche: 1
title: A job from a fiche
date: 2026-11-29
author: A. Martin
workload:
  model:
    name: org/tiny
    revision: 0123abcd
    config: model/config.json
"""
_PIECE = "pieces:\n  - {id: run, file: run.json}\n"
_TAIL = """\
requirements:
  - {id: memory, kind: memory, level: must}
candidates:
  - {id: own, gpu: nvidia-rtx-4090-24g, cards: 1, machine: node-7, other_users: none}
"""
_WHERE = """\
  attention: sdpa
  backend: cuda
  allocator: {backend: native, settings: default}
  process: one fresh process per series
  seed: 7
  placement: {devices: 1, resident: all}
"""
GENERATION = (
    _HEAD
    + """\
  operation: generation
  engine: {name: transformers, version: 5.24.0, settings: {cache_implementation: static}}
  formats: {storage: bf16, loaded: bf16, compute: bf16, cache: bf16}
"""
    + _WHERE
    + """\
  cases:
    - {id: limit, role: limit, prompt_tokens: 48, new_tokens: 16, resident_sequences: 2, concurrent_requests: 9,
       phases: [prefill, decode]}
"""
    + _TAIL
)
LEARNING = (
    _HEAD
    + """\
  operation: adaptation
  method: {kind: lora, rank: 4, targets: [q_proj, v_proj], settings: {lora_dropout: 0.05}}
  optimizer: {name: adamw, settings: {lr: 2e-4}}
  training: {checkpointing: full, loss: full, zero_grad: set_to_none, autocast: none, foreach: yes}
  engine: {name: transformers, version: 5.24.0}
  formats: {storage: bf16, loaded: bf16, compute: bf16, learned: fp32, gradient: fp32, optimizer_state: fp32}
"""
    + _WHERE
    + """\
  cases:
    - {id: limit, role: limit, microbatch: 2, accumulation: 4, sequence_tokens: 32, batch: 3,
       phases: [first_step, forward, loss, backward, optimizer_step, evaluation, export]}
"""
    + _TAIL
    + "  - {id: smaller, baseline: own, change: {cases.limit.microbatch: 1}}\n"
)

QLORA = (
    LEARNING.replace(
        "{kind: lora, rank: 4, targets: [q_proj, v_proj], settings: {lora_dropout: 0.05}}",
        "{kind: qlora, rank: 4, targets: [q_proj], trainable_parameters: 896,"
        " settings: {prepare_for_kbit: yes}}",
    )
    .replace("5.24.0}", "5.24.0, settings: {bnb_4bit_use_double_quant: yes}}")
    .replace("storage: bf16, loaded: bf16", "storage: bf16, loaded: nf4")
)
TRAINING = (
    LEARNING.replace("operation: adaptation", "operation: training")
    .replace(
        "  method: {kind: lora, rank: 4, targets: [q_proj, v_proj], settings: {lora_dropout: 0.05}}\n",
        "",
    )
    .replace("learned: fp32, gradient: fp32, optimizer_state: fp32", "master: none, gradient: bf16")
)


def fiche_folder(folder, text, kind="llama"):
    """A folder with fiche.yaml and its model's config.json; a run adds its record to the pieces."""
    (folder / "model").mkdir(parents=True)
    content = json.dumps({**CONFIGS[kind], "dtype": "bfloat16"})
    (folder / "model/config.json").write_text(content)
    (folder / "fiche.yaml").write_text(text)
    return folder


def with_piece(folder):
    """Add the record, run.json, to the pieces of the fiche."""
    fiche = folder / "fiche.yaml"
    fiche.write_text(fiche.read_text().replace("requirements:", f"{_PIECE}requirements:"))


VERSIONS = {"transformers": "5.24.0", "peft": "0.21.2", "bitsandbytes": "0.50.2"}


def without_libraries(monkeypatch):
    """Words need no weights: the libraries are told of, and not imported."""
    monkeypatch.setattr(_language, "language_model", _language_model)
    monkeypatch.setattr(_library, "version_of", VERSIONS.get)
    monkeypatch.setattr(_library, "peft", lambda: None)
    monkeypatch.setattr(_library, "bitsandbytes", lambda why: None)
    monkeypatch.setattr(_caches, "_try", lambda made, model: None)
    monkeypatch.setattr(
        _adapters, "_learned", lambda made, model: _adapters.Learned(896, ("fp32",))
    )


def _language_model(options):
    path = Path(options["model"])
    found = Configured(None, None, False, path.parent, f"sha256:{'0' * 64}", path.parent.name)
    return _language.LanguageModel(
        configured=found,
        name=options["name"],
        revision=options["revision"],
        stored=False,
        dtype=options["dtype"],
        storage=options["storage"],
        attention=options["attention"],
        takes=frozenset({"cache", "logits_to_keep"}),
        parameters=21_280,
    )


_PHASES = {
    "generation": ("model_init", "inputs", "prefill", "decode"),
    "training": (
        *("model_init", "inputs", "first_step", "forward", "loss", "backward"),
        *("optimizer_step", "evaluation", "export"),
    ),
}


def watched():
    """A device whose process is seen from outside: its use is what it allotted, and nobody else is there."""
    device = SimulatedDevice(0)

    def use():
        used = device.levels[1]
        return {
            "process_device_bytes": (used, "nvml_process_used"),
            "process_device_peak": (used, "nvml_accounting_max_memory_usage"),
            "other_processes_bytes": (0, "nvml_processes"),
        }

    return SimulatedDevices([device], uses={"cuda:0": use})


def loop_of(job, path):
    """Write the record of a whole loop, a first pass, of which every phase took what was declared."""
    workload = ready(job["workload"])
    made = workload.build(workload.checked(job["options"]))
    with_piece(path.parent)
    devices = watched()
    rec = recorder(
        path,
        device=devices,
        workload=merged(made.words, job["words"]),
        case=job["case"],
        gpu=job["gpu"],
        machine=job["machine"],
    )
    with rec, rec.whole_loop("loop", **made.declared):
        devices.all[0].allocate(9 * 1024 * MIB)
        for name in _PHASES[job["workload"]]:
            with rec.phase(name) as phase:
                phase.executed(**made.declared)
    return json.loads(path.read_text())
