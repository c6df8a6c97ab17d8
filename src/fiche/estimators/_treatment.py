"""In which format parameters are stored, and in which they are loaded: config.json, fiche and engine (A1, B4).

Three fields, never one for another: how values are stored, what is really loaded, what is computed in (that
last one moves no byte here). Where config.json and the fiche contradict each other, both readings stand.
"""

from __future__ import annotations

from fiche.estimators._formats import BITS, is_plain, named_bits, plain_bits
from fiche.estimators._holdings import Holding, hull, packed, plain, unpacked
from fiche.estimators._reading import missing, word
from fiche.estimators.quantisation._lookup import method_of
from fiche.estimators.quantisation._modules import settings
from fiche.kernel.doors import Quantisation
from fiche.kernel.figure import Node, Unknown, either
from fiche.kernel.model import Model
from fiche.kernel.record import record, replace
from fiche.kernel.said import tell
from fiche.kernel.unit import count_of
from fiche.kernel.workload import Workload

LLAMA_CPP = ("llama.cpp", "ik_llama.cpp", "ollama", "koboldcpp", "lm studio", "lmstudio")
_OTHER_WORDS = {
    "gptq": ("int4", "int8"),
    "awq": ("int4",),
    "hqq": ("int4", "int8"),
    "compressed_tensors": ("int4", "int8", "fp8_e4m3", "nvfp4", "mxfp4"),
    "modelopt": ("fp8_e4m3",),
    "bitsandbytes": ("int4",),
}
_KEYS = ("quantization_config", "compression_config")


@record(eq=False)
class Treatment:
    """One reading of a format: the bytes of each group, words for it, and the width of plain values.

    `because` is a reason why an engine may load plain values of `otherwise` bits instead, empty where none is.
    """

    holding: Holding
    told: str
    bits: Node
    method: Quantisation | None = None
    because: str = ""
    otherwise: Node | None = None

    @property
    def gguf(self) -> bool:
        """True for a GGUF file."""
        return self.method is not None and self.method.name == "gguf"


def stored(workload: Workload, model: Model, *, dequantised: bool = False) -> Treatment:
    """How a checkpoint of this model holds its values; `dequantised`: as far as an engine keeps them so."""
    bits = _plain(workload, model)
    said = word(workload, "formats.storage")
    by_config = _method_word(model)
    if (told := _gguf(workload, by_config, said)) is not None:
        return _packed(told, said, model, workload, bits, dequantised)
    if not by_config:
        return _by_fiche(workload, model, bits, said, dequantised)
    found = _named(by_config, model, workload, bits, dequantised)
    if not said or _agree(said, by_config, found.method):
        return found
    other = _named(said, without_settings(model), workload, bits, dequantised)
    return replace(
        found,
        holding=hull(found.holding, other.holding, _contradiction(by_config, said)),
        told=tell("{told} (config.json) or {told_2} (fiche)", told=found.told, told_2=other.told),
    )


def loaded(workload: Workload, model: Model) -> Treatment:
    """What an engine holds of it: `formats.loaded` where the fiche states it, else as stored."""
    said = word(workload, "formats.loaded")
    kept = stored(workload, model)
    if not said:
        return _by_default(workload, model, stored(workload, model, dequantised=True))
    if kept.gguf or (kept.method is not None and _agree(said, kept.method.name, kept.method)):
        return kept
    if is_plain(said):
        bits = named_bits(workload, "loaded", "storage_format")
        return Treatment(holding=plain(bits, said), told=said, bits=bits)
    return _named(said, without_settings(model), workload, kept.bits, False)


def without_settings(model: Model) -> Model:
    """The model as its config.json would have it without a word on quantisation."""
    if model.config is None:
        return model
    values = {key: value for key, value in model.config.values.items() if key not in _KEYS}
    return replace(model, config=replace(model.config, values=values))


def _by_fiche(
    workload: Workload, model: Model, bits: Node, said: str, dequantised: bool
) -> Treatment:
    as_config = Treatment(
        holding=plain(bits, _width(workload, model)), told=_width(workload, model), bits=bits
    )
    if not said or is_plain(said) or word(workload, "formats.loaded"):
        return as_config
    other = _named(said, model, workload, bits, dequantised)
    if model.config is None or not model.storage:
        return other
    because = _contradiction(
        tell("{storage} without quantization_config", storage=model.storage), said
    )
    told = tell("{storage} (config.json) or {told} (fiche)", storage=model.storage, told=other.told)
    return replace(as_config, holding=hull(other.holding, as_config.holding, because), told=told)


def _by_default(workload: Workload, model: Model, found: Treatment) -> Treatment:
    """What an engine makes of plain values where nobody tells it a format."""
    if found.method is not None or found.told != _width(workload, model):
        return found
    width, because = _engine_default(workload, model)
    if not width:
        return found
    bits = plain_bits(width, tell("the engine's default"))
    holding = hull(found.holding, plain(bits, width), because)
    return replace(found, holding=holding, because=because, otherwise=bits)


def _engine_default(workload: Workload, model: Model) -> tuple[str, str]:
    engine, version = word(workload, "engine.name").lower(), word(workload, "engine.version")
    storage = word(workload, "formats.storage") or model.storage
    major = version.split(".")[0]
    if engine == "transformers" and storage != "fp32" and major.isdigit() and int(major) < 5:
        why = tell(
            "transformers before 5 loads in fp32 unless torch_dtype is given: state formats.loaded"
        )
        return "fp32", why
    if engine == "vllm" and storage == "fp32":
        return (
            "bf16",
            tell(
                "vLLM loads an fp32 checkpoint in 16 bits unless dtype is given: state formats.loaded"
            ),
        )
    return "", ""


def _gguf(workload: Workload, by_config: str, said: str) -> Quantisation | None:
    """A GGUF file: its type is named, or its engine is, which reads no packed values of config.json."""
    method = method_of(said) if said else None
    if method is not None and method.name == "gguf" and not is_plain(said):
        return method
    named = word(workload, "engine.name").lower() in LLAMA_CPP
    return method_of("gguf") if by_config == "gguf" or named else None


def _named(name: str, model: Model, workload: Workload, bits: Node, dequantised: bool) -> Treatment:
    if is_plain(name):
        return Treatment(holding=plain(bits, name), told=name, bits=bits)
    method = method_of(name)
    if method is None or name == "int4":
        return Treatment(holding=unpacked(name, bits), told=name, bits=bits)
    return _packed(method, name, model, workload, bits, dequantised)


def _packed(
    method: Quantisation,
    name: str,
    model: Model,
    workload: Workload,
    bits: Node,
    dequantised: bool,
) -> Treatment:
    told = f"{name} ({method.title})" if _says_more(name, method) else method.title
    holding = packed(method, told, model, workload, bits, dequantised=dequantised)
    because = method.dequantised(model, workload) if dequantised else ""
    return Treatment(
        holding=holding, told=told, bits=bits, method=method, because=because, otherwise=bits
    )


def _says_more(name: str, method: Quantisation) -> bool:
    """True where a word tells more than its method: nf4 of bitsandbytes."""
    plain = {each.replace("-", "_").lower() for each in (method.name, method.title)}
    return bool(name) and name.replace("-", "_").lower() not in plain


def _agree(said: str, method_word: str, method: Quantisation | None) -> bool:
    if said.lower() == method_word.lower():
        return True
    if method is None:
        return False
    return said.lower() in method.methods or said in _OTHER_WORDS.get(method.name, ())


def _method_word(model: Model) -> str:
    """The method that config.json names, or what its keys speak of; empty where there is none."""
    told = settings(model)
    if told is None:
        return ""
    named = told.text("quant_method")
    if named:
        return named
    if told.told("load_in_4bit") or told.told("load_in_8bit"):
        return "bitsandbytes"
    if told.told("quant_algo") or told.told("quantization"):
        return "modelopt"
    return (
        "compressed-tensors"
        if told.told("config_groups")
        else tell("a quantisation without a name")
    )


def _plain(workload: Workload, model: Model) -> Node:
    """Bits of what is not quantised: of config.json, the fiche, or both where they differ."""
    said = word(workload, "formats.storage")
    stated = workload.figures.get("formats.storage_bits")
    ours = named_bits(workload, "storage", "storage_format") if is_plain(said) else stated
    if model.storage not in BITS or not is_plain(model.storage):
        return _asked() if ours is None else ours
    theirs = plain_bits(model.storage, _file(model))
    if ours is None or (is_plain(said) and BITS[said] == BITS[model.storage]):
        return theirs
    return either(theirs, ours, _contradiction(model.storage, said or "formats.storage_bits"))


def _asked() -> Unknown:
    text = tell("state formats.storage, or give config.json its dtype")
    return missing("model.storage.bits", count_of("bits"), "storage_format", text)


def _width(workload: Workload, model: Model) -> str:
    said = word(workload, "formats.storage")
    return model.storage or (said if is_plain(said) else "")


def _file(model: Model) -> str:
    return "config.json" if model.config is None else model.config.file


def _contradiction(config: str, fiche: str) -> str:
    return tell(
        "config.json says {config}, formats.storage says {fiche}: state formats.loaded",
        config=config,
        fiche=fiche,
    )
