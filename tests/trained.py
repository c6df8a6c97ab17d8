"""Models and workloads of trainings for tests: shapes by hand, as the library's classes hold them."""

from workloads import SPAN, workload

from fiche.kernel.figure import Figure
from fiche.kernel.model import Block, Model, Parameters
from fiche.kernel.origin import Stated
from fiche.kernel.record import replace
from fiche.kernel.unit import ONE

LLAMA_PARAMETERS = 8_030_261_248
ALL_LINEAR = ("q_proj", "k_proj", "v_proj", "o_proj", "gate_proj", "up_proj", "down_proj")
LLAMA_8B = {
    "hidden": 4096,
    "inner": 14336,
    "layers": 32,
    "heads": 32,
    "kv_heads": 8,
    "head_dim": 128,
    "vocabulary": 128256,
}
TINY = {
    "hidden": 64,
    "inner": 160,
    "layers": 2,
    "heads": 4,
    "kv_heads": 2,
    "head_dim": 24,
    "vocabulary": 64,
}


def node(value, name=""):
    return Figure(low=value, high=value, unit=ONE, origin=Stated(span=SPAN), id=name, label=name)


def group(name, role, *shape, copies=1, layers=(), **more):
    return Parameters(
        name=name,
        role=role,
        shape=tuple(node(side) for side in shape),
        copies=node(copies),
        layers=tuple(layers),
        **more,
    )


def llama(dims=LLAMA_8B, *, tied=False, family="llama", **changed):
    """A dense decoder with grouped heads and a gated feed-forward."""
    d = {**dims, **changed}
    n, h, i, v = (d[key] for key in ("layers", "hidden", "inner", "vocabulary"))
    q, kv = d["heads"] * d["head_dim"], d["kv_heads"] * d["head_dim"]
    every = {"copies": n, "layers": range(n)}
    at = "model.layers.*."
    groups = [group("model.embed_tokens.weight", "embedding", v, h)]
    for name, outputs, inputs in (
        ("self_attn.q_proj", q, h),
        ("self_attn.k_proj", kv, h),
        ("self_attn.v_proj", kv, h),
        ("self_attn.o_proj", h, q),
        ("mlp.gate_proj", i, h),
        ("mlp.up_proj", i, h),
        ("mlp.down_proj", h, i),
    ):
        groups.append(group(f"{at}{name}.weight", "linear", outputs, inputs, **every))
    for name in ("input_layernorm", "post_attention_layernorm"):
        groups.append(group(f"{at}{name}.weight", "norm", h, **every))
    groups.append(group("model.norm.weight", "norm", h))
    if not tied:
        groups.append(group("lm_head.weight", "head", v, h))
    block = Block(
        layers=tuple(range(n)),
        count=node(n),
        hidden=node(h),
        heads=node(d["heads"]),
        query=node(q),
        key=node(kv),
        value=node(kv),
        inner=node(i),
    )
    return Model(
        family=family,
        model_type=family,
        architecture="LlamaForCausalLM",
        parameters=tuple(groups),
        blocks=(block,),
        tied=tied,
        hidden=node(h),
        vocabulary=node(v),
        storage="bf16",
    )


def mixture(dims=TINY, *, experts=8, used=3, **changed):
    """The same with experts in fused tensors, as transformers 5 holds them."""
    dense = llama(dims, **changed)
    (block,) = dense.blocks
    n, h, i = len(block.layers), block.hidden.low, block.inner.low
    every = {"copies": n, "layers": range(n)}
    at = "model.layers.*.mlp."
    kept = [each for each in dense.parameters if ".mlp." not in each.name]
    kept += [
        group(f"{at}gate.weight", "router", experts, h, **every),
        group(f"{at}experts.gate_up_proj", "expert", experts, 2 * i, h, **every),
        group(f"{at}experts.down_proj", "expert", experts, h, i, **every),
    ]
    sparse = replace(block, experts_used=node(used))
    return replace(dense, parameters=tuple(kept), blocks=(sparse,))


def gpt2(*, hidden=64, layers=2, heads=4, vocabulary=64):
    """A dense decoder with one fused projection, LayerNorm, and a feed-forward of two matrices."""
    h, n, i = hidden, layers, 4 * hidden
    every = {"copies": n, "layers": range(n)}
    at = "transformer.h.*."
    groups = [group("transformer.wte.weight", "embedding", vocabulary, h)]
    for name, role, *shape in (
        ("attn.c_attn.weight", "linear", h, 3 * h),
        ("attn.c_proj.weight", "linear", h, h),
        ("mlp.c_fc.weight", "linear", h, i),
        ("mlp.c_proj.weight", "linear", i, h),
        ("ln_1.weight", "norm", h),
        ("ln_1.bias", "bias", h),
        ("ln_2.weight", "norm", h),
        ("ln_2.bias", "bias", h),
    ):
        groups.append(group(at + name, role, *shape, **every))
    groups += [
        group("transformer.ln_f.weight", "norm", h),
        group("transformer.ln_f.bias", "bias", h),
    ]
    block = Block(
        layers=tuple(range(n)),
        count=node(n),
        hidden=node(h),
        heads=node(heads),
        query=node(h),
        key=node(h),
        value=node(h),
        inner=node(i),
        gated=False,
    )
    return Model(
        family="gpt2",
        model_type="gpt2",
        architecture="GPT2LMHeadModel",
        parameters=tuple(groups),
        blocks=(block,),
        tied=True,
        hidden=node(h),
        vocabulary=node(vocabulary),
        storage="bf16",
    )


def training(*cases, of=None, targets=(), saved=(), **told):
    """`training(case(), of=llama(), method__kind="lora", method__rank=16, targets=("q_proj",))`."""
    told.setdefault("operation", "adaptation")
    return replace(
        workload(*cases, **told),
        model=llama() if of is None else of,
        method_targets=tuple(targets),
        modules_to_save=tuple(saved),
    )
