"""The dimensions of a decoder by name, each read once and only when a table asks for it."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence

from fiche.families._reads import MOST_LAYERS, counted
from fiche.kernel.config import Config
from fiche.kernel.figure import Node, floor
from fiche.kernel.record import record

# What most classes call these dimensions; a family adds its own, or names others.
USUAL = {
    "hidden": "hidden_size n_embd d_model",
    "depth": "num_hidden_layers n_layer n_layers num_layers",
    "heads": "num_attention_heads n_head n_heads num_heads",
    "kv_heads": "num_key_value_heads ?heads",
    "head": "head_dim ?hidden/heads",
    "query": "heads*head",
    "kv": "kv_heads*head",
    "ffn": "intermediate_size",
    "vocabulary": "vocab_size",
    "positions": "max_position_embeddings n_positions max_seq_len seq_length",
    "window": "sliding_window",
    "chunk": "attention_chunk_size",
}


class Dims(Mapping[str, Node]):
    """Dimensions as nodes; one asked for twice is one node.

    A definition reads `KEY ... [?RULE]`: the first of these keys that the file has, else the class's
    default. `?RULE` stands where that is null. A rule, or a definition with an operator and no key, is
    `a*b`, `a/b` (rounded down), `a+b` or `4*a` of other dimensions. A definition may also be a function of
    these dimensions. `over` holds what one kind of layer
    sets differently.
    """

    def __init__(
        self,
        config: Config,
        names: Mapping[str, str | Callable[[Dims], Node]],
        over: Config | None = None,
    ) -> None:
        self.config = config
        self.names: dict[str, str | Callable[[Dims], Node]] = {**USUAL, **names}
        self.over = over
        self._read: dict[str, Node] = {}

    def __getitem__(self, name: str) -> Node:
        if name not in self._read:
            found = self.names[name]
            self._read[name] = self._defined(found) if isinstance(found, str) else found(self)
        return self._read[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self.names)

    def __len__(self) -> int:
        return len(self.names)

    def with_over(self, over: Config | None) -> Dims:
        """The same dimensions for the layers that `over` describes."""
        return self if over is None else Dims(self.config, self.names, over)

    def whole(self, name: str) -> int | None:
        """The plain number behind a dimension that is a key: for structure only."""
        definition = self.names[name]
        keys = self._keys(definition) if isinstance(definition, str) else [name]
        return self._source(keys).whole(*keys)

    @property
    def layers(self) -> tuple[int, ...]:
        """Indices of the layers; none where their number is untold or absurd."""
        told = self.whole("depth") or 0
        return tuple(range(told)) if told <= MOST_LAYERS else ()

    def count(self, layers: tuple[int, ...], counted_in: str) -> Node:
        """How many layers: the configuration's own number for all, else a count of some."""
        if len(layers) == len(self.layers):
            return self["depth"]
        return counted(self.config, counted_in, len(layers))

    def _defined(self, definition: str) -> Node:
        if _is_rule(definition):
            return self._ruled(definition)
        keys = self._keys(definition)
        rule = definition.partition("?")[2]
        # Only a class that is known has null for an answer; elsewhere the number itself is asked for.
        known = self.config.defaults or self._source(keys).told(keys[0])
        if rule and known and self._source(keys).value(*keys) is None:
            return self._ruled(rule) if _is_rule(rule) else self[rule]
        return self._source(keys).number(*keys)

    def _ruled(self, rule: str) -> Node:
        for sign in "*/+":
            left, found, right = rule.partition(sign)
            if found:
                break
        first: Node | int = int(left) if left.isdigit() else self[left]
        second = self[right]
        if sign == "*":
            return first * second
        if sign == "+":
            return first + second
        return floor(first / second)

    def _keys(self, definition: str) -> list[str]:
        return definition.partition("?")[0].split()

    def _source(self, keys: list[str]) -> Config:
        if self.over is not None and any(self.over.told(key) for key in keys):
            return self.over
        return self.config


# Definitions of dimensions by name.
Names = Mapping[str, str | Callable[[Dims], Node]]


@record(eq=False)
class Part:
    """Layers alike in attention: their indices, their dimensions, and further words of their tables."""

    layers: tuple[int, ...]
    dims: Dims
    words: frozenset[str] = frozenset()


def grouped(layers: tuple[int, ...], kinds: Sequence[str]) -> list[tuple[str, tuple[int, ...]]]:
    """These layers by their kind, in the order of their first layer."""
    found: dict[str, list[int]] = {}
    for layer in layers:
        if layer < len(kinds):
            found.setdefault(kinds[layer], []).append(layer)
    return [(kind, tuple(alike)) for kind, alike in found.items()]


def _is_rule(definition: str) -> bool:
    return "?" not in definition and any(sign in definition for sign in "*/+")
