"""Tensor parallelism, one rank: matrices cut by a plan, and what its collectives leave in memory.

Plans and styles are those of transformers (5.24, `transformers/distributed/tensor_parallel.py`): the
model's own, or one by hand. A tensor is cut as `torch.chunk` cuts, so the first rank is the most loaded
where something is left over. In an autograd pass a collective returns a new tensor, as PyTorch's
functional collectives do; without one, the sum behind a row-wise layer is made in place.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import torch

from fiche.simulate.ledger.ledger import Ledger
from fiche.simulate.placement import storages
from fiche.simulate.placement.units import Owned, owners_of, replaced
from fiche.simulate.refusal import NotSimulatedError

ALL_REDUCE = "tensor_parallel.all_reduce"
ALL_GATHER = "tensor_parallel.all_gather"
SPLIT = "tensor_parallel.split"
_HEADS = "colwise_whole_heads"
_ATTENTION = ("q_proj", "k_proj", "v_proj")


@dataclass(frozen=True)
class Style:
    """How a layer is cut: the dimension of its matrix (from the last), what is before and behind it.

    `packed` is how many matrices lie in one. Inputs: `whole` (their gradients are summed), `split` (cut on
    the way in), else as they come. Outputs: `sum`, `gather`, else as they are.
    """

    cut: int | None = None
    packed: int = 1
    inputs: str = ""
    outputs: str = ""
    cuts_bias: bool = False


STYLES: Mapping[str, Style] = {
    "colwise": Style(cut=-2, inputs="whole", cuts_bias=True),
    "colwise_gather_output": Style(cut=-2, inputs="whole", outputs="gather", cuts_bias=True),
    "colwise_rep": Style(cut=-2, inputs="whole", outputs="gather", cuts_bias=True),
    _HEADS: Style(cut=-2, inputs="whole", cuts_bias=True),
    "rowwise": Style(cut=-1, outputs="sum"),
    "rowwise_split_input": Style(cut=-1, inputs="split", outputs="sum"),
    "rowwise_rep": Style(cut=-1, inputs="split", outputs="sum"),
    "packed_colwise": Style(cut=-2, packed=2, inputs="whole", cuts_bias=True),
    "packed_rowwise": Style(cut=-1, packed=2),
    "embedding_rowwise": Style(cut=-2, inputs="vocabulary", outputs="embedded"),
    "embedding_colwise": Style(cut=-1, outputs="gather"),
    "moe_tp_experts": Style(),
    "all_reduce": Style(outputs="embedded"),
    "mla_kv_a_proj": Style(),
    "moe_identity_expert": Style(),
    "sequence_parallel": Style(),
    "replicated_with_grad_allreduce": Style(),
    "replicate": Style(),
    "local_params": Style(),
}


def narrow(model: Any, ledger: Ledger, ways: int, plan: Mapping[str, str]) -> Any:
    """The model with the shapes of one rank, still in the host's memory.

    Raises:
        NotSimulatedError: it has no plan, a style is unknown, or heads cannot be dealt out.
    """
    told = dict(plan or getattr(model, "tp_plan", None) or {})
    if not told:
        raise NotSimulatedError(
            f"a {model.config.model_type} has no tensor-parallel plan: give one"
        )
    _tell_heads(model)
    owned = {id(each.parameter): each for _, found in owners_of([model]) for each in found}
    cut: set[int] = set()
    for name, style in _expanded(model, told):
        module, _, leaf = _found(model, name)
        if leaf:
            _cut(owned, cut, module, leaf, style, ways)
            continue
        for each in list(module._parameters):
            if module._parameters[each] is not None:
                _cut(owned, cut, module, each, style, ways)
        _hook(module, _style(style), ledger, ways)
    _check_heads(model, ways)
    return model


def _style(name: str) -> Style:
    if name not in STYLES:
        raise NotSimulatedError(f"the tensor-parallel style {name[:60]!r} is not known here")
    return STYLES[name]


def _expanded(model: Any, plan: Mapping[str, str]) -> Iterator[tuple[str, str]]:
    """Names of modules and parameters with their styles; an entry of a parameter goes before its module's."""
    rules = [
        (re.compile(re.escape(key).replace(r"\*", r"\d+")), style) for key, style in plan.items()
    ]
    names = [name for name, _ in model.named_parameters(remove_duplicate=False)]
    for name in (*names, *(name for name, _ in model.named_modules() if name)):
        for rule, style in rules:
            if rule.fullmatch(name):
                yield name, style
                break


def _found(model: Any, name: str) -> tuple[Any, str, str]:
    """The module of a name, and the parameter's own name where it is one."""
    owner, _, leaf = name.rpartition(".")
    module = model.get_submodule(owner)
    if leaf in module._parameters:
        return module, owner, leaf
    return model.get_submodule(name), name, ""


def _cut(
    owned: dict[int, Owned], cut: set[int], module: Any, name: str, style: str, ways: int
) -> None:
    """One parameter by its style, in all places that hold it; a tied one is cut once."""
    parameter = module._parameters[name]
    if id(parameter) in cut:
        return
    shape = _shape(parameter, name, style, ways, module)
    if shape is None:
        return
    values = torch.empty(shape, dtype=parameter.dtype, device="cpu")
    narrow_one = torch.nn.Parameter(values, requires_grad=parameter.requires_grad)
    one = owned.pop(id(parameter))
    one.register(narrow_one)
    owned[id(narrow_one)] = one
    cut.add(id(narrow_one))


def _shape(
    parameter: Any, name: str, style_name: str, ways: int, module: Any
) -> tuple[int, ...] | None:
    style = _style(style_name)
    if style.cut is None:
        return None
    shape = list(parameter.shape)
    place = style.cut
    if name.endswith("bias") or parameter.ndim == 1:
        if not style.cuts_bias:
            return None
        place = -1
    width = shape[place]
    if style_name == _HEADS:
        shape[place] = max(-(-width // ways), int(_head_width(module)))
    else:
        shape[place] = style.packed * -(-(width // style.packed) // ways)
    return tuple(shape)


def _head_width(module: Any) -> int:
    return int(getattr(module, "_fiche_head", 1))


# --- Heads --------------------------------------------------------------------------------------


def _attentions(model: Any) -> Iterator[tuple[Any, int, list[Any]]]:
    """Attention modules with the width of a head, and their projections of queries, keys and values."""
    for module in model.modules():
        head = getattr(module, "head_dim", None)
        projections = [getattr(module, name, None) for name in _ATTENTION]
        if isinstance(head, int) and all(each is not None for each in projections):
            yield module, head, projections


def _tell_heads(model: Any) -> None:
    for _, head, projections in _attentions(model):
        for each in projections:
            each.__dict__["_fiche_head"] = head


def _check_heads(model: Any, ways: int) -> None:
    """Attention takes whole heads: a rank's part of a projection has to be a number of them."""
    for module, head, projections in _attentions(model):
        for name, each in zip(_ATTENTION, projections, strict=True):
            rows = int(each.weight.shape[0])
            if rows % head:
                heads = int(each.out_features) // head
                raise NotSimulatedError(
                    f"tensor_parallel is {ways}, and {name} has {heads} heads: transformers cuts it into "
                    f"equal parts, and attention takes whole heads (a plan can say {_HEADS})"
                )
        queries, keys, _ = (int(each.weight.shape[0]) for each in projections)
        module.num_key_value_groups = queries // keys


# --- Collectives --------------------------------------------------------------------------------


class _Through(torch.autograd.Function):  # type: ignore[misc]
    """A tensor through one function ahead and another one back; None hands it on."""

    @staticmethod
    def forward(ctx: Any, tensor: Any, ahead: Any, back: Any) -> Any:
        ctx.back = back
        return tensor.view_as(tensor) if ahead is None else ahead(tensor)

    @staticmethod
    def backward(ctx: Any, gradient: Any) -> Any:
        return (gradient if ctx.back is None else ctx.back(gradient)), None, None


class _Widened(torch.autograd.Function):  # type: ignore[misc]
    """A narrow table under the shape of the whole one, so that its gradient is the whole table's.

    So it is in transformers: PyTorch's rule leaves the gradient of a sharded table whole on each rank.
    """

    @staticmethod
    def forward(ctx: Any, narrow_one: Any, rows: int) -> Any:
        ctx.rows = narrow_one.shape[0]
        return narrow_one[:1].expand(rows, -1)

    @staticmethod
    def backward(ctx: Any, gradient: Any) -> Any:
        return gradient[: ctx.rows], None


Change = Callable[[Any], Any]


class _Collectives:
    """What is taken where ranks talk; `ways` ranks, this one the first."""

    def __init__(self, ledger: Ledger, ways: int) -> None:
        self._ledger = ledger
        self._ways = ways

    def summed(self, tensor: Any) -> Any:
        """The sum over all ranks, a new tensor."""
        return self._new(tensor, tuple(tensor.shape), ALL_REDUCE)

    def gathered(self, tensor: Any, width: int) -> Any:
        """Parts of the last dimension together: they arrive stacked, and are then set side by side."""
        *rows, _ = tensor.shape
        part = -(-width // self._ways)
        arrived = self._new(tensor, (*rows, part * self._ways), ALL_GATHER)
        beside = self._new(tensor, (*rows, part * self._ways), ALL_GATHER)
        del arrived
        return beside[..., :width]

    def split(self, tensor: Any) -> Any:
        """This rank's part of the last dimension, a copy."""
        *rows, width = tensor.shape
        return self._new(tensor, (*rows, -(-width // self._ways)), SPLIT)

    def _new(self, like: Any, shape: tuple[int, ...], what: str) -> Any:
        tensor = storages.unseen(self._ledger, shape, like.dtype, _device(like))
        self._ledger.record(tensor, what)
        return tensor


def _device(tensor: Any) -> Any:
    return getattr(tensor, "fake_device", tensor.device)


def _hook(module: Any, style: Style, ledger: Ledger, ways: int) -> None:
    talk = _Collectives(ledger, ways)
    width = getattr(module, "out_features", getattr(module, "embedding_dim", 0))

    def before(_: Any, args: Any, kwargs: Any) -> Any:
        if style.inputs == "vocabulary" and torch.is_grad_enabled():
            table = module.__dict__["_fiche_table"] = module.weight
            module._parameters["weight"] = _Widened.apply(table, module.num_embeddings)
        if not args:
            return args, kwargs
        if style.inputs == "whole" and torch.is_grad_enabled():
            return _first(args, lambda each: _passed(each, None, talk.summed)), kwargs
        if style.inputs == "split":
            whole = int(args[0].shape[-1])
            return _first(
                args, lambda each: _passed(each, talk.split, lambda g: talk.gathered(g, whole))
            ), kwargs
        return args, kwargs

    def after(_: Any, args: Any, output: Any) -> Any:
        table = module.__dict__.pop("_fiche_table", None)
        if table is not None:
            module._parameters["weight"] = table
        if style.outputs == "embedded" or (style.outputs == "sum" and torch.is_grad_enabled()):
            return _passed(output, talk.summed, None)
        if style.outputs == "sum" and getattr(module, "bias", None) is not None:
            return talk.summed(
                output
            )  # the bias comes after the sum, and makes a tensor of its own
        if style.outputs == "gather":
            return _passed(output, lambda each: talk.gathered(each, width), talk.split)
        return output

    if style.inputs:
        module.register_forward_pre_hook(before, with_kwargs=True)
    if style.outputs:
        module.register_forward_hook(after)


def _first(args: Any, change: Change) -> Any:
    return (replaced(args[0], change), *args[1:])


def _passed(tensor: Any, ahead: Change | None, back: Change | None) -> Any:
    if torch.is_grad_enabled() and tensor.requires_grad:
        return _Through.apply(tensor, ahead, back)
    return tensor if ahead is None else ahead(tensor)
