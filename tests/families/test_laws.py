"""Laws of decoders: more of anything is never less, fewer heads never cost more, and nothing is guessed."""

from fractions import Fraction

import pytest
from families.decoders import classes, config_of, exact, model, parameters, values_per_token
from hypothesis import given
from hypothesis import strategies as st

from fiche.estimators._elements import elements
from fiche.families import model_of
from fiche.kernel.config import Config
from fiche.kernel.doors import Family
from fiche.registry import claiming, members

SMALL = {
    "vocab_size": 30,
    "hidden_size": 24,
    "intermediate_size": 20,
    "num_hidden_layers": 3,
    "num_attention_heads": 4,
    "num_key_value_heads": 2,
    "head_dim": 6,
    "moe_intermediate_size": 10,
    "num_experts": 4,
    "num_local_experts": 4,
    "n_routed_experts": 4,
    "n_shared_experts": 2,
    "kv_lora_rank": 8,
    "q_lora_rank": 8,
    "qk_rope_head_dim": 4,
    "qk_nope_head_dim": 4,
    "v_head_dim": 4,
}
TYPES = [
    "llama",
    "qwen3",
    "gemma3_text",
    "mixtral",
    "qwen3_moe",
    "gpt_oss",
    "glm4_moe",
    "deepseek_v3",
]
DECODERS = [
    *TYPES,
    *(
        "qwen2",
        "gemma3n_text",
        "gemma4_text",
        "falcon",
        "mpt",
        "opt",
        "dbrx",
        "jetmoe",
        "laguna",
        "llama4_text",
    ),
    *(
        "longcat_flash",
        "glm_moe_dsa",
        "deepseek_v4",
        "nemotron-nas",
        "chatglm",
        "cohere2_moe",
        "ernie4_5_moe",
    ),
]
GROWING = [
    "vocab_size",
    "hidden_size",
    "intermediate_size",
    "num_hidden_layers",
    "num_attention_heads",
    "num_key_value_heads",
    "head_dim",
    "num_local_experts",
    "kv_lora_rank",
]


def file_of(model_type, **changes):
    # A width of heads of its own, for hidden / heads shrinks as heads grow.
    known = {k: v for k, v in SMALL.items() if k in classes()[model_type] or k == "head_dim"}
    return {**known, **changes}


@given(st.sampled_from(TYPES), st.sampled_from(GROWING), st.integers(1, 40), st.integers(0, 40))
def test_more_of_a_dimension_never_means_fewer_parameters(model_type, key, least, more):
    few, many = (
        model(model_type, **file_of(model_type, **{key: number}))
        for number in (least, least + more)
    )
    assert parameters(few) <= parameters(many)
    assert values_per_token(few) <= values_per_token(many)


@given(st.integers(1, 8), st.integers(1, 8))
def test_grouped_heads_never_cost_more_than_all_heads(groups, per_group):
    heads = groups * per_group
    grouped = model(
        "llama", **file_of("llama", num_attention_heads=heads, num_key_value_heads=groups)
    )
    full = model("llama", **file_of("llama", num_attention_heads=heads, num_key_value_heads=heads))
    assert values_per_token(grouped) <= values_per_token(full)
    assert parameters(grouped) <= parameters(full)


@given(st.lists(st.sampled_from(["full_attention", "sliding_attention"]), min_size=1, max_size=9))
def test_each_layer_is_in_one_cache_and_in_one_block(kinds):
    found = model("gemma3_text", num_hidden_layers=len(kinds), layer_types=kinds)
    for groups in (found.caches, found.blocks):
        held = sorted(layer for group in groups for layer in group.layers)
        assert held == list(range(len(kinds)))
        assert sum(exact(group.count) for group in groups) == len(kinds)
    assert found.open == ()


@pytest.mark.parametrize("model_type", TYPES)
def test_nothing_is_counted_twice(model_type):
    found = model(model_type, **file_of(model_type))
    named = [(group.name, group.layers) for group in found.parameters]
    assert len(named) == len(set(named))


@pytest.mark.parametrize("layers", [None, 0, -1, 10**9, "many", True])
def test_layers_untold_or_absurd_give_an_open_model(layers):
    values = {} if layers is None else {"num_hidden_layers": layers}
    found = model("qwen", **values) if layers is None else model("llama", **values)
    assert found.open
    assert found.parameters == ()
    assert found.caches == ()


@pytest.mark.parametrize("kind", ["mamba", "conv", "hybrid", "of tomorrow", "", 7, None])
def test_a_kind_of_layer_not_known_stays_open(kind):
    found = model("llama", num_hidden_layers=2, layer_types=["full_attention", kind])
    assert found.open


def test_lists_of_another_length_than_the_layers_stay_open():
    kinds = ["full_attention"] * 3
    assert model("llama", num_hidden_layers=2, layer_types=kinds).open
    assert model("mellum", num_hidden_layers=2, mlp_layer_types=["sparse"]).open


def test_settings_by_layer_that_are_not_read_stay_open():
    assert model("llama", per_layer_config={"0": {"head_dim": 3}}).open


def test_without_the_defaults_of_the_class_nothing_is_filled_in():
    config = Config(file="config.json", sha256="0", values={"model_type": "llama", "num_hidden_layers": 2},
                    classes={})  # fmt: skip
    found = model_of(
        config, lambda word: claiming("fiche.families", Family, lambda m: m.model_types, word)
    )
    assert found.open
    assert elements(found.parameters[0]).high is None
    assert found.caches[0].key_dim.high is None


def test_a_number_that_is_no_whole_number_is_a_question():
    found = model("llama", hidden_size="wide")
    assert elements(found.parameters[0]).high is None


def test_the_format_is_that_of_the_file():
    assert model("llama", torch_dtype="bfloat16").storage == "bf16"
    assert model("llama", dtype="float16").storage == "fp16"
    assert model("llama").storage == ""


def test_each_model_type_belongs_to_one_family():
    claimed = [word for member in members("fiche.families", Family) for word in member.model_types]
    assert sorted(claimed) == sorted(set(claimed))


def test_every_type_of_a_family_gives_a_model_of_its_defaults_without_failing():
    for member in members("fiche.families", Family):
        for word in member.model_types:
            found = member.build(config_of(word), lambda part: model(part.model_type))
            assert found.model_type == word


ODD = [
    *(
        None,
        True,
        0,
        -1,
        3,
        10**12,
        "x",
        "",
        [],
        [1, 2],
        ["full_attention", None],
        {},
        {"0": 3},
        [[1]],
    ),
    *(
        Fraction(1, 2),
        {"0": {"head_dim": 4}},
        [{"attention": 3, "ffn": None}],
        ["LlamaModel"],
        ["sparse"],
    ),
]
TOUCHY = [
    *("layer_types", "mlp_layer_types", "per_layer_config", "architectures", "block_configs"),
    *(
        "num_nextn_predict_layers",
        "indexer_types",
        "moe_layers",
        "no_rope_layers",
        "mlp_only_layers",
    ),
    *(
        "attn_config",
        "ffn_config",
        "compress_rates",
        "compress_ratios",
        "num_attention_heads_per_layer",
    ),
    *("intermediate_size", "num_attention_heads", "num_key_value_heads", "id2label", "num_labels"),
    *("num_hidden_layers", "hidden_size", "head_dim", "sliding_window", "sliding_window_pattern"),
]


@given(
    st.sampled_from(DECODERS),
    st.dictionaries(st.sampled_from(TOUCHY), st.sampled_from(ODD), max_size=4),
)
def test_whatever_a_file_says_gives_a_model_open_or_not(model_type, values):
    """A file may hold anything (law 7): what is no number is a question, what is no list is asked for."""
    found = model(model_type, **{"num_hidden_layers": 2, **values})
    assert found.model_type == model_type
    for group in found.parameters:
        assert elements(group).low >= 0
