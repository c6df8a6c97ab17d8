"""A ready workload on one rank of a placement: made in the host's memory, then laid out on devices.

The phases and the loop stay those of the workload; what the sharing software does around them is told by
hooks.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from fiche.measure.workloads.generation import Generation
from fiche.measure.workloads.training import Training
from fiche.simulate.placement.asked import Placement

if TYPE_CHECKING:
    from fiche.measure.protocol.recorder import Recorder
    from fiche.measure.workloads._ready import Workload
    from fiche.measure.workloads._steps import Learner
    from fiche.simulate.ledger.ledger import Ledger


def placed(workload: Workload, placement: Placement) -> Workload:
    """The workload on one rank of a placement, or the same object where one device has all of it.

    Raises:
        ValueError: this workload is not laid out so; one sentence.
    """
    if placement.whole:
        return workload
    if isinstance(workload, Training):
        return PlacedTraining(workload, placement)
    if not isinstance(workload, Generation):
        raise ValueError("only training and generation are laid out on several devices")
    if placement.sharding != "none":
        raise ValueError(f"sharding is {placement.sharding}, and a generation shares no states out")
    workload.language = _Language(  # type: ignore[assignment]
        workload.language, _laying(placement, workload)
    )
    return _told_of(workload, placement)


class _Language:
    """A language model that is laid out once it is made; all else is that of the model."""

    def __init__(self, language: Any, lay: Callable[[Any], Any]) -> None:
        self._language = language
        self._lay = lay

    def __getattr__(self, name: str) -> Any:
        return getattr(self._language, name)

    def made(self, place: str) -> Any:
        """The model, from the host's memory to its devices."""
        return self._lay(self._language.made("cpu"))


def _told_of(workload: Generation, placement: Placement) -> Workload:
    """Its `prepare` tells the ledger that the model is laid out with."""
    usual = workload.prepare

    def prepare(rec: Any, place: str) -> None:
        workload.__dict__["ledger"] = rec.ledger
        rec.notes.extend(placement.notes())
        usual(rec, place)

    workload.prepare = prepare  # type: ignore[method-assign]
    return workload


def _laying(placement: Placement, workload: Any) -> Callable[[Any], Any]:
    def lay(model: Any) -> Any:
        return laid_out(model, workload.__dict__["ledger"], placement)

    return lay


def laid_out(model: Any, ledger: Ledger, placement: Placement) -> Any:
    """A model of the host's memory on its devices, where ranks have nothing else to share.

    Raises:
        NotSimulatedError: it cannot be cut so.
    """
    from fiche.simulate.placement import devices, tensor_parallel

    if placement.tensor > 1:
        model = tensor_parallel.narrow(model, ledger, placement.tensor, placement.plan)
    if placement.pipeline > 1:
        return devices.dealt_out(model, ledger, placement.pipeline)
    return devices.on_device(model, ledger)


class PlacedTraining(Training):
    """A training whose model, gradients and states lie on one rank of several."""

    def __init__(self, told: Training, placement: Placement) -> None:
        """Raises ValueError where this training is not laid out so; one sentence."""
        vars(self).update(vars(told))
        self.placement = placement
        self._ledger: Any = None
        self._sharing: Any = None
        _check(told, placement)

    def prepare(self, rec: Recorder, place: str) -> None:
        """As `Training`; the backward pass then goes through what shares gradients."""
        self._ledger = rec.ledger  # type: ignore[attr-defined]
        rec.notes.extend(self.placement.notes())  # type: ignore[attr-defined]
        super().prepare(rec, place)
        if self._sharing is not None:
            usual = self._steps._backward
            self._steps._backward = self._sharing.around(usual)

    def _learner(self, place: str) -> Learner:
        from fiche.simulate.placement.sharing import shared

        learner = super()._learner("cpu")
        model, ledger, placement = learner.model, self._ledger, self.placement
        microbatches = self.declared["accumulation"]
        made = self.optimizer.made
        if placement.tensor > 1:
            from fiche.simulate.placement.tensor_parallel import narrow

            model = narrow(model, ledger, placement.tensor, placement.plan)
        if placement.pipeline > 1:
            from fiche.simulate.placement.devices import dealt_out

            model, optimizer = dealt_out(model, ledger, placement.pipeline), None
        else:
            model, optimizer, self._sharing = shared(model, ledger, placement, microbatches, made)
        if optimizer is None:
            optimizer = made(each for each in model.parameters() if each.requires_grad)
        return replace(learner, model=model, optimizer=optimizer, kind=place.split(":")[0])


def _check(told: Training, placement: Placement) -> None:
    if told.method.base is not None:
        raise ValueError("a quantised base is simulated on one device")
    if told.export:
        raise ValueError(
            "an export is simulated on one device: elsewhere it gathers what is shared"
        )
    if placement.tensor > 1 and told.method.adapts:
        raise ValueError("adapters are simulated without tensor parallelism")
    if placement.sharding.startswith("zero") and told.autocast != "none":
        raise ValueError("DeepSpeed trains in the format of the weights: no train_dtype beside it")
