"""Decoding of many tokens in a few steps: the first ones, a jump of the cache, the last ones.

A step of one token costs a simulation as much as a prefill, and all steps between the first and the last
differ by a token of the cache. So up to 64 steps all run; beyond, the first 8 and the last 8, and between them
each layer of the cache takes in what it would have by then, through its own `update`, from values without
storage. Levels and peaks of allocated bytes are those of the real loop: its first steps let go of what the
prefill kept, its last ones are its largest. Which blocks the allocator would have kept on the way is unknown,
so the phase has no reserved bytes: where they are wanted, all steps run (`every_step`). A cache of another
kind, such as a quantised one, runs all its steps.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from fiche.kernel import simulation_notes
from fiche.kernel.said import tell
from fiche.measure.workloads._continued import Continued, _longer
from fiche.measure.workloads.generation import Generation

if TYPE_CHECKING:
    from fiche.measure.protocol.phase import Phase
    from fiche.measure.protocol.recorder import Recorder
    from fiche.measure.protocol.turns import Turn

MOST_STEPS = 64
ENDS = 8
WHY = tell(
    "only the first and the last steps were run, and the cache grew in one jump between them: "
    "which blocks the allocator would keep is unknown"
)


class SimulatedGeneration(Generation):
    """`Generation`, its long decodes shortened unless every step is wanted; `notes` say so once it has run."""

    def __init__(self, options: Any, *, every_step: bool = False) -> None:
        super().__init__(options)
        self.notes: list[str] = []
        self._every_step = every_step

    def turn(self, rec: Recorder, turn: Turn) -> None:
        """One pass over all tokens, with a cache of its own, as `Generation` has it."""
        import torch

        with torch.no_grad():
            kind = Continued if self._every_step else Shortened
            passed = kind(self, self._model, self._ids, turn)
            if self.language.configured.seq2seq:
                passed.encode(rec)
            passed.prefill(rec)
            if self.declared["new_tokens"]:
                passed.decode(rec)
        if isinstance(passed, Shortened) and passed.skipped and not self.notes:
            steps = self.declared["new_tokens"]
            self.notes.append(simulation_notes.shortened(steps, ENDS, passed.skipped))


class Shortened(Continued):
    """One pass; `skipped` steps of it were a jump."""

    skipped = 0

    def _decoded(self, phase: Phase) -> tuple[Any, Any]:
        asked = int(self._asked.declared["new_tokens"])
        layers = layers_of(self._cache)
        if asked <= MOST_STEPS or not all(map(can_jump, layers)):
            return super()._decoded(phase)
        phase.note(reserved_why=WHY)
        self.skipped = asked - 2 * ENDS
        mask = None if self._seq2seq else self._ids["attention_mask"]
        for step in range(2 * ENDS):
            if step == ENDS:
                mask = self._jumped(layers, mask)
            mask = None if mask is None else _longer(mask)
            self._steps += int(self._token.shape[1])
            phase.executed(**self._shape(), new_tokens=max(self._steps, self._reserved()))
            fed = self._token
            logits = self._next(fed, mask)
        return fed, logits

    def _jumped(self, layers: list[Any], mask: Any) -> Any:
        """All layers by the steps that are left out; the mask that belongs to them."""
        import torch

        for layer in layers:
            jump(layer, self.skipped)
        self._steps += self.skipped
        if mask is None:
            return None
        return torch.cat([mask, mask.new_ones((mask.shape[0], self.skipped))], dim=-1)


def layers_of(cache: Any) -> list[Any]:
    """The layers of a cache that grow: those of the decoder itself."""
    return list(getattr(cache, "self_attention_cache", cache).layers)


def can_jump(layer: Any) -> bool:
    """Whether it is known how a layer grows. A class derived from a known one may grow otherwise."""
    return type(layer).__name__ in _JUMPS


def jump(layer: Any, tokens: int) -> None:
    """The layer as it is after `tokens` more; what it asks for on the way is less than a step does."""
    _JUMPS[type(layer).__name__](layer, tokens)


def _grow(layer: Any, tokens: int) -> None:
    if layer.is_initialized:  # one that shares those of another layer stays empty
        layer.update(_without_storage(layer.keys, tokens), _without_storage(layer.values, tokens))


def _slide(layer: Any, tokens: int) -> None:
    """A window is full sooner or later; from then on only its count grows."""
    if not layer.is_initialized:
        return
    room = min(tokens, max(0, layer.sliding_window - 1 - int(layer.keys.shape[-2])))
    if room:
        _grow(layer, room)
    layer.cumulative_length += tokens - room


def _stay(layer: Any, tokens: int) -> None:
    """All of it is there from its first token on; where the tokens stand in it moves no byte."""


def _without_storage(values: Any, tokens: int) -> Any:
    """(..., tokens, width), all of it one element."""
    *rows, _, width = values.shape
    return values.new_empty(1).expand(*rows, tokens, width)


_JUMPS = {
    "DynamicLayer": _grow,
    "DynamicSlidingWindowLayer": _slide,
    "StaticLayer": _stay,
    "StaticSlidingWindowLayer": _stay,
    "LinearAttentionLayer": _stay,
}
