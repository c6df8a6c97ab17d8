"""What a training learns: the whole model, or low-rank adapters that peft adds to it (B6)."""

from __future__ import annotations

import inspect
import warnings
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

from fiche.measure.workloads import _library, _quantised
from fiche.measure.workloads._language import LanguageModel, skeleton_of
from fiche.measure.workloads._wanted import choice, count, dtype_word, number, words

OPTIONS: Mapping[str, type] = {
    "method": str,
    "lora_rank": int,
    "lora_targets": str,
    "modules_to_save": str,
    "lora_alpha": int,
    "lora_dropout": str,
    "autocast_adapter_dtype": str,
    "prepare_for_kbit": str,
    "quantize": str,
    "double_quant": str,
    "trainable_parameters": int,
}
ALL_LINEAR = "all-linear"


@dataclass(frozen=True)
class Learned:
    """How many values are learned, and the fiche's words for their formats."""

    count: int
    formats: tuple[str, ...]


@dataclass(frozen=True)
class Method:
    """How a model is adapted: `full`, `lora`, `dora` or `qlora`."""

    kind: str
    rank: int
    alpha: int
    dropout: tuple[str, float]
    targets: tuple[str, ...]
    saved: tuple[str, ...]
    wide: bool
    prepared: bool
    base: _quantised.Base | None
    stated: bool
    learned: Learned = Learned(0, ())

    @property
    def adapts(self) -> bool:
        """True where the base stays as it is and adapters are learned."""
        return self.kind != "full"

    def words(self) -> dict[str, Any]:
        """What decides memory, as a fiche's `method` has it; a fiche names targets in a list."""
        count = {"trainable_parameters": self.learned.count} if self.stated else {}
        rank = {"rank": self.rank} if self.adapts else {}
        return {"kind": self.kind, **rank, **count}

    def beside(self) -> dict[str, Any]:
        """The rest, in words of its own."""
        if not self.adapts:
            return {}
        told: dict[str, Any] = {
            "trainable_parameters": self.learned.count,
            "targets": ",".join(self.targets),
            "lora_alpha": self.alpha,
            "lora_dropout": self.dropout[0],
            "autocast_adapter_dtype": "yes" if self.wide else "no",
        }
        if self.saved:
            told["modules_to_save"] = ",".join(self.saved)
        if self.base is not None:
            told["prepare_for_kbit"] = "yes" if self.prepared else "no"
        return told

    def applied(self, model: Any) -> Any:
        """The model with its adapters, in the formats that peft gives them."""
        peft = _library.peft()
        if self.base is not None and self.prepared:
            _prepare(peft, model)
        settings = peft.LoraConfig(
            task_type="SEQ_2_SEQ_LM" if model.config.is_encoder_decoder else "CAUSAL_LM",
            r=self.rank,
            lora_alpha=self.alpha,
            lora_dropout=self.dropout[1],
            target_modules=ALL_LINEAR if self.targets == (ALL_LINEAR,) else list(self.targets),
            modules_to_save=list(self.saved) or None,
            use_dora=self.kind == "dora",
        )
        with warnings.catch_warnings():
            # peft asks transformers under names that are on their way out.
            warnings.simplefilter("ignore", FutureWarning)
            return peft.get_peft_model(model, settings, autocast_adapter_dtype=self.wide)


def method(options: Mapping[str, Any], model: LanguageModel) -> Method:
    """How options say that the model is adapted.

    Raises:
        ValueError: it cannot be; one sentence.
    """
    kind = choice(options, "method", (_meant(options), "full", "lora", "dora", "qlora"))
    _check_asked(options, kind)
    rank = count(options, "lora_rank", 8)
    made = Method(
        kind=kind,
        rank=rank,
        alpha=count(options, "lora_alpha", 2 * rank),
        dropout=number(options, "lora_dropout", "0"),
        targets=words(options, "lora_targets") or (ALL_LINEAR,),
        saved=words(options, "modules_to_save"),
        wide=choice(options, "autocast_adapter_dtype", ("yes", "no")) == "yes",
        prepared=choice(options, "prepare_for_kbit", ("yes", "no")) == "yes",
        base=_quantised.base(options, model) if kind == "qlora" else None,
        stated="trainable_parameters" in options,
    )
    if made.adapts:
        _library.peft()
    made = replace(made, learned=_learned(made, model))
    told = options.get("trainable_parameters", made.learned.count)
    if told != made.learned.count:
        raise ValueError(f"trainable_parameters is {told}, and {made.learned.count} are learned so")
    return made


def learned_of(model: Any) -> Learned:
    """What of a model learns, read off its parameters."""
    values = [each for each in model.parameters() if each.requires_grad]
    formats = {dtype_word(each.dtype) or str(each.dtype) for each in values}
    return Learned(sum(each.numel() for each in values), tuple(sorted(formats)))


def _meant(options: Mapping[str, Any]) -> str:
    """The method that the other options speak of, where none is named."""
    if "quantize" in options:
        return "qlora"
    speaks = any(name.startswith("lora_") for name in options)
    return "lora" if speaks or options.get("operation") == "adaptation" else "full"


def _check_asked(options: Mapping[str, Any], kind: str) -> None:
    """No setting is taken that would do nothing."""
    for name in OPTIONS.keys() - {"method", "trainable_parameters"}:
        if kind == "full" and name in options:
            raise ValueError(f"{name} is a setting of adapters, and the method is full")
    for name in ("quantize", "double_quant", "prepare_for_kbit"):
        if kind != "qlora" and name in options:
            raise ValueError(f"{name} is a setting of qlora, and the method is {kind}")


def _learned(made: Method, model: LanguageModel) -> Learned:
    """Adapters are put on a model without memory, so that a wrong target is known beforehand."""
    skeleton = skeleton_of(model.configured, model.dtype, model.attention)
    if not made.adapts:
        return learned_of(skeleton)
    try:
        import torch

        with torch.device("meta"):
            found = learned_of(made.applied(skeleton))
    except Exception as error:  # noqa: BLE001 - whatever its own checks raise
        text = f"peft does not adapt this model so: {_library.first_line(error)}"
        raise ValueError(text) from None
    return found if made.wide else replace(found, formats=_narrow(made, model.dtype))


def _narrow(made: Method, dtype: str) -> tuple[str, ...]:
    """Formats where peft widens nothing: a model without memory does not tell.

    Adapters are then as the matrix they stand beside computes; beside 8-bit rows they stay as made.
    """
    formats = {"fp32" if made.base is not None and made.base.kind == "int8" else dtype}
    if made.saved:
        formats.add("fp32" if made.base is not None and made.prepared else dtype)
    return tuple(sorted(formats))


def _prepare(peft: Any, model: Any) -> None:
    """What is not quantised is widened to fp32; the allocator's cache is left as it is (C7)."""
    prepare = peft.prepare_model_for_kbit_training
    kept = {"auto_clear_cache": False} if _takes(prepare, "auto_clear_cache") else {}
    prepare(model, use_gradient_checkpointing=False, **kept)


def _takes(function: Any, name: str) -> bool:
    return name in inspect.signature(function).parameters
