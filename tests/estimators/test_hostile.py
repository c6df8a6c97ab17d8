"""Odd models under odd settings: a number or a named question for each item, never an exception (C2, law 4)."""

import json

import pytest
from families.decoders import config_of, model
from families.test_hostile import KNOWN, hostile
from hypothesis import given
from hypothesis import settings as examples
from hypothesis import strategies as st
from workloads import case, workload

from fiche.estimators import envelope, figures, load_items, phase_totals
from fiche.estimators._tensor_names import is_buffer, is_prediction, is_scale, role_of
from fiche.families import model_of
from fiche.kernel.doors import Engine, Estimator
from fiche.kernel.record import replace
from fiche.kernel.trace import conditions
from fiche.registry import members

ESTIMATORS = members("fiche.estimators", Estimator)
ENGINES = sorted(
    {name for one in members("fiche.estimators.engines", Engine) for name in one.names}
)
FORMATS = ("bf16", "fp64", "fp8_e4m3", "int8", "nf4", "mxfp4", "q4_0", "q4_k_m", "gptq", "junk")
WAYS = ("tensor_parallel", "pipeline_parallel", "expert_parallel", "data_parallel")
WORDS = {
    "operation": ("generation", "generation", "training", "adaptation"),
    "engine__name": ENGINES,
    "engine__version": ("0.28.0", "5.24.0", "4.51.3", "b9000", "junk"),
    "formats__storage": FORMATS,
    "formats__loaded": FORMATS,
    "formats__cache": FORMATS,
    "formats__learned": FORMATS,
    "optimizer__name": ("adamw", "adamw_8bit", "paged_adamw_8bit", "adafactor", "muon", "junk"),
    "method__kind": ("full", "lora", "qlora", "dora"),
    "training__checkpointing": ("none", "selective", "full"),
    "placement__sharding": ("none", "zero1", "zero2", "zero3", "fsdp"),
    "engine__settings__cache_implementation": ("static", "quantized", "64"),
    **{f"placement__{way}": (1, 2, 3, 7, 100) for way in WAYS},
    "engine__settings__block_size": (0, 1, 16, 100),
    "engine__settings__max_num_batched_tokens": (0, 1, 4096),
    "engine__settings__page_size": (0, 1, 64),
    "engine__settings__n_seq_max": (0, 1, 3),
    "method__rank": (1, 16, 10**18),
}
DIMENSIONS = ("prompt_tokens", "new_tokens", "context_tokens", "resident_sequences")
DIMENSIONS += ("microbatch", "accumulation", "sequence_tokens", "images", "image_width")


def every_figure(load):
    where = load.cases[0]
    items = load_items(load, where, ESTIMATORS)
    assert envelope(load, where, items).low >= 0
    phase_totals(load, where, items)
    found = figures(load, ESTIMATORS)
    for node in found.values():
        assert node.low >= 0
        assert node.high is None or node.high >= node.low
    return found


@st.composite
def told(draw):
    some = draw(st.lists(st.sampled_from(sorted(WORDS)), unique=True, max_size=9))
    return {key: draw(st.sampled_from(WORDS[key])) for key in some}


counts = st.dictionaries(
    st.sampled_from(DIMENSIONS), st.sampled_from((0, 1, 3, 256, 10**18)), max_size=6
)


@examples(max_examples=120, deadline=None)
@given(hostile(), told(), counts)
def test_any_model_under_any_settings(config, words, dimensions):
    word, values = config
    found = model_of(config_of(word, **values), KNOWN.get)
    every_figure(replace(workload(case(**dimensions), **words), model=found))


GENERATION = {"operation": "generation", "formats__cache": "bf16"}
SOME = {"prompt_tokens": 0, "new_tokens": 8192, "resident_sequences": 2}


@pytest.mark.parametrize(
    ("config", "words", "dimensions"),
    [
        # A window that no number gives, and a convolution of no column.
        ({"model_type": "phimoe", "sliding_window": ["x"]}, GENERATION, SOME),
        ({"model_type": "jamba", "mamba_d_conv": 0}, GENERATION, SOME),
        # Zero heads are shared among devices; a setting of zero tokens a block.
        (
            {"model_type": "ministral3", "num_key_value_heads": 0},
            {"formats__storage": "q4_0", "placement__tensor_parallel": 1},
            {},
        ),
        (
            {"model_type": "llama"},
            {**GENERATION, "engine__name": "vllm", "engine__settings__block_size": 0},
            SOME,
        ),
        # Weights that nothing is known of, dealt out over stages in the proportion of their class.
        (
            {"model_type": "siglip_vision_model", "dtype": "x"},
            {"formats__loaded": "q4_0", "placement__pipeline_parallel": 100},
            {},
        ),
        # One engine of many has no rule: its question is no second figure of the item's name.
        (
            {"model_type": "glm4_moe"},
            {**GENERATION, "engine__settings__cache_implementation": "64"},
            SOME,
        ),
        # What is stored packed has bits, and what is left unpacked has others.
        (
            {"model_type": "deepseek_v2"},
            {"operation": "adaptation", "optimizer__name": "muon", "formats__storage": "nf4"},
            {},
        ),
        ({"model_type": "llama"}, {"operation": "training", "placement__sharding": "fsdp"}, {}),
        ({"model_type": "hubert"}, {"operation": "training", "optimizer__name": "adamw"}, {}),
        ({"model_type": "jamba"}, {"operation": "training", "optimizer__name": "adamw"}, {}),
    ],
    ids=lambda told: json.dumps(told) if "model_type" in told else "",
)
def test_each_item_has_a_number_or_a_question(config, words, dimensions):
    name, *values = config.items()
    found = model(name[1], **dict(values))
    named = every_figure(replace(workload(case(**dimensions), **words), model=found))
    for node in named.values():
        assert node.high is not None or conditions(node), node.id


def test_what_divides_and_is_zero_is_asked_for_by_name():
    found = model("ministral3", num_key_value_heads=0)
    words = {"formats__storage": "bf16", "placement__tensor_parallel": 2}
    named = every_figure(replace(workload(case(), **words), model=found))
    assert any("config.num_key_value_heads" in c.text for c in conditions(named["weights"]))


@pytest.mark.parametrize("run", ["ln_", "rotary_emb.", "mtp.", ".quant_state.", "experts."])
def test_a_tensors_name_without_end_is_of_no_form(run):
    """A pattern must not run away on a name that a file made up (law 7)."""
    for name in (f"{run * 20_000} ", f"{run * 300} "):
        assert role_of(name) == "linear"
        assert not is_scale(name)
        assert not is_buffer(name)
        assert not is_prediction(name)
