"""Writes src/fiche/families/class_defaults.json from the configuration classes of transformers.

Run by an interpreter that has transformers: `python tests/oracle/class_defaults.py > FILE`. A saved
configuration keeps differences to its class only, so the values a class declares are facts that no file
repeats. What a class works out from other keys (`layer_types`, a missing number of key-value heads) stays
null here: the families carry those rules.
"""

from __future__ import annotations

import json
import re
import sys
from dataclasses import MISSING, fields

import transformers
from transformers import PreTrainedConfig
from transformers.models.auto.configuration_auto import CONFIG_MAPPING, CONFIG_MAPPING_NAMES

BASE = {field.name for field in fields(PreTrainedConfig)} - {"is_encoder_decoder"}
# Sampling, training and arithmetic: no shape, no cache, no format.
LEFT_OUT = re.compile(
    r"(_token|_token_id|_token_ids|_token_index|_tokens?_ids?|_id|_ids)$|^(bos|eos|pad|sep|cls)_"
    r"|dropout|dropconnect|drop_path|drop_rate|pdrop|drop_prob|initializer|init_std|_std$|_eps$|^eps|epsilon"
    r"|_coef$|loss|^rope_|use_cache|pretraining_tp"
    r"|temperature|label|^summary_|mask_time|mask_feature|apply_spec|softcap|_theta|_scaling$|_dropout|"
    r"scale$|_scale_|(?<!depth_)(?<!depthwise_)(?<!width_)multiplier|jitter|gradient_checkpointing|output_attentions|output_hidden_states|output_router|chunk_size_feed_forward|^problem_type"
)
FLOATS = re.compile(r"ratio|factor|mult|expand|scale_width|width")


def plain(name: str, value: object) -> tuple[bool, object]:
    """Whether a value is kept, and as what."""
    if value is None or isinstance(value, bool | int | str):
        return True, value
    if isinstance(value, float):
        return bool(FLOATS.search(name)), value
    if isinstance(value, list | tuple):
        inside = [plain(name, item) for item in value]
        return all(kept for kept, _ in inside), [item for _, item in inside]
    return False, None


def declared(kind: type[PreTrainedConfig]) -> dict[str, object]:
    """The values that a class declares for its own keys, and the types of the parts it makes itself."""
    found: dict[str, object] = {}
    for field in fields(kind):
        if field.name in BASE or LEFT_OUT.search(field.name) or field.name.startswith("_"):
            continue
        value = field.default
        if value is MISSING:
            value = field.default_factory() if field.default_factory is not MISSING else None
        kept, value = plain(field.name, value)
        if kept and (field.name, value) != ("is_encoder_decoder", False):
            found[field.name] = value
    return found | made(kind) | parts(kind)


def made(kind: type[PreTrainedConfig]) -> dict[str, object]:
    """Nested configurations that a class makes only as it is built (attn_config of MPT and DBRX)."""
    try:
        built = vars(kind())
    except Exception:  # noqa: BLE001  a class that wants keys has no such defaults
        return {}
    return {
        name: declared(type(value))
        for name, value in built.items()
        if isinstance(value, PreTrainedConfig) and name not in (kind.sub_configs_defaults or {})
    }


def parts(kind: type[PreTrainedConfig]) -> dict[str, object]:
    """Sub-configurations: their model type, and what the class sets in them beside their own defaults."""
    found: dict[str, object] = {}
    for name, spec in (kind.sub_configs_defaults or {}).items():
        if spec.optional:
            found[name] = None
            continue
        set_inside = {
            key: plain(key, value)[1]
            for key, value in spec.init_kwargs.items()
            if plain(key, value)[0] and not LEFT_OUT.search(key)
        }
        # A class without a model type of its own is found under no name: its values stand here.
        named = {"model_type": spec.model_type} if spec.model_type else declared(spec.config_class)
        found[name] = named | set_inside
    return found


def reached(kind: type[PreTrainedConfig]) -> list[type[PreTrainedConfig]]:
    """Classes of parts, which need no place in the library's own list."""
    return [
        spec.config_class
        for spec in (kind.sub_configs_defaults or {}).values()
        if issubclass(spec.config_class, PreTrainedConfig)
    ]


def classes() -> dict[str, type[PreTrainedConfig]]:
    """Every configuration class by its model type: those listed, then those only parts lead to."""
    found = {name: CONFIG_MAPPING[name] for name in CONFIG_MAPPING_NAMES}
    waiting = list(found.values())
    while waiting:
        for kind in reached(waiting.pop()):
            if kind.model_type and kind.model_type not in found:
                found[kind.model_type] = kind
                waiting.append(kind)
    return found


def main() -> None:
    """One line that names the source, then one line a model type."""
    lines: list[object] = [{"source": f"transformers {transformers.__version__}"}]
    lines += [
        {"model_type": name, "defaults": declared(kind)} for name, kind in sorted(classes().items())
    ]
    for line in lines:
        sys.stdout.write(json.dumps(line, sort_keys=False) + "\n")


if __name__ == "__main__":
    main()
