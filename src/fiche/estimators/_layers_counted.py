"""Model types whose layers were counted in transformers 5.24 on torch 2.13, and how their norms are written.

Counted with saved_tensors_hooks on small models, in bf16 and fp32, with eager and fused attention: what is
said to be the most was never exceeded. What the layers of other types keep is asked.
"""

_COVERED = """
apertus arcee bloom cohere cohere2 deepseek_v2 deepseek_v3 ernie4_5 ernie4_5_moe exaone exaone4 falcon gemma
gemma2 gemma3_text glm glm4 glm4_moe gpt2 gpt_bigcode gpt_neox granite granitemoe helium hunyuan_v1_dense llama
minimax_m2 ministral mistral mixtral nemotron olmo olmo2 olmo3 olmoe opt phi phi3 phimoe qwen2 qwen2_moe qwen3
qwen3_moe seed_oss smollm3 stablelm starcoder2
"""
# These multiply by the weight after the cast back to 16 bits; others before it, some of them twice.
_NARROW = """
apertus exaone exaone4 glm4 glm4_moe granite granitemoe hunyuan_v1_dense llama
minimax_m2 ministral mistral mixtral olmoe phi3 qwen2 qwen2_moe qwen3 qwen3_moe smollm3
"""

COVERED = frozenset(_COVERED.split())
NARROW_NORMS = frozenset(_NARROW.split())
FP32_COPIES = {"cohere": 4, "cohere2": 4}
USUAL_COPIES = 3
