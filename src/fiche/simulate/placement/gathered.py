"""The parameters of one unit: this rank's shards, the whole ones while they are gathered, and their gradients.

A parameter is cut by rows, as `torch.chunk` cuts: all ranks have as many rows as the first, the most
loaded one, and the last ones are padded (`FSDPParam._init_sharded_param`). Gathering copies shards into
one buffer for all ranks and out of it into the whole parameters (`foreach_all_gather`,
`foreach_all_gather_copy_out`); reducing copies whole gradients into one buffer and leaves the shard's in
another (`foreach_reduce`).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import torch

from fiche.simulate.ledger.kinds import GRADIENT, PARAMETER
from fiche.simulate.ledger.ledger import Ledger
from fiche.simulate.placement import storages
from fiche.simulate.placement.asked import Placement, Settings
from fiche.simulate.placement.storages import GATHER, REDUCE, held, let_go, num_bytes_of
from fiche.simulate.placement.units import Owned
from fiche.simulate.refusal import NotSimulatedError

_DTYPES = {"bf16": torch.bfloat16, "fp16": torch.float16, "fp32": torch.float32}


@dataclass(frozen=True)
class Mixed:
    """Formats that parameters are gathered in and gradients are reduced in, None: as they are."""

    parameter: Any = None
    reduced: Any = None

    @staticmethod
    def of(settings: Settings) -> Mixed:
        """From words; gradients come in the parameters' format, so the same one says nothing."""
        parameter, reduced = (
            _DTYPES.get(each) for each in (settings.param_dtype, settings.reduce_dtype)
        )
        return Mixed(parameter, None if reduced is parameter else reduced)


class Part:
    """One parameter of a unit: `shard` of this rank, `whole` while it is gathered."""

    def __init__(self, owned: Owned, ledger: Ledger, placement: Placement, mixed: Mixed) -> None:
        parameter, ranks = owned.parameter, placement.data
        if not parameter.ndim:
            raise NotSimulatedError("fully_shard refuses parameters without a dimension")
        self.owned = owned
        self.stored = parameter.dtype
        cast = mixed.parameter
        self.cast = None if cast is self.stored else cast
        rows = -(-parameter.shape[0] // ranks)
        shape = (rows, *parameter.shape[1:])
        self.numel = rows * (parameter.numel() // max(1, parameter.shape[0]))
        self.whole_numel = self.numel * ranks
        learns = parameter.requires_grad
        device = storages.device_of(ledger)
        if placement.offload == "parameters":
            here = torch.empty(shape, dtype=self.stored, device="cpu")
        else:
            here = storages.made(ledger, shape, self.stored, "fsdp.shard", PARAMETER)
        flat = storages.unseen(ledger, (self.whole_numel,), self.cast or self.stored, device)
        view = torch.as_strided(flat, tuple(parameter.shape), parameter.stride())
        self.whole = torch.nn.Parameter(view, requires_grad=learns)
        self.shard = torch.nn.Parameter(here, requires_grad=learns)
        self.kept: Any = None
        owned.register(self.shard)

    @property
    def gathered_dtype(self) -> Any:
        """The format it is gathered in."""
        return self.cast or self.stored


class Gathered:
    """All of a unit's parts at once."""

    def __init__(
        self, parts: Sequence[Part], ledger: Ledger, placement: Placement, mixed: Mixed
    ) -> None:
        self.parts = parts
        self.mixed = mixed
        self.is_whole = False
        self._ledger = ledger
        self._ranks = placement.data
        self._from_host = placement.offload == "parameters"
        self._gathering: int | None = None

    @property
    def is_gathering(self) -> bool:
        """True from a gather to the copies out of its buffer."""
        return self._gathering is not None

    def gather(self) -> None:
        """The buffer of all ranks' shards; before it, shards in another format or from the host."""
        if self.is_whole or self.is_gathering or not self.parts:
            return
        ledger = self._ledger
        passing = self._inputs()
        num_bytes = sum(num_bytes_of(each.numel, each.gathered_dtype) for each in self.parts)
        self._gathering = held(ledger, num_bytes * self._ranks, "fsdp.all_gather", stream=GATHER)
        for each in passing:
            let_go(ledger, each)

    def take(self, *, keep: bool = False) -> int | None:
        """Copies into the whole parameters; the buffer's entry where it is to be kept for a while."""
        for each in self.parts:
            storages.filled(self._ledger, each.whole, "fsdp.whole_parameter", PARAMETER)
            each.owned.put(each.whole)
        self.is_whole = True
        buffer, self._gathering = self._gathering, None
        if keep:
            return buffer
        let_go(self._ledger, buffer)
        return None

    def give_back(self) -> None:
        """The model has this rank's shards again."""
        if not self.is_whole:
            return
        for each in self.parts:
            each.owned.put(each.shard)
            storages.emptied(self._ledger, each.whole)
        self.is_whole = False

    def drop(self) -> None:
        """A buffer that nothing was copied out of."""
        let_go(self._ledger, self._gathering)
        self._gathering = None

    # --- Gradients ------------------------------------------------------------------------------

    def accumulate(self) -> None:
        """Whole gradients of earlier microbatches, kept in another format, take in the new ones."""
        for each in self.parts:
            if each.kept is not None and each.whole.grad is not None:
                each.kept += each.whole.grad
                each.whole.grad = None

    def gradients(self) -> list[tuple[Part, Any]]:
        """Parts with their whole gradients, which go with the list."""
        found = []
        for each in self.parts:
            gradient = each.kept if each.kept is not None else each.whole.grad
            if gradient is not None:
                self._ledger.mark((gradient,), GRADIENT, over=True)
                found.append((each, gradient))
            each.kept = each.whole.grad = None
        return found

    def keep_gradients(self) -> None:
        """Whole gradients stay until the last microbatch, in the format that they are reduced in."""
        for each in self.parts:
            gradient = each.whole.grad
            if gradient is None:
                continue
            self._ledger.mark((gradient,), GRADIENT, over=True)
            if self.mixed.reduced is not None and gradient.dtype != self.mixed.reduced:
                each.whole.grad = None
                each.kept = gradient.to(self.mixed.reduced)
                self._ledger.mark((each.kept,), GRADIENT, over=True)

    def reduce(self, gradients: list[tuple[Part, Any]]) -> int | None:
        """Whole gradients into a buffer, whose entry it is; what comes out of it is the shards'."""
        ledger = self._ledger
        dtype = self.mixed.reduced or gradients[0][1].dtype
        parts = [each for each, _ in gradients]
        numel = sum(each.numel for each in parts)
        buffer = held(ledger, num_bytes_of(numel * self._ranks, dtype), "fsdp.reduce_scatter")
        gradients.clear()
        reduced = storages.made(
            ledger, (numel,), dtype, "fsdp.reduced_gradient", GRADIENT, stream=REDUCE
        )
        stored = parts[0].stored
        if stored != dtype:
            reduced = storages.made(
                ledger, (numel,), stored, "fsdp.reduced_gradient", GRADIENT, stream=REDUCE
            )
        offset = 0
        for each in parts:
            self._give(each, reduced, offset)
            offset += each.numel
        return buffer

    def _give(self, part: Part, reduced: Any, offset: int) -> None:
        shard = part.shard
        new = torch.as_strided(reduced, tuple(shard.shape), shard.stride(), offset)
        if self._from_host:
            new = new.to("cpu")
        if shard.grad is None:
            shard.grad = new
        else:
            shard.grad += new

    def _inputs(self) -> list[int | None]:
        """What is passing on the way into the buffer: shards from the host, and cast ones in one piece."""
        ledger, passing = self._ledger, []
        if self._from_host:
            for each in self.parts:
                sent = num_bytes_of(each.numel, each.stored)
                arrived = held(ledger, sent, "fsdp.shard_from_host", stream=GATHER)
                if each.cast is not None:
                    cast = num_bytes_of(each.numel, each.cast)
                    passing.append(held(ledger, cast, "fsdp.cast_shard", stream=GATHER))
                    let_go(ledger, arrived)
                else:
                    passing.append(arrived)
            return passing
        cast = sum(num_bytes_of(each.numel, each.cast) for each in self.parts if each.cast)
        return [held(ledger, cast, "fsdp.cast_shards", stream=GATHER)]


def gathered_of(
    owned: Sequence[Owned], ledger: Ledger, placement: Placement, mixed: Mixed
) -> Gathered:
    """Shard parameters; the model holds the shards from then on.

    Raises:
        NotSimulatedError: a parameter has no dimension.
    """
    parts = [Part(each, ledger, placement, mixed) for each in owned]
    return Gathered(parts, ledger, placement, mixed)
