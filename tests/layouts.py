"""Models made of a few groups of parameters, for tests of formats: shapes by hand, no family needed."""

from workloads import stated, workload

from fiche.kernel.config import Config
from fiche.kernel.model import Model, Parameters
from fiche.kernel.record import replace
from fiche.kernel.unit import ONE

LAYER = "model.layers.*."


def config(**values):
    return Config(file="config.json", sha256="0" * 64, values=values, classes={})


def group(name, role, *shape, layers=(), copies=None, part="language", loaded=True):
    sides = tuple(stated(f"{name}.{place}", side, ONE) for place, side in enumerate(shape))
    many = stated(f"{name}.copies", copies or max(len(layers), 1), ONE)
    return Parameters(
        name=name,
        role=role,
        shape=sides,
        copies=many,
        layers=tuple(layers),
        part=part,
        loaded=loaded,
    )


def linear(outputs, inputs, *, layers=(0,), name="mlp.up_proj"):
    return group(f"{LAYER}{name}.weight", "linear", outputs, inputs, layers=layers)


def model(*groups, storage="bf16", model_type="llama", tied=False, quantization=None, **more):
    told = {"model_type": model_type}
    if quantization is not None:
        told["quantization_config"] = quantization
    return Model(
        family="by hand",
        model_type=model_type,
        architecture="",
        parameters=groups,
        tied=tied,
        storage=storage,
        config=config(**told),
        **more,
    )


def loading(of, **told):
    """A workload of a model: `loading(model(...), formats__loaded="nf4")`."""
    return replace(workload(**told), model=of)


def packed(member, of, index=0, **told):
    """(values, beside) in bytes of each part of one group of a model; None where it is left as it is."""
    parts = member.packed(of, of.parameters[index], loading(of, **told))
    return [
        (None, None)
        if part.values is None
        else (part.values.low, None if part.beside is None else part.beside.low)
        for part in parts
    ]


LLAMA_3_1_8B = (
    group("model.embed_tokens.weight", "embedding", 128256, 4096),
    *(
        group(f"{LAYER}{name}.weight", "linear", *shape, layers=range(32))
        for name, *shape in (
            ("self_attn.q_proj", 4096, 4096),
            ("self_attn.k_proj", 1024, 4096),
            ("self_attn.v_proj", 1024, 4096),
            ("self_attn.o_proj", 4096, 4096),
            ("mlp.gate_proj", 14336, 4096),
            ("mlp.up_proj", 14336, 4096),
            ("mlp.down_proj", 4096, 14336),
        )
    ),
    group(f"{LAYER}input_layernorm.weight", "norm", 4096, layers=range(32)),
    group(f"{LAYER}post_attention_layernorm.weight", "norm", 4096, layers=range(32)),
    group("model.norm.weight", "norm", 4096),
    group("lm_head.weight", "head", 128256, 4096),
)
