"""The caches of transformers by the word of a fiche: dynamic, static or quantized."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from fiche.measure.workloads import _library
from fiche.measure.workloads._language import LanguageModel
from fiche.measure.workloads._wanted import choice, count

OPTIONS: Mapping[str, type] = {
    "cache": str,
    "cache_backend": str,
    "cache_bits": int,
    "q_group_size": int,
    "residual_length": int,
    "max_cache_len": int,
}
_BACKENDS = {"quanto": "optimum.quanto", "hqq": "hqq", "fp8": ""}
# The option of each setting of groups, and its name in the library.
_GROUPED = {
    "cache_bits": "nbits",
    "q_group_size": "q_group_size",
    "residual_length": "residual_length",
}


@dataclass(frozen=True)
class Caches:
    """How a fresh cache is made for each pass.

    `capacity` is how many tokens of a sequence a static one holds; `settings` those of a quantised one.
    """

    kind: str
    backend: str
    capacity: int
    settings: Mapping[str, int]

    def words(self) -> dict[str, Any]:
        """The engine's settings, under the library's own names."""
        told: dict[str, Any] = {"cache_implementation": self.kind}
        if self.kind == "static":
            told["max_cache_len"] = self.capacity
        if self.kind == "quantized":
            told |= {"backend": self.backend, **self.settings}
        return told

    def fresh(self, model: LanguageModel, encoder_tokens: int) -> Any:
        """A cache with nothing in it, as `generate` makes it; tensors come with the first tokens."""
        import transformers

        mine = self._one(model, self.capacity)
        if not model.configured.seq2seq:
            return mine
        return transformers.EncoderDecoderCache(mine, self._one(model, encoder_tokens))

    def _one(self, model: LanguageModel, tokens: int) -> Any:
        import transformers

        config = model.configured.text
        if self.kind == "static":
            return transformers.StaticCache(config=config, max_cache_len=tokens)
        if self.kind == "quantized":
            return transformers.QuantizedCache(backend=self.backend, config=config, **self.settings)
        return transformers.DynamicCache(config=config)


def caches(options: Mapping[str, Any], model: LanguageModel, tokens: int) -> Caches:
    """How the caches of a job are made; `tokens` are all that a sequence will keep.

    Raises:
        ValueError: they cannot be made; one sentence.
    """
    if not (model.caches and model.cache_name):
        name = model.configured.config.model_type
        raise ValueError(
            f"a {name} keeps its tokens in no cache of transformers: see fiche.recorder"
        )
    kind = choice(options, "cache", ("dynamic", "static", "quantized"))
    for name in ("cache_backend", *_GROUPED):
        if name in options and kind != "quantized":
            raise ValueError(f"{name} is of a quantized cache, and cache is {kind}")
    capacity = count(options, "max_cache_len", tokens)
    if capacity < tokens:
        raise ValueError(f"max_cache_len is {capacity}, and the sequences keep {tokens} tokens")
    backend = _backend(options, model) if kind == "quantized" else ""
    settings = {
        name: count(options, option, 1) for option, name in _GROUPED.items() if option in options
    }
    made = Caches(kind, backend, capacity, settings)
    _try(made, model)
    return made


def holds(cache: Any) -> bool:
    """True where some layer of a cache has taken tokens in: keys and values, or states."""
    layers = getattr(cache, "self_attention_cache", cache).layers
    return any(_has_tensor(each) for layer in layers for each in vars(layer).values())


def _has_tensor(values: Any) -> bool:
    """Tensors of several values: single ones are counters of the layer."""
    if isinstance(values, dict):
        values = list(values.values())
    return any(
        getattr(each, "ndim", 0) > 0 for each in (values if isinstance(values, list) else [values])
    )


def _backend(options: Mapping[str, Any], model: LanguageModel) -> str:
    backend = choice(options, "cache_backend", tuple(_BACKENDS))
    if model.configured.seq2seq:
        raise ValueError("transformers quantises no cache of a model with an encoder")
    if _BACKENDS[backend]:
        package = _BACKENDS[backend].partition(".")[0]
        _library.needs(package, f"the {backend} backend of a quantized cache runs in {package}")
    return backend


def _try(made: Caches, model: LanguageModel) -> None:
    """Its layers are made without tensors, so that what the library refuses is known beforehand."""
    try:
        made.fresh(model, 1)
    except Exception as error:  # noqa: BLE001 - whatever its own checks raise
        text = (
            f"transformers makes no {made.kind} cache for this model: {_library.first_line(error)}"
        )
        raise ValueError(text) from None
