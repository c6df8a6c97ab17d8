"""How a load is cut over devices: what the most loaded one holds, and what each holds whole (D4).

Never a sum over devices against a sum of cards: with a placement told by kind, every figure of a load is
that of the most loaded device. Cut n ways, some device holds at least the n-th part, whatever the software does
(pigeonhole): that is the lower end where the software's rule is not known.
"""

from __future__ import annotations

from collections.abc import Iterable

from fiche.estimators._reading import word
from fiche.kernel.figure import Node, ceil, either, larger, total
from fiche.kernel.model import AttentionCache, Model, Parameters
from fiche.kernel.record import record
from fiche.kernel.said import listed, tell
from fiche.kernel.spoken import spoken
from fiche.kernel.unit import BYTE
from fiche.kernel.workload import Workload

_KINDS = ("tensor", "pipeline", "expert", "context", "data")
_CUT_VOCABULARY = ("vllm", "sglang", "tensorrt_llm", "tensorrt-llm", "megatron", "megatron-lm")
# Projections that some engines keep whole on each device, or cut otherwise than evenly.
_SOMETIMES_WHOLE = (
    *("q_a_proj", "kv_a_proj", "shared_expert_gate", "indexer"),
    *("qkv", "query_key_value", "c_attn", "kv_proj"),
)
_KEYS_AND_VALUES = ("k_proj.", "v_proj.")
_EVENLY_CUT = ("linear", "expert")
_WHOLE_ON_EACH = ("norm", "router", "position")
_ROLES = {
    "bias": tell("bias"),
    "convolution": tell("convolution"),
    "embedding": tell("embedding"),
    "expert": tell("expert"),
    "head": tell("head"),
    "linear": tell("linear"),
    "norm": tell("norm"),
    "position": tell("position"),
    "recurrent": tell("recurrent"),
    "router": tell("router"),
}


@record(eq=False)
class Split:
    """The ways that a placement cuts a load, None where one is not told; `sharding` as the fiche has it."""

    tensor: Node | None
    pipeline: Node | None
    expert: Node | None
    context: Node | None
    data: Node | None
    sharding: str
    engine: str

    @property
    def shards_weights(self) -> bool:
        """True where data-parallel devices share out the weights themselves."""
        return self.sharding in ("zero3", "fsdp")

    def shares_out(self, item: str) -> bool:
        """True where data-parallel devices share out this item of a load (the stages of ZeRO)."""
        if item in ("optimizer_state", "master_weights", "optimizer_workspace"):
            return self.sharding not in ("", "none")
        if item in ("gradients", "kept_gradients"):
            return self.sharding in ("zero2", "zero3", "fsdp")
        return self.shards_weights


def split_of(workload: Workload) -> Split | None:
    """The cut that a placement tells by kind; None where it tells none, or only a count of devices."""
    ways: dict[str, Node | None] = {
        kind: workload.figures.get(f"placement.{kind}_parallel") for kind in _KINDS
    }
    sharding = word(workload, "placement.sharding")
    sharded = sharding not in ("", "none")
    if not sharded and all(node is None for node in ways.values()):
        return None
    devices = workload.figures.get("placement.devices")
    if ways["data"] is None and sharded and devices is not None:
        ways["data"] = _over(devices, _product(ways["tensor"], ways["pipeline"], ways["context"]))
    return Split(
        tensor=ways["tensor"],
        pipeline=ways["pipeline"],
        expert=ways["expert"],
        context=ways["context"],
        data=ways["data"],
        sharding=sharding,
        engine=word(workload, "engine.name").lower(),
    )


def placed(
    parts: Iterable[tuple[Parameters, Node]], model: Model, split: Split, prefix: str = "placed"
) -> Node:
    """Bytes of parameters on the most loaded device, from the bytes of each group in the whole model.

    One named step a role, such as `placed.linear`.
    """
    cut = [(group, _cut(held, _shares(group, model, split))) for group, held in parts]
    spread = _dealt(cut, split, prefix)
    return ceil(_over(spread, split.data)) if split.shards_weights else spread


def told_cut(model: Model, split: Split) -> str:
    """In words: how parameters are cut, and what every device holds whole."""
    told: list[str] = []
    if split.tensor is not None:
        whole = sorted({group.role for group in model.parameters} & set(_WHOLE_ON_EACH))
        told.append(tell("matrices cut by tensor"))
        if whole:
            told.append(
                tell(
                    "{roles} whole on each", roles=listed(_ROLES.get(role, role) for role in whole)
                )
            )
        if split.engine not in _CUT_VOCABULARY:
            told.append(tell("embedding and head cut or whole"))
    if split.expert is not None and any(group.role == "expert" for group in model.parameters):
        told.append(tell("experts dealt out whole"))
    if split.pipeline is not None:
        told.append(tell("layers dealt out by stages, both ends with the fullest at most"))
    if split.shards_weights:
        told.append(tell("an even shard of all"))
    return listed(told, "; ")


def following(node: Node, split: Split, item: str) -> Node:
    """An item that follows the parameters: cut as they are, and shared out where ZeRO says so."""
    share = within(node, _product(split.tensor, split.pipeline), spoken(item))
    return ceil(_over(share, split.data)) if split.shares_out(item) else share


def within(node: Node, ways: Node | None, item: str) -> Node:
    """At least an even part of `item`, at most all of it: how it lies on the devices is not known."""
    if ways is None:
        return node
    because = tell("how {item} lies on the devices is the software's doing", item=item)
    return either(ceil(node / ways), node, because)


def cutting(split: Split, *kinds: str) -> Node | None:
    """The product of some ways of a cut; None where none of them is told."""
    return _product(*(getattr(split, kind) for kind in kinds))


def _dealt(cut: list[tuple[Parameters, Node]], split: Split, prefix: str) -> Node:
    """Layers dealt out over stages: at least an even part, at most a full deal with both ends on one."""
    whole = _by_role(cut, prefix)
    if split.pipeline is None:
        return whole
    stages = [(group, _in_one_stage(group, held, split.pipeline)) for group, held in cut]
    because = tell(
        "which stage holds which layers, and the embedding or the head, is the software's doing"
    )
    least = ceil(whole / split.pipeline)
    return either(least, _by_role(stages, f"{prefix}.fullest_stage"), because)


def _by_role(cut: list[tuple[Parameters, Node]], prefix: str) -> Node:
    roles: dict[str, list[Node]] = {}
    for group, held in cut:
        roles.setdefault(group.role, []).append(held)
    return total(
        (
            total(held, BYTE).named(
                f"{prefix}.{role}",
                tell("{role} parameters on one device", role=_ROLES.get(role, role)),
            )
            for role, held in roles.items()
        ),
        BYTE,
    )


def _in_one_stage(group: Parameters, held: Node, stages: Node) -> Node:
    """The most that one stage holds: whole layers, dealt evenly; what lies outside layers lies whole."""
    if not group.layers:
        return held
    num_layers = len(group.layers)
    return ceil(held * ceil(num_layers / stages) / num_layers)


def _cut(held: Node, shares: tuple[Node | None, Node | None]) -> Node:
    """Bytes of a group by its least and its most share; None is all of it."""
    least, most = (held if share is None else ceil(held * share) for share in shares)
    if shares[0] is shares[1]:
        return least
    return either(least, most, tell("cut over the tensor-parallel devices, or whole on each"))


def _shares(group: Parameters, model: Model, split: Split) -> tuple[Node | None, Node | None]:
    """The least and the most of a group that one device holds; the same object where it is known."""
    if group.role == "expert" and split.expert is not None:
        share = _experts_held(group, split.expert)
        return share, share
    if split.tensor is None or group.role in _WHOLE_ON_EACH:
        return None, None
    even = 1 / split.tensor
    if group.role in ("embedding", "head"):
        return even, even if split.engine in _CUT_VOCABULARY else None
    if any(name in group.name for name in _SOMETIMES_WHOLE) or group.role not in _EVENLY_CUT:
        return even, None
    if any(name in group.name for name in _KEYS_AND_VALUES):
        heads = _kv_heads(group, model)
        even = even if heads is None else larger(even, 1 / heads)
    return even, even


def _experts_held(group: Parameters, ways: Node) -> Node:
    """Experts are dealt out whole: the most loaded device has the even share, rounded up."""
    fused = len(group.shape) > 2
    experts = group.shape[0] if fused else group.copies / max(len(group.layers), 1)
    return ceil(experts / ways) / experts


def _kv_heads(group: Parameters, model: Model) -> Node | None:
    """KV heads of the layers of a group: fewer than the devices, each keeps one of its own."""
    held = set(group.layers)
    found = [c for c in model.caches if isinstance(c, AttentionCache) and held & set(c.layers)]
    return found[0].kv_heads if len(found) == 1 else None


def _over(node: Node, ways: Node | None) -> Node:
    return node if ways is None else node / ways


def _product(*ways: Node | None) -> Node | None:
    told = [way for way in ways if way is not None]
    result = told[0] if told else None
    for way in told[1:]:
        result = way if result is None else result * way
    return result
