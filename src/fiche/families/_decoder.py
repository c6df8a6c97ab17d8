"""A decoder-only text model out of tables: what differs between families is data.

Names and shapes are those of the modules of transformers 5.24; see `_rows` for how a table reads, `_dims`
for dimensions and `_reach` for which layers see what.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping

from fiche.families._blocks import blocks_of
from fiche.families._caches import KNOWN, KNOWN_LATENT, caches_of
from fiche.families._dims import Dims, Names, Part
from fiche.families._outputs import strange_outputs, with_outputs
from fiche.families._predictions import predictions
from fiche.families._reach import Rule, by_window, reaches
from fiche.families._reads import MOST_LAYERS, architecture_of, asked, storage_of, unread
from fiche.families._rows import Place, rows
from fiche.kernel.condition import Condition
from fiche.kernel.config import Config
from fiche.kernel.doors import Family
from fiche.kernel.model import Model, Parameters
from fiche.kernel.record import field, record
from fiche.kernel.said import tell

DENSE, SPARSE = "dense", "sparse"


@record(eq=False)
class Decoder:
    """What is particular to one model type.

    `outer` lists tensors outside the layers, `attention`, `layer` and `dense` or `sparse` those of a layer,
    under `prefix`; `further` adds what no table can say. `words` are what the tables ask for: a word alone
    is so, `word=key` where the flag is on, `word=!key` where it is off, `word=key|other` where the flag has
    two names. `dims` adds dimensions. `reach` and `mlp` say the kind of each layer where no list does;
    `settled` corrects the first either way, and `parts` splits the layers by attention. `latent` is
    attention that compresses keys and values, `gated` a feed-forward of three matrices. `predicts` where
    files may store blocks that predict further tokens. `doubts` are texts of what else is not understood.
    `required` are keys that a class outside the library must have told.
    """

    outer: str
    attention: str
    layer: str
    dense: str = ""
    sparse: str = ""
    prefix: str = "model.layers.*."
    words: tuple[str, ...] = ()
    dims: Names = field(default_factory=dict)
    reach: Rule = by_window
    settled: Callable[[list[str]], list[str]] = list
    mlp: Rule | None = None
    parts: Callable[[Dims, list[str]], Iterable[Part]] | None = None
    more_words: Callable[[Config], Iterable[str]] | None = None
    further: Callable[[Place], Iterable[Parameters]] | None = None
    latent: bool = False
    gated: bool = True
    predicts: bool = False
    doubts: Callable[[Config], Iterable[str]] | None = None
    required: tuple[str, ...] = ()


def family(name: str, title: str, source: str, kinds: Mapping[str, Decoder]) -> Family:
    """The family of these model types."""
    return Family(
        name=name,
        title=title,
        source=source,
        model_types=tuple(kinds),
        build=lambda config, _: decoder(name, kinds[config.model_type], config),
    )


def decoder(family: str, kind: Decoder, config: Config) -> Model:
    """The model of a configuration, or an open one where its layers are untold or a divisor is zero."""
    dims = Dims(config, kind.dims)
    if not dims.layers:
        text = tell(
            "say how many layers this {model_type} has, at most {most_layers}",
            model_type=config.model_type,
            most_layers=MOST_LAYERS,
        )
        return unread(config, family, text)
    try:
        return _built(family, kind, config, dims)
    except ZeroDivisionError:
        return unread(
            config,
            family,
            tell(
                "give this {model_type} its heads: none is no number of them",
                model_type=config.model_type,
            ),
        )


def _built(family: str, kind: Decoder, config: Config, dims: Dims) -> Model:
    kinds = kind.settled(reaches(config, len(dims.layers), kind.reach))
    inside = _mlp_kinds(kind, config, len(dims.layers))
    words = frozenset(_words(kind, config))
    parts = _parts(kind, dims, kinds)
    return Model(
        family=family,
        model_type=config.model_type,
        architecture=architecture_of(config),
        parameters=_parameters(kind, dims, words, parts, inside),
        caches=caches_of(parts, kinds, latent=kind.latent),
        blocks=blocks_of(parts, kinds, inside, gated=kind.gated, latent=kind.latent),
        tied="tied" in words,
        hidden=dims["hidden"],
        vocabulary=dims["vocabulary"],
        positions=dims["positions"],
        storage=storage_of(config),
        config=config,
        open=tuple(_open(kind, config, kinds, inside)),
    )


def _words(kind: Decoder, config: Config) -> Iterable[str]:
    for each in ("tied=tie_word_embeddings", *kind.words):
        word, _, key = each.partition("=")
        flags = key.lstrip("!").split("|")
        if not key or (config.flag(*flags) is True) != key.startswith("!"):
            yield word
    yield from kind.more_words(config) if kind.more_words else ()


def _parts(kind: Decoder, dims: Dims, kinds: list[str]) -> tuple[Part, ...]:
    if kind.parts is None:
        return (Part(layers=dims.layers, dims=dims),)
    return tuple(part for part in kind.parts(dims, kinds) if part.layers)


def _mlp_kinds(kind: Decoder, config: Config, layers: int) -> list[str]:
    listed = config.listed("mlp_layer_types")
    if not kind.sparse:
        return [DENSE] * layers
    if listed is not None:
        return [each if isinstance(each, str) else "" for each in listed]
    return kind.mlp(config, layers) if kind.mlp else [SPARSE] * layers


def _parameters(
    kind: Decoder,
    dims: Dims,
    words: frozenset[str],
    parts: tuple[Part, ...],
    inside: list[str],
) -> tuple[Parameters, ...]:
    place = Place(dims=dims, words=words)
    found = list(rows(kind.outer, place))
    everywhere = place.over(kind.prefix, dims.layers, dims["depth"])
    found += rows(kind.layer, everywhere)
    found += kind.further(everywhere) if kind.further else ()
    for part in parts:
        count = dims.count(part.layers, "layer_types")
        here = Place(dims=part.dims, words=words | part.words)
        found += rows(kind.attention, here.over(kind.prefix, part.layers, count))
    for table, wanted in ((kind.dense, DENSE), (kind.sparse, SPARSE)):
        layers = tuple(index for index in dims.layers if inside[index : index + 1] == [wanted])
        if layers:
            count = dims.count(layers, "mlp_layer_types")
            found += rows(table, place.over(kind.prefix, layers, count))
    if kind.predicts:
        layer = kind.attention + kind.layer + kind.sparse
        found += predictions(dims, layer, kind.prefix, words)
    return with_outputs(dims.config, found, place, kind.prefix)


def _open(
    kind: Decoder, config: Config, kinds: list[str], inside: list[str]
) -> Iterable[Condition]:
    layers = len(Dims(config, kind.dims).layers)
    if not config.defaults and not kind.required:
        yield asked(
            tell(
                "the defaults of {model_type} are not known here: give every key",
                model_type=config.model_type,
            )
        )
    for key in kind.required:
        if not any(config.told(each) for each in key.split("|")):
            yield asked(
                tell(
                    "give {key}: no class known here has a default for it",
                    key=key.partition("|")[0],
                )
            )
    for strange in sorted(set(kinds) - (KNOWN_LATENT if kind.latent else KNOWN)):
        yield asked(
            tell(
                "say what layers of type '{strange}' keep: they are not known here", strange=strange
            )
        )
    for strange in sorted(set(inside) - {DENSE, SPARSE}):
        yield asked(
            tell(
                "say what feed-forward '{strange}' layers have: it is not known here",
                strange=strange,
            )
        )
    if len(kinds) != layers or len(inside) != layers:
        yield asked(
            tell("give each layer its type: the lists of types and the number of layers differ")
        )
    if config.value("per_layer_config") and kind.parts is None:
        yield asked(tell("say what per_layer_config changes: it is not read here"))
    for text in (*strange_outputs(config), *(kind.doubts(config) if kind.doubts else ())):
        yield asked(text)
