"""Files of a model, written by hand: headers with the zeros behind them."""

import json
import struct

WIDTH = {"BF16": 2, "F32": 4, "U8": 1, "I64": 8}


def safetensors(tensors, metadata=None):
    """`tensors` are (name, dtype, shape)."""
    header, at = ({"__metadata__": metadata} if metadata else {}), 0
    for name, dtype, shape in tensors:
        count = WIDTH[dtype]
        for side in shape:
            count *= side
        header[name] = {"dtype": dtype, "shape": list(shape), "data_offsets": [at, at + count]}
        at += count
    text = json.dumps(header, separators=(",", ":")).encode()
    return struct.pack("<Q", len(text)) + text + bytes(at)


def gguf(tensors, architecture="llama"):
    """`tensors` are (name, shape) of F32, shapes as GGUF writes them."""
    key, value = b"general.architecture", architecture.encode()
    content = b"GGUF" + struct.pack("<IQQ", 3, len(tensors), 1)
    content += struct.pack("<Q", len(key)) + key + struct.pack("<IQ", 8, len(value)) + value
    at = 0
    for name, shape in tensors:
        content += struct.pack("<Q", len(name)) + name.encode() + struct.pack("<I", len(shape))
        content += struct.pack(f"<{len(shape)}Q", *shape) + struct.pack("<IQ", 0, at)
        count = 4
        for side in shape:
            count *= side
        at += -(-count // 32) * 32
    return content + bytes(-len(content) % 32) + bytes(at)


CONFIG = {
    "architectures": ["LlamaForCausalLM"],
    "model_type": "llama",
    "hidden_size": 64,
    "intermediate_size": 128,
    "num_hidden_layers": 2,
    "num_attention_heads": 4,
    "num_key_value_heads": 2,
    "head_dim": 16,
    "vocab_size": 256,
    "tie_word_embeddings": False,
    "dtype": "bfloat16",
}


def llama(layers=(0, 1), *, head=True):
    """The tensors of CONFIG's model, worked from its class: 106 816 values with its head."""
    found = [("model.embed_tokens.weight", "BF16", (256, 64)), ("model.norm.weight", "BF16", (64,))]
    for layer in layers:
        root = f"model.layers.{layer}"
        found += [
            (f"{root}.self_attn.q_proj.weight", "BF16", (64, 64)),
            (f"{root}.self_attn.k_proj.weight", "BF16", (32, 64)),
            (f"{root}.self_attn.v_proj.weight", "BF16", (32, 64)),
            (f"{root}.self_attn.o_proj.weight", "BF16", (64, 64)),
            (f"{root}.mlp.gate_proj.weight", "BF16", (128, 64)),
            (f"{root}.mlp.up_proj.weight", "BF16", (128, 64)),
            (f"{root}.mlp.down_proj.weight", "BF16", (64, 128)),
            (f"{root}.input_layernorm.weight", "BF16", (64,)),
            (f"{root}.post_attention_layernorm.weight", "BF16", (64,)),
        ]
    return found + [("lm_head.weight", "BF16", (256, 64))] * head


def sharded(tensors, count):
    """The same tensors in several files, with their index."""
    files, weight_map = {}, {}
    for place in range(count):
        name = f"model-{place + 1:05}-of-{count:05}.safetensors"
        held = tensors[place::count]
        files[name] = safetensors(held)
        weight_map |= {each[0]: name for each in held}
    index = {"metadata": {}, "weight_map": weight_map}
    return {**files, "model.safetensors.index.json": json.dumps(index).encode()}
