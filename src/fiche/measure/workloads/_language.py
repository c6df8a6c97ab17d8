"""A language model of transformers: its real code, with random weights or those that lie beside its config.

Random weights are made where they stay. The model is built under `torch.device(place)` with the asked format as
the default one, so the library's own initialisation fills each tensor in place: no copy in fp32, and none
in host memory. That is the phase `model_init`; it is not the load of a checkpoint, which is `model_load`.
Tensors that a load would widen to fp32 (`_keep_in_fp32_modules`) keep the asked format.
"""

from __future__ import annotations

import copy
import inspect
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from fiche.measure.workloads import _library
from fiche.measure.workloads._configured import Configured, configured
from fiche.measure.workloads._wanted import DTYPES, choice, dtype_word, plain_format, torch_dtype

if TYPE_CHECKING:
    from fiche.measure.protocol.recorder import Recorder

OPTIONS: Mapping[str, type] = {
    "model": str,
    "name": str,
    "revision": str,
    "weights": str,
    "dtype": str,
    "storage": str,
    "attention": str,
}
# Those that come with PyTorch, transformers, or a package that is installed; never one that is fetched.
ATTENTION = {
    "eager": "",
    "sdpa": "",
    "flex_attention": "",
    "flash_attention_2": "flash_attn",
    "flash_attention_3": "flash_attn_interface",
}


@dataclass(frozen=True)
class LanguageModel:
    """What is known of a model before any weight exists.

    `dtype`, `storage` and `attention` are the fiche's words: the format that is loaded, and the one that the
    weights are declared in. `takes` are the names that its forward pass takes, `parameters` all values, tied
    ones once. `recomputes` and `caches`: its class has checkpointed layers, and keeps tokens in the library's
    own caches.
    """

    configured: Configured
    name: str
    revision: str
    stored: bool
    dtype: str
    storage: str
    attention: str
    takes: frozenset[str]
    parameters: int
    recomputes: bool = True
    caches: bool = True

    @property
    def phase(self) -> str:
        """What making it is called: `model_load` only where a checkpoint is loaded (C7)."""
        return "model_load" if self.stored else "model_init"

    @property
    def vocabulary(self) -> int:
        """Entries of the embedding table."""
        return int(self.configured.text.vocab_size)

    @property
    def cache_name(self) -> str:
        """The argument that hands over a cache: its name has changed over versions of the library."""
        known = ("cache", "past_key_values", "cache_params")
        return next((name for name in known if name in self.takes), "")

    def words(self) -> dict[str, Any]:
        """Identity, engine, formats and attention, in the words of a fiche (A1)."""
        identity: dict[str, Any] = {"name": self.name}
        if self.revision:
            identity["revision"] = self.revision
        else:
            identity["digest"] = self.configured.digest
        identity |= {"config_digest": self.configured.digest, "parameters": self.parameters}
        plain = {"storage": self.storage, "loaded": self.dtype, "compute": self.dtype}
        return {
            "model": identity,
            "weights": "stored" if self.stored else "random",
            "engine": {"name": "transformers", "version": _library.version_of("transformers")},
            "formats": plain,
            "attention": self.attention,
            "placement": {"devices": 1, "resident": "all"},
            "inputs": {"name": "random token ids of full length"},
        }

    def made(self, place: str) -> Any:
        """The model on its device."""
        return self._loaded(place) if self.stored else self.random(place)

    def random(self, place: str) -> Any:
        """With random weights, made at `place`."""
        import torch

        with torch.device(place):
            return self._built()

    def _built(self) -> Any:
        return self.configured.auto.from_config(
            copy.deepcopy(self.configured.config), **_asked(self.dtype, self.attention)
        )

    def _loaded(self, place: str) -> Any:
        return self.configured.auto.from_pretrained(
            str(self.configured.folder),
            config=copy.deepcopy(self.configured.config),
            device_map={"": place},
            local_files_only=True,
            use_safetensors=True,
            **_asked(self.dtype, self.attention),
        )


def language_model(options: Mapping[str, Any]) -> LanguageModel:
    """The model that options name, looked at without a weight in any memory.

    Raises:
        ValueError: it cannot be built as asked; one sentence.
    """
    found = configured(str(options.get("model", "")))
    dtype = _dtype(options, found)
    attention = _attention(str(options.get("attention", "")))
    skeleton = skeleton_of(found, dtype, attention)
    return LanguageModel(
        configured=found,
        name=str(options.get("name") or found.name),
        revision=str(options.get("revision", "")),
        stored=_stored(options, found),
        dtype=dtype,
        storage=str(options.get("storage") or dtype),
        attention=_used(skeleton, attention),
        takes=frozenset(inspect.signature(skeleton.forward).parameters),
        parameters=sum(each.numel() for each in skeleton.parameters()),
        recomputes=bool(skeleton.supports_gradient_checkpointing),
        caches=_caches_tokens(skeleton),
    )


def skeleton_of(found: Configured, dtype: str, attention: str) -> Any:
    """The model without memory: every tensor has a shape and no bytes.

    Raises:
        ValueError: the library refuses to build it; one sentence.
    """
    import torch

    try:
        with torch.device("meta"):
            config = copy.deepcopy(found.config)
            return found.auto.from_config(config, **_asked(dtype, attention))
    except Exception as error:  # noqa: BLE001 - whatever its own checks raise
        version = _library.version_of("transformers")
        text = f"transformers {version} does not build this model: {_library.first_line(error)}"
        raise ValueError(text) from None


def making(rec: Recorder, model: LanguageModel) -> Any:
    """The phase in which a model is made: initialised, or loaded."""
    return rec.phase(model.phase)


def _asked(dtype: str, attention: str) -> dict[str, Any]:
    asked = {"dtype": torch_dtype(dtype), "trust_remote_code": False}
    return {**asked, "attn_implementation": attention} if attention else asked


def _dtype(options: Mapping[str, Any], found: Configured) -> str:
    if options.get("dtype"):
        return plain_format(options, "dtype", tuple(DTYPES))
    told = dtype_word(found.text.dtype) or dtype_word(found.config.dtype)
    if not told:
        raise ValueError(f"dtype is needed ({', '.join(DTYPES)}): the configuration names none")
    return told


def _attention(asked: str) -> str:
    if not asked:
        return ""
    if asked not in ATTENTION:
        raise ValueError(f"attention is {asked[:60]!r}, and can be {', '.join(ATTENTION)}")
    if ATTENTION[asked]:
        _library.needs(ATTENTION[asked], f"attention is {asked}")
    return asked


def _used(skeleton: Any, asked: str) -> str:
    """What attention really runs: a library may fall back to another."""
    used = str(skeleton.config._attn_implementation or "eager")
    if asked and used != asked:
        raise ValueError(f"attention is {asked}, and transformers would run this model with {used}")
    return used


def _caches_tokens(skeleton: Any) -> bool:
    """Some classes keep a state of their own, which no cache of the library stands for."""
    asks = getattr(skeleton, "_supports_default_dynamic_cache", None)
    return bool(skeleton.can_generate()) and (asks is None or bool(asks()))


def _stored(options: Mapping[str, Any], found: Configured) -> bool:
    if choice(options, "weights", ("random", "stored")) == "random":
        return False
    if not any(found.folder.glob("*.safetensors")):
        raise ValueError(f"weights are stored, and {found.folder} holds no .safetensors file")
    _library.needs("accelerate", "weights are put straight on the device by accelerate")
    return True
