"""One pass of a generation: encoder, prefill, decode. Executed dimensions are read off the tensors (A3)."""

from __future__ import annotations

from contextlib import AbstractContextManager, nullcontext
from typing import TYPE_CHECKING, Any

from fiche.measure.workloads import _caches

if TYPE_CHECKING:
    from fiche.measure.protocol.phase import Phase
    from fiche.measure.protocol.recorder import Recorder
    from fiche.measure.protocol.turns import Turn
    from fiche.measure.workloads.generation import Generation


class Continued:
    """The state of one pass: its cache, its mask, and the token that comes next."""

    def __init__(self, asked: Generation, model: Any, ids: dict[str, Any], turn: Turn) -> None:
        self._asked = asked
        self._model = model
        self._ids = ids
        self._first = "first" if turn.kind == "first" else "later"
        self._seq2seq = asked.language.configured.seq2seq
        self._fixed: dict[str, Any] = {}
        self._cache: Any = None
        self._token: Any = None
        self._steps = 0

    def encode(self, rec: Recorder) -> None:
        """Read the encoder's input once."""
        read = {name: self._ids[name] for name in ("input_ids", "attention_mask")}
        with self._phase(rec, "encoder") as phase:
            phase.executed(**self._shape(), new_tokens=0)
            told = self._model.get_encoder()(**read, return_dict=True)
            self._fixed = {"encoder_outputs": told, "attention_mask": read["attention_mask"]}
            phase.saw(**read, encoded=told[0])

    def prefill(self, rec: Recorder) -> None:
        """All tokens of the prompt at once, into a fresh cache."""
        ids = self._ids["decoder_input_ids" if self._seq2seq else "input_ids"]
        with self._phase(rec, "prefill", finite_logits_of_the_last_token) as phase:
            phase.executed(**self._shape(), new_tokens=self._reserved())
            self._cache = self._fresh_cache()
            mask = None if self._seq2seq else self._ids["attention_mask"]
            logits = self._next(ids, mask)
            if not _caches.holds(self._cache):
                raise RuntimeError(
                    "the model kept no token in its cache: it does not continue text"
                )
            phase.saw(input_ids=ids, logits=logits)
            phase.result((logits, ids.shape[0], self._asked.language.vocabulary))

    def decode(self, rec: Recorder) -> None:
        """One token a step, each the most likely one, until all new tokens are in the cache."""
        with self._phase(rec, "decode", finite_logits_of_the_last_token) as phase:
            with _decoding(self._model):
                fed, logits = self._decoded(phase)
            phase.saw(input_ids=fed, logits=logits)
            phase.result((logits, fed.shape[0], self._asked.language.vocabulary))

    def _decoded(self, phase: Phase) -> tuple[Any, Any]:
        """The last token that was fed, and the logits behind it; a step counts once it is attempted."""
        mask = None if self._seq2seq else self._ids["attention_mask"]
        for _ in range(self._asked.declared["new_tokens"]):
            mask = None if mask is None else _longer(mask)
            self._steps += int(self._token.shape[1])
            phase.executed(**self._shape(), new_tokens=max(self._steps, self._reserved()))
            fed = self._token
            logits = self._next(fed, mask)
        return fed, logits

    def _phase(self, rec: Recorder, name: str, check: Any = None) -> Phase:
        return rec.phase(name, pass_=self._first, check=check, **self._asked.declared)

    def _fresh_cache(self) -> Any:
        encoded = self._fixed.get("encoder_outputs")
        tokens = 1 if encoded is None else int(encoded[0].shape[1])
        return self._asked.caches.fresh(self._asked.language, tokens)

    def _next(self, ids: Any, mask: Any) -> Any:
        """Run the model, keep the most likely next token, and return its logits in fp32."""
        import torch

        told = self._model(**self._arguments(ids, mask), use_cache=True, return_dict=True)
        # A copy, so that logits of all tokens are let go of where the class cannot leave them out.
        logits = told.logits[:, -1].to(copy=True, dtype=torch.float32)
        self._token = logits.argmax(-1, keepdim=True)
        return logits

    def _arguments(self, ids: Any, mask: Any) -> dict[str, Any]:
        language = self._asked.language
        given = {**self._fixed, "decoder_input_ids" if self._seq2seq else "input_ids": ids}
        if language.cache_name:
            given[language.cache_name] = self._cache
        if mask is not None and "attention_mask" in language.takes:
            given["attention_mask"] = mask
        if "logits_to_keep" in language.takes:
            given["logits_to_keep"] = 1
        return given

    def _shape(self) -> dict[str, int]:
        """What the tensors say of the input: sequences, prompt, and what an encoder read."""
        ids = self._ids["decoder_input_ids" if self._seq2seq else "input_ids"]
        rows, tokens = ids.shape
        shape = {"resident_sequences": int(rows), "prompt_tokens": int(tokens)}
        if self._seq2seq:
            shape["encoder_tokens"] = int(self._ids["input_ids"].shape[1])
        return {**shape, **self._further(shape)}

    def _further(self, shape: dict[str, int]) -> dict[str, int]:
        """The same under other words of a fiche, where the case has them."""
        made = {
            "batch": shape["resident_sequences"],
            "context_tokens": shape["prompt_tokens"] + max(self._steps, self._reserved()),
        }
        return {name: made[name] for name in made if name in self._asked.declared}

    def _reserved(self) -> int:
        """New tokens that a static cache has room for from its first one on; 0 for one that grows.

        A failure speaks of what was asked of the memory by then, and of no less.
        """
        caches = self._asked.caches
        if caches.kind != "static":
            return 0
        return caches.capacity - int(self._asked.declared["prompt_tokens"])


def _decoding(model: Any) -> AbstractContextManager[None]:
    """What `generate` changes for its steps of one token: on a GPU, how experts are multiplied."""
    found: AbstractContextManager[None] = getattr(
        model, "_optimize_model_for_decode", nullcontext
    )()
    return found


def _longer(mask: Any) -> Any:
    """One more column, as `generate` adds it."""
    import torch

    return torch.cat([mask, mask.new_ones((mask.shape[0], 1))], dim=-1)


def finite_logits_of_the_last_token(seen: Any) -> bool:
    """Logits of the last token are finite numbers, one row a sequence and one column a token id."""
    logits, rows, vocabulary = seen
    return tuple(logits.shape) == (rows, vocabulary) and bool(logits.isfinite().all())
