"""Small configurations of models that are not plain decoders, no two dimensions alike where they differ.

Each entry: model type, class of transformers, keys of the configuration.
"""

TYPES: list[tuple[str, str, dict]] = []


def _add(model_type, *classes, **keys):
    TYPES.extend((model_type, each, keys) for each in classes)


# --- State spaces and hybrids ---------------------------------------------------------------------

_SMALL = {"hidden_size": 16, "vocab_size": 37}
_ATTENTION = {"num_attention_heads": 4, "num_key_value_heads": 2}
_MIXER = {"mamba_n_heads": 4, "mamba_d_head": 8, "mamba_d_state": 5, "mamba_n_groups": 1}

for _name, _class in (("mamba", "MambaForCausalLM"), ("falcon_mamba", "FalconMambaForCausalLM")):
    for _more in ({"use_bias": True, "use_conv_bias": False}, {"time_step_rank": 3}):
        _add(
            _name, _class, hidden_size=14, num_hidden_layers=3, vocab_size=37, state_size=5, **_more
        )
for _more in ({}, {"use_bias": True, "tie_word_embeddings": True}):
    _add(
        "mamba2",
        "Mamba2ForCausalLM",
        **_SMALL,
        num_hidden_layers=3,
        state_size=5,
        num_heads=4,
        head_dim=8,
        n_groups=2,
        **_more,
    )
for _more in ({"mamba_dt_rank": 7}, {"num_experts": 1, "mamba_proj_bias": True}):
    _add(
        "jamba",
        "JambaForCausalLM",
        **_SMALL,
        **_ATTENTION,
        num_hidden_layers=8,
        intermediate_size=22,
        mamba_d_state=5,
        **{"num_experts": 3, **_more},
    )
for _more in (
    {"attn_layer_indices": [1]},
    {"attention_bias": True, "mlp_bias": True, "mamba_proj_bias": True},
):
    _add(
        "bamba",
        "BambaForCausalLM",
        **_SMALL,
        **_ATTENTION,
        **_MIXER,
        num_hidden_layers=3,
        intermediate_size=22,
        **_more,
    )
for _experts in (3, 0):
    _add(
        "granitemoehybrid",
        "GraniteMoeHybridForCausalLM",
        **_SMALL,
        **_ATTENTION,
        **_MIXER,
        intermediate_size=22,
        num_hidden_layers=3,
        layer_types=["mamba", "attention", "mamba"],
        num_local_experts=_experts,
        shared_intermediate_size=11,
    )
for _more in (
    {"num_mem_blocks": 2, "use_shared_attention_adapter": True},
    {"add_bias_linear": True},
):
    _add(
        "zamba2",
        "Zamba2ForCausalLM",
        **_SMALL,
        num_hidden_layers=7,
        intermediate_size=22,
        num_attention_heads=4,
        mamba_d_state=5,
        n_mamba_heads=4,
        adapter_rank=3,
        layers_block_type=["mamba", "mamba", "hybrid", "mamba", "hybrid", "mamba", "hybrid"],
        **_more,
    )
for _more in ({}, {"moe_latent_size": 6, "use_bias": True, "mlp_bias": True}):
    _add(
        "nemotron_h",
        "NemotronHForCausalLM",
        hidden_size=18,
        vocab_size=37,
        intermediate_size=22,
        hybrid_override_pattern="M-M*ME",
        num_hidden_layers=6,
        **_ATTENTION,
        head_dim=6,
        mamba_num_heads=4,
        mamba_head_dim=5,
        n_groups=2,
        ssm_state_size=7,
        n_routed_experts=3,
        moe_intermediate_size=10,
        moe_shared_expert_intermediate_size=12,
        **_more,
    )
for _more in (
    {"mamba_d_ssm": 24, "mamba_d_head": 6},
    {
        "mamba_d_ssm": None,
        "mamba_d_head": "auto",
        "mamba_rms_norm": True,
        "attention_bias": True,
        "projectors_bias": True,
        "mamba_proj_bias": True,
        "mlp_bias": True,
    },
):
    _add(
        "falcon_h1",
        "FalconH1ForCausalLM",
        **_SMALL,
        **_ATTENTION,
        intermediate_size=22,
        num_hidden_layers=2,
        mamba_n_heads=4,
        mamba_d_state=5,
        mamba_n_groups=1,
        **_more,
    )
_CONV = {"layer_types": ["conv", "full_attention", "conv"], "num_hidden_layers": 3}
for _more in (
    {"block_auto_adjust_ff_dim": False, "conv_bias": True},
    {"intermediate_size": 600},
    {
        "intermediate_size": 600,
        "block_ffn_dim_multiplier": 1.5,
        "layer_types": None,
        "full_attn_idxs": [1],
    },
):
    _add(
        "lfm2",
        "Lfm2ForCausalLM",
        **{**_SMALL, **_ATTENTION, **_CONV, "intermediate_size": 22, **_more},
    )
_add(
    "lfm2_moe",
    "Lfm2MoeForCausalLM",
    **_SMALL,
    **_ATTENTION,
    **_CONV,
    intermediate_size=22,
    moe_intermediate_size=10,
    num_experts=3,
    num_dense_layers=1,
)
_GDN = {
    "num_hidden_layers": 4,
    "head_dim": 6,
    "linear_num_value_heads": 4,
    "linear_num_key_heads": 2,
    "linear_key_head_dim": 5,
    "linear_value_head_dim": 7,
}
_MOE = {"moe_intermediate_size": 10, "shared_expert_intermediate_size": 12, "num_experts": 3}
for _more in (
    {"mlp_only_layers": [1]},
    {"decoder_sparse_step": 2, "attention_bias": True, "full_attention_interval": 2},
):
    _add(
        "qwen3_next",
        "Qwen3NextForCausalLM",
        **_SMALL,
        **_ATTENTION,
        **_GDN,
        **_MOE,
        intermediate_size=22,
        **_more,
    )
_add("qwen3_5_text", "Qwen3_5ForCausalLM", **_SMALL, **_ATTENTION, **_GDN, intermediate_size=22)
_add("qwen3_5_moe_text", "Qwen3_5MoeForCausalLM", **_SMALL, **_ATTENTION, **_GDN, **_MOE)
for _more in (
    {"q_lora_rank": 9, "attention_bias": True},
    {
        "linear_attn_config": {
            "full_attn_layers": [2],
            "kda_layers": [1, 3],
            "head_dim": 5,
            "num_heads": 3,
            "short_conv_kernel_size": 3,
        },
        "first_k_dense_replace": 2,
    },
):
    _add(
        "kimi_linear",
        "KimiLinearForCausalLM",
        **_SMALL,
        num_attention_heads=4,
        num_hidden_layers=3,
        intermediate_size=22,
        moe_intermediate_size=10,
        num_experts=3,
        kv_lora_rank=7,
        qk_rope_head_dim=2,
        qk_nope_head_dim=3,
        v_head_dim=6,
        linear_num_heads=3,
        linear_head_dim=5,
        pad_token_id=0,
        **_more,
    )
_add(
    "minimax",
    "MiniMaxForCausalLM",
    **_SMALL,
    **_ATTENTION,
    intermediate_size=22,
    num_hidden_layers=4,
    head_dim=6,
    num_local_experts=3,
)
_add(
    "recurrent_gemma",
    "RecurrentGemmaForCausalLM",
    **_SMALL,
    **_ATTENTION,
    intermediate_size=22,
    num_hidden_layers=4,
    lru_width=20,
)
for _more in ({}, {"attention_hidden_size": 18, "intermediate_size": 22}):
    _add("rwkv", "RwkvForCausalLM", **_SMALL, num_hidden_layers=3, **_more)
_add(
    "olmo_hybrid",
    "OlmoHybridForCausalLM",
    **_SMALL,
    **_ATTENTION,
    intermediate_size=22,
    num_hidden_layers=4,
    pad_token_id=0,
)

# --- Text encoders --------------------------------------------------------------------------------

_BODY = {
    "hidden_size": 16,
    "num_hidden_layers": 2,
    "num_attention_heads": 4,
    "intermediate_size": 22,
    "vocab_size": 37,
    "max_position_embeddings": 31,
    "type_vocab_size": 3,
}
_TASKS = (
    "ForMaskedLM",
    "ForSequenceClassification",
    "ForTokenClassification",
    "ForQuestionAnswering",
)


def _ends(prefix, *ends):
    return [prefix + end for end in ends]


_add(
    "bert",
    *_ends(
        "Bert",
        "Model",
        "ForPreTraining",
        "ForNextSentencePrediction",
        "ForMultipleChoice",
        "LMHeadModel",
        *_TASKS,
    ),
    **_BODY,
)
_add("bert", "BertForMaskedLM", **_BODY, tie_word_embeddings=False)
_add("bert", "BertForSequenceClassification", **_BODY, id2label={str(i): str(i) for i in range(5)})
for _name, _prefix in (
    ("roberta", "Roberta"),
    ("data2vec-text", "Data2VecText"),
    ("longformer", "Longformer"),
):
    _add(_name, *_ends(_prefix, "Model", "ForMultipleChoice", *_TASKS), **_BODY)
_add("roberta", "RobertaForMaskedLM", **_BODY, tie_word_embeddings=False)
# These two name the shared table after their head, though files keep the name of the embedding.
_add("xlm-roberta", *_ends("XLMRoberta", "Model", *_TASKS[1:]), **_BODY)
_add("camembert", *_ends("Camembert", "Model", *_TASKS[1:]), **_BODY)
_add(
    "ernie",
    *_ends("Ernie", "Model", "ForPreTraining", *_TASKS),
    **_BODY,
    use_task_id=True,
    task_type_vocab_size=4,
)
_add("layoutlm", *_ends("LayoutLM", "Model", *_TASKS), **_BODY, max_2d_position_embeddings=29)
_add("big_bird", *_ends("BigBird", "Model", "ForPreTraining", *_TASKS[:3]), **_BODY)
_add("electra", *_ends("Electra", "Model", "ForPreTraining", *_TASKS), **_BODY, embedding_size=11)
_add("electra", "ElectraForPreTraining", **_BODY, embedding_size=16)
_add(
    "rembert",
    *_ends("RemBert", "Model", *_TASKS),
    **_BODY,
    input_embedding_size=11,
    output_embedding_size=13,
)
_add(
    "distilbert",
    *_ends("DistilBert", "Model", "ForMultipleChoice", *_TASKS),
    dim=16,
    n_layers=2,
    n_heads=4,
    hidden_dim=22,
    vocab_size=37,
    max_position_embeddings=31,
)
for _groups in (1, 2):
    _add(
        "albert",
        *_ends("Albert", "Model", "ForPreTraining", "ForMultipleChoice", *_TASKS),
        **{**_BODY, "num_hidden_layers": 4},
        embedding_size=11,
        num_hidden_groups=_groups,
    )
for _more in (
    {
        "type_vocab_size": 0,
        "relative_attention": True,
        "position_buckets": 8,
        "norm_rel_ebd": "layer_norm",
        "share_att_key": True,
        "pos_att_type": "p2c|c2p",
        "position_biased_input": False,
        "conv_kernel_size": 3,
    },
    {"relative_attention": True, "pos_att_type": ["p2c", "c2p"], "max_relative_positions": 9},
    {},
):
    _add(
        "deberta-v2",
        *_ends("DebertaV2", "Model", "ForMultipleChoice", *_TASKS),
        **{**_BODY, **_more},
    )
    _more.pop("position_buckets", None)
    _add("deberta", *_ends("Deberta", "Model", *_TASKS), **{**_BODY, **_more})
_add("mpnet", *_ends("MPNet", "Model", "ForMultipleChoice", *_TASKS), **_BODY)
for _more in (
    {},
    {"norm_bias": True, "attention_bias": True, "mlp_bias": True, "classifier_bias": True},
):
    _add(
        "modernbert",
        *_ends("ModernBert", "Model", "ForMultipleChoice", *_TASKS),
        **_BODY,
        pad_token_id=0,
        **_more,
    )
_add("nomic_bert", "NomicBertModel", "NomicBertForMaskedLM", **_BODY)
_add("gte", "GteModel", **_BODY, pad_token_id=0)
_add("jina_embeddings_v3", "JinaEmbeddingsV3Model", **_BODY, pad_token_id=0)
for _more in (
    {"position_embedding_type": "rotary"},
    {"position_embedding_type": "absolute", "emb_layer_norm_before": True},
):
    _add(
        "esm",
        *_ends("Esm", "Model", *_TASKS[:3]),
        **_BODY,
        pad_token_id=1,
        mask_token_id=2,
        **_more,
    )

# --- Encoders with decoders -----------------------------------------------------------------------

_HALVES = {
    "d_model": 16,
    "encoder_layers": 2,
    "decoder_layers": 3,
    "encoder_ffn_dim": 22,
    "decoder_ffn_dim": 26,
    "encoder_attention_heads": 2,
    "decoder_attention_heads": 4,
    "vocab_size": 37,
}
for _name, _prefix in (
    ("bart", "Bart"),
    ("plbart", "PLBart"),
    ("mvp", "Mvp"),
    ("mbart", "MBart"),
    ("blenderbot", "Blenderbot"),
    ("blenderbot-small", "BlenderbotSmall"),
    ("pegasus", "Pegasus"),
    ("m2m_100", "M2M100"),
):
    _add(
        _name,
        *_ends(_prefix, "Model", "ForConditionalGeneration"),
        **_HALVES,
        max_position_embeddings=31,
    )
_add(
    "bart",
    "BartForSequenceClassification",
    "BartForQuestionAnswering",
    **_HALVES,
    max_position_embeddings=31,
)
_add(
    "bart",
    "BartForConditionalGeneration",
    **_HALVES,
    max_position_embeddings=31,
    tie_word_embeddings=False,
)
_add(
    "marian", "MarianMTModel", "MarianModel", **_HALVES, max_position_embeddings=31, pad_token_id=0
)
_SOUND = {
    "num_mel_bins": 9,
    "max_source_positions": 30,
    "max_target_positions": 21,
    "pad_token_id": 0,
}
_add(
    "whisper",
    *_ends("Whisper", "Model", "ForConditionalGeneration", "ForAudioClassification"),
    **_HALVES,
    **_SOUND,
    classifier_proj_size=12,
)
_add("whisper", "WhisperForAudioClassification", **_HALVES, **_SOUND, use_weighted_layer_sum=True)
_T5 = {"d_model": 16, "d_ff": 22, "d_kv": 5, "num_layers": 2, "num_heads": 4, "vocab_size": 37}
for _name, _prefix in (("t5", "T5"), ("mt5", "MT5"), ("umt5", "UMT5"), ("longt5", "LongT5")):
    for _more in ({}, {"num_decoder_layers": 3, "feed_forward_proj": "gated-silu"}):
        _add(
            _name,
            *_ends(_prefix, "Model", "ForConditionalGeneration", "EncoderModel"),
            **_T5,
            **_more,
        )
_add("longt5", "LongT5ForConditionalGeneration", **_T5, encoder_attention_type="transient-global")

# --- Images ---------------------------------------------------------------------------------------

_SEEN = {
    "hidden_size": 18,
    "intermediate_size": 26,
    "num_hidden_layers": 3,
    "num_attention_heads": 3,
    "image_size": 24,
    "patch_size": 4,
}
_READ = {
    "hidden_size": 18,
    "intermediate_size": 22,
    "num_hidden_layers": 2,
    "num_attention_heads": 3,
    "vocab_size": 37,
    "max_position_embeddings": 31,
}
_VIT = {**_SEEN, "hidden_size": 18}
_add(
    "vit",
    "ViTModel",
    "ViTForImageClassification",
    **_VIT,
    id2label={str(i): str(i) for i in range(5)},
)
_add("vit", "ViTModel", **_VIT, qkv_bias=False, pooler_output_size=7)
_add(
    "deit",
    "DeiTModel",
    "DeiTForImageClassification",
    "DeiTForImageClassificationWithTeacher",
    **_VIT,
)
for _more in ({}, {"use_swiglu_ffn": True, "qkv_bias": False}):
    _add(
        "dinov2",
        "Dinov2Model",
        "Dinov2ForImageClassification",
        hidden_size=18,
        num_hidden_layers=2,
        num_attention_heads=3,
        mlp_ratio=3,
        image_size=24,
        patch_size=4,
        **_more,
    )
_add(
    "dinov2_with_registers",
    "Dinov2WithRegistersModel",
    "Dinov2WithRegistersForImageClassification",
    hidden_size=18,
    num_hidden_layers=2,
    num_attention_heads=3,
    mlp_ratio=3,
    image_size=24,
    patch_size=4,
    num_register_tokens=5,
)
_add(
    "clip",
    "CLIPModel",
    "CLIPForImageClassification",
    text_config={**_READ, "hidden_size": 15},
    vision_config=_SEEN,
    projection_dim=11,
)
_add(
    "clip_vision_model",
    "CLIPVisionModel",
    "CLIPVisionModelWithProjection",
    **_SEEN,
    projection_dim=11,
)
_add("clip_text_model", "CLIPTextModel", "CLIPTextModelWithProjection", **_READ, projection_dim=11)
_add(
    "siglip", "SiglipModel", "SiglipForImageClassification", text_config=_READ, vision_config=_SEEN
)
_add("siglip_vision_model", "SiglipVisionModel", **_SEEN)
_CUT = {**_SEEN, "num_patches": 9}
del _CUT["image_size"]
_add("siglip2", "Siglip2Model", text_config=_READ, vision_config=_CUT)

_TEXT = {
    "model_type": "llama",
    "hidden_size": 16,
    "intermediate_size": 22,
    "num_hidden_layers": 2,
    "num_attention_heads": 4,
    "num_key_value_heads": 2,
    "vocab_size": 37,
    "pad_token_id": 0,
}
_CLIP = {"model_type": "clip_vision_model", **_SEEN}
_SIGLIP = {"model_type": "siglip_vision_model", **_SEEN}
_QWEN = {**_TEXT, "model_type": "qwen2"}
_GEMMA = {**_TEXT, "model_type": "gemma3_text", "head_dim": 6}
for _name, _class in (
    ("llava", "Llava"),
    ("vipllava", "VipLlava"),
    ("llava_next", "LlavaNext"),
    ("llava_next_video", "LlavaNextVideo"),
):
    _add(_name, f"{_class}ForConditionalGeneration", text_config=_TEXT, vision_config=_CLIP)
_add(
    "llava",
    "LlavaForConditionalGeneration",
    text_config=_TEXT,
    vision_config=_CLIP,
    vision_feature_layer=[-2, -1],
    multimodal_projector_bias=False,
)
_add(
    "llava_onevision",
    "LlavaOnevisionForConditionalGeneration",
    text_config={**_QWEN, "tie_word_embeddings": True},
    vision_config={**_SIGLIP, "vision_use_head": False},
)
_add(
    "gemma3",
    "Gemma3ForConditionalGeneration",
    text_config=_GEMMA,
    vision_config={**_SIGLIP, "vision_use_head": False},
    mm_tokens_per_image=4,
)
_add(
    "paligemma",
    "PaliGemmaForConditionalGeneration",
    text_config={**_GEMMA, "model_type": "gemma"},
    vision_config=_SIGLIP,
    projection_dim=16,
)
_add(
    "mistral3",
    "Mistral3ForConditionalGeneration",
    text_config={**_TEXT, "model_type": "mistral", "head_dim": 6},
    vision_config={"model_type": "pixtral", **_SEEN},
    tie_word_embeddings=False,
)
_add("pixtral", "PixtralVisionModel", **_SEEN)
_add(
    "internvl",
    "InternVLForConditionalGeneration",
    text_config=_QWEN,
    tie_word_embeddings=False,
    vision_config={
        "model_type": "internvl_vision",
        **_SEEN,
        "image_size": [24, 24],
        "patch_size": [4, 4],
        "use_qk_norm": True,
        "norm_type": "rms_norm",
        "use_mean_pooling": False,
    },
)
for _name, _class in (("idefics3", "Idefics3"), ("smolvlm", "SmolVLM")):
    _add(
        _name,
        f"{_class}ForConditionalGeneration",
        text_config=_TEXT,
        vision_config=_SEEN,
        scale_factor=3,
    )
_add(
    "aya_vision",
    "AyaVisionForConditionalGeneration",
    text_config={**_TEXT, "model_type": "cohere2"},
    vision_config=_SIGLIP,
    alignment_intermediate_size=12,
)
_ROTARY = {
    "rope_parameters": {"rope_type": "default", "mrope_section": [1, 1, 0], "rope_theta": 10000.0}
}
_WINDOWS = {
    "depth": 3,
    "hidden_size": 18,
    "intermediate_size": 26,
    "num_heads": 3,
    "out_hidden_size": 16,
    "patch_size": 4,
}
_LINEAR = {
    "linear_num_value_heads": 4,
    "linear_num_key_heads": 2,
    "linear_key_head_dim": 5,
    "linear_value_head_dim": 7,
}


def _typed(model_type, **more):
    return {**_TEXT, "model_type": model_type, **more}


_add(
    "qwen2_vl",
    "Qwen2VLForConditionalGeneration",
    text_config=_typed("qwen2_vl_text", **_ROTARY),
    vision_config={
        "depth": 3,
        "embed_dim": 18,
        "hidden_size": 16,
        "mlp_ratio": 3,
        "num_heads": 3,
        "patch_size": 4,
    },
)
_add(
    "qwen2_vl",
    "Qwen2VLForConditionalGeneration",
    tie_word_embeddings=True,
    **{k: v for k, v in _TEXT.items() if k != "model_type"},
    **_ROTARY,
    vision_config={"depth": 3, "embed_dim": 18, "hidden_size": 16, "num_heads": 3},
)
_add(
    "qwen2_5_vl",
    "Qwen2_5_VLForConditionalGeneration",
    text_config=_typed("qwen2_5_vl_text", **_ROTARY),
    vision_config=_WINDOWS,
    tie_word_embeddings=True,
)
_DEEP = {**_WINDOWS, "num_position_embeddings": 9, "deepstack_visual_indexes": [0, 2]}
_add(
    "qwen3_vl",
    "Qwen3VLForConditionalGeneration",
    text_config=_typed("qwen3_vl_text", head_dim=6),
    vision_config=_DEEP,
)
_add(
    "qwen3_vl_moe",
    "Qwen3VLMoeForConditionalGeneration",
    vision_config=_DEEP,
    text_config=_typed("qwen3_vl_moe_text", head_dim=6, num_experts=3, moe_intermediate_size=10),
)
_FLAT = {k: v for k, v in _DEEP.items() if k != "deepstack_visual_indexes"}
_add(
    "qwen3_5",
    "Qwen3_5ForConditionalGeneration",
    vision_config=_FLAT,
    text_config={**_typed("qwen3_5_text", head_dim=6, **_LINEAR), "num_hidden_layers": 4},
)
_add(
    "qwen3_5_moe",
    "Qwen3_5MoeForConditionalGeneration",
    vision_config=_FLAT,
    text_config={
        **_typed("qwen3_5_moe_text", head_dim=6, **_LINEAR, **_MOE),
        "num_hidden_layers": 4,
    },
)
_SMALL_MLLAMA = {
    **_SEEN,
    "attention_heads": 3,
    "num_global_layers": 2,
    "vision_output_dim": 54,
    "max_num_tiles": 2,
    "intermediate_layers_indices": [0, 1],
}
_add(
    "mllama",
    "MllamaForConditionalGeneration",
    vision_config={**_SMALL_MLLAMA, "supported_aspect_ratios": [[1, 1], [1, 2]]},
    text_config={
        **_typed("mllama_text_model", cross_attention_layers=[1, 3]),
        "num_hidden_layers": 5,
    },
)
_add(
    "llama4",
    "Llama4ForConditionalGeneration",
    text_config=_typed("llama4_text", head_dim=6, num_local_experts=3),
    vision_config={
        **_SEEN,
        "intermediate_size": 72,
        "vision_output_dim": 20,
        "projector_input_dim": 20,
        "projector_output_dim": 20,
    },
)
_add(
    "qwen2_audio",
    "Qwen2AudioForConditionalGeneration",
    text_config=_QWEN,
    audio_config={
        "d_model": 18,
        "encoder_layers": 3,
        "encoder_attention_heads": 3,
        "encoder_ffn_dim": 26,
        "num_mel_bins": 9,
        "max_source_positions": 30,
    },
)
_add(
    "voxtral",
    "VoxtralForConditionalGeneration",
    text_config={**_TEXT, "head_dim": 6},
    audio_config={
        "hidden_size": 18,
        "num_hidden_layers": 3,
        "num_attention_heads": 3,
        "intermediate_size": 72,
        "num_mel_bins": 9,
        "max_source_positions": 30,
    },
)
_add(
    "gemma4",
    "Gemma4ForConditionalGeneration",
    audio_config=None,
    text_config=_typed("gemma4_text", head_dim=6),
    vision_config={
        **_SEEN,
        "num_key_value_heads": 3,
        "head_dim": 6,
        "position_embedding_size": 29,
    },
)
_add(
    "cohere2_vision",
    "Cohere2VisionForConditionalGeneration",
    text_config=_typed("cohere2"),
    vision_config=_SIGLIP,
    alignment_intermediate_size=12,
)
_add(
    "lfm2_vl",
    "Lfm2VlForConditionalGeneration",
    projector_hidden_size=13,
    projector_bias=False,
    text_config={**_typed("lfm2"), "layer_types": ["conv", "full_attention"]},
    vision_config=_CUT,
)

# --- Sound ----------------------------------------------------------------------------------------

_WAVE = {
    "hidden_size": 32,
    "num_hidden_layers": 2,
    "num_attention_heads": 4,
    "intermediate_size": 22,
    "vocab_size": 37,
    "conv_dim": [12, 14, 15],
    "conv_stride": [5, 2, 2],
    "conv_kernel": [10, 3, 2],
    "num_conv_pos_embeddings": 6,
    "num_conv_pos_embedding_groups": 4,
}
for _more in (
    {},
    {
        "feat_extract_norm": "layer",
        "do_stable_layer_norm": True,
        "conv_bias": True,
        "use_weighted_layer_sum": True,
    },
):
    _add(
        "wav2vec2",
        *_ends("Wav2Vec2", "Model", "ForCTC", "ForPreTraining", "ForSequenceClassification"),
        **_WAVE,
        **_more,
    )
    _add(
        "hubert", *_ends("Hubert", "Model", "ForCTC", "ForSequenceClassification"), **_WAVE, **_more
    )

# --- More -----------------------------------------------------------------------------------------

_add(
    "eurobert",
    *_ends("EuroBert", "Model", *_TASKS[:3]),
    **_BODY,
    num_key_value_heads=2,
    pad_token_id=0,
)
_add(
    "idefics2",
    "Idefics2ForConditionalGeneration",
    text_config={**_TEXT, "model_type": "mistral"},
    vision_config=_SEEN,
    perceiver_config={
        "hidden_size": 16,
        "resampler_n_latents": 5,
        "resampler_depth": 2,
        "resampler_n_heads": 3,
        "resampler_head_dim": 7,
        "num_key_value_heads": 1,
    },
)
_SQUARES = {
    "depth": 3,
    "hidden_size": 18,
    "num_heads": 3,
    "image_size": 24,
    "patch_size": 4,
    "out_hidden_size": 16,
    "intermediate_size": 26,
}
_add(
    "glm4v",
    "Glm4vForConditionalGeneration",
    text_config=_typed("glm4v_text"),
    vision_config=_SQUARES,
)
_add(
    "glm4v_moe",
    "Glm4vMoeForConditionalGeneration",
    text_config=_typed("glm4v_moe_text", n_routed_experts=3, moe_intermediate_size=10, head_dim=6),
    vision_config={**_SQUARES, "attention_bias": True},
)
for _more in ({}, {"use_gated_mlp": True, "key_bias": True, "num_register_tokens": 4}):
    _add("dinov3_vit", "DINOv3ViTModel", **_SEEN, **_more)
