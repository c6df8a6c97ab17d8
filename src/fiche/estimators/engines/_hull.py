"""Which rule holds: that of the engine a fiche names, or the hull of all known rules.

The lower end is always the least that can be kept (`ideal`); an engine without a known rule opens the
high end and says what would settle it.
"""

from __future__ import annotations

from collections.abc import Iterable

from fiche.estimators._qualify import qualify
from fiche.estimators._reading import missing, qualified, word
from fiche.estimators.engines._lookup import engine_named, engines, known, plain
from fiche.estimators.engines._parts import KV_CACHE
from fiche.estimators.engines._placed import dealt
from fiche.estimators.engines.ideal import MEMBER as IDEAL
from fiche.kernel.doors import Engine
from fiche.kernel.figure import Figure, Node, Unknown, either, larger, total
from fiche.kernel.model import Model
from fiche.kernel.origin import Computed
from fiche.kernel.said import listed, tell
from fiche.kernel.trace import conditions, walk
from fiche.kernel.unit import BYTE
from fiche.kernel.workload import Case, Workload

# Topics of what an engine's rule leaves open, as against what the fiche leaves untold.
_NO_RULE = ("engine", "need")
# Rules that know of stages themselves.
_DEALS_OUT = ("ideal", "transformers", "vllm")


def kept_by_engine(model: Model, workload: Workload, case: Case | None) -> tuple[Node, ...]:
    """What a model keeps between steps, one named node an item; none for a model that keeps nothing."""
    if not model.caches:
        return _not_understood(model, case)
    name = word(workload, "engine.name")
    if not name:
        return _opened(_hull(model, workload, case), model)
    engine = engine_named(name)
    nodes = () if engine is None else _kept(engine, model, workload, case)
    if not nodes:
        return _opened(_without_rule(name, model, workload, case), model)
    return _opened(_not_below(nodes, model, workload, case), model)


def _kept(engine: Engine, model: Model, workload: Workload, case: Case | None) -> tuple[Node, ...]:
    """By an engine's rule; stages and parts of a context deal it out where the rule has not done so."""
    nodes = engine.cache(model, workload, case)
    return nodes if engine.name in _DEALS_OUT else tuple(_dealt(n, workload) for n in nodes)


def _dealt(node: Node, workload: Workload) -> Node:
    share = dealt(node, workload, "pipeline", "context")
    if share is node:
        return node
    whole = dealt(_under(node, "whole"), workload, "pipeline", "context")
    assert isinstance(whole, Figure)
    return whole.named(node.id, node.label, left_out=_left_out(node))


def _not_understood(model: Model, case: Case | None) -> tuple[Node, ...]:
    """Fail closed: caches of a model that was not understood are unknown, never zero."""
    if not model.open:
        return ()
    name = qualified(case, KV_CACHE)
    asked = [Unknown(condition=condition, unit=BYTE) for condition in model.open]
    return (total(asked, BYTE).named(name, tell("KV cache")),)


def _opened(nodes: tuple[Node, ...], model: Model) -> tuple[Node, ...]:
    """Layers that were not understood open the high end of what the others keep."""
    asked = [c for c in model.open if c.topic in ("architecture", "cache")]
    if not asked or not nodes:
        return nodes
    first, *others = nodes
    unknown = [Unknown(condition=condition, unit=BYTE) for condition in asked]
    opened = total([_under(first, "understood"), *unknown], BYTE)
    return (opened.named(first.id, first.label, left_out=_left_out(first)), *others)


def _without_rule(
    name: str, model: Model, workload: Workload, case: Case | None
) -> tuple[Node, ...]:
    """At least what any program must keep, open above."""
    text = tell(
        "no rule is known here for what {name} keeps of this model: state or measure it "
        "(rules are known of {known})",
        name=name,
        known=listed(known()),
    )
    beyond = missing(f"{plain(name)}.beyond", BYTE, "engine", text)
    return tuple(
        total((_under(node, IDEAL.name), beyond), BYTE).named(node.id, node.label)
        for node in IDEAL.cache(model, workload, case)
    )


def _not_below(
    nodes: tuple[Node, ...], model: Model, workload: Workload, case: Case | None
) -> tuple[Node, ...]:
    """An item whose own rule is not known is still no less than what any program must keep."""
    asked = {node.id for node in nodes if any(c.topic in _NO_RULE for c in conditions(node))}
    if not asked:
        return nodes
    least = {node.id: _under(node, IDEAL.name) for node in IDEAL.cache(model, workload, case)}
    return tuple(
        larger(_under(node, "told"), least[node.id]).named(
            node.id, node.label, left_out=_left_out(node)
        )
        if node.id in asked and node.id in least
        else node
        for node in nodes
    )


def _hull(model: Model, workload: Workload, case: Case | None) -> tuple[Node, ...]:
    told = [(engine, _kept(engine, model, workload, case)) for engine in _ideal_first()]
    found = _apart([(engine, nodes) for engine, nodes in told if nodes], case)
    items = dict.fromkeys(item for _, nodes in found for item in nodes)
    return tuple(_either(item, [(e, n[item]) for e, n in found if item in n]) for item in items)


def _ideal_first() -> list[Engine]:
    return [IDEAL, *(engine for engine in engines() if engine.name != IDEAL.name)]


def _apart(
    told: list[tuple[Engine, tuple[Node, ...]]], case: Case | None
) -> list[tuple[Engine, dict[str, Node]]]:
    """Each engine's figures under ids of its own, so that no id stands for two of them.

    What is stated keeps its id, and so do steps that two engines share.
    """
    known: dict[str, Node] = {}
    found = []
    for engine, nodes in told:
        for leaf in _leaves(nodes):
            known.setdefault(leaf.id, leaf)
        mine = qualify(nodes, f"{engine.name}.", known)
        found.append((engine, {old.id: new for old, new in zip(nodes, mine, strict=True)}))
    return found


def _leaves(nodes: Iterable[Node]) -> list[Node]:
    """What the items rest on; an item that is one question is no leaf: its id is the item's."""
    return [
        each
        for node in nodes
        for each in walk(node)
        if each.id and each is not node and not isinstance(each.origin, Computed)
    ]


def _either(item: str, readings: list[tuple[Engine, Node]]) -> Node:
    """The hull of all readings of one item, ideal first."""
    hull = readings[0][1]
    for engine, node in readings[1:]:
        hull = either(hull, node, tell("engine.name is not told: {title}", title=engine.title))
    label = readings[0][1].label
    left_out = tuple(dict.fromkeys(each for _, node in readings for each in _left_out(node)))
    return total((hull,), BYTE).named(item, label, left_out=left_out)


def _under(node: Node, prefix: str) -> Node:
    (renamed,) = qualify((node,), f"{prefix}.", {leaf.id: leaf for leaf in _leaves((node,))})
    return renamed


def _left_out(node: Node) -> tuple[str, ...]:
    return node.left_out if isinstance(node, Figure) else ()
