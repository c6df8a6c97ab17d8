"""DeepSeek V2 and V3 and decoders with the same compressed attention (MLA), Kimi K2 among them."""

from __future__ import annotations

from fiche.families._decoder import Decoder, family
from fiche.families._experts import SHARED_DIMS, after_first, first_dense, unread_frequency
from fiche.families._indexers import indexed_parts, listed_indexers
from fiche.families._kinds import ranked
from fiche.families._reach import all_full, all_indexed
from fiche.families._tables import (
    CORRECTION,
    EXPERTS,
    GATED,
    INDEXER,
    INDEXER_DIMS,
    LATENT,
    LATENT_DIMS,
    NORMS,
    OUTER,
    SHARED,
)
from fiche.kernel.record import replace

DENSE_MLA = Decoder(
    outer=OUTER,
    attention=LATENT,
    layer=NORMS,
    dense=GATED,
    words=("qkv_bias=attention_bias", "o_bias=attention_bias"),
    dims=LATENT_DIMS,
    reach=all_full,
    more_words=ranked,
    latent=True,
)

V3 = replace(
    DENSE_MLA,
    sparse=EXPERTS + CORRECTION + SHARED,
    dims={**LATENT_DIMS, **SHARED_DIMS},
    mlp=after_first("first_k_dense_replace"),
    doubts=unread_frequency,
    predicts=True,
)


V32 = replace(
    V3,
    attention=LATENT + INDEXER,
    dims={**LATENT_DIMS, **SHARED_DIMS, **INDEXER_DIMS},
    reach=all_indexed,
    parts=indexed_parts(listed_indexers),
)

KINDS = {
    "deepseek_v2": replace(V3, sparse=EXPERTS + SHARED, words=(*V3.words, "mlp_bias=mlp_bias")),
    "deepseek_v3": V3,
    "deepseek_v32": V32,
    # Kimi K2 names a class of its own beside its files: that of V3, with every key told.
    "kimi_k2": replace(
        V3,
        required=(
            *("vocab_size", "hidden_size", "intermediate_size", "num_attention_heads"),
            *(
                "moe_intermediate_size",
                "n_routed_experts",
                "n_shared_experts",
                "num_experts_per_tok",
            ),
            *("kv_lora_rank", "q_lora_rank", "qk_rope_head_dim", "qk_nope_head_dim", "v_head_dim"),
            *("first_k_dense_replace", "attention_bias", "tie_word_embeddings"),
        ),
    ),
    "glm_moe_dsa": V32,
    "glm4_moe_lite": replace(V3, mlp=first_dense(1)),
    "mistral4": replace(V3, sparse=EXPERTS + SHARED),
    "minicpm3": replace(
        DENSE_MLA,
        words=(*DENSE_MLA.words, "mlp_bias=mlp_bias"),
        dims={**LATENT_DIMS, "value": "v_head_dim ?hidden/heads"},
    ),
    "sarvam_mla": V3,
    "youtu": DENSE_MLA,
    "axk1": replace(
        V3,
        sparse=EXPERTS + CORRECTION + SHARED + "mlp.post_mlp_layernorm norm hidden",
        mlp=after_first("first_k_dense_replace", 1),
    ),
}

MEMBER = family(
    "deepseek",
    "DeepSeek V2, V3, V3.2 and decoders with the same attention",
    "transformers 5.24.0, modeling_deepseek_v2.py, modeling_deepseek_v3.py, modeling_deepseek_v32.py",
    KINDS,
)
