"""Loops over models of transformers: the speed benchmark's generation, and one forward pass.

A generation of N tokens is a prefill and N - 1 steps, each of which adds one token to a cache that only
grows: its last step is its largest, and a cache filled by one pass over all but the last token holds the same
tensors. So the prefill and the last step are run, not the 2,046 steps between them.
"""

import json
import tempfile
from pathlib import Path

import torch

from _loops.running.packed import pack


def language(config, dtype):
    """fiche's own view of a model of transformers, from its configuration; attention by torch."""
    from fiche.measure.workloads import _language

    with tempfile.TemporaryDirectory(prefix="fiche-case-") as folder:
        file = Path(folder) / "config.json"
        file.write_text(json.dumps(config), encoding="utf-8")
        return _language.language_model({"model": str(file), "dtype": dtype, "attention": "sdpa"})


class Transformers:
    """A model made on its device, packed where the case has it so."""

    def __init__(self, config, dtype, packed, prompt_tokens, sequences, repeats=False):
        self.language, self.repeats = language(config, dtype), repeats
        self.packed, self.prompt, self.sequences = packed, prompt_tokens, sequences
        self.words, self.model = {}, None

    def prepare(self, rec, place):
        """Make the model: what loading leaves behind, not loading itself."""
        with rec.phase("model_init"), torch.no_grad():
            # Packed matrices come from a file as they are: the wide ones are never on the device together.
            self.model = self.language.made("meta" if self.packed else place).eval()
            if self.packed:
                self.model = onto(pack(self.model, self.packed), place)
        if self.repeats:
            self.model.config._attn_implementation = repeated_attention()
        self.place = place

    def ids(self, tokens):
        """Token ids of full length, (sequences, tokens)."""
        return torch.ones(self.sequences, tokens, dtype=torch.int64, device=self.place)

    def cache(self):
        """A cache that grows."""
        import transformers

        return transformers.DynamicCache(config=self.language.configured.text)


def repeated_attention():
    """The name of an attention that copies keys and values for every head before the kernel is called.

    So did transformers until 4.47 in its classes for FlashAttention 2 (models/qwen2/modeling_qwen2.py:
    `repeat_kv`, the result of which the kernel then reads); from 4.48 on they go to it as they are.
    """
    from transformers import AttentionInterface, AttentionMaskInterface
    from transformers.integrations.sdpa_attention import repeat_kv
    from transformers.masking_utils import flash_attention_mask

    def attend(module, query, key, value, attention_mask, **_):
        key, value = (repeat_kv(each, module.num_key_value_groups) for each in (key, value))
        told = torch.nn.functional.scaled_dot_product_attention(
            query, key, value, is_causal=query.shape[2] > 1
        )
        return told.transpose(1, 2).contiguous(), None

    AttentionInterface.register("repeated", attend)
    AttentionMaskInterface.register("repeated", flash_attention_mask)
    return "repeated"


def onto(model, place):
    """A model of shapes given memory on a device; tied tensors stay one."""
    model = model.to_empty(device=place)
    model.tie_weights()
    return model


class SpeedBenchmark(Transformers):
    """Prefill of the prompt and the last of the new tokens."""

    def __init__(self, new_tokens, **rest):
        super().__init__(**rest)
        self.new = new_tokens

    def turn(self, rec, _turn):
        """Both, with the cache between them filled by a phase that is not counted."""
        with torch.no_grad():
            with rec.phase("prefill", pass_="first"):
                self.step(self.ids(self.prompt), self.cache(), self.prompt)
            cache, filled = self.cache(), self.prompt + self.new - 2
            with rec.phase("filling", pass_="first"):
                self.step(self.ids(filled), cache, filled)
            with rec.phase("decode", pass_="first"):
                self.step(self.ids(1), cache, filled + 1)

    def step(self, ids, cache, seen):
        """One pass, and the next token as `generate` takes it: the last logits in fp32."""
        mask = torch.ones(self.sequences, seen, dtype=torch.int64, device=self.place)
        told = self.model(
            input_ids=ids,
            attention_mask=mask,
            past_key_values=cache,
            use_cache=True,
            logits_to_keep=1,
        )
        logits = told.logits[:, -1].to(copy=True, dtype=torch.float32)
        return logits.softmax(-1).argmax(-1)


class ForwardPass(Transformers):
    """A warm-up, then one pass over a prompt with logits of every token, its output alive to the end."""

    def turn(self, rec, _turn):
        """The pass."""
        ids = self.ids(self.prompt)
        mask = torch.ones_like(ids)
        with torch.no_grad():
            for name in ("warmup", "prefill"):
                rec.empty_cache()
                with rec.phase(name, pass_="first"):
                    told = self.model(input_ids=ids, attention_mask=mask, use_cache=True)
                    del told


def speed_benchmark(**arguments):
    """The loop of programs.qwen_speed."""
    return SpeedBenchmark(**arguments)


def forward_pass(**arguments):
    """The loop of programs.optimum_benchmark."""
    return ForwardPass(**arguments)
