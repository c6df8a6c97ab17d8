"""Training with a language model of transformers: full, or adapters through peft (B6, C7, D7).

One step of the optimizer goes through `accumulation` microbatches, each with `forward` (all logits), `loss`
(the model's own loss function: logits in fp32, labels shifted) and `backward`, then `optimizer_step`, which
ends with `zero_grad`. The first step is a phase of its own, `first_step`, around its parts: nothing of the
optimizer exists before it. The first turn goes on with a second step, for only from then on do states,
gradients and activations lie in memory together; then come `evaluation` (no gradient, a batch of its own) and
`export` (`save_pretrained` into a temporary folder, which is removed). A later turn is one step, and the
evaluation.

Masks hide nothing. Weights and `autocast` are two formats; under fp16 a gradient scaler works. Checkpointing
is the library's, of every layer, with `use_reentrant=False`. Nothing is compiled, no gradient is clipped.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from fiche.measure.workloads import _adapters, _language, _library, _optimizers
from fiche.measure.workloads._exported import exported
from fiche.measure.workloads._inputs import mask_of, token_ids
from fiche.measure.workloads._ready import ReadyWorkload
from fiche.measure.workloads._steps import Learner, Steps
from fiche.measure.workloads._wanted import DTYPES, choice, count, plain_format

if TYPE_CHECKING:
    from fiche.measure.protocol.recorder import Recorder
    from fiche.measure.protocol.turns import Turn


class Training:
    """A causal or text-to-text model that learns, whole or by adapters."""

    def __init__(self, options: Mapping[str, Any]) -> None:
        self.language = _language.language_model(options)
        self.method = _adapters.method(options, self.language)
        self.optimizer = _optimizers.optimizer(options)
        base = self.method.base
        self._declared_in = str(options.get("storage") or (base.kind if base is not None else ""))
        self.operation = _operation(options, self.method)
        self.checkpointing = "full" if options.get("checkpointing") else "none"
        if self.checkpointing == "full" and not self.language.recomputes:
            raise ValueError("transformers has no checkpointing for the layers of this model")
        self.autocast = _autocast(options, self.language.dtype)
        choice(options, "loss", ("full",))
        self.export = bool(options.get("export", False))
        self.declared = _dimensions(options, self.language)
        self.words = self._words()
        self._steps: Any = None

    def prepare(self, rec: Recorder, place: str) -> None:
        """Make the model with what it learns, and its inputs, a phase each."""
        with _language.making(rec, self.language) as phase:
            learner = self._learner(place)
            phase.saw(embedding=learner.model.get_input_embeddings().weight)
        with rec.phase("inputs", **self.declared) as phase:
            rows, evaluated = self.declared["microbatch"], self.declared.get("batch", 0)
            trained = self._inputs(rows, place)
            others = self._inputs(evaluated, place) if evaluated else {}
            phase.saw(**trained, **{f"evaluation_{name}": one for name, one in others.items()})
        self._steps = Steps(learner, self.declared, trained, others)

    def turn(self, rec: Recorder, turn: Turn) -> None:
        """The first turn: two steps, evaluation, export; any later one: a step, and the evaluation."""
        first = turn.kind == "first"
        if first:
            self._steps.first(rec)
        self._steps.step(rec, first=False)
        if "batch" in self.declared:
            self._steps.evaluate(rec, first=first)
        if first and self.export:
            exported(rec, self._steps.learner.model)

    def _learner(self, place: str) -> Learner:
        base = self.method.base
        model = self.language.made(place) if base is None else base.made(place)
        model.config.use_cache = False
        if self.checkpointing == "full":
            _checkpoint(model)
        if self.method.adapts:
            model = self.method.applied(model)
        _see_that(_adapters.learned_of(model) == self.method.learned, self.method.learned)
        return Learner(
            model=model.train(),
            optimizer=self.optimizer.made(
                each for each in model.parameters() if each.requires_grad
            ),
            set_to_none=self.optimizer.set_to_none,
            autocast=self.autocast,
            kind=place.split(":")[0],
        )

    def _inputs(self, rows: int, place: str) -> dict[str, Any]:
        vocabulary = self.language.vocabulary
        ids = token_ids(rows, self.declared["sequence_tokens"], vocabulary, place)
        if not self.language.configured.seq2seq:
            return {"input_ids": ids, "attention_mask": mask_of(ids), "labels": ids.clone()}
        read = token_ids(rows, self.declared["encoder_tokens"], vocabulary, place)
        shifted = ids.roll(1, dims=-1)
        return {
            "input_ids": read,
            "attention_mask": mask_of(read),
            "decoder_input_ids": shifted,
            "labels": ids,
        }

    def _words(self) -> dict[str, Any]:
        words = self.language.words()
        words["operation"] = self.operation
        words["optimizer"] = self.optimizer.words()
        words["training"] = self._training_words()
        packed = self.method.base.words() if self.method.base is not None else {}
        words["engine"]["settings"] = {"compile": "no", "use_reentrant": "no", **packed}
        words["formats"] |= self._formats()
        if self.operation == "adaptation":
            words["method"] = self.method.words()
        if self.method.adapts:
            words["adapters"] = self.method.beside()
            words["extensions"] = _extensions(self.method)
        return words

    def _training_words(self) -> dict[str, str]:
        return {
            "checkpointing": self.checkpointing,
            "loss": "full",
            "zero_grad": "set_to_none" if self.optimizer.set_to_none else "kept",
            "autocast": self.autocast,
            "foreach": "yes" if self.optimizer.foreach else "no",
        }

    def _formats(self) -> dict[str, str]:
        """Formats of what is learned follow from the libraries; gradients are as what they belong to."""
        base = self.method.base
        packed = {"loaded": base.kind, "storage": self._declared_in} if base is not None else {}
        learned = "+".join(self.method.learned.formats)
        told = {"learned": learned, "gradient": learned}
        if self.autocast != "none":
            told["compute"] = self.autocast
        return {**packed, **told, "optimizer_state": self.optimizer.state_format or learned}


def _see_that(agrees: bool, told: _adapters.Learned) -> None:
    """No record says of a model what it is not."""
    if not agrees:
        formats = "+".join(told.formats)
        raise RuntimeError(
            f"the model does not learn {told.count} values in {formats} as announced"
        )


def _checkpoint(model: Any) -> None:
    """By the name that the installed version has for it."""
    how = {"use_reentrant": False}
    if hasattr(model, "activation_checkpointing_enable"):
        model.activation_checkpointing_enable(activation_checkpointing_kwargs=how)
    else:
        model.gradient_checkpointing_enable(gradient_checkpointing_kwargs=how)


def _operation(options: Mapping[str, Any], method: _adapters.Method) -> str:
    told = choice(options, "operation", ("adaptation", "training"))
    if "operation" not in options and not method.adapts:
        return "training"
    if told == "training" and method.adapts:
        raise ValueError(f"operation is training, and {method.kind} is a method of an adaptation")
    return told


def _autocast(options: Mapping[str, Any], weights: str) -> str:
    """The format that matrix products are cast to while the weights stay as they are; none: as they are."""
    told = plain_format(options, "train_dtype", (weights, *DTYPES))
    if told == weights:
        return "none"
    if weights == "fp16" or told == "fp32":
        raise ValueError(f"train_dtype is {told}, and no autocast is from {weights} to it")
    return told


def _extensions(method: _adapters.Method) -> dict[str, str]:
    used = ("peft",) if method.base is None else ("peft", "bitsandbytes")
    return {name: _library.version_of(name) for name in used}


def _dimensions(options: Mapping[str, Any], model: _language.LanguageModel) -> dict[str, Any]:
    seq2seq = model.configured.seq2seq
    if "encoder_tokens" in options and not seq2seq:
        raise ValueError("encoder_tokens are those of an encoder, and this model has none")
    asked = {
        "microbatch": count(options, "microbatch", 1),
        "accumulation": count(options, "accumulation", 1),
        "sequence_tokens": count(options, "sequence_tokens", 128, least=2),
    }
    if seq2seq:
        asked["encoder_tokens"] = count(options, "encoder_tokens", 128)
    if options.get("evaluation"):
        asked["batch"] = count(options, "batch", asked["microbatch"])
    elif "batch" in options:
        raise ValueError("batch is that of an evaluation, and none is asked for")
    return asked


MEMBER = ReadyWorkload(
    name="training",
    title="Training with a model of transformers",
    options={
        **_language.OPTIONS,
        **_adapters.OPTIONS,
        **_optimizers.OPTIONS,
        "operation": str,
        "checkpointing": bool,
        "train_dtype": str,
        "loss": str,
        "microbatch": int,
        "accumulation": int,
        "sequence_tokens": int,
        "encoder_tokens": int,
        "evaluation": bool,
        "batch": int,
        "export": bool,
    },
    build=Training,
)
