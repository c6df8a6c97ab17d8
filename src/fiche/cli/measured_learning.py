"""A training or an adaptation as a job: method, optimizer, formats and phases, as a fiche has them (B6, D7)."""

from __future__ import annotations

from typing import Any

from fiche.cli.measured_setting import PLAIN, attention
from fiche.cli.measured_told import Told
from fiche.kernel.said import tell

_STEP = ("forward", "loss", "backward", "optimizer_step", "first_step")
_PHASES = ("model_load", "model_init", "inputs", *_STEP, "evaluation", "export")
_PACKED = ("nf4", "fp4", "int8")
_OPTIMIZERS = (
    *("adamw", "adamw_torch", "adamw_torch_fused", "adamw_fused"),
    *("sgd", "adafactor", "adamw_8bit", "adamw_bnb_8bit"),
)
# A setting of the method, the option that makes it, and whether memory depends on it.
_SETTINGS = {
    "lora_alpha": "lora_alpha",
    "lora_dropout": "lora_dropout",
    "autocast_adapter_dtype": "autocast_adapter_dtype",
    "prepare_for_kbit": "prepare_for_kbit",
}
_DOUBLE = "engine.settings.bnb_4bit_use_double_quant"
_YES_OR_NO = {"yes": "yes", "true": "yes", "on": "yes", "no": "no", "false": "no", "off": "no"}


def learning(told: Told, options: dict[str, Any], words: dict[str, Any], operation: str) -> None:
    """Fill in options and words; what is wrong is kept with what was told."""
    attention(told, options)
    options["operation"] = operation
    kind = _method(told, options, words) if operation == "adaptation" else "full"
    _formats(told, options, kind)
    _optimizer(told, options)
    _training(told, options)
    _learned(told, options, kind)
    _dimensions(told, options)


def _method(told: Told, options: dict[str, Any], words: dict[str, Any]) -> str:
    kind = told.one_of("method.kind", ("full", "lora", "dora", "qlora"), needed=True)
    options["method"] = kind or "full"
    count = told.count("method.trainable_parameters")
    if count is not None:
        options["trainable_parameters"] = count
    if kind in ("full", ""):
        return kind
    rank = told.count("method.rank")
    if rank is None:
        told.untold("method.rank", "the rank of the adapters")
    options["lora_rank"] = rank
    if not told.workload.method_targets:
        told.untold("method.targets", "the modules that get an adapter")
    options["lora_targets"] = ",".join(told.workload.method_targets)
    if told.workload.modules_to_save:
        options["modules_to_save"] = ",".join(told.workload.modules_to_save)
    _settings(told, options, words, kind)
    return kind


def _settings(told: Told, options: dict[str, Any], words: dict[str, Any], kind: str) -> None:
    """Settings that a fiche states are made so, and repeated as it writes them."""
    if kind == "qlora":
        told.needed("method.settings.prepare_for_kbit", "yes or no")
    kept = {}
    for name, option in _SETTINGS.items():
        stated = told.word(f"method.settings.{name}")
        if not stated:
            continue
        kept[name] = stated
        options[option] = _YES_OR_NO.get(stated.casefold(), stated)
        if name == "lora_alpha":
            options[option] = told.count(f"method.settings.{name}") or 0
    if kept:
        words["method"] = {"settings": kept}


def _formats(told: Told, options: dict[str, Any], kind: str) -> None:
    """What is declared, loaded and computed in; a base of fewer bits is packed by bitsandbytes."""
    storage = told.needed("formats.storage", "the format of the weights")
    loaded = told.word("formats.loaded") or storage
    if kind == "qlora":
        path = "formats.loaded" if told.word("formats.loaded") else "formats.storage"
        if loaded and loaded not in _PACKED:
            why = tell(
                "{key} is {format}, and a qlora of a ready workload loads {known}",
                key=path,
                format=loaded,
                known=", ".join(_PACKED),
            )
            told.cannot(path, why)
        options["quantize"] = loaded
        options["dtype"] = told.one_of("formats.compute", PLAIN, needed=True)
        if storage in PLAIN:
            options["storage"] = storage
        if loaded != "int8":
            double = told.needed(_DOUBLE, "yes or no")
            options["double_quant"] = _YES_OR_NO.get(double.casefold(), double)
        return
    if loaded and loaded not in PLAIN:
        path = "formats.loaded" if told.word("formats.loaded") else "formats.storage"
        why = tell(
            "{key} is {format}, and a {kind} of a ready workload loads {known}",
            key=path,
            format=loaded,
            kind=kind or tell("training"),
            known=", ".join(PLAIN),
        )
        told.cannot(path, why)
    options["dtype"], options["storage"] = loaded, storage


def _optimizer(told: Told, options: dict[str, Any]) -> None:
    name = told.one_of("optimizer.name", _OPTIMIZERS, needed=True)
    options["optimizer"] = name
    for setting in ("lr", "learning_rate"):
        if told.word(f"optimizer.settings.{setting}"):
            options["learning_rate"] = told.word(f"optimizer.settings.{setting}")
    if name == "sgd":
        options["momentum"] = told.needed("optimizer.settings.momentum", "0 for none")


def _training(told: Told, options: dict[str, Any]) -> None:
    """How a step is done: each of these changes what lies in memory, so none is left to a default."""
    checkpointing = told.one_of("training.checkpointing", ("none", "full"), needed=True)
    options["checkpointing"] = checkpointing == "full"
    told.one_of("training.loss", ("full",), needed=True)
    told.one_of("engine.settings.use_reentrant", ("no", "false"))
    options["zero_grad"] = told.one_of("training.zero_grad", ("set_to_none", "kept"), needed=True)
    options["foreach"] = told.one_of("training.foreach", ("yes", "no"), needed=True)
    cast = told.one_of("training.autocast", ("none", "bf16", "fp16"), needed=True)
    dtype = options.get("dtype", "")
    if cast not in ("", "none"):
        options["train_dtype"] = cast
        if cast == dtype:
            why = tell("training.autocast is {cast}, and so are the weights", cast=cast)
            told.cannot("training.autocast", why)
    computed = cast if cast not in ("", "none") else dtype
    if computed and "quantize" not in options:
        told.one_of("formats.compute", (computed,))


def _learned(told: Told, options: dict[str, Any], kind: str) -> None:
    """Formats of what is learned: as the libraries make them, or refused."""
    dtype = options.get("dtype", "")
    adapts = kind in ("lora", "dora", "qlora")
    if adapts and told.word("formats.learned") == dtype != "fp32":
        options.setdefault("autocast_adapter_dtype", "no")
    wide = adapts and options.get("autocast_adapter_dtype", "yes") == "yes"
    learned = "fp32" if wide or options.get("quantize") == "int8" else dtype
    states = {"adafactor": "fp32", "adamw_8bit": "int8", "adamw_bnb_8bit": "int8"}
    if learned:
        told.one_of("formats.learned", (learned,))
        told.one_of("formats.gradient", (learned,))
        told.one_of("formats.optimizer_state", (states.get(options["optimizer"], learned),))


def _dimensions(told: Told, options: dict[str, Any]) -> None:
    for name in ("microbatch", "accumulation", "sequence_tokens"):
        options[name] = told.needed_dimension(name)
    model = told.workload.model
    config = None if model is None else model.config
    if config is not None and config.flag("is_encoder_decoder"):
        options["encoder_tokens"] = told.needed_dimension("encoder_tokens")
    batch = told.dimension("batch")
    if "evaluation" in told.case.phases or batch is not None:
        options["evaluation"] = True
        options["batch"] = batch or told.needed_dimension("batch")
    options["export"] = "export" in told.case.phases
    for phase in told.case.phases:
        if phase not in _PHASES:
            why = tell("phase {phase} is none of a training with a ready workload", phase=phase)
            told.cannot(f"phase {phase}", why)
