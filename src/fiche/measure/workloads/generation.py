"""Generation with a language model of transformers: prefill, then steps of one token (C1, C7, A2).

The model's own code runs, as the library's greedy `generate` calls it: one forward pass over the whole
prompt with a mask that hides nothing and a fresh cache, then one pass a token. The output layer works on the
last token alone where the model's class allows it (`logits_to_keep`, as `generate` asks); those logits are
copied to fp32, as there. Each new token is fed back, so that the cache ends with prompt and new tokens
together: `generate` leaves out the last step. Nothing is compiled. A pass lets go of its cache at its end.

Phases: `model_init` (or `model_load`), `inputs`; then each turn `encoder` where there is one, `prefill`,
`decode`. A check of the logits comes after the readings of a phase; inside a whole loop it is part of it.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from fiche.measure.workloads import _caches, _language
from fiche.measure.workloads._continued import Continued
from fiche.measure.workloads._inputs import mask_of, token_ids
from fiche.measure.workloads._ready import ReadyWorkload
from fiche.measure.workloads._wanted import count

if TYPE_CHECKING:
    from fiche.measure.protocol.recorder import Recorder
    from fiche.measure.protocol.turns import Turn


class Generation:
    """A causal or text-to-text model that continues resident sequences."""

    def __init__(self, options: Mapping[str, Any]) -> None:
        self.language = _language.language_model(options)
        self.declared = _dimensions(options, self.language)
        tokens = self.declared["prompt_tokens"] + self.declared["new_tokens"]
        self.caches = _caches.caches(options, self.language, tokens)
        self.words = self._words()
        self._model: Any = None
        self._ids: dict[str, Any] = {}

    def prepare(self, rec: Recorder, place: str) -> None:
        """Make the model and its inputs, a phase each."""
        with _language.making(rec, self.language) as phase:
            self._model = self.language.made(place).eval()
            phase.saw(embedding=self._model.get_input_embeddings().weight)
        with rec.phase("inputs", **self.declared) as phase:
            self._ids = self._inputs(place)
            phase.saw(**self._ids)

    def turn(self, rec: Recorder, turn: Turn) -> None:
        """One pass over all tokens, with a cache of its own."""
        import torch

        with torch.no_grad():
            passed = Continued(self, self._model, self._ids, turn)
            if self.language.configured.seq2seq:
                passed.encode(rec)
            passed.prefill(rec)
            if self.declared["new_tokens"]:
                passed.decode(rec)

    def _inputs(self, place: str) -> dict[str, Any]:
        asked, vocabulary = self.declared, self.language.vocabulary
        rows = asked["resident_sequences"]
        ids = token_ids(rows, asked["prompt_tokens"], vocabulary, place)
        if not self.language.configured.seq2seq:
            return {"input_ids": ids, "attention_mask": mask_of(ids)}
        read = token_ids(rows, asked["encoder_tokens"], vocabulary, place)
        return {"decoder_input_ids": ids, "input_ids": read, "attention_mask": mask_of(read)}

    def _words(self) -> dict[str, Any]:
        words = self.language.words()
        words["operation"] = "generation"
        words["formats"]["cache"] = self.language.dtype
        words["engine"]["settings"] = {
            **self.caches.words(),
            "logits_to_keep": "1" if "logits_to_keep" in self.language.takes else "all",
            "compile": "no",
        }
        if self.caches.kind == "quantized":
            words["formats"]["cache"] = _quantised(self.caches)
        return words


def _quantised(caches: _caches.Caches) -> str:
    return "fp8_e4m3" if caches.backend == "fp8" else f"int{caches.settings.get('nbits', 4)}"


def _dimensions(options: Mapping[str, Any], model: _language.LanguageModel) -> dict[str, Any]:
    seq2seq = model.configured.seq2seq
    if "encoder_tokens" in options and not seq2seq:
        raise ValueError("encoder_tokens are those of an encoder, and this model has none")
    asked = {
        "prompt_tokens": count(options, "prompt_tokens", 1 if seq2seq else 128),
        "new_tokens": count(options, "new_tokens", 16, least=0),
        "resident_sequences": count(options, "sequences", 1),
    }
    if seq2seq:
        asked["encoder_tokens"] = count(options, "encoder_tokens", 128)
    return {**asked, **_further(options, asked)}


def _further(options: Mapping[str, Any], asked: Mapping[str, int]) -> dict[str, int]:
    """Dimensions that a case may state beside these, each held to what the others make of it."""
    made = {
        "context_tokens": asked["prompt_tokens"] + asked["new_tokens"],
        "batch": asked["resident_sequences"],
    }
    for name, reached in made.items():
        if int(options.get(name, reached)) != reached:
            raise ValueError(
                f"{name} is {options[name]}, and the other dimensions make it {reached}"
            )
    return {name: reached for name, reached in made.items() if name in options}


MEMBER = ReadyWorkload(
    name="generation",
    title="Generation with a model of transformers",
    options={
        **_language.OPTIONS,
        **_caches.OPTIONS,
        "prompt_tokens": int,
        "new_tokens": int,
        "sequences": int,
        "encoder_tokens": int,
        "context_tokens": int,
        "batch": int,
    },
    build=Generation,
)
