"""What stage 3 of ZeRO gathers, fetches ahead and keeps, as `PartitionedParameterCoordinator` does."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Sequence
from typing import Any

import torch

from fiche.simulate.ledger.kinds import PARAMETER
from fiche.simulate.ledger.ledger import Ledger
from fiche.simulate.placement import storages
from fiche.simulate.placement.asked import Placement
from fiche.simulate.placement.storages import GATHER, held, let_go, num_bytes_of
from fiche.simulate.placement.units import Owned, replaced, tensors_in

ABSENT, FLYING, HERE = "absent", "flying", "here"
_WAITING = "_fiche_waiting"


class One:
    """One parameter: `whole` while it is gathered, `partition` elements of it on each rank."""

    def __init__(self, owned: Owned, ledger: Ledger, placement: Placement) -> None:
        old = owned.parameter
        self.numel = int(old.numel())
        self.partition = -(-self.numel // placement.data)
        self.small = self.numel <= placement.settings.stage3_param_persistence_threshold
        self.state = ABSENT
        self.users: set[int] = set()
        flat = storages.unseen(ledger, (self.numel,), old.dtype, storages.device_of(ledger))
        view = torch.as_strided(flat, tuple(old.shape), old.stride())
        self.whole = torch.nn.Parameter(view, requires_grad=old.requires_grad)
        self.modules = {id(module) for module, _ in owned.places}
        owned.register(self.whole)


class Fetched:
    """Which parameters are whole at the moment."""

    def __init__(self, ones: Sequence[One], ledger: Ledger, placement: Placement) -> None:
        self._ledger = ledger
        self._settings = placement.settings
        self._ranks = placement.data
        self._from_host = placement.offload == "parameters"
        self._ones = ones
        self._flying: dict[int, tuple[int | None, list[One]]] = {}
        self._traces: dict[bool, list[list[One]]] = {}
        self._trace: list[list[One]] = []
        self._known = False
        self._step = 0
        self._queue: deque[tuple[int, One]] = deque()
        self._fetched_for: dict[int, int] = {}
        self._live = 0

    def of(self, module: Any) -> list[One]:
        """A module's own parameters."""
        return [each for each in self._ones if id(module) in each.modules]

    # --- One pass -------------------------------------------------------------------------------

    def begin(self, learning: bool) -> None:
        """A pass begins; the order of one before it is known, and another one is noted where there is none."""
        self._known = learning in self._traces
        self._trace = self._traces.setdefault(learning, [])
        self._step, self._live = 0, 0
        self._fetched_for.clear()
        order = enumerate(self._trace) if self._known else ()
        self._queue = deque((step, one) for step, ones in order for one in ones)

    def fetch(self, ones: Sequence[One], module: int) -> None:
        """All of a module's parameters are whole; with a known order, so are soon the next ones."""
        if not self._known:
            self._trace.append(list(ones))
        self._gather([each for each in ones if each.state == ABSENT])
        for each in ones:
            each.users.add(module)
            self._wait(each)
        if self._known:
            self._pass(ones)
            self._fetch_ahead()
        self._step += 1

    def release(self, ones: Iterable[One], module: int) -> None:
        """A module is over: what is not used again soon goes."""
        kept = self._kept(ones) if self._known else set()
        for each in ones:
            each.users.discard(module)
            if id(each) not in kept and not each.users:
                self._drop(each)

    def end(self) -> None:
        """A backward pass is over: so are modules that no gradient of an input led back to."""
        for each in self._ones:
            if each.state == HERE and not (self._known and each.small):
                each.users.clear()
                self._drop(each)

    def release_all(self) -> None:
        """Before an update nothing stays."""
        for each in self._ones:
            self._wait(each)
            each.users.clear()
            self._drop(each)

    def gather_small(self) -> None:
        """The parameters that are too small to be shared out come back, in one piece."""
        small = [each for each in self._ones if each.small and each.state == ABSENT]
        before = self._live
        self._gather(small)
        for each in small:
            self._wait(each)
        self._live = before

    # --- Parts of it ----------------------------------------------------------------------------

    def _gather(self, ones: Sequence[One]) -> None:
        """Several come in one buffer and are copied out of it; a single one arrives where it stays."""
        if not ones:
            return
        ledger = self._ledger
        own = [num_bytes_of(each.partition, each.whole.dtype) for each in ones]
        sent = held(ledger, sum(own), "zero3.partition_from_host") if self._from_host else None
        buffer = None
        if len(ones) > 1:
            buffer = held(ledger, sum(own) * self._ranks, "zero3.all_gather", stream=GATHER)
        else:
            self._fill(ones[0], GATHER)
        let_go(ledger, sent)
        group = list(ones)
        for each in group:
            each.state = FLYING
            self._live += each.numel
            self._flying[id(each)] = (buffer, group)

    def _wait(self, one: One) -> None:
        """All that came with it is there, and their buffer goes."""
        if id(one) not in self._flying:
            return
        buffer, group = self._flying[id(one)]
        for each in group:
            if len(group) > 1:
                self._fill(each, None)
            each.state = HERE
            del self._flying[id(each)]
        let_go(self._ledger, buffer)

    def _fill(self, one: One, stream: int | None) -> None:
        storages.filled(self._ledger, one.whole, "zero3.whole_parameter", PARAMETER, stream=stream)

    def _drop(self, one: One) -> None:
        if one.state == HERE:
            storages.emptied(self._ledger, one.whole)
            one.state = ABSENT
            self._live -= one.numel

    def _pass(self, ones: Sequence[One]) -> None:
        """What this module uses is no longer to be fetched."""
        expected = {id(each) for each in ones if self._fetched_for.get(id(each), -1) < self._step}
        while self._queue and expected:
            step, one = self._queue.popleft()
            self._fetched_for[id(one)] = max(step, self._fetched_for.get(id(one), -1))
            expected.discard(id(one))

    def _fetch_ahead(self) -> None:
        room = self._settings.stage3_max_live_parameters - self._live
        most = min(room, self._settings.stage3_prefetch_bucket_size)
        ahead: list[One] = []
        numel = 0
        while self._queue and numel < most:
            step, one = self._queue.popleft()
            self._fetched_for[id(one)] = max(step, self._fetched_for.get(id(one), -1))
            if one.state == ABSENT and one not in ahead:
                ahead.append(one)
                numel += one.numel
        self._gather(ahead)

    def _kept(self, ones: Iterable[One]) -> set[int]:
        """Small ones, those that were skipped as already there for a later use, and those used again soon."""
        wanted = {id(each) for each in ones}
        kept = {id(each) for each in ones if each.small}
        kept |= {each for each in wanted if self._fetched_for.get(each, -1) > self._step}
        passed = 0
        for later in self._trace[self._step :]:
            if passed >= self._settings.stage3_max_reuse_distance:
                break
            for one in later:
                kept.add(id(one))
                passed += one.numel
        return kept & wanted


def hook(model: Any, fetched: Fetched) -> None:
    """Gather before each module runs and before its backward pass; let go behind them.

    A module without parameters of its own fetches ahead all the same.
    """
    model.register_forward_pre_hook(lambda module, _: fetched.begin(bool(module.training)))
    for module in model.modules():
        _hook_one(module, fetched.of(module), fetched)


def _hook_one(module: Any, ones: list[One], fetched: Fetched) -> None:
    name = id(module)

    def before(_: Any, args: Any, kwargs: Any) -> Any:
        fetched.fetch(ones, name)
        if not torch.is_grad_enabled():
            return args, kwargs
        inputs = [each for each in tensors_in((args, kwargs)) if each.requires_grad]
        if not inputs:
            return args, kwargs
        passed = iter(_Passed.apply(lambda: fetched.release(ones, name), *inputs))

        def change(each: Any) -> Any:
            return next(passed) if each.requires_grad else each

        return replaced(args, change), replaced(kwargs, change)

    def after(_: Any, args: Any, kwargs: Any, output: Any) -> None:
        fetched.release(ones, name)
        if torch.is_grad_enabled():
            once: list[bool] = []
            for tensor in tensors_in(output):
                if tensor.requires_grad:
                    _outermost_first(tensor, lambda: _first(once, fetched, ones, name))

    module.register_forward_pre_hook(before, with_kwargs=True)
    module.register_forward_hook(after, with_kwargs=True)


def _outermost_first(tensor: Any, fetch: Callable[[], None]) -> None:
    """In the backward pass: of modules that return one tensor, the outermost fetches first."""
    waiting: list[Callable[[], None]] | None = tensor.__dict__.get(_WAITING)
    if waiting is None:
        known: list[Callable[[], None]] = []
        waiting = tensor.__dict__[_WAITING] = known

        def arrived(_: Any) -> None:
            for each in known:
                each()

        tensor.register_hook(arrived)
    waiting.insert(0, fetch)


def _first(once: list[bool], fetched: Fetched, ones: list[One], name: int) -> None:
    if not once:
        once.append(True)
        fetched.fetch(ones, name)


class _Passed(torch.autograd.Function):  # type: ignore[misc]
    """Hands its inputs on; in the backward pass it is where a module is over."""

    @staticmethod
    def forward(ctx: Any, over: Any, *inputs: Any) -> Any:
        ctx.over = over
        return inputs

    @staticmethod
    def backward(ctx: Any, *gradients: Any) -> Any:
        ctx.over()
        return (None, *gradients)
