"""Programs on fake tensors, by name: a tiny model of each kind of architecture, built and then run.

`build()` makes what lives all the while; `work(between, *built)` is what is watched. It calls `between()`
after each pass, for trackers that take one pass at a time. Libraries are imported where a program is made.
"""

from collections.abc import Callable
from dataclasses import dataclass
from importlib import import_module

_DECODER = {
    "hidden_size": 64,
    "intermediate_size": 112,
    "num_hidden_layers": 3,
    "num_attention_heads": 4,
    "num_key_value_heads": 2,
    "head_dim": 16,
    "vocab_size": 199,
    "max_position_embeddings": 128,
}
CONFIGS = {
    "llama": {"model_type": "llama", **_DECODER},
    "qwen3": {"model_type": "qwen3", **_DECODER, "tie_word_embeddings": True},
    "gemma3": {
        "model_type": "gemma3_text",
        **_DECODER,
        "sliding_window": 8,
        "layer_types": ["sliding_attention", "sliding_attention", "full_attention"],
    },
    "gpt2": {
        "model_type": "gpt2",
        "n_embd": 64,
        "n_layer": 3,
        "n_head": 4,
        "vocab_size": 199,
        "bos_token_id": 1,
        "eos_token_id": 2,
    },
    "t5": {
        "model_type": "t5",
        "d_model": 64,
        "d_kv": 16,
        "d_ff": 112,
        "num_layers": 2,
        "num_heads": 4,
        "vocab_size": 199,
        "decoder_start_token_id": 0,
    },
    "mixtral": {"model_type": "mixtral", **_DECODER, "num_local_experts": 4},
    "qwen3_moe": {
        "model_type": "qwen3_moe",
        **_DECODER,
        "num_experts": 16,
        "num_experts_per_tok": 3,
        "moe_intermediate_size": 48,
    },
    "deepseek_v3": {
        "model_type": "deepseek_v3",
        **_DECODER,
        "head_dim": 8,
        "num_key_value_heads": 4,
        "n_routed_experts": 8,
        "num_experts_per_tok": 2,
        "n_group": 2,
        "topk_group": 1,
        "moe_intermediate_size": 48,
        "first_k_dense_replace": 1,
        "kv_lora_rank": 32,
        "q_lora_rank": 24,
        "qk_nope_head_dim": 16,
        "qk_rope_head_dim": 8,
        "v_head_dim": 16,
    },
}
ROWS, TOKENS, STEPS = 2, 96, 2


@dataclass(frozen=True)
class TinyRun:
    """What is built, and what is then watched."""

    build: Callable[..., tuple]
    work: Callable[..., None]


def tiny_run(name, device="cpu"):
    """`llama`, `llama checkpointed`, `llama lora`, `llama inference`, `convolutions` and their kin."""
    kind, _, how = name.partition(" ")
    if how == "lora":
        import_module("peft")  # what it makes as it is imported is none of the program's
    if kind not in CONFIGS:
        return _PLAIN[kind](device)
    return _inference(kind, device) if how == "inference" else _training(kind, how, device)


# --- Language models ---------------------------------------------------------------------------


def _model(kind, device):
    import torch
    from transformers import AutoConfig, AutoModelForCausalLM, AutoModelForSeq2SeqLM

    told = dict(CONFIGS[kind])
    config = AutoConfig.for_model(told.pop("model_type"), **told)
    automatic = AutoModelForSeq2SeqLM if kind == "t5" else AutoModelForCausalLM
    with torch.device(device):
        return automatic.from_config(config, dtype=torch.bfloat16)


def _tokens(device, tokens=TOKENS):
    import torch

    return torch.zeros(ROWS, tokens, dtype=torch.long, device=device)


def _training(kind, how, device):
    def build():
        model = _model(kind, device)
        if how == "lora":
            model = _adapted(model)
        if how == "checkpointed":
            model.gradient_checkpointing_enable({"use_reentrant": False})
        model.train()
        return model, _optimizer(model), _tokens(device)

    def work(between, model, optimizer, tokens):
        for _ in range(STEPS):
            loss = model(input_ids=tokens, labels=tokens, use_cache=False).loss
            _step(loss, optimizer)
            del loss
            between()

    return TinyRun(build, work)


def _adapted(model):
    from peft import LoraConfig, get_peft_model

    return get_peft_model(model, LoraConfig(r=4, target_modules=["q_proj", "down_proj"]))


def _inference(kind, device):
    def build():
        return _model(kind, device).eval(), _tokens(device), _tokens(device, 1)

    def work(between, model, prompt, token):
        import torch

        with torch.no_grad():
            given = {"decoder_input_ids": prompt} if kind == "t5" else {}
            told = model(input_ids=prompt, use_cache=True, **given)
            for _ in range(3):
                between()
                cache, told = told.past_key_values, None
                given = {"decoder_input_ids": token} if kind == "t5" else {}
                asked = prompt if kind == "t5" else token
                told = model(input_ids=asked, past_key_values=cache, use_cache=True, **given)

    return TinyRun(build, work)


# --- Models of plain PyTorch --------------------------------------------------------------------


def _optimizer(model):
    import torch

    wanted = [each for each in model.parameters() if each.requires_grad]
    return torch.optim.AdamW(wanted, lr=1e-3, foreach=True)


def _step(loss, optimizer):
    loss.backward()
    optimizer.step()
    optimizer.zero_grad()


def _classifier(make, features, classes=10):
    """A model that turns features into classes, and its step."""

    def made(device):
        def build():
            import torch

            with torch.device(device):
                model = make(torch.nn).train()
            given = torch.randn(ROWS, *features, device=device)
            wanted = torch.zeros(ROWS, dtype=torch.long, device=device)
            return model, _optimizer(model), given, wanted

        def work(between, model, optimizer, given, wanted):
            from torch.nn.functional import cross_entropy

            for _ in range(STEPS):
                told = model(given)
                told = told[0] if isinstance(told, tuple) else told
                told = told.flatten(1)[:, :classes]
                _step(cross_entropy(told, wanted), optimizer)
                del told
                between()

        return TinyRun(build, work)

    return made


def _convolutions(nn):
    return nn.Sequential(
        nn.Conv2d(3, 8, 3, padding=1),
        nn.BatchNorm2d(8),
        nn.ReLU(inplace=True),
        nn.MaxPool2d(2),
        nn.Conv2d(8, 16, 3, groups=4),
        nn.GroupNorm(4, 16),
        nn.GELU(),
        nn.Dropout(0.1),
        nn.ConvTranspose2d(16, 4, 2, stride=2),
        nn.AdaptiveAvgPool2d(4),
        nn.Flatten(),
        nn.Linear(64, 10),
    )


def _encoder(nn):
    layer = nn.TransformerEncoderLayer(32, 4, 64, batch_first=True)
    return nn.TransformerEncoder(layer, num_layers=2, enable_nested_tensor=False)


_PLAIN = {
    "convolutions": _classifier(_convolutions, (3, 20, 20)),
    "lstm": _classifier(lambda nn: nn.LSTM(12, 20, num_layers=2, batch_first=True), (9, 12)),
    "encoder": _classifier(_encoder, (9, 32)),
}
