"""transformers' caches by version and settings, by hand; against transformers itself where marked torch."""

import cache_shapes as shapes
import pytest
from hypothesis import given
from hypothesis import strategies as st
from workloads import GIB, case, workload

from fiche.estimators.engines.ideal import MEMBER as IDEAL
from fiche.estimators.engines.transformers import MEMBER
from fiche.estimators.prefill_retention import MEMBER as PREFILL
from fiche.kernel.trace import conditions, formula, walk

MIB = 2**20
NOW = "5.24.0"


def nodes(shape, engine=MEMBER, tokens=8192, sequences=1, where=None, **told):
    where = where or case(context_tokens=tokens, resident_sequences=sequences)
    told = {"formats__cache": "bf16", "engine__version": NOW, **told}
    load = shapes.of(workload(where, **told), shape)
    return {node.id.removeprefix("limit."): node for node in engine.cache(shape, load, where)}


def kept(shape, item="kv_cache", **told):
    node = nodes(shape, **told)[item]
    assert node.exact, (node.low, node.high)
    return node.low


def test_a_dense_model_keeps_every_token():
    assert kept(shapes.LLAMA_8B) == GIB
    assert kept(shapes.LLAMA_8B, tokens=8192, sequences=4) == 4 * GIB


def test_an_untold_format_is_that_of_the_projections():
    """A cache holds what the model computes: bf16 by the model's files, fp32 where the fiche computes so."""
    told = {"engine__version": NOW}
    where = case(context_tokens=8192, resident_sequences=1)
    load = shapes.of(workload(where, **told), shapes.LLAMA_8B)
    assert MEMBER.cache(shapes.LLAMA_8B, load, where)[0].low == GIB
    load = shapes.of(workload(where, formats__compute="fp32", **told), shapes.LLAMA_8B)
    assert MEMBER.cache(shapes.LLAMA_8B, load, where)[0].low == 2 * GIB


def test_sliding_layers_keep_their_window_and_explain_shows_both_kinds():
    """Gemma3-27B at 131 072 tokens: 10 full layers and 52 of 1024 tokens, 10.406 GiB."""
    node = nodes(shapes.GEMMA3_27B, tokens=131_072)["kv_cache"]
    per_layer = 2 * 16 * 128 * 2
    assert node.low == node.high == per_layer * (10 * 131_072 + 52 * 1024)
    assert formula(node) == "ceil(limit.kv_cache.full + limit.kv_cache.sliding)"
    labels = {each.id: each.label for each in walk(node) if ".kv_cache." in each.id}
    assert labels == {
        "limit.kv_cache.full": "10 layers that keep every token",
        "limit.kv_cache.sliding": "52 layers that keep the last window of tokens",
    }


ALL_FULL = 2 * 16 * 128 * 2 * 62 * 131_072


@pytest.mark.parametrize(
    ("version", "low", "high"),
    [
        ("4.56.0", 11_173_625_856, 11_173_625_856),
        ("5.24.0", 11_173_625_856, 11_173_625_856),
        ("4.55.4", 11_173_625_856, ALL_FULL),
        ("4.40.0", 11_173_625_856, ALL_FULL),
        ("6.0.0", 11_173_625_856, ALL_FULL),
        ("", 11_173_625_856, ALL_FULL),
    ],
)
def test_the_version_decides_what_a_mixed_model_keeps(version, low, high):
    """4.56 made DynamicCache read the configuration; an untold or unread version is both rules."""
    told = {"engine__version": version} if version else {"engine__version": "unknown"}
    node = nodes(shapes.GEMMA3_27B, tokens=131_072, **told)["kv_cache"]
    assert (node.low, node.high) == (low, high)


def test_a_model_whose_layers_all_slide_was_kept_whole_before():
    """Mistral v0.1: 16 GiB in a DynamicCache of 4.55, 0.5 GiB from 4.56 on."""
    assert kept(shapes.MISTRAL_V01, tokens=131_072, engine__version="4.55.4") == 16 * GIB
    assert kept(shapes.MISTRAL_V01, tokens=131_072) == GIB // 2


def test_a_cache_made_without_the_configuration_keeps_every_token():
    told = {"engine__settings__cache_without_config": "yes"}
    assert kept(shapes.MISTRAL_V01, tokens=8192, **told) == GIB


@pytest.mark.parametrize(
    ("version", "expected"),
    [("4.57.6", 4_997_120), ("5.14.1", 4_997_120), ("5.15.0", 70_272), ("5.24.0", 70_272)],
)
def test_latent_attention_by_version(version, expected):
    """DeepSeek-V3, bytes a token: every head before 5.15, the compressed vector from then on."""
    assert kept(shapes.DEEPSEEK_V3, tokens=1, engine__version=version) == expected


def test_a_sparse_indexer_came_three_versions_later():
    """DeepSeek-V3.2: 5.15 still cached every head, 5.18 the compressed vector; indexer keys beside it."""
    shape = shapes.model(shapes.latent(61, 512, 64, 128, 192 - 64, 128, index=128))
    index = 61 * 128 * 2
    assert kept(shape, tokens=1, engine__version="5.17.0") == 4_997_120 + index
    assert kept(shape, tokens=1, engine__version="5.18.0") == 70_272 + index


def test_recurrent_states_are_fp32_and_convolutions_keep_all_columns():
    """Qwen3-Next-80B: 36 layers, 8192 channels x 4 columns bf16, 32 x 128 x 128 values fp32: 74.25 MiB."""
    found = nodes(shapes.QWEN3_NEXT)
    assert found["recurrent_state"].low == 36 * (8192 * 4 * 2 + 32 * 128 * 128 * 4)
    assert found["recurrent_state"].low == 74.25 * MIB
    assert found["kv_cache"].low == 8192 * 24_576
    before = nodes(shapes.QWEN3_NEXT, engine__version="5.0.0")["recurrent_state"]
    assert (before.low, before.high) == (
        36 * (8192 * 4 * 2 + 32 * 128 * 128 * 2),
        36 * (8192 * 4 * 2 + 32 * 128 * 128 * 4),
    )


def test_cross_attention_keeps_every_position_of_the_encoder():
    """Whisper: 1500 positions whatever the audio; T5: the encoder's own length."""
    whisper = shapes.model(shapes.attention(6, 8, 64), shapes.cross(6, 8, 64, tokens=1500))
    assert kept(whisper, "cross_attention_cache", tokens=100) == 2 * 6 * 512 * 1500 * 2
    assert kept(whisper, tokens=100) == 2 * 6 * 512 * 100 * 2
    t5 = shapes.model(shapes.attention(6, 8, 64), shapes.cross(6, 8, 64))
    where = case(context_tokens=20, encoder_tokens=300, resident_sequences=2)
    assert kept(t5, "cross_attention_cache", where=where) == 2 * 6 * 512 * 300 * 2 * 2
    open_ended = nodes(t5)["cross_attention_cache"]
    assert open_ended.high is None
    assert "encoder_tokens" in conditions(open_ended)[0].text


def test_a_static_cache_holds_the_longest_it_was_made_for():
    told = {"engine__settings__cache_implementation": "static"}
    assert kept(shapes.LLAMA_8B, **told) == GIB
    longer = {**told, "engine__settings__max_cache_len": 16_384}
    assert kept(shapes.LLAMA_8B, **longer) == 2 * GIB
    shorter = {**told, "engine__settings__max_cache_len": 64}
    assert kept(shapes.LLAMA_8B, **shorter) == GIB
    assert kept(shapes.MISTRAL_V01, tokens=8192, engine__version="4.50.0", **told) == GIB // 2


def test_an_offloaded_cache_keeps_two_layers():
    told = {"engine__settings__cache_implementation": "offloaded"}
    assert kept(shapes.LLAMA_8B, **told) == 2 * GIB // 32
    told = {"engine__settings__cache_implementation": "offloaded_static"}
    per_token = 2 * 16 * 128 * 2
    assert kept(shapes.GEMMA3_27B, tokens=8192, **told) == per_token * (52 * 1024 + 2 * 8192)


def test_a_quantised_cache_has_scales_and_a_residual():
    """4 bits and, for each group of 64, a scale and a shift of 2 bytes; 128 tokens in bf16 beside it."""
    told = {"engine__settings__cache_implementation": "quantized"}
    values = 2 * 32 * 8 * 128
    assert kept(shapes.LLAMA_8B, **told) == values * 8192 * 9 // 16 + values * 128 * 2
    wider = {**told, "engine__settings__nbits": 8, "engine__settings__q_group_size": 32}
    assert kept(shapes.LLAMA_8B, **wider) == values * 8192 * 9 // 8 + values * 128 * 2
    fp8 = {**told, "engine__settings__backend": "fp8"}
    assert kept(shapes.LLAMA_8B, **fp8) == values * 8192 + 32 * 2 * 4  # a scale each


def test_a_setting_that_is_not_known_is_asked_for():
    told = {"engine__settings__cache_implementation": "paged"}
    assert nodes(shapes.LLAMA_8B, **told)["kv_cache"].high is None
    told = {"engine__settings__cache_implementation": "quantized"}
    assert nodes(shapes.GEMMA3_27B, **told)["kv_cache"].high is None


def test_tensor_parallel_devices_hold_whole_heads():
    """A4: the most loaded device; the latent vector has no heads to cut."""
    assert kept(shapes.LLAMA_8B, placement__tensor_parallel=4) == GIB // 4
    assert kept(shapes.LLAMA_8B, placement__tensor_parallel=16) == GIB // 8
    assert kept(shapes.DEEPSEEK_V3, tokens=1, placement__tensor_parallel=4) == 70_272


counts = st.integers(min_value=1, max_value=64)
windows = st.integers(min_value=2, max_value=512)
tokens_of = st.integers(min_value=1, max_value=2048)
VERSIONS = st.sampled_from(["4.48.0", "4.55.0", "4.56.0", "5.0.0", "5.15.0", "5.24.0", "7.0"])
KINDS = st.sampled_from(["dynamic", "static"])


@given(counts, counts, windows, tokens_of, VERSIONS, KINDS)
def test_ideal_is_never_above_and_sliding_never_above_full(
    layers, heads, window, tokens, ver, kind
):
    mixed = shapes.model(
        shapes.attention(layers, heads, 64),
        shapes.attention(layers, heads, 64, "sliding", window),
        shapes.gated_delta(range(layers), 2, 4, 16, 16, 4),
        shapes.latent(layers, 32, 8, heads, 16, 16),
    )
    told = {"engine__version": ver, "engine__settings__cache_implementation": kind}
    mine = nodes(mixed, tokens=tokens, **told)
    least = nodes(mixed, IDEAL, tokens=tokens, **told)
    assert mine.keys() == least.keys()
    for name, node in mine.items():
        assert least[name].low <= node.low <= node.high
    full = nodes(shapes.model(shapes.attention(2 * layers, heads, 64)), tokens=tokens, **told)
    slid = nodes(
        shapes.model(shapes.attention(2 * layers, heads, 64, "sliding", window)),
        tokens=tokens,
        **told,
    )
    assert slid["kv_cache"].high <= full["kv_cache"].high


@given(counts, counts, windows, tokens_of, counts)
def test_no_dimension_shrinks_a_cache(layers, heads, window, tokens, sequences):
    def high(**more):
        of = {"layers": layers, "heads": heads, "window": window, "tokens": tokens}
        of |= {"sequences": sequences} | more
        shape = shapes.model(
            shapes.attention(of["layers"], of["heads"], 64),
            shapes.attention(of["layers"], of["heads"], 64, "sliding", of["window"]),
        )
        found = nodes(shape, tokens=of["tokens"], sequences=of["sequences"])
        return found["kv_cache"].low

    base = high()
    assert high(layers=layers + 1) >= base
    assert high(heads=heads + 1) >= base
    assert high(window=window + 1) >= base
    assert high(tokens=tokens + 1) >= base
    assert high(sequences=sequences + 1) >= base


# --- Against transformers itself --------------------------------------------------------------

PROMPT, NEW, BATCH = 40, 3, 2
TINY = {"hidden_size": 64, "num_hidden_layers": 2, "num_attention_heads": 4, "vocab_size": 64}
TINY |= {"num_key_value_heads": 2, "head_dim": 16, "intermediate_size": 64}
EXPERTS = {"num_experts": 2, "num_experts_per_tok": 1, "moe_intermediate_size": 32}
LATENT = {"kv_lora_rank": 24, "q_lora_rank": 16, "qk_rope_head_dim": 8, "qk_nope_head_dim": 16}
LATENT |= {"v_head_dim": 12, "first_k_dense_replace": 2, "head_dim": 8}
LATENT |= {"num_key_value_heads": 4}
STATES = {"linear_num_key_heads": 2, "linear_num_value_heads": 4, "linear_conv_kernel_dim": 4}
STATES |= {"linear_key_head_dim": 16, "linear_value_head_dim": 8, "full_attention_interval": 2}
MAMBA2 = {"hidden_size": 64, "num_hidden_layers": 2, "num_heads": 8, "head_dim": 16, "n_groups": 1}
MAMBA2 |= {"expand": 2, "state_size": 16, "conv_kernel": 4, "vocab_size": 64}
INDEXED = {"index_head_dim": 16, "index_n_heads": 2, "index_topk": 8}
JAMBA = {"attn_layer_period": 2, "attn_layer_offset": 1, "num_experts": 2, "mamba_d_state": 8}
JAMBA |= {
    "num_experts_per_tok": 1,
    "mamba_d_conv": 4,
    "mamba_expand": 2,
    "use_mamba_kernels": False,
}
GPT_OSS = {"sliding_window": 16, "num_local_experts": 2, "num_experts_per_tok": 1}
GEMMA3 = {"num_hidden_layers": 6, "sliding_window": 16, "sliding_window_pattern": 6}
WHISPER = {"d_model": 32, "decoder_layers": 2, "encoder_layers": 1, "decoder_attention_heads": 2}
WHISPER |= {"encoder_attention_heads": 2, "max_source_positions": 20, "max_target_positions": 48}
WHISPER |= {"vocab_size": 64, "num_mel_bins": 8, "pad_token_id": 0, "bos_token_id": 1}
WHISPER |= {"eos_token_id": 2, "decoder_start_token_id": 1, "suppress_tokens": []}
T5 = {"d_model": 32, "d_kv": 12, "num_heads": 4, "num_layers": 2}
T5 |= {"d_ff": 32, "vocab_size": 64, "decoder_start_token_id": 0}


BY_HAND = {
    "whisper": shapes.model(shapes.attention(2, 2, 16), shapes.cross(2, 2, 16, tokens=20)),
    "t5": shapes.model(shapes.attention(2, 4, 12), shapes.cross(2, 4, 12)),
}


def generated(model_type, values, **settings):
    """The cache of a tiny model on the CPU after a prefill and NEW tokens, and its configuration."""
    import torch
    from transformers import AutoConfig, AutoModelForCausalLM, AutoModelForSeq2SeqLM

    torch.manual_seed(0)
    config = AutoConfig.for_model(model_type, **values)
    if config.is_encoder_decoder:
        from transformers import AutoModelForSpeechSeq2Seq

        room = AutoModelForSpeechSeq2Seq if model_type == "whisper" else AutoModelForSeq2SeqLM
    else:
        room = AutoModelForCausalLM
    model = room.from_config(config, dtype=torch.bfloat16).eval()
    asked = {"max_new_tokens": NEW, "min_new_tokens": NEW, "do_sample": False, **settings}
    asked |= {"return_dict_in_generate": True}
    if model_type == "whisper":
        asked["input_features"] = torch.rand(BATCH, 8, 40, dtype=torch.bfloat16)
        asked["decoder_input_ids"] = torch.ones((BATCH, PROMPT), dtype=torch.long)
    else:
        asked["input_ids"] = torch.ones((BATCH, PROMPT), dtype=torch.long)
    with torch.no_grad():
        out = model.generate(**asked)
    return out.cache, config


def prefilled(model_type, values):
    """The cache of a tiny model after a plain prefill, made with its configuration."""
    import torch
    from transformers import AutoConfig, AutoModelForCausalLM, DynamicCache

    torch.manual_seed(0)
    config = AutoConfig.for_model(model_type, **values)
    model = AutoModelForCausalLM.from_config(config, dtype=torch.bfloat16).eval()
    cache = DynamicCache(config=config)
    with torch.no_grad():
        model(input_ids=torch.ones((BATCH, PROMPT), dtype=torch.long), cache=cache)
    return cache, config


def storages(cache):
    """Bytes that every tensor of a cache keeps alive, each storage once."""
    import torch

    layers = cache.layers if hasattr(cache, "layers") else ()
    if hasattr(cache, "self_attention_cache"):
        inside = (cache.self_attention_cache, cache.cross_attention_cache)
        layers = [layer for each in inside for layer in each.layers]
    found = {}
    for layer in layers:
        held = [getattr(layer, name, None) for name in ("keys", "values", "indexer_keys")]
        held += [*(getattr(layer, "_quantized_keys", None) or ())]
        held += [*(getattr(layer, "_quantized_values", None) or ())]
        for name in ("conv_states", "recurrent_states"):
            held += list(getattr(layer, name, {}).values())
        for tensor in held:
            if isinstance(tensor, torch.Tensor):
                storage = tensor.untyped_storage()
                found[storage.data_ptr()] = storage.nbytes()
    return sum(found.values())


def by_family(values, model_type, config):
    from fiche.checkpoints import class_defaults
    from fiche.families import model_of
    from fiche.kernel.config import Config
    from fiche.kernel.doors import Family
    from fiche.registry import claiming

    classes, source = class_defaults()
    told = {**values, "model_type": model_type, "dtype": "bfloat16"}
    if getattr(config, "layer_types", None):
        told["layer_types"] = list(config.layer_types)
    read = Config(file="config.json", sha256="", values=told, classes=classes, classes_of=source)
    return model_of(
        read, lambda word: claiming("fiche.families", Family, lambda m: m.model_types, word)
    )


@pytest.mark.torch
@pytest.mark.parametrize(
    ("model_type", "values", "settings"),
    [
        ("llama", TINY, {}),
        ("llama", TINY, {"cache_implementation": "static"}),
        ("llama", TINY, {"cache_implementation": "quantized", "cache_config": {"backend": "fp8"}}),
        ("mistral", {**TINY, "sliding_window": 16}, {}),
        ("mistral", {**TINY, "sliding_window": 16}, {"cache_implementation": "static"}),
        ("gemma3_text", {**TINY, **GEMMA3}, {}),
        ("qwen3_next", {**TINY, **EXPERTS, **STATES}, {}),
        ("mamba2", MAMBA2, {}),
        ("lfm2", {**TINY, "layer_types": ["conv", "full_attention"]}, {}),
        ("jamba", {**TINY, **JAMBA}, {}),
        ("gpt_oss", {**TINY, **GPT_OSS}, {}),
        ("deepseek_v3", {**TINY, **LATENT}, {}),
        ("deepseek_v32", {**TINY, **LATENT, **INDEXED}, {}),
        ("whisper", WHISPER, {}),
        ("t5", T5, {}),
    ],
)
def test_a_tiny_model_keeps_what_the_rule_says(model_type, values, settings):
    """transformers 5.24.0 on the CPU; the last new token is never cached, so one token less is kept."""
    cache, config = generated(model_type, values, **settings)
    shape = BY_HAND.get(model_type) or by_family(values, model_type, config)
    prompt = 1 if model_type == "t5" else PROMPT  # its prompt goes to the encoder
    where = case(
        prompt_tokens=prompt, new_tokens=NEW - 1, encoder_tokens=PROMPT, resident_sequences=BATCH
    )
    words = {**settings, **settings.get("cache_config", {})}
    told = {f"engine__settings__{key}": v for key, v in words.items() if isinstance(v, str)}
    load = shapes.of(workload(where, engine__version="5.24.0", **told), shape)
    found = MEMBER.cache(shape, load, where)
    assert sum(node.low for node in found) == sum(node.high for node in found) == storages(cache)


@pytest.mark.torch
@pytest.mark.parametrize(
    ("model_type", "values"),
    [
        ("llama", TINY),
        ("mistral", {**TINY, "sliding_window": 16}),
        ("gemma3_text", {**TINY, **GEMMA3}),
    ],
)
def test_a_tiny_model_holds_its_whole_prompt_after_a_prefill(model_type, values):
    """peers_run.md section 5: sliding layers hold 20 480 bytes of two layers until the next step."""
    cache, config = prefilled(model_type, values)
    shape = by_family(values, model_type, config)
    where = case(prompt_tokens=PROMPT, new_tokens=0, resident_sequences=BATCH)
    told = {"operation": "generation", "engine__name": "transformers", "engine__version": "5.24.0"}
    load = shapes.of(workload(where, **told), shape)
    found = [*MEMBER.cache(shape, load, where), *PREFILL.estimate(load, where)]
    named = {node.id: node for node in found if not node.id.endswith("logits")}
    assert sum(node.low for node in named.values()) == storages(cache)
    if model_type == "mistral":
        assert storages(cache) == 20_480
