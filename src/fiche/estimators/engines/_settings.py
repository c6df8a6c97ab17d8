"""What a fiche says of an engine's settings and version, and rounding to blocks.

Settings stand under the program's own names (`engine.settings.block_size`); each program spells some of them
in more than one way. A whole number is a figure, a switch or a word a fact.
"""

from __future__ import annotations

from fiche.estimators._reading import word
from fiche.estimators.engines._widths import fixed
from fiche.kernel.figure import Figure, Node, Operand, bare, ceil, either
from fiche.kernel.model import AttentionCache, Cache, CrossCache, LatentCache, Model
from fiche.kernel.record import replace
from fiche.kernel.said import tell
from fiche.kernel.unit import BYTE, Unit, count_of
from fiche.kernel.version import Version, parse_version
from fiche.kernel.workload import Workload

_YES = ("yes", "true", "on", "1", "enabled")
_NO = ("no", "false", "off", "0", "disabled")


def number(workload: Workload, *names: str) -> Figure | None:
    """The first of these settings that is stated as a whole number."""
    for name in names:
        found = workload.figures.get(f"engine.settings.{name}")
        if found is not None:
            return found
    return None


def number_or(workload: Workload, otherwise: Operand, *names: str) -> Operand:
    """The stated number, or what stands in for it."""
    found = number(workload, *names)
    return otherwise if found is None else found


def said(workload: Workload, *names: str) -> str:
    """The first of these settings that is stated, as the word of the fiche; empty where none is."""
    found = (word(workload, f"engine.settings.{name}") for name in names)
    return next((told for told in found if told), "")


def switch(workload: Workload, *names: str) -> bool | None:
    """A setting that is on or off; None where it is untold, or told in other words (`auto`)."""
    told = said(workload, *names).lower()
    return True if told in _YES else False if told in _NO else None


def version(workload: Workload) -> Version | None:
    """The version that the fiche states, None where it states none that can be compared."""
    found = parse_version(word(workload, "engine.version"))
    return found if isinstance(found, Version) else None


def since(told: Version | None, first: str) -> bool | None:
    """True from this version on, False before it; None where the version is untold or of another scheme."""
    mark = parse_version(first)
    if told is None or not isinstance(mark, Version) or told.scheme != mark.scheme:
        return None
    return not told < mark


def tensor_devices(workload: Workload) -> Node | None:
    """How many devices share each layer by tensor parallelism; None where the fiche says none."""
    return workload.figures.get("placement.tensor_parallel")


GROUPS = tell(
    "groups of the convolution are dealt out, or whole on each device where they are too few"
)


def on_a_device(cache: Cache, tensor: Node | None, *, whole_groups: bool | None = None) -> Cache:
    """The cache as one of the tensor-parallel devices holds it.

    Heads are dealt out, and at least one stays on each; a compressed vector serves all heads and is whole on
    each. `whole_groups`: a Mamba2 convolution is not cut either, its groups being too few (None: untold).
    """
    if tensor is None or isinstance(cache, LatentCache):
        return cache
    if isinstance(cache, AttentionCache | CrossCache):
        return replace(cache, kv_heads=ceil(cache.kv_heads / tensor))
    cut: Node = ceil(cache.channels / tensor)
    if cache.kind == "mamba2" and whole_groups is None:
        cut = either(cut, cache.channels, GROUPS)
    elif cache.kind == "mamba2" and whole_groups:
        cut = cache.channels
    return replace(cache, channels=cut, state=ceil(cache.state / tensor))


def pages(tokens: Operand, block: Node) -> Figure:
    """Whole blocks that hold these tokens."""
    return ceil(bare(tokens) / bare(block))


def padded(cells: Node, step: Node) -> Figure:
    """Cells rounded up to whole steps, counted in the unit of the step."""
    return ceil(bare(cells) / bare(step)) * step


def figure_or(workload: Workload, otherwise: Node, *names: str) -> Node:
    """The stated number, or the figure that stands in for it."""
    found = number(workload, *names)
    return otherwise if found is None else found


def default(program: str, name: str, value: int, counts: str = "") -> Figure:
    """A program's own default, the same in every version covered, as a figure that says so."""
    because = tell(
        "{program} takes {value} where nothing else is set", program=program, value=value
    )
    return fixed(
        f"{program}.{name}", tell("{name} by default", name=name), value, because, _unit(counts)
    )


def fact(program: str, name: str, value: int, because: str, counts: str = "") -> Figure:
    """A number of a program's source, with what it is."""
    return fixed(f"{program}.{name}", because, value, because, _unit(counts))


def _unit(counts: str) -> Unit:
    return BYTE if counts == "B" else count_of(counts)


def config_word(model: Model, *names: str) -> str:
    """A word of the model's configuration or of its text part; empty where neither has it."""
    if model.config is None:
        return ""
    text = model.config.part("text_config")
    found = (part.text(*names) for part in (model.config, text) if part is not None)
    return next((told for told in found if told), "")
