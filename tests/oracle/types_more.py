"""Small configurations of encoders, vision and sound: the long tail of `types_other`, in the same form."""

TYPES: list[tuple[str, str, dict]] = []


def _add(model_type, *classes, **keys):
    TYPES.extend((model_type, each, keys) for each in classes)


def _ends(stem, *ends):
    return [stem + end for end in ends]


# --- Encoders of text ------------------------------------------------------------------------------

_BODY = {
    "vocab_size": 37,
    "hidden_size": 24,
    "intermediate_size": 22,
    "num_hidden_layers": 3,
    "num_attention_heads": 4,
    "max_position_embeddings": 31,
    "type_vocab_size": 3,
    "pad_token_id": 1,
}
_NO_PAD = {key: value for key, value in _BODY.items() if key != "pad_token_id"}
_TASKS = ("ForSequenceClassification", "ForTokenClassification", "ForQuestionAnswering")
_CHOICE = "ForMultipleChoice"

_add("xlm-roberta-xl", *_ends("XLMRobertaXL", "Model", "ForMaskedLM", _CHOICE, *_TASKS), **_BODY)
_add(
    "roberta-prelayernorm",
    *_ends("RobertaPreLayerNorm", "Model", "ForMaskedLM", _CHOICE, *_TASKS),
    **_BODY,
)
_add(
    "megatron-bert",
    *_ends("MegatronBert", "Model", "ForMaskedLM", "ForCausalLM", "ForPreTraining", *_TASKS),
    **_BODY,
)
for _more in (
    {"languages": ["en_XX", "de_DE"]},
    {"languages": ["en_XX"], "adapter_layer_norm": True, "adapter_reduction_factor": 3},
):
    _add("xmod", *_ends("Xmod", "Model", "ForMaskedLM", _CHOICE, *_TASKS), **_BODY, **_more)
for _more in ({"embedding_size": 14}, {}):
    _add(
        "roformer",
        *_ends("RoFormer", "Model", "ForMaskedLM", "ForCausalLM", _CHOICE, *_TASKS),
        **_NO_PAD,
        **_more,
    )
_add(
    "nystromformer",
    *_ends("Nystromformer", "Model", "ForMaskedLM", _CHOICE, *_TASKS),
    **_BODY,
    conv_kernel_size=5,
)
_add("mra", *_ends("Mra", "Model", "ForMaskedLM", _CHOICE, *_TASKS), **_BODY)
_add("yoso", *_ends("Yoso", "Model", "ForMaskedLM", _CHOICE, *_TASKS), **_BODY)
for _more in ({"embedding_size": 14}, {"embedding_size": 24, "head_ratio": 4}):
    _add(
        "convbert",
        *_ends("ConvBert", "Model", "ForMaskedLM", _CHOICE, *_TASKS),
        **_NO_PAD,
        conv_kernel_size=5,
        **_more,
    )
_add(
    "squeezebert",
    *_ends("SqueezeBert", "Model", "ForMaskedLM", _CHOICE, *_TASKS),
    **{**_NO_PAD, "intermediate_size": 32},
    embedding_size=24,
)
_add(
    "fnet",
    *_ends("FNet", "Model", "ForMaskedLM", "ForPreTraining", "ForNextSentencePrediction"),
    *_ends("FNet", _CHOICE, *_TASKS),
    **{key: value for key, value in _NO_PAD.items() if key != "num_attention_heads"},
)
_add("splinter", *_ends("Splinter", "Model", "ForQuestionAnswering", "ForPreTraining"), **_BODY)
_add(
    "lilt",
    *_ends("Lilt", "Model", *_TASKS),
    **_BODY,
    channel_shrink_ratio=2,
    max_2d_position_embeddings=19,
)
for _more in (
    {},
    {"visual_embed": False, "has_relative_attention_bias": False},
    {"id2label": {str(i): str(i) for i in range(11)}, "has_spatial_attention_bias": False},
):
    _add(
        "layoutlmv3",
        *_ends("LayoutLMv3", "Model", *_TASKS),
        **_BODY,
        max_2d_position_embeddings=19,
        coordinate_size=4,
        shape_size=4,
        rel_pos_bins=8,
        rel_2d_pos_bins=10,
        input_size=24,
        patch_size=4,
        **_more,
    )
_TABLE = {key: value for key, value in _NO_PAD.items() if key != "type_vocab_size"}
for _more in ({}, {"num_aggregation_labels": 4}):
    _add(
        "tapas",
        *_ends("Tapas", "Model", "ForMaskedLM", "ForSequenceClassification"),
        "TapasForQuestionAnswering",
        **_TABLE,
        type_vocab_sizes=[3, 25, 26, 2, 27, 28, 10],
        **_more,
    )
for _more in (
    {"entity_emb_size": 13},
    {"entity_emb_size": 24, "use_entity_aware_attention": False},
):
    _add(
        "luke",
        *_ends("Luke", "Model", "ForEntityClassification", "ForEntityPairClassification"),
        *_ends("Luke", "ForEntitySpanClassification", _CHOICE, *_TASKS),
        **_BODY,
        entity_vocab_size=29,
        **_more,
    )
_add("markuplm", *_ends("MarkupLM", "Model", *_TASKS), **_BODY, max_depth=5)
_add(
    "mobilebert",
    *_ends("MobileBert", "Model", "ForMaskedLM", "ForPreTraining", "ForNextSentencePrediction"),
    *_ends("MobileBert", _CHOICE, *_TASKS),
    **_NO_PAD,
    embedding_size=14,
    intra_bottleneck_size=16,
    num_feedforward_networks=3,
)
_add(
    "xlnet",
    *_ends("XLNet", "Model", "LMHeadModel", _CHOICE, "ForQuestionAnsweringSimple", *_TASKS),
    vocab_size=37,
    d_model=24,
    d_inner=22,
    n_layer=3,
    n_head=4,
)
_add(
    "funnel",
    *_ends("Funnel", "Model", "BaseModel", "ForMaskedLM", "ForPreTraining", _CHOICE, *_TASKS),
    vocab_size=37,
    d_model=24,
    d_inner=22,
    n_head=4,
    d_head=5,
    block_sizes=[2, 3],
    num_decoder_layers=1,
)
for _name, _class in (("xlm", "XLM"), ("flaubert", "Flaubert")):
    for _more in ({"n_langs": 3}, {"n_langs": 1}):
        _add(
            _name,
            *_ends(_class, "Model", "WithLMHeadModel", _CHOICE, "ForQuestionAnsweringSimple"),
            *_ends(_class, *_TASKS),
            vocab_size=37,
            emb_dim=24,
            n_layers=3,
            n_heads=4,
            max_position_embeddings=31,
            **_more,
        )

# --- Images ----------------------------------------------------------------------------------------

_IMAGE = "ForImageClassification"
_WINDOWS = {
    "image_size": 32,
    "patch_size": 4,
    "embed_dim": 12,
    "depths": [2, 3],
    "num_heads": [2, 3],
}
for _more in ({}, {"use_absolute_embeddings": True, "qkv_bias": False, "mlp_ratio": 2.5}):
    _add(
        "swin",
        *_ends("Swin", "Model", _IMAGE, "ForMaskedImageModeling"),
        **_WINDOWS,
        window_size=5,
        encoder_stride=8,
        **_more,
    )
    _add(
        "swinv2",
        *_ends("Swinv2", "Model", _IMAGE, "ForMaskedImageModeling"),
        **_WINDOWS,
        window_size=4,
        encoder_stride=8,
        **_more,
    )
_CONVOLVED = {"hidden_sizes": [10, 20, 30], "depths": [2, 3, 1], "num_stages": 3}
for _more in ({}, {"layer_scale_init_value": 0.0}):
    _add("convnext", *_ends("ConvNext", "Model", _IMAGE), **_CONVOLVED, **_more)
_add("convnextv2", *_ends("ConvNextV2", "Model", _IMAGE), **_CONVOLVED)
_RESIDUAL = {"hidden_sizes": [16, 32, 48], "depths": [2, 3, 1]}
for _more in (
    {"embedding_size": 9},
    {"embedding_size": 16, "layer_type": "basic"},
    {"embedding_size": 16, "downsample_in_first_stage": True},
    {"embedding_size": 16, "downsample_in_bottleneck": True},
):
    _add("resnet", *_ends("ResNet", "Model", _IMAGE), **_RESIDUAL, **_more)
for _more in (
    {"embedding_size": 9, "hidden_sizes": [16, 40, 72]},
    {"embedding_size": 16, "layer_type": "x"},
    {"embedding_size": 14, "hidden_sizes": [22, 44, 66], "groups_width": 11},
):
    _add("regnet", *_ends("RegNet", "Model", _IMAGE), **{**_RESIDUAL, "groups_width": 8, **_more})
_add(
    "segformer",
    *_ends("Segformer", "Model", _IMAGE, "ForSemanticSegmentation"),
    num_encoder_blocks=3,
    depths=[2, 3, 1],
    sr_ratios=[4, 2, 1],
    hidden_sizes=[10, 20, 30],
    patch_sizes=[7, 3, 3],
    strides=[4, 2, 2],
    num_attention_heads=[1, 2, 3],
    mlp_ratios=[3, 4, 5],
    decoder_hidden_size=14,
)
_SEEN = {
    "hidden_size": 24,
    "intermediate_size": 26,
    "num_hidden_layers": 3,
    "num_attention_heads": 4,
    "image_size": 32,
    "patch_size": 8,
}
_NARROW = {
    "decoder_hidden_size": 20,
    "decoder_num_hidden_layers": 2,
    "decoder_num_attention_heads": 4,
    "decoder_intermediate_size": 28,
}
_add("vit_mae", *_ends("ViTMAE", "Model", "ForPreTraining"), **_SEEN, **_NARROW)
_add("vit_msn", *_ends("ViTMSN", "Model", _IMAGE), **_SEEN)
_add("vit_msn", "ViTMSNModel", **_SEEN, qkv_bias=False)
_add("ijepa", *_ends("IJepa", "Model", _IMAGE), **_SEEN)
_VIDEO = {key: value for key, value in _SEEN.items() if key != "patch_size"}
_add(
    "vivit",
    *_ends("Vivit", "Model", "ForVideoClassification"),
    **_VIDEO,
    num_frames=8,
    tubelet_size=[2, 4, 4],
)
for _more in (
    {},
    {
        "use_mask_token": True,
        "use_absolute_position_embeddings": True,
        "use_relative_position_bias": True,
        "layer_scale_init_value": 0.0,
    },
):
    _add(
        "beit",
        *_ends("Beit", "Model", _IMAGE, "ForMaskedImageModeling"),
        **_SEEN,
        vocab_size=37,
        **_more,
    )
    _add("data2vec-vision", *_ends("Data2VecVision", "Model", _IMAGE), **_SEEN, **_more)
_add("beit", "BeitModel", **_SEEN, use_mean_pooling=False)
for _more in ({}, {"use_mean_pooling": False}):
    _add(
        "videomae",
        *_ends("VideoMAE", "Model", "ForPreTraining", "ForVideoClassification"),
        **_SEEN,
        **_NARROW,
        num_frames=8,
        **_more,
    )
for _kind in ("divided_space_time", "space_only", "joint_space_time"):
    _add(
        "timesformer",
        *_ends("Timesformer", "Model", "ForVideoClassification"),
        **_SEEN,
        num_frames=10,
        attention_type=_kind,
    )
for _more in ({}, {"use_mid_position_embeddings": False, "qkv_bias": False}):
    _add(
        "yolos",
        *_ends("Yolos", "Model", "ForObjectDetection"),
        **{**_SEEN, "image_size": [32, 40]},
        **_more,
    )

# --- Hybrids ---------------------------------------------------------------------------------------

_MIXED = {"hidden_size": 24, "intermediate_size": 22, "vocab_size": 37, "num_hidden_layers": 7}
_GROUPED = {"num_attention_heads": 4, "num_key_value_heads": 2}
for _more in (
    {},
    {"use_sandwich_norm": False, "use_attention_gate": False, "conv_bias": True},
    {"layer_types": ["conv", "full_attention", *["sliding_attention"] * 5], "attention_bias": True},
):
    _add("lfm3", "Lfm3ForCausalLM", pad_token_id=0, **_MIXED, **_GROUPED, head_dim=6, **_more)
for _more in (
    {"mamba_dt_rank": 7, "mamba_proj_bias": True, "num_hidden_layers": 12},
    {
        "layers_block_type": ["mamba", "hybrid", *["mamba"] * 4, "hybrid"],
        "tie_word_embeddings": False,
    },
):
    _add(
        "zamba",
        "ZambaForCausalLM",
        **{**_MIXED, **_GROUPED, "mamba_d_state": 5, "n_mamba_heads": 2, **_more},
    )

# --- Wholes ----------------------------------------------------------------------------------------

_OPT = {
    "model_type": "opt",
    "vocab_size": 37,
    "hidden_size": 16,
    "ffn_dim": 22,
    "num_hidden_layers": 2,
    "num_attention_heads": 4,
    "max_position_embeddings": 31,
    "word_embed_proj_dim": 16,
}
_T5 = {
    "model_type": "t5",
    "vocab_size": 37,
    "d_model": 16,
    "d_ff": 22,
    "d_kv": 5,
    "num_layers": 2,
    "num_heads": 4,
}
_LLAMA = {
    "model_type": "llama",
    "hidden_size": 16,
    "intermediate_size": 22,
    "num_hidden_layers": 2,
    "num_attention_heads": 4,
    "num_key_value_heads": 2,
    "vocab_size": 37,
    "pad_token_id": 0,
}
_EYES = {
    "hidden_size": 18,
    "intermediate_size": 26,
    "num_hidden_layers": 3,
    "num_attention_heads": 3,
    "image_size": 24,
    "patch_size": 4,
}
_QUERIES = {
    "hidden_size": 20,
    "intermediate_size": 28,
    "num_hidden_layers": 3,
    "num_attention_heads": 4,
    "encoder_hidden_size": 18,
    "vocab_size": 41,
    "max_position_embeddings": 29,
}
for _name, _class in (
    ("blip-2", "Blip2"),
    ("instructblip", "InstructBlip"),
    ("instructblipvideo", "InstructBlipVideo"),
):
    for _text in (_OPT, _T5):
        _add(
            _name,
            f"{_class}ForConditionalGeneration",
            text_config=_text,
            vision_config=_EYES,
            qformer_config=_QUERIES,
            num_query_tokens=5,
        )
_add(
    "granite_speech",
    "GraniteSpeechForConditionalGeneration",
    text_config={**_LLAMA, "model_type": "granite"},
    encoder_config={
        "input_dim": 9,
        "num_layers": 2,
        "hidden_dim": 24,
        "feedforward_mult": 3,
        "num_heads": 4,
        "dim_head": 5,
        "output_dim": 11,
        "context_size": 7,
        "max_pos_emb": 13,
        "conv_kernel_size": 3,
        "conv_expansion_factor": 2,
    },
    projector_config={
        "model_type": "blip_2_qformer",
        **_QUERIES,
        "encoder_hidden_size": 24,
    },
    window_size=6,
    downsample_rate=3,
    tie_word_embeddings=True,
)
_EARS = {
    "d_model": 24,
    "encoder_layers": 2,
    "encoder_ffn_dim": 22,
    "encoder_attention_heads": 4,
    "num_mel_bins": 10,
    "output_dim": 16,
}
_ROTARY = {
    "rope_parameters": {"rope_type": "default", "mrope_section": [1, 1, 0], "rope_theta": 10000.0}
}
_MERGED = {
    "depth": 3,
    "hidden_size": 18,
    "intermediate_size": 26,
    "num_heads": 3,
    "out_hidden_size": 16,
    "patch_size": 4,
}
_add(
    "qwen2_5_omni_thinker",
    "Qwen2_5OmniThinkerForConditionalGeneration",
    text_config={**_LLAMA, "model_type": "qwen2_5_omni_text", **_ROTARY},
    audio_config=_EARS,
    vision_config=_MERGED,
)
_add(
    "qwen3_omni_moe_thinker",
    "Qwen3OmniMoeThinkerForConditionalGeneration",
    text_config={
        **_LLAMA,
        "model_type": "qwen3_omni_moe_text",
        "head_dim": 6,
        "num_experts": 3,
        "moe_intermediate_size": 10,
    },
    audio_config={**_EARS, "downsample_hidden_size": 7},
    vision_config={**_MERGED, "num_position_embeddings": 9, "deepstack_visual_indexes": [0, 2]},
)
_add(
    "phi4_multimodal",
    "Phi4MultimodalForCausalLM",
    **{key: value for key, value in _LLAMA.items() if key != "model_type"},
    tie_word_embeddings=True,
    vision_config=_EYES,
    audio_config={
        "hidden_size": 20,
        "intermediate_size": 28,
        "num_blocks": 2,
        "num_attention_heads": 4,
        "ext_pw_out_channel": 20,
        "nemo_conv_channels": 12,
        "input_size": 16,
    },
)
_add(
    "deepseek_vl",
    "DeepseekVLForConditionalGeneration",
    text_config=_LLAMA,
    vision_config={"model_type": "siglip_vision_model", **_EYES},
    tie_word_embeddings=False,
)
_add(
    "paddleocr_vl",
    "PaddleOCRVLForConditionalGeneration",
    text_config={**_LLAMA, "model_type": "paddleocr_vl_text", "head_dim": 6, **_ROTARY},
    vision_config=_EYES,
    tie_word_embeddings=False,
)
for _more in ({}, {"qkv_bias": True, "mlp_bias": True, "hidden_stride": 2}):
    _add(
        "ovis2",
        "Ovis2ForConditionalGeneration",
        text_config={**_LLAMA, "model_type": "qwen2"},
        vision_config={**_EYES, "vocab_size": 47, **_more},
        hidden_size=16,
        vocab_size=37,
        tie_word_embeddings=False,
    )
_add(
    "qwen3_asr",
    "Qwen3ASRForConditionalGeneration",
    text_config={**_LLAMA, "model_type": "qwen3", "head_dim": 6},
    audio_config={**_EARS, "downsample_hidden_size": 7},
    tie_word_embeddings=True,
)

# --- Sound -----------------------------------------------------------------------------------------

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
_CALLED = ("Model", "ForCTC", "ForSequenceClassification")
for _more in ({}, {"feat_extract_norm": "layer", "do_stable_layer_norm": True, "conv_bias": True}):
    for _name, _class in (
        ("unispeech", "UniSpeech"),
        ("unispeech-sat", "UniSpeechSat"),
        ("wavlm", "WavLM"),
        ("wav2vec2-conformer", "Wav2Vec2Conformer"),
    ):
        _add(_name, *_ends(_class, *_CALLED), **_WAVE, **_more)
_add(
    "wav2vec2-conformer",
    "Wav2Vec2ConformerModel",
    **_WAVE,
    position_embeddings_type="rotary",
    mask_time_prob=0.0,
)
_add("data2vec-audio", *_ends("Data2VecAudio", *_CALLED), **_WAVE, conv_pos_kernel_size=19)
_ENCODED = {key: _WAVE[key] for key in list(_WAVE)[:4]}
for _more in ({}, {"position_embeddings_type": "relative"}, {"position_embeddings_type": "rotary"}):
    _add(
        "wav2vec2-bert",
        *_ends("Wav2Vec2Bert", *_CALLED),
        **_ENCODED,
        vocab_size=37,
        feature_projection_input_dim=15,
        **_more,
    )
_add(
    "audio-spectrogram-transformer",
    *_ends("AST", "Model", "ForAudioClassification"),
    **_ENCODED,
    max_length=50,
    num_mel_bins=40,
)
for _more in ({}, {"attention_bias": False, "convolution_bias": False, "subsampling_factor": 4}):
    _add("parakeet_encoder", "ParakeetEncoder", **_ENCODED, num_mel_bins=20, **_more)
for _more in ({}, {"tie_word_embeddings": False, "attention_bias": True}):
    _add(
        "moonshine",
        *_ends("Moonshine", "Model", "ForConditionalGeneration"),
        hidden_size=32,
        encoder_num_hidden_layers=2,
        decoder_num_hidden_layers=3,
        encoder_num_attention_heads=4,
        decoder_num_attention_heads=4,
        intermediate_size=22,
        vocab_size=37,
        **_more,
    )

# --- Encoders with decoders ------------------------------------------------------------------------

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
_add(
    "led",
    *_ends("LED", "Model", "ForConditionalGeneration", "ForQuestionAnswering"),
    **_HALVES,
    max_encoder_position_embeddings=53,
    max_decoder_position_embeddings=31,
    attention_window=4,
)
_add(
    "nllb-moe",
    *_ends("NllbMoe", "Model", "ForConditionalGeneration"),
    **{**_HALVES, "encoder_layers": 4, "decoder_layers": 6},
    num_experts=3,
    encoder_sparse_step=2,
    decoder_sparse_step=3,
)
_add(
    "speech_to_text",
    *_ends("Speech2Text", "Model", "ForConditionalGeneration"),
    **_HALVES,
    conv_channels=24,
    conv_kernel_sizes=[5, 3],
    input_feat_per_channel=9,
    max_source_positions=50,
    max_target_positions=30,
)
for _more in (
    {"cross_attention_hidden_size": 44},
    {"use_learned_position_embeddings": False, "layernorm_embedding": False},
):
    _add(
        "trocr",
        "TrOCRForCausalLM",
        d_model=16,
        decoder_layers=3,
        decoder_ffn_dim=26,
        decoder_attention_heads=4,
        vocab_size=37,
        max_position_embeddings=31,
        **_more,
    )
_TROCR = {
    "model_type": "trocr",
    "d_model": 16,
    "decoder_layers": 2,
    "decoder_ffn_dim": 26,
    "decoder_attention_heads": 4,
    "vocab_size": 37,
    "max_position_embeddings": 31,
}
for _more in ({"cross_attention_hidden_size": 18}, {}):
    _add(
        "vision-encoder-decoder",
        "VisionEncoderDecoderModel",
        encoder={"model_type": "vit", **_EYES},
        decoder={**_TROCR, **_more},
    )

# --- Towers in pairs, prompts and masks -----------------------------------------------------------

_WORDS = {
    "hidden_size": 16,
    "intermediate_size": 22,
    "num_hidden_layers": 2,
    "num_attention_heads": 4,
    "vocab_size": 37,
    "max_position_embeddings": 31,
}
_PAIR = {"text_config": _WORDS, "vision_config": _EYES, "projection_dim": 11}
_add("owlvit", "OwlViTModel", **_PAIR)
_add("owlv2", "Owlv2Model", **_PAIR)
for _name, _class in (("owlvit", "OwlViT"), ("owlv2", "Owlv2")):
    _add(_name, f"{_class}ForObjectDetection", **{**_PAIR, "projection_dim": 16})
_add(
    "clipseg",
    *_ends("CLIPSeg", "Model", "ForImageSegmentation"),
    **_PAIR,
    extract_layers=[0, 1],
    reduce_dim=12,
    decoder_num_attention_heads=4,
    decoder_intermediate_size=20,
)
_add("metaclip_2", "MetaClip2Model", **{**_PAIR, "text_config": {**_WORDS, "eos_token_id": 2}})
_add(
    "chinese_clip", "ChineseCLIPModel", **{**_PAIR, "text_config": {**_WORDS, "type_vocab_size": 3}}
)
_SEGMENTED = {
    "hidden_size": 24,
    "mlp_dim": 26,
    "num_hidden_layers": 3,
    "num_attention_heads": 4,
    "image_size": 32,
    "patch_size": 4,
    "window_size": 3,
    "global_attn_indexes": [1],
    "output_channels": 16,
}
for _more in ({}, {"use_rel_pos": False, "use_abs_pos": False, "qkv_bias": False}):
    _add(
        "sam",
        "SamModel",
        vision_config={**_SEGMENTED, "num_pos_feats": 8, **_more},
        prompt_encoder_config={"hidden_size": 16, "mask_input_channels": 12},
        mask_decoder_config={
            "hidden_size": 16,
            "mlp_dim": 28,
            "iou_head_hidden_dim": 14,
            "num_attention_heads": 2,
            "iou_head_depth": 4,
            "num_multimask_outputs": 2,
        },
    )
_add(
    "got_ocr2",
    "GotOcr2ForConditionalGeneration",
    text_config={**_LLAMA, "model_type": "qwen2"},
    vision_config=_SEGMENTED,
    tie_word_embeddings=False,
)
