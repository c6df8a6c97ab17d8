"""Walking a figure's expression: its formula as text, its leaves, its firmness, its re-evaluation."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from fractions import Fraction

from fiche.kernel.condition import Condition
from fiche.kernel.figure import Figure, Node, Operand, Unknown, reapply
from fiche.kernel.origin import Assumed, Computed, Declared, Observed, Stated

_SIGN = {"+": " + ", "-": " - ", "*": " x ", "/": " / ", "total": " + "}


def inputs(node: Operand) -> tuple[Node | int | Fraction, ...]:
    """What a node was computed from; nothing for a leaf."""
    if isinstance(node, Figure) and isinstance(node.origin, Computed):
        return node.origin.inputs
    return ()


def walk(node: Operand) -> Iterator[Node]:
    """Every figure and unknown below `node`, itself first, each once (by identity)."""
    seen: set[int] = set()
    waiting: list[Operand] = [node]
    while waiting:
        here = waiting.pop()
        if isinstance(here, int | Fraction) or id(here) in seen:
            continue
        seen.add(id(here))
        yield here
        waiting.extend(reversed(inputs(here)))


def leaves(node: Node) -> tuple[Node, ...]:
    """The figures and unknowns that nothing was computed for."""
    return tuple(n for n in walk(node) if not isinstance(n.origin, Computed))


def conditions(node: Node) -> tuple[Condition, ...]:
    """What is missing below `node`, each once, in the order of the formula."""
    found = [leaf.condition for leaf in leaves(node) if isinstance(leaf, Unknown)]
    return tuple(dict.fromkeys(found))


def firm(node: Node) -> bool:
    """True when no guess and no unknown stands below: only such numbers admit or exclude (law 1)."""
    return all(not isinstance(n, Unknown) and not isinstance(n.origin, Assumed) for n in leaves(node))


def assumptions(node: Node) -> tuple[Figure, ...]:
    """The assumed figures below `node`."""
    return tuple(n for n in leaves(node) if isinstance(n, Figure) and isinstance(n.origin, Assumed))


def basis(node: Node) -> str:
    """One word for readers (E2): computed, observed, declared, assumed, stated or unknown."""
    if isinstance(node, Unknown):
        return "unknown"
    match node.origin:
        case Computed():
            return "computed"
        case Observed():
            return "observed"
        case Declared():
            return "declared"
        case Assumed():
            return "assumed"
        case Stated():
            return "stated"


def rests_on(node: Node) -> tuple[str, ...]:
    """The kinds of leaves below a computed figure, weakest first, so that a sum shows its guesses."""
    order = ("unknown", "assumed", "declared", "observed", "stated")
    kinds = {basis(leaf) for leaf in leaves(node)}
    return tuple(kind for kind in order if kind in kinds)


def formula(node: Operand) -> str:
    """The expression of a node in words; named inputs stand by their id."""
    return _text(node, top=True)


def _text(node: Operand, *, top: bool = False) -> str:
    if isinstance(node, int | Fraction):
        return str(node)
    if node.id and not top:
        return node.id
    if isinstance(node, Unknown):
        return "unknown"
    if not isinstance(node.origin, Computed):
        return _value(node)
    return _operation(node.origin, top=top)


def _operation(origin: Computed, *, top: bool) -> str:
    parts = [_text(part) for part in origin.inputs]
    if origin.operation in _SIGN:
        joined = _SIGN[origin.operation].join(parts) or "0"
        return joined if top or len(parts) == 1 else f"({joined})"
    return f"{origin.operation}({', '.join(parts)})"


def _value(figure: Figure) -> str:
    unit = f" {figure.unit}" if str(figure.unit) else ""
    if figure.exact:
        return f"{figure.low}{unit}"
    return f"{figure.low} to {'open' if figure.high is None else figure.high}{unit}"


def expression(node: Operand) -> object:
    """The trace as JSON-ready lists, named inputs by id, for re-evaluation outside Python."""
    return _expression(node, top=True)


def _expression(node: Operand, *, top: bool = False) -> object:
    if isinstance(node, int):
        return node
    if isinstance(node, Fraction):
        return ["/", node.numerator, node.denominator]
    if node.id and not top:
        return node.id
    if isinstance(node, Unknown):
        return None
    if isinstance(node.origin, Computed):
        return [node.origin.operation, *(_expression(part) for part in node.origin.inputs)]
    return [str(node.low), None if node.high is None else str(node.high)]


def reevaluate(node: Operand, changed: Mapping[str, Operand]) -> Operand:
    """The same formula with some named figures replaced: sweeps and what-if never rebuild it."""
    done: dict[int, Operand] = {}
    stack: list[Operand] = [node]
    while stack:
        here = stack[-1]
        if id(here) in done:
            stack.pop()
            continue
        pending = [p for p in inputs(here) if id(p) not in done]
        if pending and _name(here) not in changed:
            stack.extend(pending)
            continue
        done[id(here)] = _renewed(here, changed, done)
        stack.pop()
    return done[id(node)]


def _name(node: Operand) -> str:
    return "" if isinstance(node, int | Fraction) else node.id


def _renewed(node: Operand, changed: Mapping[str, Operand], done: Mapping[int, Operand]) -> Operand:
    name = _name(node)
    if name and name in changed:
        return changed[name]
    parts = inputs(node)
    if not isinstance(node, Figure) or not parts:
        return node
    renewed = tuple(done[id(part)] for part in parts)
    if all(new is old for new, old in zip(renewed, parts, strict=True)):
        return node
    assert isinstance(node.origin, Computed)
    again = reapply(node.origin.operation, renewed, node.origin.because)
    return replace(again, id=node.id, label=node.label, left_out=node.left_out)
