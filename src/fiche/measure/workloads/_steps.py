"""Steps of an optimizer, phase by phase; executed dimensions are read off the tensors (A3, C7)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from fiche.measure.workloads._wanted import torch_dtype

if TYPE_CHECKING:
    from fiche.measure.protocol.phase import Phase
    from fiche.measure.protocol.recorder import Recorder


@dataclass(frozen=True)
class Learner:
    """A model that learns; `kind` is that of its device, as autocast names it."""

    model: Any
    optimizer: Any
    set_to_none: bool
    autocast: str
    kind: str

    def casting(self) -> Any:
        """Matrix products in the format of `autocast`, or as the weights are."""
        import torch

        if self.autocast == "none":
            return torch.autocast(self.kind, enabled=False)
        return torch.autocast(self.kind, dtype=torch_dtype(self.autocast))

    def loss(self, logits: Any, labels: Any) -> Any:
        """The loss of the model's own class; that of text-to-text models is one inside their forward."""
        import torch

        model = getattr(self.model, "get_base_model", lambda: self.model)()
        vocabulary = logits.shape[-1]
        if model.config.is_encoder_decoder:
            return torch.nn.functional.cross_entropy(
                logits.view(-1, vocabulary), labels.reshape(-1)
            )
        return model.loss_function(logits=logits, labels=labels, vocab_size=vocabulary)


class Steps:
    """Runs steps, and the evaluation between them."""

    def __init__(
        self,
        learner: Learner,
        declared: dict[str, Any],
        trained: dict[str, Any],
        others: dict[str, Any],
    ) -> None:
        import torch

        self.learner = learner
        self._declared = declared
        self._trained = trained
        self._others = others
        scaled = learner.autocast == "fp16"
        self._scaler = torch.amp.GradScaler(learner.kind) if scaled else None

    def first(self, rec: Recorder) -> None:
        """The first full step, as one phase around its parts."""
        with self._phase(rec, "first_step", first=True) as phase:
            self.step(rec, first=True, around=phase)

    def step(self, rec: Recorder, *, first: bool, around: Phase | None = None) -> None:
        """All microbatches of one update, then the update; a later microbatch is a later pass."""
        loss = None
        for number in range(self._declared["accumulation"]):
            if around is not None:
                around.executed(**self._shape(number + 1))
            loss = self._microbatch(rec, number, first=first and number == 0)
        with self._phase(rec, "optimizer_step", first=first, check=finite_loss) as phase:
            phase.executed(**self._shape(self._declared["accumulation"]))
            self._update()
            phase.result(loss)

    def evaluate(self, rec: Recorder, *, first: bool) -> None:
        """One batch without a gradient, and its loss."""
        import torch

        model, given = self.learner.model, self._given(self._others)
        with self._phase(rec, "evaluation", first=first, check=finite_loss) as phase:
            rows, tokens = self._others["labels"].shape
            phase.executed(batch=rows, sequence_tokens=tokens, **self._encoded(self._others))
            model.eval()
            with torch.no_grad(), self.learner.casting():
                logits = model(**given).logits
                loss = self.learner.loss(logits, self._others["labels"])
            model.train()
            phase.saw(labels=self._others["labels"], logits=logits)
            phase.result(loss)

    def _microbatch(self, rec: Recorder, number: int, *, first: bool) -> Any:
        learner, shape = self.learner, self._shape(number + 1)
        with self._phase(rec, "forward", first=first) as phase, learner.casting():
            phase.executed(**shape)
            logits = learner.model(**self._given(self._trained)).logits
            phase.saw(input_ids=self._trained["input_ids"], logits=logits)
        with self._phase(rec, "loss", first=first) as phase, learner.casting():
            phase.executed(**shape)
            loss = learner.loss(logits, self._trained["labels"])
            phase.saw(labels=self._trained["labels"], loss=loss)
            del logits  # from here on the graph alone decides how long it lives
        with self._phase(rec, "backward", first=first) as phase:
            phase.executed(**shape)
            self._backward(loss / self._declared["accumulation"])
        return loss.detach()

    def _backward(self, loss: Any) -> None:
        (loss if self._scaler is None else self._scaler.scale(loss)).backward()

    def _update(self) -> None:
        if self._scaler is None:
            self.learner.optimizer.step()
        else:
            self._scaler.step(self.learner.optimizer)
            self._scaler.update()
        self.learner.optimizer.zero_grad(set_to_none=self.learner.set_to_none)

    def _phase(self, rec: Recorder, name: str, *, first: bool, check: Any = None) -> Phase:
        passed = "first" if first else "later"
        return rec.phase(name, pass_=passed, check=check, **self._declared)

    def _given(self, inputs: dict[str, Any]) -> dict[str, Any]:
        """What the forward pass is called with: the labels come in with the loss."""
        return {**{k: v for k, v in inputs.items() if k != "labels"}, "use_cache": False}

    def _shape(self, microbatches: int) -> dict[str, int]:
        """What the tensors of a microbatch say, and how many of them an update had by then."""
        rows, tokens = self._trained["labels"].shape
        shape = {"microbatch": int(rows), "accumulation": microbatches}
        return {**shape, "sequence_tokens": int(tokens), **self._encoded(self._trained)}

    def _encoded(self, inputs: dict[str, Any]) -> dict[str, int]:
        if "decoder_input_ids" not in inputs:
            return {}
        return {"encoder_tokens": int(inputs["input_ids"].shape[1])}


def finite_loss(loss: Any) -> bool:
    """The loss is a single finite number."""
    return tuple(loss.shape) == () and bool(loss.isfinite())
