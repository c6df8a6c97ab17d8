"""Members by their words, and configurations that no library would write (law 7)."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from layouts import group, linear, loading, model

from fiche.estimators._weights import open_formats, stored_of
from fiche.estimators.quantisation._lookup import method_of, methods
from fiche.estimators.weights import MEMBER
from fiche.registry import member_names

SCALAR = st.one_of(
    st.none(), st.booleans(), st.integers(-2, 300), st.sampled_from(["", "4", "nf4", "group"])
)
METHODS = [
    *sorted({member.name for member in methods().values()}),
    "gptq_v9",
    "fbgemm_fp8",
    "mxfp8",
]
KEYS = (
    *("bits", "group_size", "weight_block_size", "activation_scheme", "modules_to_not_convert"),
    *("ignore", "quant_algo", "load_in_4bit", "load_in_8bit", "lm_head", "format", "version"),
    *("checkpoint_format", "zero_point", "scale_fmt", "quant_config", "config_groups", "dynamic"),
    *("llm_int8_skip_modules", "expert_dtype", "bnb_4bit_use_double_quant", "nbits"),
)
INNER = st.recursive(
    SCALAR,
    lambda inner: st.one_of(
        st.lists(inner, max_size=3),
        st.dictionaries(
            st.sampled_from(["group_0", "weights", "targets", "num_bits", "strategy", *KEYS]),
            inner,
            max_size=3,
        ),
    ),
    max_leaves=8,
)


def test_every_member_is_found_by_its_words():
    names = member_names("fiche.estimators.quantisation")
    assert {member.name for member in methods().values()} == set(names)
    assert method_of("GPTQ").name == "gptq"
    assert method_of("none such") is None


@pytest.mark.parametrize("name", sorted(methods()))
def test_no_word_is_claimed_twice(name):
    claimed = [m for m in set(map(id, methods().values())) if m]
    assert len(claimed) == len(member_names("fiche.estimators.quantisation"))
    assert name in {word.lower() for word in methods()[name].methods}


@settings(max_examples=300)
@given(
    st.sampled_from(METHODS),
    st.dictionaries(st.sampled_from(KEYS), INNER, max_size=5),
    st.sampled_from(["", "nf4", "bf16", "int4", "q8_0", "Q4_K_M", "fp8_e4m3", "tf32"]),
)
def test_no_configuration_breaks_it(method, told, word):
    held = model(
        group("model.embed_tokens.weight", "embedding", 16, 8),
        linear(8, 8, layers=(0, 1)),
        group("model.layers.*.mlp.experts.gate_up_proj", "expert", 2, 8, 8, layers=(0, 1)),
        quantization={"quant_method": method, **told},
    )
    words = {"formats__storage": word} if word else {}
    (node,) = MEMBER.estimate(loading(held, **words), None)
    assert node.low >= 0
    assert node.high is None or node.high >= node.low > 0
    assert stored_of(loading(held, **words), held).low >= 0
    assert isinstance(open_formats(loading(held, **words)), tuple)
