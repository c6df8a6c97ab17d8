"""Towers for images and sound, and the models that read them beside a language model.

A wrapper is a language model of any family, towers that turn images or sound into vectors, and a projector
between the widths. Caches, hidden width and vocabulary are those of the language part.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

from fiche.families._reads import (
    architecture_of,
    asked,
    head_of,
    listed_number,
    renamed,
    storage_of,
    unread,
)
from fiche.families._rows import Place, rows
from fiche.kernel.condition import Condition
from fiche.kernel.config import Config
from fiche.kernel.doors import Family
from fiche.kernel.figure import Node, floor
from fiche.kernel.model import ImageTokens, Model, Parameters
from fiche.kernel.record import record, replace
from fiche.kernel.said import tell

Inner = Callable[[Config], Model]
Parts = Mapping[str, Config]

# A tower has no words of its own: what an encoder usually has, and a vision tower has not.
NO_WORDS: Mapping[str, str] = {"vocabulary": "", "types": "", "positions": ""}


@record(eq=False)
class Tower:
    """One tower: the key of its configuration, the prefix of its names, and what it is for.

    `usual` is the type of its configuration where neither file nor class names one.
    """

    key: str
    prefix: str
    part: str = "vision"
    usual: str = ""


@record(eq=False)
class Wrapper:
    """What is particular to one model type.

    `projector` lists tensors outside the parts, at `projected`, over `dims` (worked out from the configuration
    and its parts) and `words`; `besides` builds what no table says. `text` and `text_prefix` are the key and
    the prefix of the language part; `whole` keeps its own names and head under that prefix. `images` says
    how an image becomes tokens, None where no rule of one line does. `forwards`: the head is tied where the
    language part says so, be the whole silent. `flat` is the type of a language part whose keys stand at the
    root. `changed` completes the language part by the whole. `classes` names the class of a language part by
    its type, where the part does not say which it is and the whole loads one with a head. `joins`: the
    projector stands between all towers, and is asked for with the one that lacks its configuration.
    """

    towers: tuple[Tower, ...]
    projector: str = ""
    projected: str = "model."
    dims: Callable[[Config, Parts], Mapping[str, Node]] = lambda config, parts: {}
    words: Callable[[Config, Parts], tuple[str, ...]] = lambda config, parts: ()
    text: str = "text_config"
    text_prefix: str = "model.language_model."
    whole: bool = False
    images: Callable[[Config, Parts], ImageTokens | None] = lambda config, parts: None
    forwards: bool = False
    flat: str = ""
    changed: Callable[[Model, Config], Model] = lambda model, config: model
    besides: Callable[[Config, Parts], tuple[Parameters, ...]] = lambda config, parts: ()
    classes: Mapping[str, str] = {}
    joins: bool = False


def part_of(config: Config, name: str, otherwise: str = "") -> Config | None:
    """A part of a configuration; one that does not name its type has that of the class's default."""
    usual = config.defaults.get(name)
    named = usual.get("model_type") if isinstance(usual, dict) else otherwise
    if not isinstance(named, str):
        named = otherwise
    found = config.part(name, model_type=named)
    if found is not None and named and found.model_type == config.model_type:
        # Older files give the part the type of the whole.
        return replace(found, values={**found.values, "model_type": named})
    return found


def joined(*families: Family) -> Callable[[Config, Inner], Model]:
    """A builder that hands a configuration to the first of these families that knows its type."""
    builds = {word: each.build for each in families for word in each.model_types}
    return lambda config, inner: builds[config.model_type](config, inner)


def wrappers(name: str, title: str, source: str, kinds: Mapping[str, Wrapper]) -> Family:
    """The family of these model types."""
    return Family(
        name=name,
        title=title,
        source=source,
        model_types=tuple(kinds),
        build=lambda config, inner: _model(name, config, kinds[config.model_type], inner),
    )


def _text_of(config: Config, kind: Wrapper) -> Config | None:
    """The language part; in older files its keys stand at the root."""
    if kind.flat and not config.told(kind.text):
        # What the whole's class says of a key at the root holds, not what another class says of it.
        own = {key: value for key, value in config.defaults.items() if not isinstance(value, dict)}
        classes = {**config.classes, kind.flat: {**config.classes.get(kind.flat, {}), **own}}
        values = {**config.values, "model_type": kind.flat}
        return replace(config, values=values, classes=classes)
    found = part_of(config, kind.text)
    named = "" if found is None else kind.classes.get(found.model_type, "")
    if found is None or not named or architecture_of(found):
        return found
    return replace(found, values={**found.values, "architectures": [named]})


def tied_of(config: Config, text: Config, *, forwards: bool) -> bool | None:
    """Whether the head is the embedding.

    None where only the default of the whole says so: files of such types were written when the language
    part decided, and hold both.
    """
    key = "tie_word_embeddings"
    whole, part = config.flag(key) or False, text.flag(key) or False
    if forwards:
        return whole or part
    if config.told(key):
        return whole
    if text.told(key):
        return part
    return None if whole and not part else whole


def _model(name: str, config: Config, kind: Wrapper, inner: Inner) -> Model:
    text = _text_of(config, kind)
    if text is None:
        return unread(config, name, tell("give {text}: the language part", text=kind.text))
    language = inner(text)
    language = kind.changed(language, config)
    parts = {kind.text: text}
    parameters: list[Parameters] = []
    doubts: list[Condition] = list(language.open)
    for tower in kind.towers:
        part = part_of(config, tower.key, tower.usual)
        if part is None:
            doubts += _absent(config, tower)
            continue
        parts[tower.key] = part
        built = inner(part)
        parameters += renamed(built.parameters, "", tower.prefix, tower.part)
        doubts += built.open
    tied = tied_of(config, text, forwards=kind.forwards)
    return Model(
        family=name,
        model_type=config.model_type,
        architecture=architecture_of(config),
        parameters=(
            *parameters,
            *_projector(config, kind, parts),
            *_language(language, kind, tied),
        ),
        caches=language.caches,
        blocks=language.blocks,
        tied=tied,
        hidden=language.hidden,
        vocabulary=language.vocabulary,
        positions=language.positions,
        images=kind.images(config, parts) if len(parts) > len(kind.towers) else None,
        storage=storage_of(config, text),
        config=config,
        open=tuple(dict.fromkeys(doubts)),
        notes=language.notes,
    )


def _absent(config: Config, tower: Tower) -> list[Condition]:
    """What to ask where a tower has no configuration, though file or class says that there is one."""
    told = config.value(tower.key) is not None or config.defaults.get(tower.key) is not None
    return (
        [asked(tell("give {key} of {model_type}", key=tower.key, model_type=config.model_type))]
        if told
        else []
    )


def _projector(config: Config, kind: Wrapper, parts: Parts) -> tuple[Parameters, ...]:
    if len(parts) == 1 or (kind.joins and len(parts) <= len(kind.towers)):
        return ()
    place = Place(dims=kind.dims(config, parts), prefix=kind.projected, part="projector")
    listed = rows(kind.projector, place.where(*kind.words(config, parts)))
    return (*listed, *kind.besides(config, parts))


def _language(language: Model, kind: Wrapper, tied: bool | None) -> tuple[Parameters, ...]:
    """The language part under its prefix; the head stands outside, and the whole says if it is tied."""
    if kind.whole:
        return renamed(language.parameters, "", kind.text_prefix)
    body = [each for each in language.parameters if each.role != "head"]
    head: tuple[Parameters, ...] = ()
    if language.hidden is not None and language.vocabulary is not None:
        dims = {"hidden": language.hidden, "vocabulary": language.vocabulary}
        head = head_of(tied, Place(dims=dims))
    return (*renamed(body, "model.", kind.text_prefix), *head)


def patches(config: Config, side: str = "image_size", patch: str = "patch_size") -> Node:
    """How many patches a square image has; either key may hold a pair of equal numbers."""
    along = floor(one_of(config, side) / one_of(config, patch))
    return along * along


def one_of(config: Config, name: str) -> Node:
    """A number, or the one that a list of equal numbers repeats."""
    listed = config.listed(name)
    if listed and all(each == listed[0] for each in listed) and isinstance(listed[0], int):
        return listed_number(config, name, 0)
    return config.number(name)


def grid(part: Config, extra: int = 0) -> ImageTokens:
    """One token a patch of an image of fixed side."""
    return ImageTokens(
        kind="grid", patch=one_of(part, "patch_size"), side=one_of(part, "image_size"), extra=extra
    )


def selected(config: Config, parts: Parts) -> Node:
    """Width of the features that a projector reads: that of the tower for each layer selected."""
    width = parts["vision_config"].number("hidden_size")
    chosen = config.listed("vision_feature_layer")
    return width if chosen is None else len(chosen) * width
