"""Keys of a GGUF file by architecture, figures out of lists by layer, and names as logs print them."""

from __future__ import annotations

from collections.abc import Mapping

from fiche.kernel.address import Pointer
from fiche.kernel.config import Config, Json
from fiche.kernel.figure import Figure, Node
from fiche.kernel.origin import Declared
from fiche.kernel.record import record
from fiche.kernel.said import tell
from fiche.kernel.unit import ONE, count_of

# Names of a loader's log and the keys that they are read from.
_LOGGED = {
    "n_layer": "block_count",
    "n_embd": "embedding_length",
    "n_ff": "feed_forward_length",
    "n_vocab": "vocab_size",
    "n_ctx_train": "context_length",
    "n_head": "attention.head_count",
    "n_head_kv": "attention.head_count_kv",
    "n_embd_head_k": "attention.key_length",
    "n_embd_head_v": "attention.value_length",
    "n_embd_head_k_mla": "attention.key_length_mla",
    "n_embd_head_v_mla": "attention.value_length_mla",
    "n_swa": "attention.sliding_window",
    "n_swa_pattern": "attention.sliding_window_pattern",
    "kv_lora_rank": "attention.kv_lora_rank",
    "n_lora_kv": "attention.kv_lora_rank",
    "q_lora_rank": "attention.q_lora_rank",
    "n_lora_q": "attention.q_lora_rank",
    "qk_rope_head_dim": "rope.dimension_count",
    "n_rot": "rope.dimension_count",
    "n_expert": "expert_count",
    "n_expert_used": "expert_used_count",
    "n_ff_exp": "expert_feed_forward_length",
    "n_layer_dense_lead": "leading_dense_block_count",
    "n_expert_shared": "expert_shared_count",
    "full_attention_interval": "full_attention_interval",
    "ssm_d_conv": "ssm.conv_kernel",
    "ssm_d_inner": "ssm.inner_size",
    "ssm_d_state": "ssm.state_size",
    "ssm_dt_rank": "ssm.time_step_rank",
    "ssm_n_group": "ssm.group_count",
    "shared_kv_layers": "attention.shared_kv_layers",
    "n_shortconv_l_cache": "shortconv.l_cache",
    "wkv_head_size": "wkv.head_size",
    "token_shift_count": "token_shift_count",
}

_DELTA = {
    "num_key_heads": "ssm.group_count",
    "num_value_heads": "ssm.time_step_rank",
    "key_head_dim": "ssm.state_size",
    "conv_kernel": "ssm.conv_kernel",
}


@record(eq=False)
class Keys:
    """The values of a file under one architecture."""

    config: Config
    arch: str

    def key(self, name: str) -> str:
        """The whole key of a name under this architecture."""
        return f"{self.arch}.{name}"

    def number(self, name: str) -> Node:
        """A whole number that points to its key."""
        return self.config.number(self.key(name))

    def whole(self, name: str) -> int | None:
        """A whole number for structure."""
        return self.config.whole(self.key(name))

    def told(self, name: str) -> bool:
        """True when the file has the key with something in it."""
        return self.config.value(self.key(name)) is not None

    def listed(self, name: str) -> list[Json] | None:
        """A list by layer; None where there is none, or one too long to be kept."""
        return self.config.listed(self.key(name))

    def at(self, name: str, layer: int) -> int | None:
        """The whole number of one layer, be it from a list or the same for all."""
        found = self.listed(name)
        value = self.whole(name) if found is None else found[layer] if layer < len(found) else None
        return value if isinstance(value, int) else None

    def figure(self, name: str, layer: int) -> Node:
        """The number of one layer as a figure that points to its place."""
        value = self.at(name, layer)
        if self.listed(name) is None or value is None:
            return self.number(name)
        key = self.key(name)
        place = Pointer(sha256=self.config.sha256, path=f"/{key}/{layer}", text=str(value))
        origin = Declared(address=place, by=self.config.file, printed=str(value))
        return Figure(low=value, high=value, unit=ONE, origin=origin, label=name)

    def counted(self, name: str, count: int) -> Node:
        """A count of layers that the value under a key decides."""
        if count == self.whole("block_count"):
            return self.number("block_count")
        place = Pointer(sha256=self.config.sha256, path=f"/{self.key(name)}", text=str(count))
        origin = Declared(
            address=place, by=self.config.file, printed=tell("counted by {name}", name=name)
        )
        return Figure(low=count, high=count, unit=count_of("layers"), origin=origin)


def from_log(fields: Mapping[str, Json]) -> tuple[str, dict[str, Json]]:
    """The architecture and the keys that a loader's printed names stand for."""
    arch = fields.get("arch")
    name = arch if isinstance(arch, str) else ""
    found: dict[str, Json] = {"general.architecture": name}
    for logged, key in _LOGGED.items():
        if fields.get(logged) is not None:
            found[f"{name}.{key}"] = fields[logged]
    if f"{name}.attention.value_length" not in found and fields.get("n_embd_head_k") is not None:
        found[f"{name}.attention.value_length"] = fields["n_embd_head_k"]
    delta = fields.get("linear")
    if isinstance(delta, dict):
        found |= {f"{name}.{key}": delta[told] for told, key in _DELTA.items() if told in delta}
        heads, width = delta.get("num_value_heads"), delta.get("value_head_dim")
        if isinstance(heads, int) and isinstance(width, int):
            found[f"{name}.ssm.inner_size"] = heads * width
    return name, found | _by_kind(name, fields)


def _by_kind(arch: str, fields: Mapping[str, Json]) -> dict[str, Json]:
    """Lists by layer out of `full_layers` and `swa_layers`, each with a count and the shape of its heads."""
    full, sliding, depth = (
        fields.get("full_layers"),
        fields.get("swa_layers"),
        fields.get("n_layer"),
    )
    if not (isinstance(full, dict) and isinstance(sliding, dict) and isinstance(depth, int)):
        return {}
    several = full.get("count")
    if not isinstance(several, int) or not 0 < several <= depth <= 10_000 or depth % several:
        return {}
    period = depth // several
    slides = [(layer + 1) % period != 0 for layer in range(depth)]
    kinds = [sliding if each else full for each in slides]
    return {
        f"{arch}.attention.sliding_window_pattern": list(slides),
        f"{arch}.attention.head_count_kv": [kind.get("n_head_kv") for kind in kinds],
        f"{arch}.attention.key_length": full.get("head_dim"),
        f"{arch}.attention.value_length": full.get("head_dim"),
        f"{arch}.attention.key_length_swa": sliding.get("head_dim"),
        f"{arch}.attention.value_length_swa": sliding.get("head_dim"),
    }
