"""What llama.cpp knows of an architecture that a GGUF file does not say: which layers slide, which recur.

Read in src/llama-model.cpp, src/llama-hparams.cpp and src/models of ggml-org/llama.cpp (a snapshot of late
2025 and files of 2026): `set_swa_pattern(period)` lets all layers slide but each period's last;
`dense_first` all but each period's first.
"""

from __future__ import annotations

from fiche.kernel.record import record


@record
class Sliding:
    """Which layers slide where the file has no list of them.

    `period` by layers, 0 where only a list in the file says it. `window` is the width the program takes
    where the file has none, None where it then slides nowhere. `chunked`: the running chunk, whatever
    the file says. `depth`: only models of this depth slide.
    """

    period: int
    dense_first: bool = False
    window: int | None = None
    chunked: bool = False
    depth: int | None = None


SLIDING = {
    "gemma2": Sliding(period=2, window=4096),
    "gemma3": Sliding(period=6),
    "gemma3n": Sliding(period=5),
    "gemma4": Sliding(period=0),
    "cohere2": Sliding(period=4),
    "olmo2": Sliding(period=4),
    "exaone4": Sliding(period=4, window=4096, depth=64),
    "gpt-oss": Sliding(period=2),
    "smallthinker": Sliding(period=4, dense_first=True),
    "llama4": Sliding(period=4, window=8192, chunked=True),
    "afmoe": Sliding(period=4),
    "mimo2": Sliding(period=0),
    "step35": Sliding(period=0),
}

# Layers share the cache of an earlier one from here on, where the file does not say how many do.
OWN_CACHES = {"gemma3n": 20}

# No token's keys are kept: encoders, and models that fill in a whole text again and again.
WITHOUT_CACHE = frozenset(
    (
        "bert",
        "modern-bert",
        "nomic-bert",
        "nomic-bert-moe",
        "neo-bert",
        "jina-bert-v2",
        "jina-bert-v3",
        "eurobert",
        "gemma-embedding",
        "llama-embed",
        "t5encoder",
        "wavtokenizer-dec",
        "clip",
        "dream",
        "llada",
        "llada-moe",
        "rnd1",
    )
)

# Keys and values are kept by head, though the file's projections are compressed.
EXPANDED = frozenset(("minicpm3", "plm"))

# Every layer keeps a state of fixed size.
RECURRENT = {"mamba": "mamba", "mamba2": "mamba2"}
RWKV = frozenset(("rwkv6", "rwkv6qwen2", "rwkv7", "arwkv7"))

# A layer without heads of keys keeps a state; the word is its kind.
HYBRID = {
    "jamba": "mamba",
    "plamo2": "mamba2",
    "granitehybrid": "mamba2",
    "lfm2": "short_convolution",
    "lfm2moe": "short_convolution",
    "kimi-linear": "gated_delta",
    "nemotron_h": "mamba2",
    "nemotron_h_moe": "mamba2",
}

# Every layer keeps both keys and a state.
PARALLEL = {"falcon-h1": "mamba2"}

# Full attention once an interval, a gated delta network in between.
INTERVAL = frozenset(("qwen3next", "qwen35", "qwen35moe"))

# The program reads no window for these, whatever the file says.
FULL = frozenset(
    (
        "llama",
        "deci",
        "falcon",
        "baichuan",
        "grok",
        "gpt2",
        "gptj",
        "gptneox",
        "mpt",
        "starcoder",
        "starcoder2",
        "refact",
        "bloom",
        "stablelm",
        "qwen",
        "qwen2",
        "qwen2moe",
        "qwen2vl",
        "qwen3",
        "qwen3moe",
        "qwen3vl",
        "qwen3vlmoe",
        "phi2",
        "phi3",
        "phimoe",
        "plamo",
        "codeshell",
        "orion",
        "internlm2",
        "minicpm",
        "minicpm3",
        "gemma",
        "xverse",
        "command-r",
        "dbrx",
        "olmo",
        "olmoe",
        "openelm",
        "arctic",
        "deepseek",
        "deepseek2",
        "chatglm",
        "glm4",
        "glm4moe",
        "bitnet",
        "jais",
        "nemotron",
        "exaone",
        "granite",
        "granitemoe",
        "chameleon",
        "plm",
        "bailingmoe",
        "bailingmoe2",
        "dots1",
        "arcee",
        "ernie4_5",
        "ernie4_5-moe",
        "hunyuan-moe",
        "hunyuan-dense",
        "smollm3",
        "seed_oss",
        "grovemoe",
        "apertus",
        "minimax-m2",
    )
)

# Known to the program, and not read here: taken as full attention only where the file names no window.
NAMED = frozenset(
    (
        "cogvlm",
        "deepseek2-ocr",
        "exaone-moe",
        "glm-dsa",
        "hunyuan_vl",
        "jais2",
        "maincoder",
        "mistral3",
        "mistral4",
        "paddleocr",
        "pangu-embedded",
        "plamo3",
        "t5",
    )
)
