"""Vision models in stages: lists in the configuration say how deep and how wide each stage is.

They keep nothing between calls, and have no blocks of one width that a training step could be told by.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping

from fiche.families._encoder import Heads, head_class, labels_of
from fiche.families._reads import architecture_of, asked, listed_number, storage_of, unread
from fiche.families._rows import Place, rows
from fiche.kernel.config import Config
from fiche.kernel.doors import Family
from fiche.kernel.figure import Node
from fiche.kernel.model import Model, Parameters
from fiche.kernel.record import record
from fiche.kernel.said import listed, tell

# No published model comes near.
_MOST = 1000


@record(eq=False)
class Staged:
    """What is particular to one model type.

    `lists` are keys of lists with one whole number a stage. `stages` builds the tensors of all stages, `outer`
    lists those outside, `heads` tables by the end of the class's name; `base` is where the body stands below a
    head. `dims` and `words` serve all tables, `doubts` are texts of what is not understood.
    """

    stages: Callable[[Config, Place], Iterable[Parameters]]
    lists: tuple[str, ...]
    outer: str
    base: str
    heads: Heads
    dims: Callable[[Config], Mapping[str, Node]]
    words: Callable[[Config], tuple[str, ...]] = lambda config: ()
    doubts: Callable[[Config], tuple[str, ...]] = lambda config: ()


def staged(name: str, title: str, source: str, kinds: Mapping[str, Staged]) -> Family:
    """The family of these model types."""
    return Family(
        name=name,
        title=title,
        source=source,
        model_types=tuple(kinds),
        build=lambda config, _: _model(name, config, kinds[config.model_type]),
    )


def _model(name: str, config: Config, kind: Staged) -> Model:
    lengths = {len(numbers(config, key)) for key in kind.lists}
    if len(lengths) != 1 or 0 in lengths:
        return unread(
            config, name, tell("give {lists}: one whole number a stage", lists=listed(kind.lists))
        )
    head, doubt = head_class(config, kind.heads)
    place = Place(dims={**kind.dims(config), "labels": labels_of(config)}, part="vision")
    place = place.where(*kind.words(config), *(["pooled"] if head == "Model" else []))
    body = place if head == "Model" else place.at(kind.base)
    return Model(
        family=name,
        model_type=config.model_type,
        architecture=architecture_of(config),
        parameters=(
            *rows(kind.outer, body),
            *kind.stages(config, body),
            *rows(kind.heads.get(head, ""), place),
        ),
        storage=storage_of(config),
        config=config,
        open=(*doubt, *map(asked, kind.doubts(config))),
    )


def numbers(config: Config, key: str) -> tuple[int, ...]:
    """The whole numbers of a list, none where any is no plausible one."""
    listed = config.listed(key) or []
    found = tuple(each for each in listed if type(each) is int and 0 < each < 10**7)
    return found if len(found) == len(listed) <= _MOST else ()


def item(config: Config, key: str, index: int) -> Node:
    """The number of one stage."""
    return listed_number(config, key, index)


def by_stage(config: Config, body: Place, key: str, prefix: str) -> Iterator[tuple[int, Place]]:
    """Each stage, and the place of its layers: as many as the list under `key` says."""
    start = 0
    for index, depth in enumerate(numbers(config, key)):
        layers = range(start, start + min(depth, _MOST))
        start = layers.stop
        yield index, body.over(prefix, layers, item(config, key, index))


def batch_norm(name: str, width: str) -> str:
    """Rows of a norm over a batch: what it learns, and what it remembers."""
    return f"""
{name} norm+ {width}
{name}.{{running_mean,running_var}} =buffer {width}
{name}.num_batches_tracked =buffer
"""
