"""What optimizers of one plain format keep for a learned tensor, as torch 2.13 and transformers 5.24 do."""

from __future__ import annotations

from collections.abc import Callable

from fiche.estimators._amounts import bytes_of, nothing, product
from fiche.estimators._learned import Learned
from fiche.estimators._reading import word
from fiche.kernel.figure import Node, Operand, either
from fiche.kernel.said import tell
from fiche.kernel.workload import Workload

# Bytes of the states of all copies of a tensor; the last argument: bits of one value where it is plain.
Rule = Callable[[Learned, Workload, Operand], Node]


def option(workload: Workload, name: str) -> str:
    """A setting of the optimizer in lower case, empty where it is untold."""
    return word(workload, f"optimizer.settings.{name}").lower()


def plain(states: int) -> Rule:
    """So many values kept for each learned one."""
    return lambda tensor, _, bits: bytes_of(tensor.all_values * states, bits)


def adam(tensor: Learned, workload: Workload, bits: Operand) -> Node:
    """Two moments; a third state under amsgrad."""
    return plain(3 if _on(workload, "amsgrad") else 2)(tensor, workload, bits)


def sgd(tensor: Learned, workload: Workload, bits: Operand) -> Node:
    """One state with momentum, none without; off by default, and seldom left so."""
    one = plain(1)(tensor, workload, bits)
    told = option(workload, "momentum")
    if told:
        return one if _on(workload, "momentum") else nothing()
    because = tell("one state with momentum, none without: optimizer.settings.momentum is untold")
    return either(nothing(), one, because)


def rmsprop(tensor: Learned, workload: Workload, bits: Operand) -> Node:
    """A mean of squares; momentum and the centred form keep one more each."""
    more = sum(1 for name in ("momentum", "centered") if _on(workload, name))
    return plain(1 + more)(tensor, workload, bits)


def adafactor(tensor: Learned, workload: Workload, bits: Operand) -> Node:
    """A row and a column of second moments for a matrix, one value each for a vector; beta1 adds a moment."""
    whole = plain(1)(tensor, workload, bits)
    factors = _factors(tensor, whole, bits)
    return factors + whole if _on(workload, "beta1") else factors


def _factors(tensor: Learned, whole: Node, bits: Operand) -> Node:
    if tensor.flat:
        because = tell("factored by rows and columns for a matrix: shapes are not known")
        return either(nothing(), whole, because)
    if len(tensor.shape) == 1:
        return whole
    rows = product((tensor.copies, *tensor.shape[:-1]))
    columns = product((tensor.copies, *tensor.shape[:-2], tensor.shape[-1]))
    return bytes_of(rows, bits) + bytes_of(columns, bits)


def muon(tensor: Learned, workload: Workload, bits: Operand) -> Node:
    """One momentum for a matrix of a layer; the rest is left to another optimizer, mostly AdamW."""
    one, two = plain(1)(tensor, workload, bits), plain(2)(tensor, workload, bits)
    inner = tensor.role in ("linear", "expert", "adapter")
    if inner and len(tensor.shape) == 2:
        return one
    if not inner and not tensor.flat:
        return two
    return either(
        one, two, tell("one state for a matrix under Muon; two where AdamW takes the tensor")
    )


def _on(workload: Workload, name: str) -> bool:
    """True for a setting that is told and neither zero nor a word for off."""
    told = option(workload, name)
    return told not in ("", "no", "false", "off", "none") and bool(told.strip("0."))
