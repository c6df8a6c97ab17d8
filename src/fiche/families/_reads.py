"""What families ask of a configuration: counts of layers, number formats, heads, and open conditions."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable
from functools import wraps

from fiche.families._rows import Place, rows
from fiche.kernel.address import Pointer
from fiche.kernel.condition import Condition
from fiche.kernel.config import MOST_LETTERS, Config
from fiche.kernel.figure import Figure, Node, either
from fiche.kernel.model import Model, Parameters
from fiche.kernel.origin import Declared, Origin, Stated
from fiche.kernel.record import replace
from fiche.kernel.said import listed, tell
from fiche.kernel.unit import count_of

_STORAGE = {"bfloat16": "bf16", "float16": "fp16", "float32": "fp32", "half": "fp16"}


def storage_of(*configs: Config) -> str:
    """The number format that the first of these configurations names, as fiche calls it."""
    for config in configs:
        named = config.text("dtype", "torch_dtype").removeprefix("torch.")
        if named:
            return _STORAGE.get(named, "")
    return ""


def architecture_of(config: Config) -> str:
    """The class that the configuration says it was saved from, empty where it names none."""
    listed = config.listed("architectures") or []
    return listed[0][:MOST_LETTERS] if listed and isinstance(listed[0], str) else ""


def asked(text: str, piece: str = "config.json") -> Condition:
    """What the author has to give before the model is understood."""
    return Condition(
        topic="architecture", text=text, supplier=tell("author of the fiche"), piece_kind=piece
    )


def counted(config: Config, name: str, count: int) -> Figure:
    """How many layers the list or pattern under `name` has of one kind."""
    because = tell("counted in {name} of {model_type}", name=name, model_type=config.model_type)
    origin: Origin = Stated(span=None, because=because)
    if config.told(name):
        place = Pointer(sha256=config.sha256, path=f"{config.place}/{name}", text=str(count))
        origin = Declared(address=place, by=config.file, printed=because)
    return Figure(low=count, high=count, unit=count_of("layers"), origin=origin)


def listed_number(config: Config, key: str, index: int) -> Node:
    """One number of a list, pointing to its place in the file, or to the default of the class."""
    listed = config.listed(key) or []
    value = listed[index] if 0 <= index < len(listed) else None
    if isinstance(value, bool) or not isinstance(value, int) or value < 0:
        return config.number(f"{key}/{index}")
    because = tell(
        "{file} leaves {key} out: default of {model_type}",
        file=config.file,
        key=key,
        model_type=config.model_type,
    )
    origin: Origin = Stated(span=None, because=because)
    if config.told(key):
        place = Pointer(sha256=config.sha256, path=f"{config.place}/{key}/{index}", text=str(value))
        origin = Declared(address=place, by=config.file, printed=str(value))
    return Figure(low=value, high=value, unit=count_of(""), origin=origin, label=f"{key}[{index}]")


def some(config: Config, name: str, chosen: Collection[int], everything: int) -> Node:
    """The number of chosen layers: the configuration's own number where all are chosen."""
    if len(chosen) == everything and config.whole(name) == everything:
        return config.number(name)
    return counted(config, name, len(chosen))


def head_of(tied: bool | None, place: Place, name: str = "lm_head") -> tuple[Parameters, ...]:
    """The head of `vocabulary` x `hidden`: nothing where it is the embedding, doubt where untold."""
    if tied:
        return ()
    if tied is None:
        untold = either(
            0, 1, tell("the configuration does not say whether the head is the embedding")
        )
        place = replace(place, count=untold)
    return rows(f"{name} head vocabulary hidden", place)


def stored_only(found: Iterable[Parameters]) -> tuple[Parameters, ...]:
    """Tensors that some checkpoints hold, and that the library's class leaves out."""
    doubt = either(
        0, 1, tell("older releases of the library stored this buffer, later ones do not")
    )
    return tuple(replace(each, loaded=False, copies=doubt) for each in found)


def renamed(
    found: Iterable[Parameters], before: str, after: str, part: str = ""
) -> tuple[Parameters, ...]:
    """The same parameters with the start of their names changed, and perhaps of another part."""
    return tuple(
        replace(
            each,
            name=after + each.name.removeprefix(before)
            if each.name.startswith(before)
            else each.name,
            part=part or each.part,
        )
        for each in found
    )


def unread(config: Config, family: str, text: str) -> Model:
    """A model of a known type whose structure this release does not understand."""
    return Model(
        family=family,
        model_type=config.model_type,
        architecture=architecture_of(config),
        storage=storage_of(config),
        config=config,
        open=(asked(text),),
    )


# No published model comes near; a file that says more is no model, and its layers are not listed.
MOST_LAYERS = 10_000

Build = Callable[[Config, Callable[[Config], Model]], Model]


def _plausible(count: int | None) -> bool:
    return count is not None and 0 <= count <= MOST_LAYERS


def needing(family: str, *names: str) -> Callable[[Build], Build]:
    """A builder that asks for these counts of layers before it reads anything else: told, and not absurd."""

    def around(build: Build) -> Build:
        @wraps(build)
        def asking(config: Config, inner: Callable[[Config], Model]) -> Model:
            absent = [name for name in names if not _plausible(config.whole(name))]
            if absent:
                place = config.place.lstrip("/").replace("/", ".") or config.file
                return unread(
                    config,
                    family,
                    tell("give {absent} in {place}", absent=listed(absent), place=place),
                )
            return build(config, inner)

        return asking

    return around
